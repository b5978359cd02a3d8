// What this is a page of: the peers, how much, how long, how it ended, what is wrong.
acpSpy.header = (() => {
  const { get, make, prose } = acpSpy.dom;
  const { took, count } = acpSpy.words;

  /** `go` shows a row. */
  function show(model, go) {
    get("title").textContent = acpSpy.inert.line(model.name);
    const facts = [];
    if (model.peers.client || model.peers.agent) {
      facts.push(make("span.peers", null,
        make("span.client", null, acpSpy.inert.line(model.peers.client || "client")), " ⇄ ",
        make("span.agent", null, acpSpy.inert.line(model.peers.agent || "agent"))));
    }
    facts.push(count(model.frames, "frame"));
    if (!model.imported || model.end) facts.push(took(model.end)); // not every tool writes down times
    facts.push(started(model));
    facts.push(ending(model));
    if (model.filter) facts.push(`only ${acpSpy.inert.line(model.filter)}`);
    if (model.crashed.length) facts.push(make("span.bad", null, `${count(model.crashed.length, "rule")} crashed (a bug in acp-spy)`));
    if (model.cut) facts.push(`${count(model.cut, "long line")} cut`);
    facts.push(model.masked ? `secrets masked: ${masked(model)}` : make("span.bad", null, "secrets shown"));
    get("facts").replaceChildren(...facts.filter(Boolean).map((fact) => make("span", null, fact)));
    const where = model.cwd ? ` in ${model.cwd}` : "";
    get("command").textContent = acpSpy.inert.line(`${model.command.join(" ")}${where}`);
    get("command").hidden = !model.command.length;
    get("download").onclick = () => acpSpy.record.save(model);
    get("note").textContent = acpSpy.inert.line(model.note && `Note: ${model.note}`);
    get("note").hidden = !model.note;
    const found = JSON.stringify(model.diagnosis);
    if (get("diagnosis").dataset.shown !== found) get("diagnosis").replaceChildren(...diagnosis(model, go));
    get("diagnosis").dataset.shown = found;
    get("diagnosis").hidden = !model.diagnosis;
    const number = model.findings.length;
    get("count-findings").textContent = String(number);
    get("count-findings").className = `count ${acpSpy.data.worst(model.findings) || "none"}`;
    get("door-findings").setAttribute("aria-label", count(number, "finding"));
  }

  /** The one answer: what went wrong first, the frames that show it, and what to do next. */
  function diagnosis({ diagnosis: found, bySeq }, go) {
    if (!found) return [];
    const evidence = found.seq.map((seq) => bySeq.get(seq)).filter(Boolean).sort((a, b) => a.index - b.index);
    const frames = evidence.flatMap((row, place) => [place ? ", " : " ", make("button.link", { onclick: () => go(row) }, `frame ${row.seq}`)]);
    const hint = found.hint ? [make("span.hint", null, "Hint: ", ...prose(found.hint), ".")] : [];
    return [make(found.isWrong ? "strong.bad" : "strong", null, found.words), ": ", ...prose(found.text), ...frames, ...hint];
  }

  /** How many places of the capture are masked. */
  function masked({ maskedPlaces, isReading, wasRedacted }) {
    if (isReading) return "still being counted";
    if (maskedPlaces) return count(maskedPlaces, "place");
    return wasRedacted ? "none left; the capture was redacted before" : "none found";
  }

  const started = (model) => acpSpy.inert.line(model.started.replace("T", " ").replace(/\.\d+Z$/, "Z").replace("Z", " UTC"));

  function ending(model) {
    const last = model.rows[model.rows.length - 1];
    if (last && last.kind === "exit") return `ended: ${acpSpy.inert.line(last.gist)}`;
    return model.filter || model.imported || model.isReading ? null : model.running ? (model.isLive ? "recording" : "recording still ran") : make("span.bad", null, "cut off: the agent's exit was not recorded");
  }

  return { show, started, masked };
})();
