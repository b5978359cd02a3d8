// The keys and the filter tokens, for who asks.
acpSpy.help = (() => {
  const { get, make } = acpSpy.dom;
  const KEYS = [
    ["j  k", "down and up; so do the arrows, Home, End and the page keys"],
    ["Enter", "unfold, or go to the details"],
    ["→  ←", "unfold, fold"],
    ["n  N", "next and previous match of the search; without one, next and previous finding"],
    ["p", "from a request to its answer, and back"],
    ["/", "search"],
    ["f", "filter"],
    ["+  −  0", "zoom the waterfall in and out, show all of it"],
    ["w", "fold the waterfall"],
    ["t", "light or dark"],
    ["y", "copy the link to the frame"],
    ["?", "this"],
    ["Esc", "close, clear, back to the timeline"],
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
          make("p", null, "All tokens must hold. ", make("code", null, "-"), " in front of one negates it; quotes keep blanks together, as in a shell."), tokens)));
  }

  function open(tokens) {
    const dialog = get("help");
    if (!dialog.childNodes.length) fill(dialog, tokens);
    if (!dialog.open) dialog.showModal();
  }

  return { open };
})();
