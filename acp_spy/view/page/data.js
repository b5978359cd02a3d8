// The conversation: read from the two blocks of JSON in the page, or made of what comes bit by bit.
acpSpy.data = (() => {
  const WORST = { error: 3, warning: 2, note: 1 };

  function load() {
    const about = JSON.parse(document.getElementById("acp-spy-about").textContent);
    const model = create(about);
    append(model, JSON.parse(document.getElementById("acp-spy-rows").textContent));
    addFindings(model, about.findings);
    return settle(model);
  }

  /** The model of a conversation of which nothing but `about` is known yet. */
  function create(about) {
    return { ...about, rows: [], frames: 0, requests: [], toolUpdates: [], findings: [], bySeq: new Map(), answers: new Map(), sessions: new Set(), turns: new Map(), cut: 0, end: 0 };
  }

  /** Take rows that come after the others, each as a list of values. */
  function append(model, rows) {
    for (const values of rows) {
      const each = row(values, model.rows.length);
      const before = model.rows.length ? model.rows[model.rows.length - 1].t : 0;
      model.rows.push(each);
      each.gap = each.t - before;
      if (each.seq !== null) {
        model.frames += 1;
        model.bySeq.set(each.seq, each);
      }
      // A look at each of many rows is slow: those that the waterfall needs are kept.
      if (each.kind === "request") model.requests.push(each);
      if (each.kind === "notification" && each.tool !== null && !each.mcp) model.toolUpdates.push(each);
      if (each.partner !== null) model.answers.set(each.partner, each);
      if (each.session !== null) model.sessions.add(each.session);
      if (each.turn !== null) takeIntoTurn(model.turns, each);
      if (each.leftOut) model.cut += 1;
    }
  }

  /** Take findings; one without a row is that of its frame. */
  function addFindings(model, findings) {
    for (const given of findings) {
      const of = given.row === null ? model.bySeq.get(given.seq) : null;
      const finding = of ? { ...given, row: of.index } : given;
      model.findings.push(finding);
      if (finding.row !== null) model.rows[finding.row].findings.push(finding);
    }
  }

  /** Say what depends on everything that is known by now. */
  function settle(model) {
    const mayCome = model.running || Boolean(model.isReading);
    model.goesOn = Boolean(model.isLive) && mayCome; // what is open may still end while somebody looks
    // A page of some rows cannot know: the response may be among those that were left out.
    model.unanswered = model.filter ? "its response is not on this page" : mayCome ? "no response yet" : "never answered";
    model.unended = model.filter ? "no end on this page" : mayCome ? "not ended yet" : "never ended";
    model.end = model.rows.length ? model.rows[model.rows.length - 1].t : 0;
    return model;
  }

  /** The order of the values is that in which page_data.py writes them. */
  function row(values, index) {
    const [kind, t, seq, sender, method, what, gist, failed, latency, size, session, turn, number, edge, tool, toolEdge, duration, partner, stream, leftOut, text, fate, hop, mcp, raw, line] = values;
    return {
      index, kind, t, seq, sender, method, what, gist, failed, latency, size, session, turn, number, edge, tool, toolEdge, duration, partner, stream, leftOut, text, fate, hop, mcp, raw, line,
      gap: 0,
      conversation: null,
      findings: [],
    };
  }

  /** A turn: where it starts, where it has got to, and whether it has ended. */
  function takeIntoTurn(turns, each) {
    let turn = turns.get(each.turn);
    if (!turn) {
      turn = { seq: each.turn, name: each.number === null ? `Turn of #${each.turn}` : `Turn ${each.number}`, first: each, last: each, ended: false, rows: [] };
      turns.set(each.turn, turn);
    }
    turn.rows.push(each);
    if (turn.ended) return; // an update that comes late does not make the turn longer
    turn.last = each;
    turn.ended = each.edge === "end";
  }

  /** The worst severity among findings, or "". */
  function worst(findings) {
    let found = "";
    for (const finding of findings) {
      const severity = finding.because ? "note" : finding.severity; // it follows from another
      if (!found || WORST[severity] > WORST[found]) found = severity;
    }
    return found;
  }

  /** What the rows of one tool call share. Ids are unique in a session, and sent again when it is loaded. */
  const callOf = (row) => JSON.stringify([row.hop, row.session, row.turn, row.tool]);

  /** In which conversation a row is; a proxy has two of one session. */
  function conversationOf(row) {
    if (row.conversation === null) row.conversation = row.session === null ? row.hop : `${row.hop} ${row.session}`; // once: it is asked for often
    return row.conversation;
  }

  return { load, create, append, addFindings, settle, worst, callOf, conversationOf };
})();
