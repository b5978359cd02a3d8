// The fields that people type into: what is typed is taken after a pause, or at once by Enter.
acpSpy.fields = (() => {
  const { get } = acpSpy.dom;
  const PAUSE = 120; // milliseconds without a key, until what was typed is taken

  /** `takes` has, by the id of a field, what takes its text, and resolves when that is in force. */
  function create(takes) {
    const pauses = {}; // timers of what was typed, until it is taken
    const underway = {};

    function isPaused(field) {
      const timer = pauses[field];
      clearTimeout(timer);
      pauses[field] = 0;
      return Boolean(timer);
    }

    function clear(field) {
      isPaused(field);
      takes[field]("");
    }

    /** Take what was typed without a pause; resolves when it is in force. */
    function takeNow(field) {
      if (isPaused(field)) underway[field] = takes[field](get(field).value);
      return Promise.resolve(underway[field]);
    }

    for (const field of Object.keys(takes)) {
      get(field).addEventListener("input", () => {
        isPaused(field);
        pauses[field] = setTimeout(takeNow, PAUSE, field);
      });
    }
    return { clear, takeNow };
  }

  return { create };
})();
