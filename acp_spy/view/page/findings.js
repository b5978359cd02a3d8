// What is wrong, rule by rule, the worst first.
acpSpy.findings = (() => {
  const { make, prose } = acpSpy.dom;
  const { count } = acpSpy.words;
  const ORDER = ["error", "warning", "note"];
  const AT_ONCE = 50; // places of a rule shown at first

  function show(box, app) {
    const groups = grouped(app.model.findings.filter((finding) => !finding.because));
    const bugs = unknown(app.model.crashed);
    if (!groups.length && app.model.isReading) {
      box.replaceChildren(...bugs, make("div.blank", null, make("p.lead", null, "No findings so far"), make("p", null, "The capture is still being read.")));
      return;
    }
    if (!groups.length) {
      box.replaceChildren(...bugs, make("div.blank", null,
        make("p.lead", null, "No findings"),
        make("p", null, bugs.length ? "No other rule reports anything in this conversation." : "No rule reports anything in this conversation.")));
      return;
    }
    box.replaceChildren(
      make("header.head", null, make("h2", null, "Findings"), make("p.facts", null, ...tally(app.model.findings))),
      ...bugs,
      ...groups.map((group) => rule(group, app)),
      ...consequences(app));
  }

  /** Findings that follow from others: nobody has to fix them. */
  function consequences(app) {
    const found = app.model.findings.filter((finding) => finding.because);
    if (!found.length) return [];
    return [make("section.card.note", { "aria-label": "consequences" },
      make("h3", null, "Consequences", make("span.count", null, found.length > 1 ? ` ×${found.length}` : "")),
      make("p.summary", null, "These follow from the findings above."),
      make("ul.places", null, ...found.slice(0, AT_ONCE).map((finding) => place(finding, app))))];
  }

  /** Rules that raised an error of their own: without findings of theirs the capture is not clean. */
  function unknown(codes) {
    if (!codes.length) return [];
    return [make("section.card.error", { "aria-label": "a bug in acp-spy" },
      make("h3", null, make("span.badge", null, "bug"), " in acp-spy"),
      make("p", null, `${codes.join(", ")} crashed, so findings may be missing. Please report it.`))];
  }

  /** Findings by rule and severity, the worst first, then by where they begin. */
  function grouped(findings) {
    const groups = new Map();
    for (const finding of findings) {
      const key = finding.severity + finding.code;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(finding);
    }
    const rank = (group) => ORDER.indexOf(group[0].severity);
    return [...groups.values()].sort((a, b) => rank(a) - rank(b) || a[0].seq - b[0].seq);
  }

  function tally(findings) {
    return ORDER.map((severity) => [severity, findings.filter((each) => each.severity === severity && !each.because).length])
      .filter(([, number]) => number)
      .map(([severity, number]) => make("span." + severity, null, count(number, severity)));
  }

  function rule(group, app) {
    const [first] = group;
    const declared = app.model.rules[first.code];
    const list = make("ul.places");
    let shown = 0;
    const more = make("button.more", { onclick: grow });
    function grow() {
      const upTo = Math.min(group.length, shown + AT_ONCE);
      for (; shown < upTo; shown += 1) list.append(place(group[shown], app));
      more.textContent = `${count(group.length - shown, "more place")}`;
      more.hidden = shown === group.length;
    }
    grow();
    return make(`section.card.${first.severity}`, { "aria-label": `${first.severity} ${first.code}` },
      make("h3", null,
        make("span.badge", null, first.severity), ` ${first.code} `, make("span.name", null, first.name),
        make("span.count", null, group.length > 1 ? `×${group.length}` : "")),
      make("p.summary", null, ...prose(declared ? declared.summary : "")),
      list, more,
      declared ? make("details", null, make("summary", null, "Why"), ...acpSpy.detail.explain(declared)) : null,
      group.some((each) => each.row !== null) ? make("button.small", { onclick: () => app.setFilter(`finding:${first.code}`) }, "Show only these") : null);
  }

  function place(finding, app) {
    const row = finding.row === null ? null : app.model.rows[finding.row];
    const words = [make("span.seq", null, finding.seq ? `#${finding.seq}` : "end"), make("span.text", null, ...prose(finding.text)), make("span.blame", null, finding.mustFix)];
    if (!row) return make("li", null, make("div.place", null, ...words));
    return make("li", null, make("button.place", { "data-seq": finding.seq, onclick: () => app.go(row, finding) }, ...words));
  }

  return { show, tally };
})();
