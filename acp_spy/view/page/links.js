// The link to a frame: `#seq=14`, and `&filter=...` where there is one.
acpSpy.links = (() => {
  const PAUSE = 200; // milliseconds: who holds a key down passes many frames
  let waiting = 0;

  const hash = (seq, filter) => `#seq=${seq}` + (filter ? `&filter=${encodeURIComponent(filter)}` : "");

  const address = (seq, filter) => location.href.split("#")[0] + hash(seq, filter);

  /**
   * Let the address of the page say what is chosen, once it stays chosen; without a step in its history.
   * An address that has changed by then is a link that was followed: the page is about to hear of it.
   */
  function follow(seq, filter) {
    clearTimeout(waiting);
    const before = location.hash;
    waiting = setTimeout(() => {
      if (location.hash !== before || before === hash(seq, filter)) return;
      try {
        history.replaceState(null, "", hash(seq, filter));
      } catch (_) {
        // Browsers refuse more than so many in a while. The address is then a step behind.
      }
    }, PAUSE);
  }

  /** What the address asks for: {seq, filter}, each null where it says nothing of it. */
  function asked() {
    clearTimeout(waiting);
    const said = new URLSearchParams(location.hash.slice(1));
    return { seq: said.get("seq"), filter: said.get("filter") };
  }

  return { address, follow, asked };
})();
