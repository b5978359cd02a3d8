// Text that a peer has sent, shown and not obeyed: what would act or hide is spelled out.
acpSpy.inert = (() => {
  // Controls, format characters (bidi marks, zero widths), lone surrogates, private and unassigned
  // ones, line separators, and blanks that are not the blank: as `str.isprintable` in Python. And
  // letters and marks that are not seen: as in inert.py.
  const NOT_SEEN =
    "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180d\\u180f\\u2800\\u3164\\ufe00-\\ufe0d\\uffa0" +
    "\\u{1d159}\\u{e0100}-\\u{e01ef}";
  const UNPRINTABLE = new RegExp(`[\\p{C}\\p{Zl}\\p{Zp}${NOT_SEEN}]|(?! )\\p{Zs}`, "gu");
  const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

  function spelled(character) {
    if (SHORT[character]) return SHORT[character];
    const code = character.codePointAt(0);
    const hex = code.toString(16);
    if (code < 0x100) return "\\x" + hex.padStart(2, "0");
    return code < 0x10000 ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
  }

  /** On one line. */
  const line = (text) => text.replace(UNPRINTABLE, spelled);

  /** On several: line feeds and tabs stay. */
  const block = (text) =>
    text.replace(UNPRINTABLE, (c) => (c === "\n" || c === "\t" ? c : spelled(c)));

  return { line, block };
})();
