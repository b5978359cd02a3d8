// The statistics of the whole capture, as `acp-spy stats` shows them: methods, turns, tool calls, peers.
acpSpy.stats = (() => {
  const { make } = acpSpy.dom;
  const { took, size, count, grouped } = acpSpy.words;
  const LONGEST_TOOLS = 10;

  function show(box, app) {
    const { stats } = app.model;
    if (!stats) {
      box.replaceChildren(make("div.blank", null, make("p.lead", null, "No statistics yet"), make("p", null, "The capture is still being read.")));
      return;
    }
    const tools = stats.turns.longest.flatMap((turn) => turn.tools).filter((tool) => tool.seconds !== null);
    tools.sort((a, b) => b.seconds - a.seconds);
    box.replaceChildren(
      make("header.head", null, make("h2", null, "Stats"),
        app.model.filter ? make("p.facts", null, "of the whole capture; names only of what this page shows") : null),
      totals(stats),
      ...part("Requests", requests(stats)),
      ...part("MCP calls", mcpCalls(stats)),
      ...part("Turns", turns(stats, app)),
      ...part("Longest tool calls", longestTools(tools.slice(0, LONGEST_TOOLS), app)),
      ...part("Notifications", notifications(stats)),
      ...part("Largest frames", largest(stats, app)));
  }

  function totals({ frames, seconds, senders, turns: { count: number }, stderr_bytes: stderr }) {
    const total = (value, name) => make("div.total", null, make("b", null, value), make("span", null, name));
    return make("div.totals", null,
      total(grouped(frames), frames === 1 ? "frame" : "frames"),
      total(span(seconds), "from first to last"),
      total(grouped(number), number === 1 ? "turn" : "turns"),
      total(size(senders.client.bytes), `from the client, ${count(senders.client.frames, "frame")}`),
      total(size(senders.agent.bytes), `from the agent, ${count(senders.agent.frames, "frame")}`),
      stderr ? total(size(stderr), "on the agent's stderr") : null);
  }

  /** A heading and what stands under it; nothing, if that is empty. */
  const part = (title, content) => (content ? [make("h3.part", null, title), content] : []);

  function requests({ methods }) {
    const asked = methods.filter((method) => method.requests);
    return table(["Method", "Sent by", "Count", "Errors", "p50", "p95", "Max"], asked.map((method) => [
      plain(method.method),
      peer(method.asker),
      grouped(method.requests),
      troubles(method),
      ...["p50", "p95", "max"].map((name) => span(method.latency[name])),
    ]), 2);
  }

  /** Requests to MCP servers over ACP. */
  function mcpCalls({ mcp }) {
    return table(["Server", "Call", "Count", "Errors", "p50", "p95", "Max"], mcp.map((each) => [
      plain(each.server),
      plain(each.tool || each.method),
      grouped(each.requests),
      troubles(each),
      ...["p50", "p95", "max"].map((name) => span(each.latency[name])),
    ]), 2);
  }

  /** Errors, and requests without a response. */
  function troubles({ errors, unanswered }) {
    const words = [errors ? grouped(errors) : "", unanswered ? `${grouped(unanswered)} without response` : ""].filter(Boolean);
    return words.length ? make("span.bad", null, words.join(", ")) : "–";
  }

  function permission({ permissions, permissions_pending: pending, permission_wait: wait }, running) {
    const words = pending && !running && !wait ? "no response" : `${span(wait)}${pending ? (running ? " so far" : ", no response") : ""}`;
    return `${words} (${permissions})`;
  }

  function turns(stats, app) {
    const { longest, count: all } = stats.turns;
    const rows = longest.map((turn) => [
      to(app, turn.seq, `Turn ${turn.number}`),
      turn.outcome === "ended" ? plain(turn.stop_reason || "ended") : make("span.bad", null, turn.outcome === "open" ? app.model.unended : "error"),
      span(turn.seconds),
      span(turn.first_update),
      turn.chunk_rate === null ? grouped(turn.chunks) : `${grouped(turn.chunks)} (${turn.chunk_rate.toFixed(1)}/s)`,
      grouped(turn.tool_calls),
      turn.permissions ? permission(turn, stats.running) : "–",
      turn.stalls ? make("span.bad", null, `${span(turn.stalled)} (${turn.stalls})`) : "–",
    ]);
    const made = table(["Turn", "Ended", "Took", "First update", "Chunks", "Tool calls", "Permission wait", "Stalls"], rows, 2);
    if (made && longest.length < all) made.append(make("p.remark", null, `${app.model.filter ? "" : "the longest "}${longest.length} of ${grouped(all)}`));
    return made;
  }

  function longestTools(tools, app) {
    return table(["Tool call", "Frame", "Status", "Took"], tools.map((tool) => [
      plain(tool.title || tool.id), to(app, tool.seq, `#${tool.seq}`), plain(tool.status), span(tool.seconds),
    ]), 1);
  }

  function notifications({ methods }) {
    const sent = methods.filter((method) => method.notifications);
    return table(["Method", "Sent by", "Count"], sent.map((method) => [plain(method.method), peer(method.asker), grouped(method.notifications)]), 2);
  }

  function largest({ senders }, app) {
    const all = Object.entries(senders).flatMap(([name, sender]) => sender.largest.map((frame) => ({ ...frame, name })));
    all.sort((a, b) => b.bytes - a.bytes);
    return table(["Frame", "From", "Size"], all.map((frame) => [to(app, frame.seq, `#${frame.seq}`), peer(frame.name), size(frame.bytes)]), 2);
  }

  const plain = (text) => acpSpy.inert.line(text.length > 60 ? text.slice(0, 60) + "…" : text);
  const span = (seconds) => (seconds === null ? "–" : took(seconds));
  const peer = (name) => make("span.peer." + name, null, name);

  function to(app, seq, words) {
    const row = app.model.bySeq.get(seq);
    return row ? make("button.link", { onclick: () => app.go(row) }, words) : words;
  }

  /** A table whose first `wordy` columns are words, and the others numbers; null without rows. */
  function table(heads, rows, wordy) {
    if (!rows.length) return null;
    const cells = (tag, values) => values.map((value, index) => make(tag, { className: index < wordy ? "wordy" : "", scope: tag === "th" ? "col" : undefined }, value));
    return make("div.scroll", { tabIndex: 0, role: "group" }, make("table", null,
      make("thead", null, make("tr", null, ...cells("th", heads))),
      make("tbody", null, ...rows.map((row) => make("tr", null, ...cells("td", row))))));
  }

  return { show };
})();
