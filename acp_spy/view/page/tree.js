// JSON as a tree that unfolds, with the places of findings marked.
acpSpy.tree = (() => {
  const { make, marked } = acpSpy.dom;
  const { size, count } = acpSpy.words;
  const AT_ONCE = 100; // members shown of a long list
  const LONGEST = 600; // characters shown of a long string
  const LINES = 300; // shown at first: what is nested deeper then is folded

  /**
   * Return {element, reveal(pointer)} for `text`, whose value `node` is.
   * `findings` mark their places; `pattern` what is searched for; `choose(pointer)` is called with what was clicked.
   */
  function create(text, node, { findings, pattern, choose }) {
    const places = new Map();
    for (const finding of findings) {
      const pointer = acpSpy.json.nearest(node, finding.path || "");
      places.set(pointer, [...(places.get(pointer) || []), finding]);
    }
    const branches = new Map(); // pointer -> {line, open()}
    let lines = 0;
    const element = make("div.tree", { role: "tree", "aria-label": "The message as a tree" });
    element.append(branch("", "", node, 1, false));
    element.querySelector(".line").tabIndex = 0;
    element.addEventListener("keydown", walk);
    return { element, reveal };

    /** Arrow keys: up and down the lines that are shown; to the left fold, to the right unfold. */
    function walk(event) {
      const shown = [...element.querySelectorAll(".line")].filter((line) => line.offsetParent);
      const at = shown.indexOf(event.target);
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const fold = { ArrowRight: "false", ArrowLeft: "true" }[event.key];
      if (at < 0 || !(by || fold)) return;
      if (by && shown[at + by]) step(shown[at], shown[at + by]);
      if (fold && shown[at].ariaExpanded === fold) shown[at].querySelector("button.twist").click();
      event.preventDefault();
    }

    function step(from, to) {
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    }

    function branch(pointer, key, value, level, inList) {
      lines += 1;
      const line = make("div.line", { role: "treeitem", tabIndex: -1, "aria-level": level });
      const box = make("div.branch", { role: "none" }, line);
      const found = places.get(pointer) || [];
      if (value.items && value.items.length) container(box, line, pointer, value, level);
      else line.append(make("span.twist"));
      if (level > 1) line.append(make(inList ? "span.index" : "span.key", null, ...label(key)), make("span.colon", null, ": "));
      line.append(...(value.items ? [summary(value)] : leaf(value)));
      for (const finding of found) line.append(flag(finding));
      if (found.length) {
        line.classList.add("found", acpSpy.data.worst(found));
      }
      line.append(tools(pointer, value));
      line.addEventListener("click", (event) => {
        if (!event.target.closest("button")) choose(pointer, line);
      });
      line.addEventListener("focus", () => choose(pointer, line));
      branches.set(pointer, { ...branches.get(pointer), line });
      return box;
    }

    function label(key) {
      return marked(acpSpy.inert.line(String(key)), pattern);
    }

    function container(box, line, pointer, value, level) {
      const children = make("div.children", { role: "group" });
      const twist = make("button.twist", { tabIndex: -1, "aria-label": "Unfold" });
      let shown = 0;
      const more = make("button.more", { onclick: () => grow(AT_ONCE) });

      function grow(by) {
        const upTo = Math.min(value.items.length, shown + by);
        more.remove();
        for (; shown < upTo; shown += 1) {
          const { key, node: child } = value.items[shown];
          children.append(branch(pointer + acpSpy.json.step(key), key, child, level + 1, value.type === "array"));
        }
        const rest = value.items.length - shown;
        if (rest) {
          more.textContent = `Show ${Math.min(rest, AT_ONCE)} of ${count(rest, "more")}`;
          children.append(more);
        }
      }

      function open(isOpen) {
        if (isOpen && !shown) grow(AT_ONCE);
        children.hidden = !isOpen;
        line.setAttribute("aria-expanded", String(isOpen));
        twist.setAttribute("aria-label", isOpen ? "Fold" : "Unfold");
      }

      twist.onclick = () => open(children.hidden);
      line.append(twist);
      box.append(children);
      // A child that stands behind the first hundred is reached by showing all up to it.
      branches.set(pointer, {
        open,
        reach(key) {
          open(true);
          const index = value.items.findIndex((item) => String(item.key) === key);
          if (index >= shown) grow(index + 1 - shown);
        },
      });
      const leadsToFinding = [...places.keys()].some((place) => place.startsWith(pointer + "/"));
      open(leadsToFinding || lines + value.items.length <= LINES);
    }

    function leaf(value) {
      if (value.type !== "string") return [make("span." + value.type, null, value.items ? "" : value.value)];
      const whole = value.value;
      const span = make("span.string");
      const put = (part) => span.replaceChildren('"', ...marked(acpSpy.inert.block(part), pattern), '"');
      if (whole.length <= LONGEST) {
        put(whole);
        return [span];
      }
      put(whole.slice(0, LONGEST));
      const all = make("button.more", { onclick: () => { put(whole); all.remove(); } }, `Show all ${size(whole.length)}`);
      return [span, all];
    }

    function flag(finding) {
      const words = `${finding.severity} ${finding.code}: ${acpSpy.inert.line(finding.text)}`;
      return make(`span.flag.${finding.severity}`, { title: words }, finding.code);
    }

    function tools(pointer, value) {
      const exact = () => text.slice(value.start, value.end);
      return make("span.tools", null,
        make("button", { tabIndex: -1, title: "Copy this value", "aria-label": `Copy the value at ${acpSpy.inert.line(pointer) || "the top"}`, onclick: () => acpSpy.copy.copy(exact(), "the value") }, "copy"),
        make("button", { tabIndex: -1, title: "Copy its JSON Pointer", "aria-label": `Copy the pointer ${acpSpy.inert.line(pointer) || "to the top"}`, onclick: () => acpSpy.copy.copy(pointer, "the pointer") }, "pointer"));
    }

    /** Unfold all that is around `pointer`, mark it, and bring it into view. */
    function reveal(pointer) {
      const wanted = acpSpy.json.nearest(node, pointer);
      let here = "";
      for (const part of wanted.split("/").slice(1)) {
        const around = branches.get(here);
        if (around && around.reach) around.reach(part.replace(/~1/g, "/").replace(/~0/g, "~"));
        here += "/" + part;
      }
      const { line } = branches.get(wanted);
      choose(wanted, line);
      line.scrollIntoView({ block: "nearest" });
      return line;
    }
  }

  function summary(value) {
    const [open, close] = value.type === "object" ? "{}" : "[]";
    if (!value.items.length) return make("span.brackets", null, open + close);
    const inside = value.type === "object" ? count(value.items.length, "field") : count(value.items.length, "item");
    return make("span.brackets", null, `${open} ${inside} ${close}`);
  }

  return { create };
})();
