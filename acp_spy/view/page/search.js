// Which rows hold what is searched for: in their name, their gist, or what was sent.
acpSpy.search = (() => {
  /** A pattern that finds `text` as it stands, in any case; null for nothing. */
  function pattern(text) {
    return text ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu") : null;
  }

  /** Return, in steps, the rows that hold `wanted`. `text` is what that was made of; `beside` the updates that do not end a text. */
  function* steps(all, wanted, text, beside) {
    if (!wanted) return [];
    const once = new RegExp(wanted.source, "iu"); // without `g` it has no memory between two texts
    const joined = acpSpy.tails.create(text.length - 1, beside);
    return yield* acpSpy.slices.filter(all, (row) => once.test(joined(row)) || holds(row, once));
  }

  const holds = (row, once) =>
    once.test(row.what) || once.test(row.gist) || once.test(row.text) || (row.raw !== null && once.test(row.raw));

  /** Of these rows the first after the index `here`, or before it if `by` is negative; at the end, from the other end. */
  function nearest(rows, here, by) {
    const ahead = by > 0 ? rows.filter((row) => row.index > here) : rows.filter((row) => row.index < here).reverse();
    return ahead[0] || rows[by > 0 ? 0 : rows.length - 1];
  }

  return { pattern, steps, nearest };
})();
