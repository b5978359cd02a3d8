// Work that takes long, in slices: between two of them the page answers keys and draws.
acpSpy.slices = (() => {
  const LONGEST = 25; // milliseconds of a slice
  const AT_ONCE = 256; // rows that are asked about between two places where the work may rest

  /** Let the page do something else. Not by a timer: that of a tab in the background comes once a second. */
  function rest() {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    });
  }

  /** Return a function to be awaited now and then: it rests if the slice is over. */
  function create() {
    let until = performance.now() + LONGEST;
    return async () => {
      if (performance.now() < until) return;
      await rest();
      until = performance.now() + LONGEST;
    };
  }

  /** Return what a generator returns in the end. */
  async function run(steps) {
    const mayRest = create();
    for (;;) {
      const { value, done } = steps.next();
      if (done) return value;
      await mayRest();
    }
  }

  /** The same at once. */
  function runNow(steps) {
    for (;;) {
      const { value, done } = steps.next();
      if (done) return value;
    }
  }

  /** Return the rows that `accepts` wants; those that come meanwhile are left out. */
  function* filter(rows, accepts) {
    const kept = [];
    const number = rows.length;
    for (let at = 0; at < number; at += 1) {
      if (at % AT_ONCE === 0) yield;
      if (accepts(rows[at])) kept.push(rows[at]);
    }
    return kept;
  }

  return { create, run, runNow, filter };
})();
