// JSON read with its places and spellings: numbers as written, a key that stands twice, exact text.
acpSpy.json = (() => {
  const DEEPEST = 400; // deeper ones are shown as text
  const BLANKS = /[ \t\r\n]*/y;
  const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

  /**
   * Return the value that `text` spells, as a node, or null when it is no JSON.
   * A node is {type, start, end, value | items: [{key, node}]}; `start` and `end` are places in `text`.
   */
  function read(text) {
    const state = { text, at: 0 };
    try {
      const node = value(state, 0);
      skip(state);
      return state.at === text.length ? node : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  function value(state, depth) {
    skip(state);
    const start = state.at;
    const opening = state.text[start];
    if (depth > DEEPEST) throw new SyntaxError("too deep");
    if (opening === "{" || opening === "[") return container(state, start, opening, depth);
    if (opening === '"') return { type: "string", start, value: string(state), end: state.at };
    const word = take(state, PLAIN);
    const type = word === "null" ? "null" : word === "true" || word === "false" ? "boolean" : "number";
    return { type, start, value: word, end: state.at };
  }

  function container(state, start, opening, depth) {
    const closing = opening === "{" ? "}" : "]";
    const items = [];
    state.at += 1;
    skip(state);
    if (state.text[state.at] !== closing) {
      for (;;) {
        let key = items.length;
        if (opening === "{") {
          skip(state);
          key = string(state);
          expect(state, ":");
        }
        items.push({ key, node: value(state, depth + 1) });
        skip(state);
        if (state.text[state.at] !== ",") break;
        state.at += 1;
      }
    }
    expect(state, closing);
    return { type: opening === "{" ? "object" : "array", start, items, end: state.at };
  }

  /** By hand: a regular expression would need room for every character of a string of megabytes. */
  function string(state) {
    const { text, at } = state;
    if (text[at] !== '"') throw new SyntaxError("not JSON");
    let end = at;
    let slashes;
    do {
      end = text.indexOf('"', end + 1);
      if (end < 0) throw new SyntaxError("not JSON");
      slashes = 0;
      while (text[end - 1 - slashes] === "\\") slashes += 1;
    } while (slashes % 2);
    state.at = end + 1;
    return JSON.parse(text.slice(at, end + 1));
  }

  function take(state, pattern) {
    pattern.lastIndex = state.at;
    const match = pattern.exec(state.text);
    if (!match) throw new SyntaxError("not JSON");
    state.at = pattern.lastIndex;
    return match[0];
  }

  function expect(state, character) {
    skip(state);
    if (state.text[state.at] !== character) throw new SyntaxError("not JSON");
    state.at += 1;
  }

  function skip(state) {
    BLANKS.lastIndex = state.at;
    BLANKS.test(state.text);
    state.at = BLANKS.lastIndex;
  }

  /** One step of a JSON Pointer, spelled. */
  const step = (key) => "/" + String(key).replace(/~/g, "~0").replace(/\//g, "~1");

  /** The pointer to what is nearest around `pointer` in `node`: a missing field has no place. */
  function nearest(node, pointer) {
    let found = "";
    for (const part of pointer.split("/").slice(1)) {
      const key = part.replace(/~1/g, "/").replace(/~0/g, "~");
      // Of two members with one name, readers take the last.
      const item = (node.items || []).filter((each) => String(each.key) === key).pop();
      if (!item) break;
      found += "/" + part;
      node = item.node;
    }
    return found;
  }

  /** The text of a node laid out over lines, numbers and strings as they were spelled. */
  function pretty(text, node, indent = "") {
    if (!node.items) return text.slice(node.start, node.end);
    const [open, close] = node.type === "object" ? "{}" : "[]";
    if (!node.items.length) return open + close;
    const deeper = indent + "  ";
    const lines = node.items.map(
      ({ key, node: child }) =>
        deeper +
        (node.type === "object" ? JSON.stringify(key) + ": " : "") +
        pretty(text, child, deeper),
    );
    return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
  }

  return { read, step, nearest, pretty };
})();
