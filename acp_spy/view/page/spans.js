// What lasted, for the waterfall: turns, tool calls, MCP calls, and requests until their answers.
acpSpy.spans = (() => {
  const DEEPEST = 6; // lines of overlapping spans in a lane; the rest share the last

  /** Return the lanes from top to bottom: {name, kind, spans: [{start, end, line, label, row, ...}], lines}. */
  function lanes(model) {
    const client = [];
    const agent = [];
    const mcp = [];
    for (const row of model.requests) {
      if (row.edge === "start") continue;
      const answer = model.answers.get(row.seq);
      const span = {
        start: row.t,
        end: answer ? answer.t : model.end,
        open: !answer,
        bad: answer ? answer.failed : !model.goesOn,
        label: row.mcp ? `${row.mcp} ${row.gist}` : row.what,
        row,
      };
      (row.mcp ? mcp : row.sender === "client" ? client : agent).push(span);
    }
    return [
      lane("client", "peer", client),
      lane("turns", "turn", turns(model)),
      lane("calls", "tool", calls(model)),
      lane("mcp", "tool", mcp),
      lane("agent", "peer", agent),
    ];
  }

  function turns(model) {
    return [...model.turns.values()].map((turn) => ({
      start: turn.first.t,
      end: turn.ended ? turn.last.t : model.end,
      open: !turn.ended,
      bad: turn.ended ? turn.last.failed : !model.goesOn,
      label: turn.name + (turn.first.gist ? `: ${turn.first.gist}` : ""),
      row: turn.first,
    }));
  }

  /**
   * A tool call lasts from its first update in its turn to the last; a replay is another. One that
   * has not ended is open until its turn ends.
   */
  function calls(model) {
    const found = new Map();
    for (const row of model.toolUpdates) {
      const name = acpSpy.data.callOf(row);
      const call = found.get(name);
      if (call) {
        call.end = row.t;
        if (row.toolEdge === "end") call.open = false;
        call.label = row.gist || call.label;
        call.bad = /\bfailed\b/.test(row.gist);
      } else found.set(name, { start: row.t, end: row.t, open: row.toolEdge === "start", bad: false, label: row.gist || row.what, row });
    }
    for (const call of found.values()) {
      if (!call.open) continue;
      const turn = model.turns.get(call.row.turn);
      call.end = Math.max(call.end, turn && turn.ended ? turn.last.t : model.end);
      call.bad = !model.goesOn || (turn && turn.ended);
    }
    return [...found.values()];
  }

  /** Give each span the first line that is free at its start. */
  function lane(name, kind, spans) {
    spans.sort((a, b) => a.start - b.start);
    const free = [];
    for (const span of spans) {
      let line = free.findIndex((until) => until <= span.start);
      if (line < 0) line = Math.min(free.length, DEEPEST - 1);
      free[line] = Math.max(free[line] || 0, span.end);
      span.line = line;
    }
    return { name, kind, spans, lines: free.length };
  }

  return { lanes };
})();
