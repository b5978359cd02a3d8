// The keyboard. Keys act where nothing is typed; Escape and Enter also in a field.
acpSpy.keys = (() => {
  const { get } = acpSpy.dom;

  function start(app) {
    const acts = {
      j: () => app.move(1), ArrowDown: () => app.move(1),
      k: () => app.move(-1), ArrowUp: () => app.move(-1),
      PageDown: () => app.move(app.page()), PageUp: () => app.move(-app.page()),
      Home: () => app.move(-Infinity), End: () => app.move(Infinity),
      g: () => app.move(-Infinity), G: () => app.move(Infinity),
      ArrowRight: () => app.unfold(true), ArrowLeft: () => app.unfold(false),
      Enter: () => app.enter(),
      n: () => app.next(1), N: () => app.next(-1),
      p: () => app.partner(),
      y: () => app.copyLink(),
      f: () => focus("filter"), "/": () => focus("search"),
      "+": () => app.waterfall.zoom(0.5), "=": () => app.waterfall.zoom(0.5),
      "-": () => app.waterfall.zoom(2), 0: () => app.waterfall.fit(),
      w: () => get("waterfall-fold").click(),
      t: () => get("theme").click(),
      "?": () => app.help(),
      Escape: () => app.escape(),
    };

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || get("help").open) return;
      if (event.target instanceof HTMLInputElement) inField(event);
      else if (acts[event.key] && !isForElement(event)) {
        acts[event.key]();
        event.preventDefault();
      }
    });

    function inField(event) {
      if (event.key === "Escape") {
        if (event.target.value) app.clear(event.target.id);
        else get("rows").focus();
      } else if (event.key === "Enter") {
        const taken = app.takeNow(event.target.id);
        if (event.target.id === "search") taken.then(() => app.next(event.shiftKey ? -1 : 1));
        get("rows").focus();
      } else return;
      event.preventDefault();
    }
  }

  /** Whether the element that has the focus makes something of the key itself. */
  function isForElement({ key, target }) {
    if (key === "Enter" || key === " ") return Boolean(target.closest("button, a, summary"));
    const inPanel = Boolean(target.closest("#panel"));
    return inPanel && /^(Arrow|Page|Home|End)/.test(key);
  }

  function focus(id) {
    get(id).focus();
    get(id).select();
  }

  return { start };
})();
