// A phrase that agents say in pieces: the end of a text so far, and what a row adds to it. As acp_spy/view/tails.py.
acpSpy.tails = (() => {
  /** Return a function to be given all rows in their order: it gives the last `length` characters said, and what the row adds. */
  function create(length, beside) {
    const tails = new Map(); // by conversation: who speaks, and the end
    return (row) => {
      const where = acpSpy.data.conversationOf(row);
      if (row.kind !== "notification" || !row.stream) {
        if (row.session !== null && !beside.includes(row.what)) tails.delete(where);
        return "";
      }
      const before = tails.get(where);
      const text = (before && before.stream === row.stream ? before.tail : "") + row.text.toLowerCase();
      tails.set(where, { stream: row.stream, tail: text.slice(Math.max(text.length - length, 0)) });
      return text;
    };
  }

  return { create };
})();
