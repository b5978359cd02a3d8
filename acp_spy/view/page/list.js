// A long list of which only the part in view is drawn. All rows are of one height.
acpSpy.list = (() => {
  const { make } = acpSpy.dom;
  const BEYOND = 12; // rows drawn outside the view, so that scrolling shows no white

  /** `draw(item, place)` makes the element of an item. */
  function create(box, draw) {
    const sheet = make("div.sheet", { role: "presentation" });
    box.append(sheet);
    const drawn = new Map();
    const stamps = new WeakMap(); // what each element was drawn from
    let items = [];
    let height = 28;
    let active = -1;
    let asked = 0;

    function measure() {
      height = parseFloat(getComputedStyle(box).getPropertyValue("--row")) || 28;
    }

    function show(next) {
      items = next;
      active = -1;
      refresh();
    }

    /** Redraw everything in view. */
    function refresh() {
      measure();
      sheet.style.height = items.length * height + "px";
      for (const element of drawn.values()) element.remove();
      drawn.clear();
      update();
    }

    /** Show `next`, of which most is as before; `placeOf(item)` says where an item is now, or -1. */
    function grow(next, placeOf) {
      const first = items[Math.floor(box.scrollTop / height)];
      const chosen = items[active];
      items = next;
      const moved = first ? placeOf(first) - Math.floor(box.scrollTop / height) : 0;
      active = chosen ? placeOf(chosen) : -1;
      sheet.style.height = items.length * height + "px";
      if (moved && first && placeOf(first) >= 0) box.scrollTop += moved * height;
      for (const [place, element] of drawn) {
        if (items[place] && stamps.get(element) === acpSpy.row.stamp(items[place])) {
          element.setAttribute("aria-setsize", items.length);
          element.setAttribute("aria-selected", place === active);
        } else {
          element.remove();
          drawn.delete(place);
        }
      }
      if (active < 0) box.removeAttribute("aria-activedescendant");
      else box.setAttribute("aria-activedescendant", "item-" + active);
      update();
    }

    function update() {
      asked = 0;
      const first = Math.max(0, Math.floor(box.scrollTop / height) - BEYOND);
      const last = Math.min(items.length, Math.ceil((box.scrollTop + box.clientHeight) / height) + BEYOND);
      for (const [place, element] of drawn) {
        if (place >= first && place < last) continue;
        element.remove();
        drawn.delete(place);
      }
      for (let place = first; place < last; place += 1) {
        if (drawn.has(place)) continue;
        const element = draw(items[place], place);
        element.id = "item-" + place;
        element.style.transform = `translateY(${place * height}px)`;
        element.setAttribute("aria-setsize", items.length);
        element.setAttribute("aria-posinset", place + 1);
        element.setAttribute("aria-selected", place === active);
        drawn.set(place, element);
        stamps.set(element, acpSpy.row.stamp(items[place]));
        sheet.append(element);
      }
    }

    /** Make `place` the active item, and bring it into view. */
    function activate(place, centred) {
      const before = drawn.get(active);
      if (before) before.setAttribute("aria-selected", "false");
      active = place;
      if (place < 0) {
        box.removeAttribute("aria-activedescendant");
        return;
      }
      const top = place * height;
      const room = box.clientHeight - height;
      if (top < box.scrollTop || top > box.scrollTop + room) {
        box.scrollTop = centred ? top - room / 3 : top < box.scrollTop ? top : top - room;
      }
      update();
      const now = drawn.get(place);
      if (now) now.setAttribute("aria-selected", "true");
      box.setAttribute("aria-activedescendant", "item-" + place);
    }

    box.addEventListener("scroll", () => {
      asked = asked || requestAnimationFrame(update);
    }, { passive: true });
    new ResizeObserver(refresh).observe(box);

    return {
      show, grow, refresh, activate,
      active: () => active,
      length: () => items.length,
      at: (place) => items[place],
      page: () => Math.max(1, Math.floor(box.clientHeight / height) - 1),
    };
  }

  return { create };
})();
