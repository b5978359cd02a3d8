// Frames that `--intercept` holds: what they are, how long they still wait, and what is done with them.
acpSpy.held = (() => {
  const { make, get } = acpSpy.dom;
  const { took } = acpSpy.words;
  const ARROWS = { client: "client → agent", agent: "agent → client" };

  /** `name` is the capture as its address has it; `go(seq)` shows a frame. */
  function create(name, go) {
    const list = make("ul.held-list");
    const head = make("p.held-head");
    const box = make("section.held", { hidden: true, "aria-label": "Held frames" }, head, list);
    get("waterfall").before(box);
    let frames = []; // as the server has said, with the time until when each is held
    const drawn = new Map(); // by frame: what it was drawn from, and the element

    async function act(ask, done) {
      try {
        const reply = await acpSpy.server.ask(`/api/hold/${name}`, ask);
        if (done) acpSpy.copy.say(done);
        return reply;
      } catch (error) {
        if (!(error instanceof acpSpy.server.Refused)) throw error;
        acpSpy.copy.say(error.message);
        return null;
      }
    }

    /** `held` has the frames, the filter, and whether this page holds anything at all. */
    function show({ frames: now, filter, isHolding }) {
      frames = now.map((frame) => ({ ...frame, until: performance.now() + frame.left * 1000 }));
      box.hidden = !isHolding;
      const words = filter.length ? [" Frames that match ", make("code", null, acpSpy.inert.line(filter.join(" "))), " are held."] : [" There is no filter, so nothing is held."];
      const all = frames.length > 1 ? make("button.small", { onclick: () => act({ do: "release", all: true }, "Released all") }, "Release all") : null;
      head.replaceChildren(...[make("b", null, frames.length ? acpSpy.words.count(frames.length, "held frame") : "Nothing is held."), ...words, all].filter(Boolean));
      renew();
      tick();
    }

    /** Draw what has changed, and nothing else: somebody may be writing in it. */
    function renew() {
      for (const [seq, { item }] of drawn) {
        if (frames.some((frame) => frame.seq === seq)) continue;
        if (item.querySelector(".editor")) item.querySelector(".notes").textContent = "not held any more: it went on without your text";
        else item.remove();
        drawn.delete(seq);
      }
      for (const frame of frames) {
        const { seq, size, edited, aside, behind, waiting } = frame;
        const stamp = [size, edited, aside, behind, waiting].join();
        const known = drawn.get(seq);
        if (known && known.stamp === stamp) continue;
        const made = line(frame);
        if (known) known.item.querySelector(".held-line").replaceWith(made.firstChild);
        else list.append(made);
        drawn.set(seq, { stamp, item: known ? known.item : made });
      }
    }

    function line(frame) {
      const notes = [frame.edited ? "edited" : "", frame.aside ? "set aside" : "", frame.behind === null ? "" : `behind frame ${frame.behind}`, frame.behind === null && frame.waiting ? `${acpSpy.words.count(frame.waiting, "frame")} behind it` : ""].filter(Boolean);
      const { seq } = frame;
      const which = { "aria-label": `frame ${seq}` };
      const button = (words, ask, done) => make("button.small", { title: `${words} frame ${seq}`, onclick: () => act({ ...ask, seq }, done) }, words);
      return make("li", which,
        make("div.held-line", null,
          make("button.link", { onclick: () => go(seq) }, `#${seq}`),
          make(`span.peer.${frame.sender}`, null, ARROWS[frame.sender]),
          make("span.what", null, acpSpy.inert.line(frame.what)),
          make("span.gist", null, acpSpy.inert.line(frame.gist.slice(0, 300))),
          make("span.notes", null, notes.join(", ")),
          make("span.left", { "data-seq": seq }, ""),
          make("span.buttons", null,
            button("Release", { do: "release" }, `Released frame ${seq}`),
            make("button.small", { title: `Edit frame ${seq}`, onclick: () => edit(seq) }, "Edit"),
            frame.edited ? button("Revert", { do: "revert" }, `Reverted frame ${seq}`) : null,
            button("Drop", { do: "drop" }, `Dropped frame ${seq}`))));
    }

    /** What would be delivered, to be changed; it stays here until it is right. */
    async function edit(seq) {
      const item = drawn.get(seq)?.item; // none: it is not held any more, and only its text is left
      const isOpen = () => !item || item.querySelector("textarea");
      if (isOpen()) return;
      const got = await act({ do: "get", seq });
      if (!got || isOpen()) return;
      const area = make("textarea", { value: got.text, spellcheck: false, rows: Math.min(16, got.text.split("\n").length + 1), "aria-label": `Message of frame ${seq}` });
      const error = make("p.error", { role: "alert" });
      const close = () => {
        form.remove();
        if (!drawn.has(seq)) item.remove();
      };
      async function send(more) {
        try {
          await acpSpy.server.ask(`/api/hold/${name}`, { do: "edit", seq, text: area.value, ...more });
          acpSpy.copy.say(`Delivered frame ${seq} as edited`);
          close();
        } catch (refused) {
          if (!(refused instanceof acpSpy.server.Refused)) throw refused;
          error.replaceChildren(...acpSpy.dom.prose(refused.message));
        }
      }
      area.addEventListener("keydown", (event) => {
        if (event.key === "Escape") close();
        else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
        event.stopPropagation();
      });
      const form = make("div.editor", null, area, error, make("div.buttons", null,
        make("button.small", { title: "Ctrl+Enter", onclick: () => send() }, "Deliver"),
        make("button.small", { onclick: close }, "Cancel"),
        make("span.remark", null, "The message as it was sent, secrets included.")));
      item.append(form);
      area.focus();
    }

    /** The time that is left goes by. */
    function tick() {
      for (const left of list.querySelectorAll(".left")) {
        const frame = frames.find((each) => each.seq === Number(left.dataset.seq));
        if (frame) left.textContent = `${took(Math.max(0, Math.round((frame.until - performance.now()) / 1000)))} left`;
      }
    }

    return { show, tick };
  }

  return { create };
})();
