// The timeline by mouse: a click chooses a row, one on its twist or a second one unfolds it.
acpSpy.clicks = (() => {
  const placeOf = (element) => Number(element.id.slice("item-".length));

  /** `on` has: choose(place), toggle(key), at(place). */
  function start(rows, on) {
    rows.addEventListener("click", (event) => {
      const twist = event.target.closest("[data-twist]");
      const element = event.target.closest(".row");
      if (twist) on.toggle(twist.dataset.twist);
      else if (element) on.choose(placeOf(element));
    });
    rows.addEventListener("dblclick", (event) => {
      const element = event.target.closest(".row[aria-expanded]");
      if (element && !event.target.closest("[data-twist]")) on.toggle(on.at(placeOf(element)).key);
    });
  }

  return { start };
})();
