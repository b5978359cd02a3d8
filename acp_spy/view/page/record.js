// The capture again, as a file: a line for each row, spelled as acp_spy/capture/codec.py spells it; a test compares.
acpSpy.record = (() => {
  const { make } = acpSpy.dom;

  /** The whole capture, as text: the header, and the records that this page shows. */
  function capture(model) {
    return [model.header, ...model.rows.map(line), ""].join("\n");
  }

  /** A row whose line cannot be made of the rest of it brings the line along. */
  function line(row) {
    if (row.line !== null) return row.line;
    if (row.kind === "stderr") return `{"type":"stderr","t":${number(row.t)},"text":${JSON.stringify(row.raw)}}`;
    return `{"type":"frame","seq":${row.seq},"t":${number(row.t)},"sender":"${row.sender}","message":${row.raw.slice(0, -1)}}`;
  }

  /** A time as Python writes it: `1.0`, `5e-05`. */
  function number(t) {
    if (Number.isInteger(t)) return t.toFixed(1);
    return Math.abs(t) < 1e-4 ? t.toExponential().replace(/e-(\d)$/, "e-0$1") : String(t);
  }

  function name(model) {
    const stem = model.name.replace(/\.jsonl$/, "");
    return `${stem}${model.filter ? ".part" : ""}${model.masked ? ".redacted" : ""}.jsonl`;
  }

  function save(model) {
    const address = URL.createObjectURL(new Blob([capture(model)], { type: "application/jsonl" }));
    make("a", { href: address, download: name(model) }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000); // not before the browser has read it
  }

  return { capture, name, save };
})();
