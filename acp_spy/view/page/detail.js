// One frame, or one fold, whole: what it is, what is wrong with it, its JSON.
acpSpy.detail = (() => {
  const { make, prose, paragraphs } = acpSpy.dom;
  const { took, moment, size, count, fileWord } = acpSpy.words;
  const AT_ONCE = 300; // frames of a fold that are listed
  const LONGEST = 20000; // characters of a text: letters between emoji take a browser 0.1 ms each
  const WITHOUT_SIZE = ["exchange", "disconnect", "closed", "exit"];

  /** `app` gives: model, go(row), link(row), pattern(). */
  function show(box, item, app) {
    if (!item) box.replaceChildren(empty());
    else if (item.type === "stream" || item.type === "tool" || item.type === "stderr") box.replaceChildren(...fold(item, app));
    else if (item.type === "turn") box.replaceChildren(...frame(item.turn.first, app));
    else box.replaceChildren(...frame(item.row, app, item.finding));
  }

  const empty = () => make("div.blank", null,
    make("p.lead", null, "Select a frame"),
    make("p", null, "Its JSON and its findings are shown here. ", make("kbd", null, "j"), " and ", make("kbd", null, "k"), " move down and up, ", make("kbd", null, "n"), " goes to the next finding."));

  function head(number, title, facts, row) {
    const box = make("header.head", null,
      make("h2", null, number === null ? null : make("span.number", null, `#${number} `), acpSpy.inert.line(title)),
      make("p.facts", null, ...facts.filter(Boolean).map((fact) => make("span", null, fact))));
    if (row.sender) box.classList.add("from-" + row.sender);
    return box;
  }

  function frame(row, app, chosenFinding) {
    const { model } = app;
    const answer = row.kind === "request" ? model.answers.get(row.seq) : null;
    const asked = row.partner === null ? null : model.bySeq.get(row.partner);
    const links = make("p.links");
    if (answer && answer.seq === null) links.append(to(app, answer, "answered by acp-spy"));
    else if (answer) links.append(to(app, answer, `response: #${answer.seq}${answer.latency === null ? "" : ` after ${took(answer.latency)}`}`));
    else if (row.kind === "request") links.append(make("span.bad", null, model.unanswered));
    if (asked) links.append(to(app, asked, `request: #${asked.seq} ${asked.what}`));
    if (row.turn !== null && row.turn !== row.seq && model.bySeq.has(row.turn)) {
      links.append(to(app, model.bySeq.get(row.turn), `in ${model.turns.get(row.turn).name.toLowerCase()}`));
    }
    const facts = [
      acpSpy.row.direction(row),
      row.kind,
      `${moment(row.t)} s`,
      WITHOUT_SIZE.includes(row.kind) ? null : size(row.size),
      row.latency === null ? null : `took ${took(row.latency)}`,
      row.session === null ? null : `session ${acpSpy.inert.line(row.session)}`,
      row.tool === null ? null : `tool call ${acpSpy.inert.line(row.tool)}${row.duration === null ? "" : `, which took ${took(row.duration)}`}`,
    ];
    const parts = [head(row.seq, row.what, facts, row)];
    if (links.childNodes.length) parts.push(links);
    if (row.gist) parts.push(make("p.gist", null, acpSpy.inert.block(row.gist.slice(0, 1000))));
    if (row.leftOut) parts.push(cut(row, model));
    const body = payload(row, app);
    parts.push(...row.findings.map((finding) => card(finding, app, body, finding === chosenFinding)));
    parts.push(body.element);
    if (chosenFinding && chosenFinding.path) setTimeout(() => body.reveal(chosenFinding.path));
    return parts;
  }

  /** What the row of a huge line says: the page has its beginning only. */
  const cut = (row, model) => make("p.remark.cut", null,
    `This page has only the first ${size(row.size - row.leftOut)} of this line. To see all of it: `,
    make("code", null, acpSpy.inert.line(`acp-spy view ${fileWord(model.name)}` + (row.seq === null ? "" : ` --frame ${row.seq}`))));

  const to = (app, row, words) => make("button.link", { onclick: () => app.go(row) }, acpSpy.inert.line(words));

  /** A finding with its explanation; its place in the JSON can be shown. */
  function card(finding, app, body, isChosen) {
    const rule = app.model.rules[finding.code];
    const box = make(`section.card.${finding.severity}`, { "aria-label": `${finding.severity} ${finding.code}` },
      make("h3", null, make("span.badge", null, finding.severity), ` ${finding.code} `, make("span.name", null, finding.name)),
      make("p", null, ...prose(finding.text)));
    if (finding.hint) box.append(make("p.hint", null, make("b", null, "hint: "), ...prose(finding.hint)));
    const line = make("p.links", null, make("span", null, finding.mustFix));
    if (finding.path) line.append(make("button.link", { onclick: () => body.reveal(finding.path) }, acpSpy.inert.line(finding.path)));
    const other = finding.see === undefined ? null : app.model.bySeq.get(finding.see);
    if (other) line.append(to(app, other, `see #${other.seq}`));
    box.append(line);
    if (rule) box.append(make("details", { open: Boolean(isChosen) }, make("summary", null, "Why"), ...explain(rule)));
    return box;
  }

  function explain(rule) {
    const parts = paragraphs(rule.explanation);
    if (/^https:\/\//.test(rule.spec)) {
      parts.push(make("p", null, make("a", { href: rule.spec, target: "_blank", rel: "noopener noreferrer" }, "Specification")));
    }
    return parts;
  }

  /** What was sent: as a tree where it is JSON, and as text. */
  function payload(row, app) {
    const isRecord = row.kind === "exchange" || row.kind === "disconnect"; // nobody sent it: its record is shown
    if (row.raw === null && !isRecord) return { element: make("div"), reveal() {} };
    const sent = isRecord ? row.line : row.raw.replace(/\n$/, "");
    const node = acpSpy.json.read(sent);
    const place = make("div.payload");
    const pointer = make("code.pointer", { title: "JSON Pointer of the selected value" }, "");
    let chosen = null;
    let tree = null;

    function choose(path, line) {
      if (chosen) chosen.line.classList.remove("chosen");
      chosen = { path, line };
      line.classList.add("chosen");
      pointer.textContent = acpSpy.inert.line(path) || "(the whole)";
    }

    function asTree() {
      tree = tree || acpSpy.tree.create(sent, node, { findings: row.findings, pattern: app.pattern(), choose });
      place.replaceChildren(tree.element);
      press(0);
    }

    function asText() {
      place.replaceChildren(make("pre", { tabIndex: 0 }, acpSpy.inert.block(sent)), ...lineEnd(row));
      press(1);
    }

    const kinds = [
      make("button", { onclick: asTree }, "Tree"),
      make("button", { onclick: asText }, "Text"),
    ];
    const press = (which) => kinds.forEach((button, index) => button.setAttribute("aria-pressed", String(index === which)));
    const buttons = make("div.buttons", { role: "group", "aria-label": "What was sent" },
      node ? make("span.switch", null, ...kinds) : null,
      make("button.small", { id: "copy-json", onclick: () => acpSpy.copy.copy(node ? acpSpy.json.pretty(sent, node) : sent, node ? "the JSON" : "the text") }, node ? "Copy JSON" : "Copy text"),
      row.seq === null ? null : make("button.small", { id: "copy-link", onclick: () => acpSpy.copy.copy(app.link(row), `the link to frame ${row.seq}`) }, "Copy link"),
      node ? make("button.small", { id: "copy-pointer", onclick: () => acpSpy.copy.copy(chosen ? chosen.path : "", "the pointer") }, "Copy pointer") : null,
      pointer);
    if (node) asTree();
    else asText();
    return {
      element: make("div.sent", null, buttons, place),
      reveal(path) {
        if (!node) return;
        asTree();
        tree.reveal(path);
      },
    };
  }

  function lineEnd(row) {
    if (row.kind === "stderr" || row.raw === null || row.leftOut || row.raw.endsWith("\n")) return [];
    return [make("p.remark", null, "No newline at the end: the stream ended here.")];
  }

  function fold(item, app) {
    const { row, rows } = item;
    const last = rows[rows.length - 1];
    const span = last.t - row.t;
    const rate = item.type === "stream" && span > 0 ? `${((rows.length - 1) / span).toFixed(1)} chunks per second` : null;
    const title = item.type === "stream" ? app.model.speakers[row.stream] : item.type === "tool" ? row.gist || row.what : "stderr";
    const range = row.seq === null ? null : `#${row.seq} to #${last.seq}`;
    const parts = [head(null, title, [count(rows.length, item.type === "stderr" ? "line" : "frame"), range, `${moment(row.t)} s`, `over ${took(span)}`, rate], row)];
    if (item.type !== "tool") {
      const said = rows.map((each) => (item.type === "stream" ? each.text : each.raw)).join("");
      const box = make(item.type === "stream" ? "pre.said" : "pre.log", { tabIndex: 0 }, acpSpy.inert.block(said.slice(0, LONGEST)));
      parts.push(make("div.buttons", null, make("button.small", { onclick: () => acpSpy.copy.copy(said, "the text") }, "Copy text")), box);
      if (said.length > LONGEST) {
        const all = make("button.more", { onclick: () => { box.textContent = acpSpy.inert.block(said); all.remove(); } }, `Show all ${size(said.length)}`);
        parts.push(all);
      }
    }
    const found = new Set();
    for (const each of rows) {
      for (const finding of each.findings) {
        if (found.has(finding.mistake)) continue;
        found.add(finding.mistake);
        parts.push(card(finding, app, { reveal: () => app.go(each) }, false));
      }
    }
    const list = make("ol.frames", { "aria-label": "The frames of this fold" });
    for (const each of rows.slice(0, AT_ONCE)) {
      list.append(make("li", null, make("button", { onclick: () => app.go(each) },
        make("span.seq", null, `#${each.seq}`),
        make("span.time", null, moment(each.t)),
        make("span.gist", null, acpSpy.inert.line((each.stream ? each.text : each.gist || each.what).slice(0, 200))))));
    }
    if (item.type !== "stderr") parts.push(list);
    if (rows.length > AT_ONCE) parts.push(make("p.remark", null, `and ${count(rows.length - AT_ONCE, "frame")} more: unfold it in the timeline`));
    return parts;
  }

  return { show, explain };
})();
