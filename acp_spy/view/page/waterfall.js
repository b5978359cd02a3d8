// Turns, tool calls and requests over time, between the lanes of the two peers; zoom and move.
acpSpy.waterfall = (() => {
  const { get, make } = acpSpy.dom;
  const { took } = acpSpy.words;
  const LINE = 18; // pixels for a line of spans
  const TICKS = 16; // and for a peer's frames
  const AXIS = 20;
  const NARROWEST = 3; // a span is drawn at least so wide, to be seen and hit
  const CLOSEST = 1e-5; // seconds: no zoom shows less than this

  /** `choose(row)` is called when a span is clicked. */
  function create(model, choose) {
    const plot = get("plot");
    const canvas = make("canvas", { "aria-hidden": "true" });
    const names = make("div.names", { "aria-hidden": "true" });
    const spansBox = make("div.spans");
    const brush = make("div.brush", { hidden: true });
    plot.append(canvas, spansBox, names, brush);
    let lanes, begin, end, whole, height;
    const view = { from: 0, to: 0 };
    const rowOf = new WeakMap(); // of each span that is drawn
    let chosen = null;
    let asked = 0;
    let seen = ""; // what the spans were drawn from
    let strokes = {}; // of frames, as they were drawn with them
    let isStale = false; // the model has changed since the lanes were placed
    layOut();
    Object.assign(view, { from: begin, to: end });

    /** Place the lanes of what the model has now. */
    function layOut() {
      lanes = acpSpy.spans.lanes(model).filter((lane) => lane.kind === "peer" || lane.spans.length);
      begin = model.rows.length ? model.rows[0].t : 0; // what was before the first row is not of interest
      end = Math.max(model.end, begin + CLOSEST);
      whole = end - begin;
      names.replaceChildren();
      let y = AXIS;
      for (const lane of lanes) {
        lane.top = y;
        y += (lane.kind === "peer" ? TICKS : 0) + lane.lines * LINE + 6;
        names.append(make("span." + lane.name, null, lane.name));
        names.lastChild.style.top = lane.top + "px";
      }
      height = y;
    }

    /** Show what the model has by now: a window that reached to the end still does. */
    function grow() {
      isStale = true;
      later();
    }

    function renew() {
      isStale = false;
      seen = "";
      const [wasWhole, wasLast] = [view.from <= begin && view.to >= end, view.to >= end];
      layOut();
      if (chosen) chosen = model.rows[chosen.index] || null;
      if (wasWhole) Object.assign(view, { from: begin, to: end });
      else if (wasLast) Object.assign(view, { from: end - (view.to - view.from), to: end });
    }

    let left = 0;
    let width = 1;
    const x = (t) => ((t - view.from) / (view.to - view.from)) * width;
    const time = (px) => view.from + (px / width) * (view.to - view.from);

    /** Once for each drawing: to ask for the layout of the page is slow. */
    function measure() {
      left = names.offsetWidth;
      width = Math.max(1, plot.clientWidth - left);
    }

    function draw() {
      asked = 0;
      if (isStale) renew();
      if (!plot.clientWidth) return;
      measure();
      const now = [view.from, view.to, left, width].join();
      if (now !== seen) {
        strokes = framesByPixel();
        drawSpans();
      }
      seen = now;
      drawCanvas();
      for (const element of spansBox.children) element.classList.toggle("chosen", chosen !== null && rowOf.get(element) === chosen);
      const isWhole = view.from <= begin && view.to >= end;
      get("window").textContent = isWhole ? took(whole) : `${took(view.to - view.from)} of ${took(whole)}, from ${view.from.toFixed(3)} s`;
      get("zoom-out").disabled = get("zoom-fit").disabled = isWhole;
    }

    function drawCanvas() {
      const ratio = window.devicePixelRatio || 1;
      const [w, h] = [plot.clientWidth, height];
      canvas.width = w * ratio;
      canvas.height = h * ratio;
      canvas.style.width = w + "px";
      canvas.style.height = spansBox.style.height = h + "px";
      const pen = canvas.getContext("2d");
      const style = getComputedStyle(plot);
      const colour = (name) => style.getPropertyValue("--" + name);
      // Canvas does not know `light-dark()`; the colour of an element does.
      const ink = (name) => {
        brush.style.color = colour(name);
        return getComputedStyle(brush).color;
      };
      pen.scale(ratio, ratio);
      pen.translate(left, 0);
      pen.font = "11px " + style.fontFamily;
      const [line, faint] = [ink("line"), ink("faint")];
      for (const { at, label } of ticks()) {
        const px = Math.round(x(at)) + 0.5;
        pen.fillStyle = line;
        pen.fillRect(px, AXIS - 5, 1, h);
        pen.fillStyle = faint;
        const wide = pen.measureText(label).width;
        pen.fillText(label, px + 4 + wide > width ? px - 4 - wide : px + 4, 12); // the last may have no room
      }
      for (const lane of lanes) {
        pen.fillStyle = line;
        pen.fillRect(0, lane.top - 3, w, 1);
        if (lane.kind === "peer") drawFrames(pen, lane, strokes[lane.name], ink(lane.name), ink("error"), ink("warning"));
      }
      if (chosen) {
        pen.fillStyle = ink("accent");
        pen.fillRect(Math.round(x(chosen.t)), AXIS - 4, 1.5, h);
      }
    }

    /** For each peer and pixel, how much the frame there matters; where several share one, that which matters most. */
    function framesByPixel() {
      const rank = { "": 0, note: 3, warning: 4, error: 5 };
      const pixels = { client: new Uint8Array(Math.ceil(width) + 1), agent: new Uint8Array(Math.ceil(width) + 1) };
      for (const row of model.rows) {
        if (!row.sender || row.t < view.from || row.t > view.to) continue;
        const px = Math.round(x(row.t));
        const matters = (row.findings.length && rank[acpSpy.data.worst(row.findings)]) || (row.kind === "notification" ? 1 : 2);
        if (matters > pixels[row.sender][px]) pixels[row.sender][px] = matters;
      }
      return pixels;
    }

    /** Each frame of a peer as a stroke. */
    function drawFrames(pen, lane, pixels, colour, error, warning) {
      const shades = [null, colour, colour, colour, warning, error];
      const heights = [0, 6, 10, 12, 12, 12];
      pixels.forEach((matters, px) => {
        if (!matters) return;
        pen.fillStyle = shades[matters];
        pen.globalAlpha = matters === 1 ? 0.55 : 1;
        pen.fillRect(px, lane.top + 13 - heights[matters], matters > 2 ? 2 : 1.2, heights[matters]);
      });
      pen.globalAlpha = 1;
    }

    /** Moments for the axis, at round numbers, about one each 90 pixels. */
    function ticks() {
      const rough = ((view.to - view.from) * 90) / width;
      const ten = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough);
      const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      const made = [];
      for (let n = Math.ceil(view.from / step); n * step <= view.to; n += 1) {
        const at = n * step;
        const label = view.to < 1 ? `${(at * 1e3).toFixed(Math.max(0, digits - 3))} ms` : `${at.toFixed(digits)} s`;
        made.push({ at, label });
      }
      return made;
    }

    /** Only what can be seen: in the window, and not behind a neighbour of the same pixel. */
    function drawSpans() {
      spansBox.style.left = left + "px";
      const made = [];
      for (const lane of lanes) {
        const reached = [];
        for (const span of lane.spans) {
          if (span.end < view.from || span.start > view.to) continue;
          const from = Math.max(x(span.start), -2);
          const to = Math.min(x(span.end), width + 2);
          if (to <= (reached[span.line] === undefined ? -Infinity : reached[span.line])) continue;
          const wide = Math.max(to - from, NARROWEST);
          reached[span.line] = from + wide;
          made.push(spanElement(lane, span, from, wide));
        }
      }
      spansBox.replaceChildren(...made);
    }

    function spanElement(lane, span, from, wide) {
      const label = acpSpy.inert.line(span.label.slice(0, 200));
      const name = `${label}, ${span.open ? model.unended : took(span.end - span.start)}${span.row.seq === null ? "" : `, frame ${span.row.seq}`}`;
      const element = make("button.span", { title: name, "aria-label": name, tabIndex: -1, onclick: () => choose(span.row) });
      element.classList.add(lane.name, lane.kind);
      if (span.bad) element.classList.add("bad");
      if (span.open) element.classList.add("open");
      rowOf.set(element, span.row);
      element.style.left = from + "px";
      element.style.width = wide + "px";
      element.style.top = lane.top + (lane.kind === "peer" ? TICKS : 0) + span.line * LINE + "px";
      if (wide > 28) element.textContent = label;
      element.ondblclick = () => {
        const slack = Math.max((span.end - span.start) * 0.05, CLOSEST);
        look(span.start - slack, span.end + slack);
      };
      return element;
    }

    const later = () => {
      asked = asked || requestAnimationFrame(draw);
    };

    function look(from, to) {
      if (isStale) renew();
      const length = Math.min(Math.max(to - from, CLOSEST), whole);
      const start = Math.min(Math.max(from, begin), end - length);
      view.from = start;
      view.to = start + length;
      later();
    }

    const fit = () => look(begin, end);
    function zoom(factor, around = (view.from + view.to) / 2) {
      look(around - (around - view.from) * factor, around + (view.to - around) * factor);
    }
    const move = (part) => look(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

    /** Mark a row, and bring its moment into the window. */
    function mark(row) {
      if (isStale) renew();
      chosen = row;
      if (row && (row.t < view.from || row.t > view.to)) {
        const half = (view.to - view.from) / 2;
        look(row.t - half, row.t + half);
      }
      later();
    }

    acpSpy.gestures.start(plot, brush, { left: () => left, width: () => width, time, look, zoom, move });
    get("zoom-in").onclick = () => zoom(0.5);
    get("zoom-out").onclick = () => zoom(2);
    get("zoom-fit").onclick = fit;
    get("waterfall-fold").onclick = () => unfold(get("waterfall").classList.contains("shut"));

    function unfold(open) {
      get("waterfall").classList.toggle("shut", !open);
      get("waterfall-fold").setAttribute("aria-expanded", String(open));
      later();
    }

    new ResizeObserver(later).observe(plot);
    return { mark, fit, zoom, unfold, grow, redraw: later, view: () => ({ ...view }) };
  }

  return { create };
})();
