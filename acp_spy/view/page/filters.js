// Which rows are wanted. The same tokens, meaning the same, as in acp_spy/view/filters.py; a test compares.
acpSpy.filters = (() => {
  /** What is wrong with a filter, in words for who typed it. */
  class Wrong extends Error {}

  const KINDS = ["request", "response", "notification", "mcp", "noise", "delivery", "exchange", "disconnect", "stderr", "closed", "exit"];
  const SECONDS = { us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, "": 1, m: 60, min: 60, h: 3600 };
  const BYTES = { b: 1, "": 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };
  const QUANTITY = /^([0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})([a-zµ]*)$/i;
  const RANGE = /^([0-9]{0,18})(-?)([0-9]{0,18})$/;

  // How the value of each token is read: to a test of a row.
  const READERS = {
    from(value) {
      const senders = oneOf("from", value, ["client", "agent"]);
      return (row) => row.sender !== null && senders.has(row.sender);
    },
    kind(value) {
      const kinds = oneOf("kind", value, KINDS);
      return (row) => kinds.has(row.kind) || (row.mcp !== "" && kinds.has("mcp"));
    },
    hop(value) {
      const hops = oneOf("hop", value, ["predecessor", "successor"]);
      return (row) => row.sender !== null && hops.has(row.hop || "predecessor");
    },
    method(value) {
      const fits = glob(value);
      return (row) => row.method !== "" && (fits(row.method) || fits(row.what) || (row.mcp !== "" && fits(row.mcp)));
    },
    session(value) {
      const fits = glob(value);
      return (row) => row.session !== null && fits(row.session);
    },
    tool(value) {
      const fits = glob(value);
      return (row) => row.tool !== null && fits(row.tool);
    },
    finding,
    text(value, { beside }) {
      const needle = value.toLowerCase();
      const joined = acpSpy.tails.create(needle.length - 1, beside);
      const holds = (text) => text.toLowerCase().includes(needle);
      return (row) => joined(row).includes(needle) || holds(row.gist) || holds(row.what) || (row.raw !== null && holds(row.raw.replace(/[\r\n]+$/, "")));
    },
    seq(value) {
      const match = RANGE.exec(value);
      if (!match || value === "-") throw new Wrong(`Cannot filter by \`seq:${value}\`: not a range of frames. Use \`seq:14\`, \`seq:10-40\` or \`seq:10-\``);
      const first = Number(match[1] || 0);
      const last = match[3] ? Number(match[3]) : match[2] ? Infinity : first;
      return (row) => row.seq !== null && first <= row.seq && row.seq <= last;
    },
    after(value) {
      const t = quantity("after", value, SECONDS, "2.5s");
      return (row) => row.t >= t;
    },
    before(value) {
      const t = quantity("before", value, SECONDS, "9s");
      return (row) => row.t <= t;
    },
    slower(value) {
      const limit = quantity("slower", value, SECONDS, "500ms");
      const took = (row) => (row.latency === null ? row.duration : row.latency);
      return (row) => took(row) !== null && took(row) >= limit;
    },
    larger(value) {
      const limit = quantity("larger", value, BYTES, "10kB");
      return (row) => row.size >= limit;
    },
  };

  /**
   * Return the test that a row must pass. `known` has what the page knows of the catalog:
   * {filterWords: [[name, example, meaning]], catalogue: [[code, name]], beside: [name]}. The test is for
   * all rows, in their order: a text is remembered from piece to piece. Throws `Wrong`.
   */
  function parse(line, known) {
    let words;
    try {
      words = acpSpy.shell.split(line);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Wrong(`Cannot filter by \`${line}\`: ${error.message}. Close the quote`);
    }
    const tests = words.map((word) => read(word, known));
    return (row) => tests.map((test) => test(row)).every(Boolean); // each must see each row
  }

  function read(word, known) {
    const negated = word[0] === "-" || word[0] === "!";
    const token = negated ? word.slice(1) : word;
    const colon = token.indexOf(":");
    const name = colon < 0 ? "" : token.slice(0, colon);
    const value = token.slice(colon + 1);
    const declared = known.filterWords.find((each) => each[0] === name);
    if (!declared) {
      const all = known.filterWords.map(([each, example]) => `\`${each}:${example}\``).join(", ");
      const search = colon < 0 ? `; to search, use \`text:${word}\`` : "";
      throw new Wrong(`Cannot filter by \`${word}\`: no such filter. Use ${all}; a leading \`-\` negates${search}`);
    }
    if (!value) throw new Wrong(`Cannot filter by \`${word}\`: missing value. Use \`${name}:${declared[1]}\``);
    const test = READERS[name](value, known);
    return negated ? (row) => !test(row) : test;
  }

  function finding(value, { catalogue }) {
    const words = alternatives(value);
    const names = new Set(["any", "error", "warning", "note"]);
    for (const [code, name] of catalogue) names.add(code).add(name).add(family(code));
    for (const word of words.length ? words : [value]) {
      if (!names.has(word) && !names.has(word.toUpperCase())) {
        throw new Wrong(`Cannot filter by \`finding:${value}\`: no such rule: \`${word}\`. Use \`any\`, \`error\`, \`warning\`, \`note\`, or a rule`);
      }
    }
    const wanted = new Set([...words, ...words.map((word) => word.toUpperCase())]);
    return (row) =>
      row.findings.some(({ severity, code, name }) =>
        ["any", severity, code, name, family(code)].some((word) => wanted.has(word)));
  }

  const family = (code) => code.replace(/[0-9]+$/, "");

  const alternatives = (value) => value.split(/[|,]/).filter(Boolean);

  function oneOf(name, value, allowed) {
    const words = alternatives(value);
    for (const word of words.length ? words : [value]) {
      if (!allowed.includes(word)) throw new Wrong(`Cannot filter by \`${name}:${value}\`: unknown value \`${word}\`. Use ${allowed.join(", ")}`);
    }
    return new Set(words);
  }

  /** A test for names: `*` stands for anything, and so does `…`, as names are cut; `?` for one character. */
  function glob(pattern) {
    const spell = (part) => [...part].map((c) => (c === "?" ? "." : c.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&"))).join("");
    const [first, ...more] = pattern.split(/[*…]+/u).map(spell);
    let spelled = first;
    if (more.length) {
      // What is between two `*` is searched once and for all, as in filters.py: a lookahead is not entered again.
      const last = more.pop();
      spelled += more.map((part, at) => `(?=(.*?${part}))\\${at + 1}`).join("") + ".*" + last;
    }
    const compiled = new RegExp(`^(?:${spelled})$`, "su");
    return (name) => compiled.test(name);
  }

  function quantity(token, value, units, example) {
    const match = QUANTITY.exec(value);
    const unit = match && match[2].toLowerCase();
    if (!match || !Object.prototype.hasOwnProperty.call(units, unit)) {
      throw new Wrong(`Cannot filter by \`${token}:${value}\`: not a quantity. Use \`${token}:${example}\`; units: ${Object.keys(units).filter(Boolean).join(", ")}`);
    }
    return Number(match[1]) * units[unit];
  }

  /** Why `text` is no filter; empty if it is one. */
  function complaint(text, model) {
    try {
      parse(text, model);
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      return error.message;
    }
    return "";
  }

  return { parse, complaint, Wrong };
})();
