// The conversation, read from the two blocks of JSON in the page.
acpSpy.data = (() => {
  const WORST = { error: 3, warning: 2, note: 1 };

  function load() {
    const about = JSON.parse(document.getElementById("acp-spy-about").textContent);
    const rows = JSON.parse(document.getElementById("acp-spy-rows").textContent).map(row);
    const model = { ...about, rows, bySeq: new Map(), answers: new Map(), sessions: [], turns: new Map() };
    const sessions = new Set();
    let before = 0;
    for (const each of rows) {
      each.gap = each.t - before;
      before = each.t;
      if (each.seq !== null) model.bySeq.set(each.seq, each);
      if (each.partner !== null) model.answers.set(each.partner, each);
      if (each.session !== null) sessions.add(each.session);
      if (each.turn !== null) takeIntoTurn(model.turns, each);
    }
    for (const finding of model.findings) {
      if (finding.row !== null) rows[finding.row].findings.push(finding);
    }
    model.sessions = [...sessions];
    model.cut = rows.filter((each) => each.leftOut).length;
    // A page of some rows cannot know: the response may be among those that were left out.
    model.unanswered = model.filter ? "its response is not on this page" : model.running ? "no response yet" : "never answered";
    model.unended = model.filter ? "no end on this page" : model.running ? "not ended yet" : "never ended";
    model.end = rows.length ? rows[rows.length - 1].t : 0;
    return model;
  }

  /** The order of the values is that in which html.py writes them. */
  function row(values, index) {
    const [kind, t, seq, sender, method, what, gist, failed, latency, size, session, turn, number, edge, tool, toolEdge, duration, partner, stream, leftOut, text, fate, hop, mcp, raw, line] = values;
    return {
      index, kind, t, seq, sender, method, what, gist, failed, latency, size, session, turn, number, edge, tool, toolEdge, duration, partner, stream, leftOut, text, fate, hop, mcp, raw, line,
      gap: 0,
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
  const conversationOf = (row) => JSON.stringify([row.hop, row.session]);

  return { load, worst, callOf, conversationOf };
})();
