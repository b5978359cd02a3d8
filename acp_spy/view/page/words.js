// Numbers as a person says them.
acpSpy.words = (() => {
  /** A span of time: `340 µs`, `34 ms`, `2.3 s`, `12 m 04 s`. As acp_spy/view/units.py; a test compares. */
  function took(seconds) {
    if (seconds < 0) return "-" + took(-seconds);
    const micro = Math.floor(Math.min(seconds, 100) * 1e6 + 0.5);
    if (micro < 1000) return `${micro} µs`;
    if (micro < 9950) return `${tenths(micro, 1000)} ms`;
    if (micro < 999500) return `${Math.floor((micro + 500) / 1000)} ms`;
    if (micro < 59950000) return `${tenths(micro, 1000000)} s`;
    const whole = Math.floor(seconds + 0.5);
    if (whole < 3600) return `${Math.floor(whole / 60)} m ${pad(whole % 60)} s`;
    if (whole < 86400) return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} m`;
    return `${Math.floor(whole / 86400)} d ${pad(Math.floor((whole % 86400) / 3600))} h`;
  }

  function tenths(number, unit) {
    const all = Math.floor((number * 10 + unit / 2) / unit);
    return `${Math.floor(all / 10)}.${all % 10}`;
  }

  const pad = (number) => String(number).padStart(2, "0");
  const short = (value) => value.toFixed(value < 9.95 ? 1 : 0);

  /** Seconds as a moment, to the millisecond. */
  const moment = (seconds) => seconds.toFixed(3);

  /** A number of bytes: `512 B`, `1.2 kB`, `34 MB`. */
  function size(bytes) {
    if (bytes < 1000) return `${bytes} B`;
    const units = ["kB", "MB", "GB", "TB"];
    let value = bytes / 1000;
    while (value >= 999.5 && units.length > 1) {
      value /= 1000;
      units.shift();
    }
    return `${short(value)} ${units[0]}`;
  }

  /** `1 frame`, `2 frames`, `20,000 frames`. */
  function count(number, noun, nouns) {
    return `${grouped(number)} ${number === 1 ? noun : nouns || noun + "s"}`;
  }

  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

  /** The name of a file as a word of a command line: in quotes if a shell needs them, and never an option. */
  function fileWord(name) {
    const path = name.startsWith("-") ? "./" + name : name;
    return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replace(/'/g, `'"'"'`)}'`;
  }

  return { took, moment, size, count, grouped, fileWord };
})();
