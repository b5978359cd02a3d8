// The help: keys and filter tokens.
acpSpy.help = (() => {
  const { get, make } = acpSpy.dom;
  const KEYS = [
    ["j  k", "move down and up; also the arrow keys, Home, End and the page keys"],
    ["Enter", "unfold, or show the details"],
    ["→  ←", "unfold, fold"],
    ["n  N", "next and previous match; without a search, next and previous finding"],
    ["p", "from a request to its response, and back"],
    ["/", "search"],
    ["f", "filter"],
    ["+  −  0", "zoom the waterfall in and out, show all"],
    ["w", "fold the waterfall"],
    ["t", "switch between light and dark"],
    ["y", "copy a link to the frame"],
    ["?", "show this help"],
    ["Esc", "close, clear, go back to the timeline"],
  ];

  function fill(dialog, declared) {
    const keys = make("dl.keys");
    for (const [names, words] of KEYS) {
      keys.append(make("dt", null, ...names.split("  ").map((name) => make("kbd", null, name))), make("dd", null, words));
    }
    const tokens = make("dl.tokens");
    for (const [name, example, meaning] of declared) {
      tokens.append(make("dt", null, make("code", null, `${name}:${example}`)), make("dd", null, ...acpSpy.dom.prose(meaning)));
    }
    dialog.append(
      make("header", null, make("h2", { id: "help-title" }, "Keys and filters"), make("button.icon", { "aria-label": "Close", onclick: () => dialog.close() }, "✕")),
      make("div.columns", null,
        make("section", null, make("h3", null, "Keys"), keys),
        make("section", null, make("h3", null, "Filters"),
          make("p", null, "A row must match all tokens. ", make("code", null, "-"), " before a token negates it; quote values with spaces, as in a shell."), tokens)));
  }

  function open(tokens) {
    const dialog = get("help");
    if (!dialog.childNodes.length) fill(dialog, tokens);
    if (!dialog.open) dialog.showModal();
  }

  return { open, KEYS };
})();
