// The waterfall by hand: the wheel zooms, Shift and the wheel move, a drag marks what to zoom to.
acpSpy.gestures = (() => {
  const WHEEL = 0.002; // how much a pixel of the wheel zooms
  const LEAST = 4; // pixels: a shorter drag is a click

  /** `on` has: left(), width(), time(pixel), look(from, to), zoom(factor, around), move(part). */
  function start(plot, brush, on) {
    const pixel = (event) => event.clientX - plot.getBoundingClientRect().left - on.left();
    const inside = (event) => Math.min(Math.max(pixel(event), 0), on.width());

    plot.addEventListener("wheel", (event) => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (sideways || event.shiftKey) on.move((sideways ? event.deltaX : event.deltaY) / on.width());
      else on.zoom(Math.exp(event.deltaY * WHEEL), on.time(pixel(event)));
      event.preventDefault();
    }, { passive: false });

    plot.addEventListener("pointerdown", (event) => {
      if (event.button || event.pointerType === "touch") return; // a finger scrolls
      const from = pixel(event);
      const drag = (moved) => {
        const now = inside(moved);
        brush.hidden = Math.abs(now - from) < LEAST;
        brush.style.left = on.left() + Math.min(from, now) + "px";
        brush.style.width = Math.abs(now - from) + "px";
      };
      const drop = (ended) => {
        removeEventListener("pointermove", drag);
        removeEventListener("pointerup", drop);
        const now = inside(ended);
        if (!brush.hidden) on.look(on.time(Math.min(from, now)), on.time(Math.max(from, now)));
        brush.hidden = true;
      };
      addEventListener("pointermove", drag);
      addEventListener("pointerup", drop);
    });

    plot.addEventListener("keydown", (event) => {
      const part = { ArrowLeft: -0.2, ArrowRight: 0.2 }[event.key];
      if (!part) return;
      on.move(part);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  return { start };
})();
