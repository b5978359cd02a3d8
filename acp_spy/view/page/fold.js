// Rows as they are shown: turns as blocks, streams and the updates of a tool call folded.
acpSpy.fold = (() => {
  const AT_ONCE = 4096; // rows between two places where the work may rest

  /** Do as `steps` does, at once. */
  const fold = (rows, model, isOpen) => acpSpy.slices.runNow(steps(rows, model, isOpen));

  /**
   * Return the items to show for `rows`, in order, and where each row stands among them, by its index (-1 for nowhere).
   *
   * An item is {type, key, level, row, rows, open, alone}: a `turn` is the head of a block, a `stream` the
   * pieces of a text, a `tool` a call with its updates, a `stderr` lines that follow each other, a `row` a row, a `finding` what is wrong with
   * the row above it. A fold is where it begins; what is in it, if open, where it happened. A row
   * that is in no fold is `alone`.
   * `isOpen(key, type)` says what the person has unfolded. Rows that come meanwhile are left out.
   */
  function* steps(rows, model, isOpen) {
    const items = [];
    const number = rows.length;
    // Lists by the index of a row: maps of so many rows are several times slower.
    const places = new Int32Array(model.rows.length).fill(-1);
    const folds = yield* gather(rows, model);
    const heads = new Map(); // of turns: the place of each, and whether it is open
    const shown = rows.some((row) => row.kind === "exchange") ? new Set(rows.map((row) => row.seq)) : null;
    let last = null; // the turn of the row before, which is that of most rows
    let turn = null;
    let head = null;

    for (let at = 0; at < number; at += 1) {
      if (at % AT_ONCE === 0) yield;
      const row = rows[at];
      if (shown && isRoutine(row, shown)) {
        places[row.index] = Math.max(items.length - 1, 0);
        continue;
      }
      if (row.turn !== last) {
        last = row.turn;
        turn = last === null ? null : model.turns.get(last);
        head = turn ? headOfTurn(turn) : null;
      }
      if (head && !head.open) {
        places[row.index] = head.place;
        continue;
      }
      const level = turn ? 2 : 1;
      const group = folds[row.index];
      if (!group || group.rows.length < 2) putRow(row, level, true);
      else if (headOfFold(group, level)) putRow(row, level + 1);
      else places[row.index] = group.place;
    }
    return { items, places };

    /** Put the head of a turn's block before its first row; return its place, and whether the block is open. */
    function headOfTurn(turn) {
      const known = heads.get(turn);
      if (known) return known;
      const key = "turn:" + turn.seq;
      const made = { place: items.length, open: isOpen(key, "turn") };
      heads.set(turn, made);
      items.push({ type: "turn", key, level: 1, row: turn.first, rows: turn.rows, turn, open: made.open });
      return made;
    }

    /** The same for a fold; return whether it is open. */
    function headOfFold(group, level) {
      if (group.place >= 0) return group.open;
      const key = group.type + ":" + group.rows[0].index;
      group.open = isOpen(key, group.type);
      group.place = items.length;
      items.push({ type: group.type, key, level, row: group.rows[0], rows: group.rows, open: group.open });
      if (!group.open) putFindings(group.rows, level, key);
      return group.open;
    }

    function putRow(row, level, alone) {
      const key = "row:" + row.index;
      places[row.index] = items.length;
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
   * The folds, by the index of a row; one of a single row is none. A text goes on until its session says something else; what has nothing to do
   * with it (other sessions, stderr, noise, the updates named in `beside`) does not end it.
   */
  function* gather(rows, model) {
    const number = rows.length;
    const beside = new Set(model.beside);
    const tools = new Map();
    const texts = new Map();
    const byRow = new Array(model.rows.length);
    const create = (type) => ({ type, rows: [], place: -1, open: false });
    let errors = null; // lines of the agent's standard error that follow each other
    for (let at = 0; at < number; at += 1) {
      if (at % AT_ONCE === 0) yield;
      const row = rows[at];
      errors = row.kind === "stderr" ? errors || create("stderr") : null;
      if (errors) put(errors, row);
      const isUpdate = row.kind === "notification" && !row.fate;
      if (isUpdate && row.stream) {
        const where = acpSpy.data.conversationOf(row);
        const open = texts.get(where);
        const group = open && open.rows[0].stream === row.stream ? open : create("stream");
        if (group !== open) texts.set(where, group);
        put(group, row);
        continue;
      }
      if (row.session !== null && !beside.has(row.what)) texts.delete(acpSpy.data.conversationOf(row));
      if (!isUpdate || row.tool === null || row.mcp) continue;
      const name = acpSpy.data.callOf(row);
      if (!tools.has(name)) tools.set(name, create("tool"));
      put(tools.get(name), row);
    }
    return byRow;

    function put(group, row) {
      group.rows.push(row);
      byRow[row.index] = group;
    }
  }

  /** Where an item of another list is in `items`, or its row, which is at `place`: all items of a row stand together. */
  function placeOf(items, place, { key, row: { index } }) {
    if (place < 0) return -1;
    let first = place;
    while (first > 0 && items[first - 1].row.index === index) first -= 1;
    for (let at = first; at < items.length && (at <= place || items[at].row.index === index); at += 1) {
      if (items[at].key === key) return at;
    }
    return place;
  }

  return { fold, steps, placeOf };
})();
