// Rows as they are shown: turns as blocks, streams and the updates of a tool call folded.
acpSpy.fold = (() => {
  /**
   * Return the items to show for `rows`, in order, and where each row stands among them.
   *
   * An item is {type, key, level, row, rows, open, alone}: a `turn` is the head of a block, a `stream` the
   * pieces of a text, a `tool` a call with its updates, a `stderr` lines that follow each other, a `row` a row, a `finding` what is wrong with
   * the row above it. A fold is where it begins; what is in it, if open, where it happened. A row
   * that is in no fold is `alone`.
   * `isOpen(key, type)` says what the person has unfolded.
   */
  function fold(rows, model, isOpen) {
    const items = [];
    const places = new Map();
    const folds = gather(rows, new Set(model.beside));
    const heads = new Map(); // of turns and folds: the place of each, and whether it is open
    const shown = new Set(rows.map((row) => row.seq));

    for (const row of rows) {
      if (isRoutine(row, shown)) {
        places.set(row.index, Math.max(items.length - 1, 0));
        continue;
      }
      const turn = row.turn === null ? null : model.turns.get(row.turn);
      if (turn && !headOfTurn(turn)) {
        places.set(row.index, heads.get(turn).place);
        continue;
      }
      const level = turn ? 2 : 1;
      const group = folds.get(row);
      if (!group) putRow(row, level, true);
      else if (headOfFold(group, level)) putRow(row, level + 1);
      else places.set(row.index, heads.get(group).place);
    }
    return { items, places };

    /** Put the head of a turn's block before its first row; return whether the block is open. */
    function headOfTurn(turn) {
      const known = heads.get(turn);
      if (known) return known.open;
      const key = "turn:" + turn.seq;
      const open = isOpen(key, "turn");
      heads.set(turn, { place: items.length, open });
      items.push({ type: "turn", key, level: 1, row: turn.first, rows: turn.rows, turn, open });
      return open;
    }

    function headOfFold(group, level) {
      const known = heads.get(group);
      if (known) return known.open;
      const key = group.type + ":" + group.rows[0].index;
      const open = isOpen(key, group.type);
      heads.set(group, { place: items.length, open });
      items.push({ type: group.type, key, level, row: group.rows[0], rows: group.rows, open });
      if (!open) putFindings(group.rows, level, key);
      return open;
    }

    function putRow(row, level, alone) {
      const key = "row:" + row.index;
      places.set(row.index, items.length);
      items.push({ type: "row", key, level, row, rows: [row], alone: Boolean(alone) });
      putFindings([row], level, key);
    }

    /** In a fold, each mistake once, with how often it was made. */
    function putFindings(these, level, key) {
      const seen = new Map();
      for (const row of these) {
        for (const finding of row.findings) {
          const known = these.length > 1 ? seen.get(finding.mistake) : undefined;
          if (known) known.count += 1;
          else {
            const item = { type: "finding", key: `${key}!${seen.size}`, level: level + 1, row, rows: [row], finding, count: 1 };
            seen.set(these.length > 1 ? finding.mistake : seen.size, item);
            items.push(item);
          }
        }
      }
    }
  }

  /** Whether a row says only that an HTTP server took a message that is shown. */
  function isRoutine(row, shown) {
    if (row.kind !== "exchange" || row.failed || row.findings.length) return false;
    return shown.has(JSON.parse(row.line).request);
  }

  /**
   * The folds, by row. A text goes on until its session says something else; what has nothing to do
   * with it (other sessions, stderr, noise, the updates named in `beside`) does not end it.
   */
  function gather(rows, beside) {
    const tools = new Map();
    const texts = new Map();
    const byRow = new Map();
    let errors = null; // lines of the agent's standard error that follow each other
    for (const row of rows) {
      errors = row.kind === "stderr" ? errors || { type: "stderr", rows: [] } : null;
      if (errors) put(errors, row);
      const isUpdate = row.kind === "notification" && !row.fate;
      if (isUpdate && row.stream) {
        const where = acpSpy.data.conversationOf(row);
        const open = texts.get(where);
        const group = open && open.rows[0].stream === row.stream ? open : { type: "stream", rows: [] };
        texts.set(where, group);
        put(group, row);
        continue;
      }
      if (row.session !== null && !beside.has(row.what)) texts.delete(acpSpy.data.conversationOf(row));
      if (!isUpdate || row.tool === null || row.mcp) continue;
      const name = acpSpy.data.callOf(row);
      if (!tools.has(name)) tools.set(name, { type: "tool", rows: [] });
      put(tools.get(name), row);
    }
    for (const [row, group] of byRow) if (group.rows.length < 2) byRow.delete(row);
    return byRow;

    function put(group, row) {
      group.rows.push(row);
      byRow.set(row, group);
    }
  }

  return { fold };
})();
