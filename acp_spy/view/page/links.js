// The link to a frame: `#seq=14`, and `&filter=...` where there is one.
acpSpy.links = (() => {
  const hash = (seq, filter) => `#seq=${seq}` + (filter ? `&filter=${encodeURIComponent(filter)}` : "");

  const address = (seq, filter) => location.href.split("#")[0] + hash(seq, filter);

  /** Let the address of the page say what is chosen, without a step in its history. */
  function follow(seq, filter) {
    if (location.hash !== hash(seq, filter)) history.replaceState(null, "", hash(seq, filter));
  }

  /** What the address asks for: {seq, filter}, each null where it says nothing of it. */
  function asked() {
    const said = new URLSearchParams(location.hash.slice(1));
    return { seq: said.get("seq"), filter: said.get("filter") };
  }

  return { address, follow, asked };
})();
