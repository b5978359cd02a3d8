// The page itself: what is shown, what is chosen, and who is told when that changes.
acpSpy.app = (() => {
  const { get, make } = acpSpy.dom;
  const { took, count, grouped } = acpSpy.words;

  function start() {
    const model = acpSpy.data.load();
    const unfolded = new Set(); // streams and tools are folded at first, turns are not
    const narrow = matchMedia("(max-width: 760px)");
    const state = { rows: model.rows, tab: "frame", pattern: null, matches: [], filter: "" };
    let places = new Map();

    const sessions = model.sessions.length > 1 ? new Map(model.sessions.map((id, index) => [id, `s${index + 1}`])) : null;
    const list = acpSpy.list.create(get("rows"), (item) => acpSpy.row.draw(item, { pattern: state.pattern, sessions }));
    const app = {
      model, go, setFilter, clear, next, move, enter, unfold, partner, escape, copyLink, link,
      help: () => acpSpy.help.open(model.tokens),
      page: () => list.page(),
      pattern: () => state.pattern,
      items: () => list.length(),
      shown: () => state.rows.filter((row) => row.seq !== null).map((row) => row.seq),
      filterNow: () => state.filter,
      waterfall: acpSpy.waterfall.create(model, (row) => go(row)),
    };

    // ------------------------------------------------------------------ the timeline

    const isOpen = (key, type) => unfolded.has(key) !== (type === "turn");

    /** Fold the rows anew; what was chosen stays chosen. */
    function refold() {
      const before = list.at(list.active());
      const folded = acpSpy.fold.fold(state.rows, model, isOpen);
      places = folded.places;
      list.show(folded.items);
      get("nothing").hidden = folded.items.length > 0;
      if (!before) return;
      const place = folded.items.findIndex((item) => item.key === before.key);
      if (place >= 0) list.activate(place);
      else if (places.has(before.row.index)) list.activate(places.get(before.row.index));
    }

    function toggle(key) {
      if (!unfolded.delete(key)) unfolded.add(key);
      refold();
    }

    /** Choose the item at `place`. */
    function choose(place, { centred = false, open = true } = {}) {
      const item = list.at(place);
      if (!item) return;
      list.activate(place, centred);
      app.waterfall.mark(item.row);
      if (item.row.seq !== null) setHash(item.row.seq);
      if (open) showTab("frame");
    }

    /** Choose a row wherever it is: out of a filter that hides it, out of the folds around it. */
    function go(row, finding) {
      if (!state.rows.includes(row)) setFilter("");
      for (let item = around(row); item && item.type !== "row"; item = around(row)) toggle(item.key);
      let place = places.get(row.index);
      while (finding && list.at(place) && list.at(place).finding !== finding && list.at(place).row === row) place += 1;
      if (!list.at(place) || list.at(place).row !== row) place = places.get(row.index);
      choose(place, { centred: true });
      openPanel(true);
    }

    const around = (row) => list.at(places.get(row.index));

    function move(by) {
      if (!list.length()) return;
      const from = list.active();
      const to = from < 0 ? (by === Infinity ? Infinity : 0) : from + by;
      choose(Math.min(Math.max(to, 0), list.length() - 1));
    }

    function unfold(open) {
      const item = list.at(list.active());
      if (!item) return;
      if (item.open !== undefined && item.open !== open) toggle(item.key);
      else if (!open) {
        // From within a fold to its head.
        for (let place = list.active() - 1; place >= 0; place -= 1) {
          if (list.at(place).level < item.level && list.at(place).open !== undefined) {
            choose(place);
            return;
          }
        }
      }
    }

    function enter() {
      const item = list.at(list.active());
      if (!item) move(1);
      else if (item.open !== undefined) toggle(item.key);
      else {
        openPanel(true);
        get("view").focus();
      }
    }

    function partner() {
      const item = list.at(list.active());
      if (!item) return;
      const { row } = item;
      const other = row.partner === null ? model.answers.get(row.seq) : model.bySeq.get(row.partner);
      if (other) go(other);
      else acpSpy.copy.say(row.kind === "request" ? "Never answered" : "There is no other half to this");
    }

    // ------------------------------------------------------------------ filter and search

    function setFilter(text) {
      if (get("filter").value !== text) get("filter").value = text;
      let accepts;
      try {
        accepts = acpSpy.filters.parse(text, model);
      } catch (error) {
        if (!(error instanceof acpSpy.filters.Wrong)) throw error;
        showError(error.message);
        return;
      }
      showError("");
      state.filter = text.trim();
      state.rows = state.filter ? model.rows.filter(accepts) : model.rows;
      refold();
      if (!state.rows.length) showNothing();
      tell();
    }

    function showError(message) {
      get("filter-error").hidden = !message;
      get("filter-error").replaceChildren(...acpSpy.dom.prose(message));
      get("filter").setAttribute("aria-invalid", String(Boolean(message)));
    }

    function showNothing() {
      const words = model.rows.length
        ? [make("p.lead", null, "No frame passes this filter"), make("button.small", { onclick: () => setFilter("") }, "Show all")]
        : [make("p.lead", null, "Nothing was said"), make("p", null, "The capture has no frames: the peers were silent, or the proxy was stopped before they spoke.")];
      get("nothing").replaceChildren(...words);
      get("nothing").hidden = false;
    }

    function setSearch(text) {
      if (get("search").value !== text) get("search").value = text;
      state.pattern = acpSpy.search.pattern(text);
      state.matches = acpSpy.search.rows(model.rows, state.pattern);
      list.refresh();
      tell();
    }

    function clear(field) {
      if (field === "search") setSearch("");
      else setFilter("");
    }

    /** The next row that is searched for; without a search, the next finding. */
    function next(by) {
      const wanted = state.pattern ? state.matches : model.findings.map((finding) => model.bySeq.get(finding.seq)).filter(Boolean);
      const shown = new Set(state.rows);
      const among = [...new Set(wanted)].filter((row) => shown.has(row)).sort((a, b) => a.index - b.index);
      if (!among.length) {
        acpSpy.copy.say(state.pattern ? "No match" : "No finding");
        return;
      }
      const item = list.at(list.active());
      const here = item ? item.row.index : by > 0 ? -1 : Infinity;
      const found = by > 0 ? among.find((row) => row.index > here) : [...among].reverse().find((row) => row.index < here);
      const row = found || among[by > 0 ? 0 : among.length - 1];
      go(row, state.pattern ? undefined : row.findings[0]);
      tell(among.indexOf(row) + 1);
    }

    /** How much is shown, and which match this is. */
    function tell(which) {
      const parts = [];
      const frames = (rows) => rows.filter((row) => row.seq !== null).length;
      const [shown, all] = [frames(state.rows), frames(model.rows)];
      parts.push(state.filter ? `${grouped(shown)} of ${count(all, "frame")}` : count(all, "frame"));
      if (state.pattern) parts.push(state.matches.length ? `${which ? `${which} of ` : ""}${count(state.matches.length, "match", "matches")}` : "no match");
      get("tally").textContent = parts.join(" · ");
    }

    // ------------------------------------------------------------------ the panel

    function showTab(tab) {
      state.tab = tab;
      for (const name of ["frame", "findings", "stats"]) {
        const isThis = name === tab;
        get("tab-" + name).setAttribute("aria-selected", String(isThis));
        get("tab-" + name).tabIndex = isThis ? 0 : -1;
      }
      get("view").setAttribute("aria-labelledby", "tab-" + tab);
      get("view").scrollTop = 0;
      if (tab === "frame") acpSpy.detail.show(get("view"), list.at(list.active()), app);
      else if (tab === "findings") acpSpy.findings.show(get("view"), app);
      else acpSpy.stats.show(get("view"), app);
    }

    /** On a narrow screen the panel lies over the timeline. */
    function openPanel(open) {
      get("main").classList.toggle("panel-open", open);
      if (!open) get("rows").focus();
    }

    function escape() {
      if (narrow.matches && get("main").classList.contains("panel-open")) openPanel(false);
      else if (document.activeElement !== get("rows")) get("rows").focus();
      else if (get("search").value) setSearch("");
      else if (get("filter").value) setFilter("");
    }

    // ------------------------------------------------------------------ links

    function link(row) {
      return location.href.split("#")[0] + "#" + hashOf(row.seq);
    }

    const hashOf = (seq) => `seq=${seq}` + (state.filter ? `&filter=${encodeURIComponent(state.filter)}` : "");

    function copyLink() {
      const item = list.at(list.active());
      if (item && item.row.seq !== null) acpSpy.copy.copy(link(item.row), `the link to frame ${item.row.seq}`);
    }

    function setHash(seq) {
      const hash = "#" + hashOf(seq);
      if (location.hash !== hash) history.replaceState(null, "", hash);
    }

    /** Go where the link says: `#seq=14`, and `&filter=...` where there is one. */
    function followHash() {
      const wanted = new URLSearchParams(location.hash.slice(1));
      if (wanted.has("filter")) setFilter(wanted.get("filter"));
      if (!wanted.has("seq")) return;
      const row = model.bySeq.get(Number(wanted.get("seq")));
      if (row) go(row);
      else acpSpy.copy.say(`There is no frame ${acpSpy.inert.line(wanted.get("seq").slice(0, 20))} on this page`);
    }

    // ------------------------------------------------------------------ wiring

    get("rows").addEventListener("click", (event) => {
      const twist = event.target.closest("[data-twist]");
      const element = event.target.closest(".row");
      if (!element) return;
      const place = Number(element.id.slice(5));
      if (twist) {
        toggle(twist.dataset.twist);
        return;
      }
      choose(place);
      openPanel(true);
      if (!narrow.matches) get("rows").focus();
    });
    get("rows").addEventListener("dblclick", (event) => {
      const element = event.target.closest(".row[aria-expanded]");
      if (element && !event.target.closest("[data-twist]")) toggle(list.at(Number(element.id.slice(5))).key);
    });
    let typing = 0;
    const typed = (act) => (event) => {
      clearTimeout(typing);
      typing = setTimeout(act, 120, event.target.value);
    };
    get("filter").addEventListener("input", typed(setFilter));
    get("search").addEventListener("input", typed(setSearch));
    for (const name of ["frame", "findings", "stats"]) get("tab-" + name).onclick = () => showTab(name);
    for (const name of ["findings", "stats"]) {
      get("door-" + name).onclick = () => {
        showTab(name);
        openPanel(true);
      };
    }
    get("close-panel").onclick = () => openPanel(false);
    get("open-help").onclick = app.help;
    addEventListener("hashchange", followHash);
    acpSpy.header.show(model);
    acpSpy.splitter.start();
    acpSpy.keys.start(app);
    acpSpy.theme.start(app.waterfall.redraw);

    if (narrow.matches) app.waterfall.unfold(false);
    setFilter("");
    showTab(model.findings.length ? "findings" : "frame");
    if (location.hash) followHash();
    return app;
  }

  return { start };
})();
