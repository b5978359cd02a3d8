// Where this page comes from: what was recorded, by what, which rules were run; and the capture to save.
acpSpy.about = (() => {
  const { make } = acpSpy.dom;

  function show(box, { model }) {
    const list = make("dl.about-list");
    for (const [name, value] of facts(model)) {
      if (value) list.append(make("dt", null, name), make("dd", null, ...[value].flat()));
    }
    box.replaceChildren(
      make("header.head", null, make("h2", null, "About this capture")),
      list,
      make("div.buttons", null, make("button.small", { id: "save", onclick: () => acpSpy.record.save(model) }, `Save ${acpSpy.inert.line(acpSpy.record.name(model))}`)),
      make("p.remark", null, ...contents(model)));
  }

  function facts(model) {
    const code = (text) => (text ? make("code", null, acpSpy.inert.line(text)) : null);
    const { peers } = model;
    return [
      ["Capture", acpSpy.inert.line(model.name)],
      ["Recorded", acpSpy.header.started(model)],
      ["Agent command", code(model.command.join(" "))],
      ["Folder", code(model.cwd)],
      ["Agent", acpSpy.inert.line(peers.agent)],
      ["Client", acpSpy.inert.line(peers.client)],
      ["Recorded by", acpSpy.inert.line(model.tool)],
      ["Page made by", `acp-spy ${model.version}`],
      ["Rules", rules(model.settings)],
      ["Filter", code(model.filter)],
      ["Cut", model.cut ? `${acpSpy.words.count(model.cut, "line")}: this page has only the beginning` : ""],
      ["Secrets", model.masked ? `masked: ${acpSpy.header.masked(model)}` : "shown"],
    ];
  }

  /** The settings that were applied, one line each. */
  function rules({ count, select, ignore, severity, spec, dialect }) {
    const lines = [
      acpSpy.words.count(count, "rule") + (select.length || ignore.length ? "" : " (the default)"),
      select.length ? `select: ${select.join(", ")}` : "",
      ignore.length ? `ignore: ${ignore.join(", ")}` : "",
      ...Object.entries(severity).map(([rule, level]) => `severity: ${rule} = ${level}`),
      spec === "auto" ? "" : `spec: ${spec}`,
      dialect === "auto" ? "" : `dialect: ${dialect}`,
    ];
    return lines.filter(Boolean).map((line) => make("div", null, acpSpy.inert.line(line)));
  }

  /** What the saved file has, and what it lacks. */
  function contents(model) {
    const parts = [
      model.filter ? "The file has only the rows on this page." : `The file has every frame of the capture${model.masked ? "" : ", byte for byte"}.`,
      model.cut ? `Of ${acpSpy.words.count(model.cut, "long line")} it has only the beginning, as text.` : "",
      model.masked ? "Secrets are replaced by placeholders." : "",
      "It has no findings: ", make("code", null, "acp-spy check"), " finds them again.",
    ];
    return parts.filter(Boolean).map((part) => (typeof part === "string" ? `${part} ` : part));
  }

  return { show };
})();
