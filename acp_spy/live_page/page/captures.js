// The start page: all captures, those that are being recorded on top, with what is wrong and what they wait for.
acpSpy.captures = (() => {
  const { get, make, prose } = acpSpy.dom;
  const { took, size, count, grouped } = acpSpy.words;
  const [SOON, LATER] = [500, 5000]; // milliseconds until the next try to connect
  const DRAWN = 500; // captures that are shown

  /** Take what a line says: which captures there are, and what has changed. */
  function take(known, news) {
    for (const each of news.captures || []) known.byName.set(each.name, { ...each, at: performance.now() });
    if (news.order) known.order = news.order;
    if (news.folder !== undefined) known.folder = news.folder;
    for (const name of [...known.byName.keys()]) if (!known.order.includes(name)) known.byName.delete(name);
  }

  /** Seconds on the clock of a capture; that of one which is recorded goes on. */
  const now = (each) => (each.seconds || 0) + (each.state === "running" ? (performance.now() - each.at) / 1000 : 0);

  function item(each) {
    const facts = [
      make("span", null, acpSpy.inert.line(each.started.replace("T", " ").replace("Z", " UTC"))),
      each.seconds === null && each.state !== "running" ? null : make("span.age", null, took(now(each))),
      each.frames === null ? null : make("span", null, count(each.frames, "frame")),
      make("span", null, size(each.size)),
      ...found(each),
      each.client ? make("span", null, "client ", acpSpy.inert.line(each.client)) : null,
    ];
    return make(`li.capture.${each.state.replace(" ", "-")}`, { "data-name": each.name },
      make("a.open", { href: `/capture/${each.name}` },
        make("span.state", null, each.state),
        make("span.agent", null, acpSpy.inert.line(each.agent || "agent")),
        make("span.file", null, acpSpy.inert.line(each.file))),
      make("p.facts", null, ...facts.filter(Boolean)),
      diagnosis(each),
      each.pending.length ? make("p.pending", null, ...pending(each)) : null);
  }

  /** How much was found, the worst first. */
  function found({ findings }) {
    return ["error", "warning", "note"].filter((level) => findings && findings[level])
      .map((level) => make(`span.${level}`, null, count(findings[level], level)));
  }

  function diagnosis({ diagnosis: said, reason, isRead }) {
    if (reason) return make("p.diagnosis", null, make("strong.bad", null, "agent not started"), ": ", acpSpy.inert.line(reason));
    if (!said) return make("p.diagnosis.remark", null, isRead ? "open it to diagnose it" : "reading"); // it is large, or damaged
    return make("p.diagnosis", null, make(said.isWrong ? "strong.bad" : "strong", null, said.words), ": ", ...prose(said.text));
  }

  function pending(each) {
    const why = ({ of, kept }) => (kept ? [acpSpy.inert.line(kept)] : ["waiting for ", make(`span.peer.${of}`, null, of)]);
    const words = each.pending.map(({ of, method, t, kept }) => make("span", null, ...why({ of, kept }), ": ",
      make("code", null, acpSpy.inert.line(method)), make("span.age", { "data-t": t }, ` ${took(Math.max(0, now(each) - t))}`)));
    const more = each.pendingCount - each.pending.length;
    return more > 0 ? [...words, make("span", null, `and ${grouped(more)} more`)] : words;
  }

  /** What to do when there is none yet. */
  const none = (folder) => [
    make("p.lead", null, "No captures yet"),
    make("p", null, "This page shows them as soon as they are recorded. Three ways to get one:"),
    make("dl.ways", null,
      make("dt", null, make("code", null, "acp-spy demo")), make("dd", null, "a short conversation between a built-in client and agent"),
      make("dt", null, make("code", null, "acp-spy setup")), make("dd", null, "put acp-spy in front of an agent of your editor"),
      make("dt", null, make("code", null, "acp-spy -- COMMAND")), make("dd", null, "the agent command in your editor, with acp-spy before it")),
    make("p.remark", null, `Folder: ${acpSpy.inert.line(folder)}`)];

  function start() {
    const known = { byName: new Map(), order: [], folder: "" };
    const list = get("captures");
    const drawn = new Map(); // name -> what its element was made from, and the element
    acpSpy.theme.start(() => {});
    document.title = "Captures - acp-spy";

    function say(state, words, title) {
      get("live").className = `live ${state}`;
      get("live").title = acpSpy.inert.line(title || "");
      get("live").textContent = words;
    }

    /** Put what has changed into the page; what has the focus keeps it. */
    function show() {
      get("folder").textContent = acpSpy.inert.line(known.folder);
      const focused = document.activeElement && document.activeElement.closest("li.capture");
      const name = focused ? focused.dataset.name : null;
      const wanted = known.order.slice(0, DRAWN).filter((each) => known.byName.has(each));
      for (const each of [...drawn.keys()]) if (!wanted.includes(each)) drawn.delete(each);
      for (const each of wanted) {
        const entry = known.byName.get(each);
        if (!drawn.has(each) || drawn.get(each).entry !== entry) drawn.set(each, { entry, element: item(entry) });
      }
      const elements = wanted.map((each) => drawn.get(each).element);
      if (elements.length !== list.children.length || elements.some((element, place) => list.children[place] !== element)) list.replaceChildren(...elements);
      if (name !== null && drawn.has(name)) drawn.get(name).element.querySelector("a").focus({ preventScroll: true });
      get("nothing").hidden = known.order.length > 0;
      if (!known.order.length) get("nothing").replaceChildren(...none(known.folder));
      else if (known.order.length > DRAWN) {
        get("nothing").hidden = false;
        get("nothing").replaceChildren(make("p.remark", null, `and ${grouped(known.order.length - DRAWN)} older ones: run `, make("code", null, "acp-spy list")));
      }
    }

    /** Each second: those that are recorded grow older. */
    function tick() {
      for (const { entry, element } of drawn.values()) {
        if (entry.state !== "running") continue;
        for (const age of element.querySelectorAll(".age")) {
          const t = age.dataset.t === undefined ? 0 : Number(age.dataset.t);
          age.textContent = (t ? " " : "") + took(Math.max(0, now(entry) - t));
        }
      }
    }

    function move(by) {
      const links = [...list.querySelectorAll("a.open")];
      if (!links.length) return;
      const here = links.indexOf(document.activeElement);
      const to = here < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(here + by, 0), links.length - 1);
      links[to].focus();
    }

    const acts = { j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), g: () => move(-Infinity), Home: () => move(-Infinity), G: () => move(Infinity), End: () => move(Infinity), t: () => get("theme").click() };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
      acts[event.key]();
      event.preventDefault();
    });

    async function connect() {
      let pause = SOON;
      for (;;) {
        try {
          await acpSpy.server.enter();
          await acpSpy.server.lines("/api/captures", (news) => {
            pause = SOON;
            if (news.error) throw new acpSpy.server.Refused(0, news.error);
            take(known, news);
            show();
            say("running", "Live", "New captures appear as they are recorded");
          });
        } catch (error) {
          if (error instanceof acpSpy.server.Refused) {
            say("gone", "Disconnected", error.message);
            get("nothing").hidden = false;
            get("nothing").replaceChildren(make("p.lead", null, ...prose(error.message)), make("p", null, ...prose(error.hint)));
          } else if (error instanceof TypeError || error instanceof SyntaxError || error.name === "AbortError") {
            say("gone", "Reconnecting", "acp-spy is not running: start `acp-spy view --serve` again, and open its link");
          } else throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 2, LATER);
      }
    }

    say("loading", "Connecting");
    setInterval(tick, 1000);
    connect();
  }

  return { start, take };
})();
