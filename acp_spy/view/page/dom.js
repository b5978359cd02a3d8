// Elements, made by hand. Text goes in as text: nothing on this page is ever read as markup.
acpSpy.dom = (() => {
  const get = (id) => document.getElementById(id);

  /**
   * Make an element: `make("button.small", {title: "x", onclick: f}, "text", child)`.
   * Properties with a dash, and `role` and `for`, are attributes; the others are set as they are.
   */
  function make(name, properties, ...children) {
    const [tag, ...classes] = name.split(".");
    const element = document.createElement(tag);
    if (classes.length) element.className = classes.join(" ");
    if (tag === "button") element.type = "button";
    for (const [key, value] of Object.entries(properties || {})) {
      if (value === undefined || value === null) continue;
      if (key.includes("-") || key === "role" || key === "for") element.setAttribute(key, value);
      else element[key] = value;
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /** Words that only a screen reader reads. */
  const aside = (text) => make("span.hidden", null, text);

  /** `text` with what `pattern` (global) finds in it marked. */
  function marked(text, pattern) {
    if (!pattern || !text) return [text];
    const parts = [];
    let from = 0;
    for (const match of text.matchAll(pattern)) {
      if (!match[0]) break;
      parts.push(text.slice(from, match.index), make("mark", null, match[0]));
      from = match.index + match[0].length;
    }
    parts.push(text.slice(from));
    return parts;
  }

  /** Prose with `code` in backticks. */
  function prose(text) {
    const parts = acpSpy.inert.block(text).split(/`([^`]+)`/);
    return parts.map((part, index) => (index % 2 ? make("code", null, part) : part));
  }

  /** Paragraphs of prose; one that is laid out by hand stays as it is. */
  function paragraphs(text) {
    const parts = text.split("\n\n").flatMap((part) => part.startsWith("## ") ? part.split(/\n(.*)/s, 2) : [part]);
    return parts.map((part) => {
      if (part.startsWith("## ")) return make("h4", null, part.slice(3));
      const laidOut = part.split("\n").some((line) => /^[ \-|`]/.test(line));
      return make(laidOut ? "p.laid-out" : "p", null, ...prose(laidOut ? part : part.replace(/\n/g, " ")));
    });
  }

  return { get, make, aside, marked, prose, paragraphs };
})();
