// The panel and its tabs. On a narrow screen it lies over the timeline.
acpSpy.panel = (() => {
  const { get } = acpSpy.dom;
  const TABS = ["frame", "findings", "stats", "about"];

  /** `draw(tab, box)` fills the panel. */
  function create(draw) {
    const narrow = matchMedia("(max-width: 760px)");
    let current = "frame";

    function show(tab) {
      current = tab;
      for (const name of TABS) {
        get("tab-" + name).setAttribute("aria-selected", String(name === tab));
        get("tab-" + name).tabIndex = name === tab ? 0 : -1;
      }
      get("view").setAttribute("aria-labelledby", "tab-" + tab);
      get("view").scrollTop = 0;
      draw(tab, get("view"));
    }

    /** Draw the same again, where it was scrolled to; not while it has the focus. */
    function renew() {
      const view = get("view");
      if (view.contains(document.activeElement) && document.activeElement !== view) return;
      const top = view.scrollTop;
      const name = (details) => details.closest("[aria-label]") && details.closest("[aria-label]").getAttribute("aria-label");
      const unfolded = new Set([...view.querySelectorAll("details[open]")].map(name));
      draw(current, view);
      for (const details of view.querySelectorAll("details")) if (unfolded.has(name(details))) details.open = true;
      view.scrollTop = top;
    }

    const open = () => get("main").classList.add("panel-open");

    /** Return whether there was something to close. */
    function close() {
      const covers = narrow.matches && get("main").classList.contains("panel-open");
      get("main").classList.remove("panel-open");
      if (covers) get("rows").focus();
      return covers;
    }

    for (const name of TABS) get("tab-" + name).onclick = () => show(name);
    for (const name of ["findings", "stats", "about"]) {
      get("door-" + name).onclick = () => {
        show(name);
        open();
      };
    }
    get("close-panel").onclick = close;
    get("tab-frame").parentNode.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
      if (!by) return;
      show(TABS[(TABS.indexOf(current) + by) % TABS.length]);
      get("tab-" + current).focus();
      event.preventDefault();
    });

    return { show, renew, open, close, current: () => current, isNarrow: () => narrow.matches };
  }

  return { create };
})();
