// Light or dark: as the system says, until somebody says otherwise.
acpSpy.theme = (() => {
  const KEY = "acp-spy-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const now = () => root.dataset.theme || (system.matches ? "dark" : "light");

  /** `changed` is called whenever the colours are others. */
  function start(changed) {
    try {
      const kept = localStorage.getItem(KEY);
      if (kept === "light" || kept === "dark") root.dataset.theme = kept;
    } catch (_) {
      // A page from disk may have no storage: then it forgets.
    }
    system.addEventListener("change", changed);
    acpSpy.dom.get("theme").onclick = () => toggle(changed);
  }

  function toggle(changed) {
    root.dataset.theme = now() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch (_) {
      // As above.
    }
    changed();
  }

  return { start, now };
})();
