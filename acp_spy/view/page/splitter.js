// The line between timeline and panel, moved by pointer or arrow keys.
acpSpy.splitter = (() => {
  const { get } = acpSpy.dom;
  const [LEAST, MOST] = [20, 75]; // per cent of the width that the panel may have

  function start() {
    const splitter = get("splitter");
    let part = 42;
    const set = (next) => {
      part = Math.min(Math.max(next, LEAST), MOST);
      get("main").style.setProperty("--panel", part + "%");
      splitter.setAttribute("aria-valuenow", Math.round(part));
    };
    splitter.setAttribute("aria-valuemin", LEAST);
    splitter.setAttribute("aria-valuemax", MOST);
    set(part);
    splitter.addEventListener("pointerdown", (event) => {
      splitter.setPointerCapture(event.pointerId);
      splitter.onpointermove = (moved) => set(100 - (moved.clientX / innerWidth) * 100);
      splitter.onpointerup = () => {
        splitter.onpointermove = splitter.onpointerup = null;
      };
    });
    splitter.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: 4, ArrowRight: -4 }[event.key];
      if (!by) return;
      set(part + by);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  return { start };
})();
