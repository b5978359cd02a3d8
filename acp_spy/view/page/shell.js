// Words and quotes as in a shell: `text:"two words"` is one token.
acpSpy.shell = (() => {
  /** Return the words of a line; throws a SyntaxError that says what is missing. As `shlex.split`. */
  function split(line) {
    const words = [];
    let word = null;
    for (let at = 0; at < line.length; at += 1) {
      const c = line[at];
      if (c === "'" || c === '"') {
        const end = c === "'" ? single(line, at) : double(line, at);
        word = (word || "") + end.text;
        at = end.at;
      } else if (c === "\\") {
        at += 1;
        if (at === line.length) throw new SyntaxError("no escaped character");
        word = (word || "") + line[at];
      } else if (/[ \t\r\n]/.test(c)) {
        if (word !== null) words.push(word);
        word = null;
      } else word = (word || "") + c;
    }
    if (word !== null) words.push(word);
    return words;
  }

  function single(line, start) {
    const end = line.indexOf("'", start + 1);
    if (end < 0) throw new SyntaxError("no closing quotation");
    return { text: line.slice(start + 1, end), at: end };
  }

  /** Between double quotes a backslash only escapes a quote and itself. */
  function double(line, start) {
    let text = "";
    for (let at = start + 1; at < line.length; at += 1) {
      if (line[at] === '"') return { text, at };
      if (line[at] === "\\" && (line[at + 1] === '"' || line[at + 1] === "\\")) at += 1;
      text += line[at];
    }
    throw new SyntaxError("no closing quotation");
  }

  return { split };
})();
