// The page of a capture while it is recorded: what comes from the server goes into the page.
acpSpy.live = (() => {
  const { get, make } = acpSpy.dom;
  const { took, count } = acpSpy.words;
  const OFTEN = 80; // milliseconds between two changes of the page, at least
  const REST = 4; // how many times as long as a change took, nothing is changed
  const [SOON, LATER] = [500, 5000]; // milliseconds until the next try to connect
  const EARLY = 300; // milliseconds after which the first rows are shown, though more are to come
  const PENDING = 3; // requests that are named
  const UNKNOWN = { rules: {}, crashed: [], peers: {}, stats: null, pending: [], running: false, isReading: false, maskedPlaces: 0, diagnosis: null };

  // ------------------------------------------------------------------ what is known

  /** Take what a line says into a model. */
  function take(model, news) {
    const { append, addFindings } = acpSpy.data;
    if (news.rows) append(model, news.rows);
    for (const [seq, fate] of news.fates || []) if (model.bySeq.has(seq)) model.bySeq.get(seq).fate = fate;
    Object.assign(model.rules, news.rules);
    addFindings(model, news.findings || []);
    Object.assign(model, news.state, news.stats);
    if (news.stats) model.stamp += 1;
    if (news.now !== undefined) model.clock = { now: news.now, at: performance.now() };
  }

  const create = (about) => acpSpy.data.create({ ...UNKNOWN, rules: {}, ...about, isLive: true, stamp: 0, clock: null });

  /** Now, on the clock of the capture. */
  const now = ({ clock, end }) => (clock ? clock.now + (performance.now() - clock.at) / 1000 : end);

  /** As with a page from a file, but that time goes on while the recording runs. */
  function settle(model) {
    acpSpy.data.settle(model);
    if (model.running) model.end = Math.max(model.end, now(model));
    return model;
  }

  // ------------------------------------------------------------------ the page

  function start() {
    const name = location.pathname.slice("/capture/".length);
    const rows = get("rows");
    const pill = make("span.live", { role: "status" });
    const follow = make("button.small", { id: "follow", title: "Stay at the end (F)", "aria-pressed": "false", onclick: () => stay(!following) }, "Follow");
    const pending = make("p", { id: "pending", hidden: true });
    get("title").before(make("a.back", { href: "/" }, "Captures"));
    get("door-findings").before(pill);
    get("tally").before(follow);
    get("diagnosis").after(pending);
    acpSpy.help.KEYS.push(["F", "stay at the end while frames come"]);
    let model = null; // what is shown
    let loading = null; // what is not complete yet; it is also shown, if nothing else is
    let app = null;
    let early = 0;
    let drawn = 0; // rows that are shown
    let following = false;
    let top = 0; // where the rows were scrolled to
    let waiting = 0;
    let cost = 0; // milliseconds that the last change took
    let changing = false;
    let again = false; // something has come during the change
    let isOver = false;
    const held = acpSpy.held.create(name, (seq) => model && model.bySeq.has(seq) && app.go(model.bySeq.get(seq)));

    function say(state, words, title) {
      pill.className = `live ${state}`;
      pill.title = acpSpy.inert.line(title || "");
      if (pill.textContent !== words) pill.textContent = words;
    }

    function hear(news) {
      if (news.error) throw new acpSpy.server.Refused(0, news.error);
      if (news.held) held.show(news.held);
      if (news.about) loading = create(news.about);
      if (news.about && !pill.textContent.startsWith("Reading")) say("loading", "Reading");
      if (news.reading !== undefined) tellProgress(news.reading);
      const taking = loading || model;
      if (!taking) return;
      take(taking, news);
      isOver = Boolean(news.over);
      if (news.caughtUp) show();
      else if (!loading) soon();
      else if (loading !== model) early = early || (app ? 0 : setTimeout(showEarly, EARLY));
      else if (model.rows.length >= 2 * drawn) soon(); // all rows are folded again each time
      if (!loading) say(model.running ? "running" : "ended", model.running ? "Live" : "Ended", model.running ? "New frames appear as they are recorded" : "The recording has ended");
    }

    /** How much of a large capture has been read, in percent. */
    function tellProgress(percent) {
      say("loading", `Reading ${percent} %`, "The server reads the capture, twice if secrets are masked");
      if (app) return;
      get("nothing").hidden = false;
      get("nothing").replaceChildren(make("p.lead", null, `Reading the capture: ${percent} %`), make("progress", { max: 100, value: percent, "aria-label": "Reading the capture" }));
    }

    /** Show what has been loaded: for the first time, or in place of what was known before. */
    async function show() {
      clearTimeout(early);
      loading.isReading = false;
      if (!app) {
        open();
        loading = null;
        return;
      }
      const isFirst = loading === model;
      Object.assign(model, loading);
      loading = null;
      await renew();
      if (isFirst) {
        app.complete();
        stay(model.running && !rows.scrollTop && !location.hash.includes("seq="));
      }
    }

    /** Show the beginning of what takes long to load. */
    function showEarly() {
      if (!loading || !loading.rows.length) {
        early = 0;
        return;
      }
      loading.isReading = true;
      open();
    }

    function open() {
      model = settle(loading);
      drawn = model.rows.length;
      document.title = `${acpSpy.inert.line(model.name)} - acp-spy`;
      app = acpSpy.page = acpSpy.app.start(model);
      rows.addEventListener("scroll", scrolled, { passive: true });
      new ResizeObserver(() => following && toEnd()).observe(rows);
      stay(model.running && !location.hash.includes("seq="));
      tick();
    }

    /** Changes are shown together, and never so often that the page does nothing else. */
    function soon() {
      waiting = waiting || setTimeout(renew, Math.max(OFTEN, cost * REST));
    }

    async function renew() {
      clearTimeout(waiting);
      waiting = 0;
      again = changing;
      if (changing) return;
      changing = true;
      const from = performance.now();
      settle(model);
      try {
        await app.grow();
      } finally {
        changing = false;
      }
      if (following) toEnd();
      tell();
      drawn = model.rows.length;
      cost = performance.now() - from;
      if (again) soon();
    }

    const isAtEnd = () => rows.scrollTop + rows.clientHeight >= rows.scrollHeight - 4;

    function toEnd() {
      rows.scrollTop = rows.scrollHeight;
    }

    /** Only somebody who scrolls up leaves the end: new rows, and less room for them, do not. */
    function scrolled() {
      if (isAtEnd()) stay(true);
      else if (rows.scrollTop < top) stay(false);
      top = rows.scrollTop;
    }

    function stay(on) {
      following = on;
      follow.setAttribute("aria-pressed", String(on));
      if (on && !isAtEnd()) toEnd();
    }

    // ------------------------------------------------------------------ time

    /** Each second: what is pending grows older, and what is open longer. */
    function tick() {
      if (model.running && !loading) {
        settle(model);
        acpSpy.header.show(model, app.go);
        app.waterfall.grow();
        held.tick();
      }
      tell();
      setTimeout(tick, 1000);
    }

    /** Which requests are pending, on whom, and since when. */
    function tell() {
      const said = model.diagnosis && model.diagnosis.isWrong ? model.diagnosis.seq : []; // it says since when
      const open = model.running ? model.pending.filter(({ seq }) => !said.includes(seq)) : [];
      const words = open.slice(0, PENDING).map((each) => {
        const row = model.bySeq.get(each.seq);
        const method = make("code", null, acpSpy.inert.line(each.method));
        const why = each.kept ? [acpSpy.inert.line(each.kept)] : ["waiting for ", make(`span.peer.${each.of}`, null, each.of)];
        return make("span", null, ...why, ": ",
          row ? make("button.link", { onclick: () => app.go(row), title: `frame ${each.seq}` }, method) : method,
          make("span.age", { "data-t": each.t }, ""));
      });
      if (open.length > PENDING) words.push(make("span", null, `and ${open.length - PENDING} more`));
      const shown = JSON.stringify(open);
      if (pending.dataset.shown !== shown) pending.replaceChildren(...words);
      pending.dataset.shown = shown;
      for (const age of pending.querySelectorAll(".age")) age.textContent = ` ${took(Math.max(0, now(model) - Number(age.dataset.t)))}`;
      pending.hidden = !open.length;
    }

    // ------------------------------------------------------------------ the connection

    function complain({ message, hint }) {
      say("gone", "Disconnected", message);
      if (app) {
        acpSpy.copy.say(message);
        return;
      }
      get("nothing").hidden = false;
      get("nothing").replaceChildren(make("p.lead", null, ...acpSpy.dom.prose(message)), make("p", null, ...acpSpy.dom.prose(hint)));
    }

    async function connect() {
      let pause = SOON;
      while (!isOver) {
        try {
          await acpSpy.server.enter();
          await acpSpy.server.lines(`/api/capture/${name}`, hear);
          pause = SOON;
        } catch (error) {
          loading = null;
          clearTimeout(early);
          early = 0;
          if (error instanceof acpSpy.server.Refused) {
            complain(error);
            if (![403, 503].includes(error.status)) return;
          } else if (error instanceof SyntaxError || error instanceof TypeError || error.name === "AbortError") {
            say("gone", "Reconnecting", "acp-spy is not running: start `acp-spy view --serve` again, and open its link");
          } else throw error;
        }
        if (isOver) return;
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 2, LATER);
      }
    }

    document.addEventListener("keydown", (event) => {
      if (event.key !== "F" || event.ctrlKey || event.metaKey || event.altKey || get("help").open) return;
      if (/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
      stay(!following);
      event.preventDefault();
    });
    say("loading", "Connecting");
    connect();
  }

  return { start, create, take, settle };
})();
