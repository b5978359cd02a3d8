// The page itself: what is shown, what is chosen, and what is updated when that changes.
acpSpy.app = (() => {
  const { get } = acpSpy.dom;

  /** `model` is the conversation; without it, the one in the page. Returns what else may be done with the page. */
  function start(model = acpSpy.data.load()) {
    const unfolded = new Set(); // folds that are open, and turns that are shut
    const state = { rows: model.rows, pattern: null, matches: [], filter: "", search: "", looks: "" };
    let places = []; // where each row stands in the list, by its index
    let items = [];
    let asked = 0; // how often somebody has asked for other rows, folds or matches
    const turns = { filter: 0, search: 0 }; // how often one was asked for: what is being made may be wanted no more

    let names = new Map(); // of the sessions
    function sessions() {
      if (names.size !== model.sessions.size) names = new Map([...model.sessions].map((id, index) => [id, `s${index + 1}`]));
      return names.size > 1 ? names : null;
    }
    const list = acpSpy.list.create(get("rows"), (item) => acpSpy.row.draw(item, { pattern: state.pattern, sessions: sessions(), model }));
    const chosen = () => list.at(list.active());
    const app = {
      model, go, setFilter, next, move, enter, unfold, partner, escape, copyLink, grow, complete,
      help: () => acpSpy.help.open(model.filterWords),
      page: () => list.page(),
      pattern: () => state.pattern,
      items: () => list.length(),
      shown: () => state.rows.filter((row) => row.seq !== null).map((row) => row.seq),
      filterNow: () => state.filter,
      link: (row) => acpSpy.links.address(row.seq, state.filter),
      waterfall: acpSpy.waterfall.create(model, (row) => go(row)),
    };
    const panel = acpSpy.panel.create((tab, box) => {
      if (tab === "frame") acpSpy.detail.show(box, chosen(), app);
      else acpSpy[tab].show(box, app);
      shown = stamp(tab);
    });
    let shown = ""; // what the panel was drawn from
    let sought = false; // the address names a frame that is not here yet
    const stamp = (tab) => [tab, model.goesOn, tab === "frame" ? chosen() && stampOf(chosen()) : tab === "findings" ? model.findings.length : model.stamp].join();
    const stampOf = (item) => [acpSpy.row.stamp(item), model.answers.has(item.row.seq)].join();

    // ------------------------------------------------------------------ the timeline

    const isOpen = (key, type) => unfolded.has(key) !== (type === "turn");

    /** The rows that pass the filter, and those that are searched for, in steps. */
    const passing = (filter) => acpSpy.slices.filter(model.rows, acpSpy.filters.parse(filter, model));
    const matching = (pattern, text) => acpSpy.search.steps(model.rows, pattern, text, model.beside);

    function refilter() {
      state.rows = state.filter ? acpSpy.slices.runNow(passing(state.filter)) : model.rows;
      refold();
    }

    /** Fold the rows again; what was chosen stays chosen. */
    function refold() {
      asked += 1;
      showFolded(acpSpy.fold.fold(state.rows, model, isOpen));
    }

    function showFolded(folded) {
      const before = chosen();
      list.show(keep(folded));
      if (before && placeOfItem(before) >= 0) list.activate(placeOfItem(before));
    }

    function keep(folded) {
      ({ items, places } = folded);
      get("nothing").hidden = items.length > 0;
      return items;
    }

    const placeOfItem = (item) => acpSpy.fold.placeOf(items, placeOfRow(item.row.index), item);
    const placeOfRow = (index) => (index < places.length ? places[index] : -1);

    /** Show what the model has by now; nothing moves that is looked at, and no key waits. */
    async function grow() {
      let rows, matches, folded, before;
      do {
        before = asked; // if that changes meanwhile, what was made is not what is wanted
        rows = state.filter ? await acpSpy.slices.run(passing(state.filter)) : model.rows;
        matches = await acpSpy.slices.run(matching(state.pattern, state.search));
        folded = await acpSpy.slices.run(acpSpy.fold.steps(rows, model, isOpen));
      } while (before !== asked);
      Object.assign(state, { rows, matches });
      const looks = [model.goesOn, sessions() !== null].join(); // what every row may depend on
      list.grow(keep(folded), placeOfItem);
      if (looks !== state.looks) list.refresh();
      state.looks = looks;
      if (!state.rows.length) tellNothing();
      acpSpy.tally.show(state, model);
      app.waterfall.grow();
      acpSpy.header.show(model, go);
      if (stamp(panel.current()) !== shown) panel.renew();
    }

    /** All that was there at first is shown now: show what could not be shown before. */
    function complete() {
      if (sought) followAddress();
      if (!chosen() && panel.current() === "frame") panel.show(first());
    }

    function toggle(key) {
      if (!unfolded.delete(key)) unfolded.add(key);
      refold();
    }

    /** Choose the item at `place`. */
    function choose(place, centred) {
      const item = list.at(place);
      if (!item) return;
      list.activate(place, centred);
      sought = false;
      app.waterfall.mark(item.row);
      panel.show("frame");
      if (item.row.seq !== null) acpSpy.links.follow(item.row.seq, state.filter);
    }

    /** Choose a row wherever it is: out of a filter that hides it, out of the folds around it. */
    function go(row, finding) {
      if (state.filter && !state.rows.includes(row)) refilter(); // it has come since the rows were filtered
      if (!state.rows.includes(row)) setFilter("");
      else if (placeOfRow(row.index) < 0) refold(); // it has come since the rows were folded
      const around = () => list.at(placeOfRow(row.index));
      while (around().type !== "row") toggle(around().key);
      const place = placeOfRow(row.index);
      // The findings of a row stand right under it.
      const under = finding ? row.findings.indexOf(finding) + 1 : 0;
      choose(place + under, true);
      panel.open();
    }

    function move(by) {
      if (!list.length()) return;
      const from = list.active();
      const to = from < 0 ? (by === Infinity ? Infinity : 0) : from + by;
      choose(Math.min(Math.max(to, 0), list.length() - 1));
    }

    function unfold(open) {
      const item = chosen();
      if (!item) return;
      if (item.open !== undefined && item.open !== open) toggle(item.key);
      else if (!open) toHead(item);
    }

    /** From within a fold to its head. */
    function toHead(item) {
      let place = list.active() - 1;
      while (place >= 0 && !(list.at(place).level < item.level && list.at(place).open !== undefined)) place -= 1;
      choose(place);
    }

    function enter() {
      const item = chosen();
      if (!item) move(1);
      else if (item.open !== undefined) toggle(item.key);
      else {
        panel.open();
        get("view").focus();
      }
    }

    function partner() {
      if (!chosen()) return;
      const { row } = chosen();
      const other = row.partner === null ? model.answers.get(row.seq) : model.bySeq.get(row.partner);
      if (other) go(other);
      else acpSpy.copy.say(row.kind === "request" ? model.unanswered.replace(/^./, (first) => first.toUpperCase()) : "This row has no request or response");
    }

    // ------------------------------------------------------------------ filter and search

    /** Whether it is a filter; if not, say why. */
    function isFilter(text) {
      if (get("filter").value !== text) get("filter").value = text;
      turns.filter += 1;
      const why = acpSpy.filters.complaint(text, model);
      acpSpy.tally.complain(why);
      return !why;
    }

    function setFilter(text) {
      if (!isFilter(text)) return;
      state.filter = text.trim();
      refilter();
      tellFiltered();
    }

    /** The same in slices: no key waits until many rows are filtered and folded. */
    async function takeFilter(text) {
      if (!isFilter(text)) return;
      const turn = turns.filter;
      const filter = text.trim();
      let rows, folded, before, number;
      do {
        before = asked;
        number = model.rows.length;
        rows = filter ? await acpSpy.slices.run(passing(filter)) : model.rows;
        folded = await acpSpy.slices.run(acpSpy.fold.steps(rows, model, isOpen));
        if (turn !== turns.filter) return;
      } while (before !== asked);
      asked += 1;
      Object.assign(state, { filter, rows });
      showFolded(folded);
      tellFiltered();
      if (number < model.rows.length) await grow(); // they have come meanwhile
    }

    function tellFiltered() {
      if (!state.rows.length) tellNothing();
      acpSpy.tally.show(state, model);
    }

    const first = () => (model.findings.length ? "findings" : "frame");

    const tellNothing = () => acpSpy.tally.nothing(model, () => setFilter(""));

    async function takeSearch(text) {
      if (get("search").value !== text) get("search").value = text;
      const turn = (turns.search += 1);
      const number = model.rows.length;
      const pattern = acpSpy.search.pattern(text);
      const matches = await acpSpy.slices.run(matching(pattern, text));
      if (turn !== turns.search) return;
      asked += 1;
      Object.assign(state, { search: text, pattern, matches });
      list.refresh();
      if (panel.current() === "frame") panel.show("frame");
      acpSpy.tally.show(state, model);
      if (number < model.rows.length) await grow();
    }

    /** The next row that is searched for; without a search, the next with a finding. */
    function next(by) {
      const wanted = new Set(state.pattern ? state.matches : model.rows.filter((row) => row.findings.length));
      const among = state.rows.filter((row) => wanted.has(row));
      if (!among.length) {
        acpSpy.copy.say(state.pattern ? "No match" : "No finding");
        return;
      }
      const row = acpSpy.search.nearest(among, chosen() ? chosen().row.index : by > 0 ? -1 : Infinity, by);
      go(row, state.pattern ? undefined : row.findings[0]);
      acpSpy.tally.show(state, model, among.indexOf(row) + 1);
    }

    function escape() {
      if (panel.close()) return;
      if (document.activeElement !== get("rows")) get("rows").focus();
      else if (get("search").value) app.clear("search");
      else if (get("filter").value) app.clear("filter");
    }

    // ------------------------------------------------------------------ links

    function copyLink() {
      const item = chosen();
      if (item && item.row.seq !== null) acpSpy.copy.copy(app.link(item.row), `the link to frame ${item.row.seq}`);
    }

    /** Go where the address says. */
    function followAddress() {
      const { seq, filter } = acpSpy.links.asked();
      if (filter !== null) setFilter(filter);
      if (seq === null) return;
      const row = model.bySeq.get(Number(seq));
      sought = !row && model.isReading; // it may be further down
      if (row) go(row);
      else if (!sought) acpSpy.copy.say(`There is no frame ${acpSpy.inert.line(seq.slice(0, 20))} on this page`);
    }

    // ------------------------------------------------------------------ wiring

    acpSpy.clicks.start(get("rows"), {
      toggle,
      at: list.at,
      choose: (place) => {
        choose(place);
        panel.open();
        if (!panel.isNarrow()) get("rows").focus();
      },
    });
    Object.assign(app, acpSpy.fields.create({ filter: takeFilter, search: takeSearch }));
    get("open-help").onclick = app.help;
    addEventListener("hashchange", followAddress);
    acpSpy.header.show(model, go);
    acpSpy.splitter.start();
    acpSpy.keys.start(app);
    acpSpy.theme.start(app.waterfall.redraw);

    if (panel.isNarrow()) app.waterfall.unfold(false);
    setFilter("");
    panel.show(first());
    followAddress();
    return app;
  }

  return { start };
})();
