// One item of the timeline as an element.
acpSpy.row = (() => {
  const { make, aside, marked } = acpSpy.dom;
  const { took, moment, size, count } = acpSpy.words;
  const LONGEST = 400; // characters of a gist: more than any window shows
  const LARGE = 10000; // bytes: the size of a frame is shown from here on
  const LATER = ["held", "delayed"]; // fates of frames that are delivered, but not when they were sent
  const OTHER = { client: "agent", agent: "client" };

  /**
   * `pattern` marks what is searched for; `sessions` is how the sessions are called, if several;
   * `model` is the page's.
   */
  function draw(item, { pattern, sessions, model }) {
    if (item.type === "finding") return finding(item);
    if (item.type === "turn") return turn(item, pattern, model);
    const { row } = item;
    const folded = item.type !== "row";
    const element = make(`div.row.${item.type}.kind-${row.kind}`, {
      role: "treeitem",
      "aria-level": item.level,
      "aria-expanded": folded ? String(item.open) : undefined,
    });
    if (row.sender) element.classList.add("from-" + row.sender);
    if (row.failed) element.classList.add("failed");
    if (row.fate) element.classList.add(LATER.includes(row.fate) ? "later" : "undelivered");
    if (row.stream) element.classList.add("said");
    if (row.turn !== null) element.classList.add("in-turn");
    if (item.level > 2) element.classList.add("deep");
    const worst = acpSpy.data.worst(item.open ? row.findings : item.rows.flatMap((each) => each.findings));
    if (worst) element.classList.add("has-" + worst);
    const last = item.rows[item.rows.length - 1];
    const isText = item.type === "stream" || (item.alone && row.stream); // a single chunk is a text, too
    const [what, gist] = isText ? textWords(item, model) : folded ? foldWords(item, last) : [row.mcp && row.tool !== null ? `↳ ${row.what}` : row.what, row.gist];
    element.append(
      make("span.seq", null, row.seq === null ? "" : String(row.seq)),
      make("span.time", { title: `${row.gap >= 0 ? "+" : ""}${took(Math.max(0, row.gap))} after the row before` }, moment(row.t)),
      make("span.lanes", null, aside(direction(row))),
      folded ? twist(item) : make("span.twist"),
      make("span.what", null, ...marked(short(what), pattern)),
      make("span.gist", null, ...marked(short(gist), pattern)),
      chips(row, item, last, sessions, model),
    );
    return element;
  }

  /** What an element shows, in short: two of the same stamp look the same. */
  const stamp = ({ key, rows, turn, open, finding, count: number }) => [key, rows.length, turn && turn.ended, open, number, finding ? "" : rows[0].fate, finding ? "" : rows.reduce((sum, row) => sum + row.findings.length, 0)].join("|");

  /** Who speaks, and what was said in all. */
  function textWords({ row, rows }, { speakers }) {
    const said = start(rows, (each) => each.text, "").trim();
    const speaker = speakers[row.stream] || row.what;
    return [row.hop ? `${row.hop} › ${speaker}` : speaker, said.replace(/\s+/g, " ")];
  }

  /** The name and the gist of any other fold. */
  function foldWords(item, last) {
    const { row, rows } = item;
    if (item.type === "tool") return [row.what, last.gist || row.gist];
    return ["stderr", start(rows, (each) => each.gist, " ⏎ ")];
  }

  /** The beginning of what rows say together; there may be very many. */
  function start(rows, words, between) {
    let said = words(rows[0]);
    for (let at = 1; at < rows.length && said.length < LONGEST; at += 1) said += between + words(rows[at]);
    return said.slice(0, LONGEST);
  }

  const short = (text) => acpSpy.inert.line(text.length > LONGEST ? text.slice(0, LONGEST) + "…" : text);

  function direction(row) {
    if (row.kind === "stderr") return "the agent's standard error";
    if (row.kind === "exit") return "the agent's end";
    if (row.kind === "delivery") return `what the ${OTHER[row.sender]} got`;
    if (row.kind === "exchange") return row.sender ? "HTTP response to the client" : "HTTP";
    if (row.kind === "disconnect") return `ended by ${row.sender || "acp-spy"}`;
    if (row.kind === "closed") return `${row.sender} closed its stream`;
    return `${row.sender} to ${OTHER[row.sender]}`;
  }

  function twist(item) {
    const name = `${item.open ? "Fold" : "Unfold"} ${count(item.rows.length, "frame")}`;
    return make("button.twist", { tabIndex: -1, "data-twist": item.key, "aria-label": name, title: name });
  }

  /** How many, in which session, how large, how long; the last has its column. */
  function chips(row, item, last, sessions, model) {
    const box = make("span.chips");
    const put = (kind, text, title) => box.append(make("span." + kind, { title }, text));
    const number = item.rows.length;
    const span = last.t - row.t;
    let time = row.latency === null ? ["", ""] : [took(row.latency), `response after ${took(row.latency)}`];
    if (item.type !== "row") {
      const rate = item.type === "stream" && span > 0 ? `, ${((number - 1) / span).toFixed(1)} a second` : "";
      put("many", `×${number}`, `${count(number, item.type === "stderr" ? "line" : "frame")} in ${took(span)}${rate}`);
      time = span > 0 ? [took(span), "from the first to the last"] : ["", ""];
    }
    time = toolTime(item, model) || time;
    if (sessions && row.session !== null) put("session", sessions.get(row.session), `session ${acpSpy.inert.line(row.session)}`);
    if (row.size >= LARGE && item.type === "row") put("size", size(row.size), "its size, as sent");
    put("took", ...time);
    return box;
  }

  /** How long a tool call took, where it ends; null for anything else. */
  function toolTime({ type, rows }, model) {
    const ended = rows.find((row) => row.duration !== null);
    if (ended) return [took(ended.duration), "the tool call took this long"];
    const isOpen = type === "tool" && rows.some((row) => row.toolEdge === "start") && !rows.some((row) => row.toolEdge === "end");
    return isOpen ? ["open", `the tool call: ${model.unended}`] : null;
  }

  function turn(item, pattern, { unended, goesOn }) {
    const { turn: it } = item;
    const stop = it.ended ? it.last.gist || it.last.what : unended;
    const element = make("div.row.turn", { role: "treeitem", "aria-level": 1, "aria-expanded": String(item.open) });
    const name = item.open ? "Fold the turn" : "Unfold the turn";
    element.append(
      make("button.twist", { tabIndex: -1, "data-twist": item.key, "aria-label": name, title: name }),
      make("span.what", null, it.name),
      make("span.gist", null, ...marked(short(it.first.gist), pattern)),
      make("span.chips", null,
        make("span.stop", { className: (it.ended ? !it.last.failed : goesOn) ? "stop" : "stop bad" }, short(stop).slice(0, 60)),
        make("span.many", null, count(it.rows.length, "frame")),
        make("span.took", null, it.ended ? took(it.last.t - it.first.t) : "")),
    );
    return element;
  }

  function finding(item) {
    const { finding: it } = item;
    return make(`div.row.finding.${it.severity}`, { role: "treeitem", "aria-level": item.level, className: `row finding ${it.severity}${item.row.turn !== null ? " in-turn" : ""}` },
      make("span.mark", null, aside(it.severity)),
      make("span.code", null, it.code),
      make("span.gist", null, ...acpSpy.dom.prose(it.text.replace(/\n/g, " "))),
      make("span.chips", null, item.count > 1 ? make("span.many", null, `×${item.count}`) : null),
    );
  }

  return { draw, direction, stamp };
})();
