// How much is shown, which match this is, what is wrong with the filter, and that nothing passes it.
acpSpy.tally = (() => {
  const { get, make, prose } = acpSpy.dom;
  const { count, grouped } = acpSpy.words;
  const frames = (rows) => rows.filter((row) => row.seq !== null).length;

  /** `which` is the number of the match that is chosen, if one is. */
  function show({ rows, filter, pattern, matches }, model, which) {
    const all = count(model.frames, "frame");
    const parts = [filter ? `${grouped(frames(rows))} of ${all}` : all];
    if (pattern) {
      const found = count(matches.length, "match", "matches");
      parts.push(!matches.length ? "no match" : which ? `${which} of ${found}` : found);
    }
    get("tally").textContent = parts.join(" · ");
  }

  function complain(message) {
    get("filter-error").hidden = !message;
    get("filter-error").replaceChildren(...prose(message));
    get("filter").setAttribute("aria-invalid", String(Boolean(message)));
  }

  /** What stands in the place of the rows when there are none; `showAll` leads back. */
  function nothing(model, showAll) {
    get("nothing").hidden = false;
    get("nothing").replaceChildren(...(model.rows.length
      ? [make("p.lead", null, "No frame matches this filter"), make("button.small", { onclick: showAll }, "Show all")]
      : [make("p.lead", null, "No messages"), make("p", null, model.running ? "No peer has sent anything yet." : "The capture has no frames: no peer sent anything, or the proxy was stopped first.")]));
  }

  return { show, complain, nothing };
})();
