// The server of this page: the key to it, streams of lines from it, and what is asked of it.
acpSpy.server = (() => {
  const KEY = "acp-spy-key";
  const SILENCE = 45000; // milliseconds without a sign: the server says something every 15 seconds
  let kept = null; // where there is no storage, until the page is left
  let refused = null; // why the token was not taken

  /** What the server has refused. */
  class Refused extends Error {
    constructor(status, { message, hint }) {
      super(message);
      this.status = status;
      this.hint = hint || "";
    }
  }

  /** Exchange the token in the address for the key, once; the address then has it no more. */
  async function enter() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const token = asked.get("token");
    if (token === null) return;
    asked.delete("token");
    history.replaceState(null, "", location.pathname + (asked.size ? `#${asked}` : ""));
    const response = await fetch("/api/enter", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
    if (response.ok) keep((await response.json()).key);
    else refused = await reason(response); // perhaps we have used it before: then there is a key
  }

  /** What the server says about a request that it has not answered. */
  async function reason(response) {
    let error = { message: `the server answered with status ${response.status}` };
    try {
      error = (await response.json()).error;
    } catch (_) {
      // It is not of ours; the status says enough.
    }
    return new Refused(response.status, error);
  }

  function keep(key) {
    kept = key;
    try {
      localStorage.setItem(KEY, key);
    } catch (_) {
      // Then this tab alone has it.
    }
  }

  /** The key of the storage first: another tab may have been given a new one. */
  function key() {
    try {
      return localStorage.getItem(KEY) || kept;
    } catch (_) {
      return kept;
    }
  }

  async function request(path, options) {
    const response = await fetch(path, { ...options, headers: { Authorization: `Bearer ${key()}` } });
    if (response.ok) {
      refused = null;
      return response;
    }
    const why = await reason(response);
    throw why.status === 403 && refused ? refused : why;
  }

  /** Call `take` with what each line says, until the stream ends. Throws `Refused`, or another error if the server is gone. */
  async function lines(path, take) {
    const gone = new AbortController();
    let watch = 0;
    const alive = () => {
      clearTimeout(watch);
      watch = setTimeout(() => gone.abort(), SILENCE);
    };
    try {
      const response = await request(path, { signal: gone.signal });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let held = [];
      const mayRest = acpSpy.slices.create();
      for (;;) {
        alive();
        const { value, done } = await reader.read();
        if (done) return;
        const parts = value.split("\n");
        held.push(parts.shift());
        for (const part of parts) {
          const line = held.join("");
          held = [part];
          if (line) take(JSON.parse(line));
          await mayRest();
        }
      }
    } finally {
      clearTimeout(watch);
    }
  }

  /** Ask for something to be done; return the reply. Throws as `lines` does. */
  async function ask(path, body) {
    return (await request(path, { method: "POST", body: JSON.stringify(body) })).json();
  }

  return { Refused, enter, lines, ask };
})();
