"""
Which rows are shown: tokens such as `from:agent` and `-kind:stderr`, combined with and.

Every renderer filters by these, the page in a script of its own that must mean the same. So what
a token means is kept plain enough to be said in one sentence, and that sentence is in `TOKENS`.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from acp_spy.capture.records import Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Severity
from acp_spy.view.gists.words import plain
from acp_spy.view.tails import Tails
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame

RowFilter = Callable[[Row], bool]

KINDS = (
    "request",
    "response",
    "notification",
    "mcp",
    "noise",
    "delivery",
    "exchange",
    "disconnect",
    "stderr",
    "closed",
    "exit",
)
HOPS = ("predecessor", "successor")
SENDERS = ("client", "agent")
SECONDS = {
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
}
BYTES = {
    "b": 1,
    "": 1,
    "kb": 1000,
    "mb": 1000**2,
    "gb": 1000**3,
    "kib": 1024,
    "mib": 1024**2,
    "gib": 1024**3,
}
_QUANTITY = re.compile(r"([0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})([a-zµ]*)", re.IGNORECASE)
LONGEST = 10_000  # characters of a line of tokens: shlex takes time by the square of a word
_RANGE = re.compile(r"([0-9]{0,18})(-?)([0-9]{0,18})")


class Token(msgspec.Struct, frozen=True):
    """
    A kind of token: its name, an example of its value, what it means, and how it is read.

    What it says of a piece of text `is_shared` with the next if it is the same for both, whatever
    their words, time and size. It `remembers` if that depends on the rows before. Its value is
    `free` if it may be anything that a peer has said, even a secret.
    """

    name: str
    example: str
    meaning: str
    read: Callable[[str], RowFilter]
    is_shared: bool = False
    remembers: bool = False
    free: bool = False


def row_filter(tokens: Iterable[str], kinds: "Sequence[Token] | None" = None) -> RowFilter:
    """
    Return the test that a row must pass to be shown. Raises `AcpSpyError` for a wrong token.

    It is for all rows of one capture, in their order: a text is remembered from piece to piece.
    `kinds` are the tokens that can be used, if not all.
    """
    tests = [_read(token, TOKENS if kinds is None else kinds) for token in tokens]
    return lambda row: all([test(row) for test in tests])  # noqa: C419 - each must see each row


def split(line: str) -> list[str]:
    """Return the tokens in one line of text; quotes as in a shell."""
    if len(line) > LONGEST:
        raise AcpSpyError(
            f"cannot filter by `{line[:40]}…`: it has more than {LONGEST:,} characters",
            hint="use a shorter filter; `*` matches anything",
        )
    try:
        return shlex.split(line)
    except ValueError as error:
        raise AcpSpyError(
            f"cannot filter by `{line}`: {str(error).lower()}", hint="close the quote"
        ) from None


def without_secrets(tokens: Iterable[str], mask: Callable[[str], str]) -> list[str]:
    """Return valid tokens for rows without secrets: what `mask` replaces there, it does here."""
    free = {token.name for token in TOKENS if token.free}
    parts = (token.partition(":") for token in tokens)
    return [
        f"{name}:{mask(value) if name.lstrip('-!') in free else value}" for name, _, value in parts
    ]


def is_token(word: str) -> bool:
    """Whether a word has the form of a token, even of an unknown one."""
    return re.match(r"[-!]?[a-z_]+:", word) is not None


def _read(token: str, kinds: "Sequence[Token]") -> RowFilter:
    negated = token[:1] in ("-", "!")
    name, colon, value = token[negated:].partition(":")
    known = next((each for each in kinds if colon and each.name == name), None)
    if known is None and colon and name == "finding":
        raise AcpSpyError(
            f"cannot filter by `{token}`: frames are not checked on their way",
            hint="use another filter than finding:",
        )
    if known is None:
        search = "" if colon else f"; to search, use text:{shlex.quote(token)}"
        raise AcpSpyError(
            f"cannot filter by `{token}`: no such filter",
            hint=f"use {', '.join(f'{each.name}:{each.example}' for each in kinds)};"
            f" a leading `-` negates{search}",
        )
    if not value:
        raise AcpSpyError(
            f"cannot filter by `{token}`: missing value", hint=f"use {known.name}:{known.example}"
        )
    test = known.read(value)
    return (lambda row: not test(row)) if negated else test


def _alternatives(value: str) -> list[str]:
    return [word for word in re.split(r"[|,]", value) if word]


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> frozenset[str]:
    words = _alternatives(value)
    for word in words or [value]:
        if word not in allowed:
            raise AcpSpyError(
                f"cannot filter by `{name}:{value}`: unknown value `{word}`",
                hint=f"use {', '.join(allowed)}",
            )
    return frozenset(words)


def _from(value: str) -> RowFilter:
    senders = _one_of("from", value, SENDERS)
    return lambda row: row.sender is not None and row.sender.value in senders


def _kind(value: str) -> RowFilter:
    kinds = _one_of("kind", value, KINDS)
    return lambda row: row.kind in kinds or (bool(row.mcp) and "mcp" in kinds)


def _hop(value: str) -> RowFilter:
    hops = _one_of("hop", value, HOPS)
    return lambda row: row.sender is not None and (row.hop or "predecessor") in hops


def _glob(pattern: str) -> Callable[[str], bool]:
    """Return a test for names: `*` matches anything, and so does `…`, where a shown name is cut."""
    first, *more = ("".join(map(_spell, part)) for part in re.split("[*…]+", pattern))
    if more:
        # What is between two `*` is searched once and for all: a name of a peer may be a megabyte
        # of the first word, and to try each place of it with each of the next would take days.
        *middle, last = more
        first += "".join(f"(?>.*?{part})" for part in middle) + ".*" + last
    compiled = re.compile(first, re.DOTALL)
    return lambda name: compiled.fullmatch(name) is not None


def _spell(character: str) -> str:
    return "." if character == "?" else re.escape(character)


def _method(value: str) -> RowFilter:
    fits = _glob(value)
    return lambda row: (
        bool(row.method)
        and (fits(row.method) or fits(row.what) or (bool(row.mcp) and fits(row.mcp)))
    )


def _session(value: str) -> RowFilter:
    fits = _glob(value)
    return lambda row: row.session is not None and fits(row.session)


def _tool(value: str) -> RowFilter:
    fits = _glob(value)
    return lambda row: row.tool is not None and fits(row.tool)


def _finding(value: str) -> RowFilter:
    words = _alternatives(value)
    severities = {severity.value for severity in Severity}
    known = {"any", *severities}
    for rule in CATALOGUE.values():
        known |= {rule.code, rule.name, rule.family}
    for word in words or [value]:
        if word not in known and word.upper() not in known:
            raise AcpSpyError(
                f"cannot filter by `finding:{value}`: no such rule: `{word}`",
                hint="use any, error, warning, note, or a rule; `acp-spy rule` lists the rules",
            )
    wanted = {*words, *(word.upper() for word in words)}

    def found(row: Row) -> bool:
        return any(
            "any" in wanted
            or finding.severity.value in wanted
            or finding.code in wanted
            or finding.name in wanted
            or finding.code.rstrip("0123456789") in wanted
            for finding in row.findings
        )

    return found


def _text(value: str) -> RowFilter:
    needle = value.lower()
    tails = Tails(len(needle) - 1)

    def said(row: Row) -> bool:
        # The piece that completes the words is the one that has them.
        if needle in tails.joined(row) or needle in row.gist.lower() or needle in row.what.lower():
            return True
        return isinstance(row.record, Frame | Stderr) and needle in plain(row.record.raw).lower()

    return said


def _seq(value: str) -> RowFilter:
    match = _RANGE.fullmatch(value)
    if match is None or value == "-":
        raise AcpSpyError(
            f"cannot filter by `seq:{value}`: not a range of frames",
            hint="use seq:14, seq:10-40 or seq:10-",
        )
    first = int(match[1] or 0)
    last = int(match[3]) if match[3] else None if match[2] else first
    return lambda row: (
        row.seq is not None and first <= row.seq and (last is None or row.seq <= last)
    )


def quantity(value: str, units: Mapping[str, float]) -> float | None:
    """Return a number with one of the units, such as `500ms`; `None` if it is none."""
    match = _QUANTITY.fullmatch(value)
    factor = units.get(match[2].lower()) if match else None
    return None if match is None or factor is None else float(match[1]) * factor


def _quantity(token: str, value: str, units: Mapping[str, float], example: str) -> float:
    number = quantity(value, units)
    if number is None:
        raise AcpSpyError(
            f"cannot filter by `{token}:{value}`: not a quantity",
            hint=f"use {token}:{example}; units: {', '.join(filter(None, units))}",
        )
    return number


def _after(value: str) -> RowFilter:
    t = _quantity("after", value, SECONDS, "2.5s")
    return lambda row: row.t >= t


def _before(value: str) -> RowFilter:
    t = _quantity("before", value, SECONDS, "9s")
    return lambda row: row.t <= t


def _slower(value: str) -> RowFilter:
    limit = _quantity("slower", value, SECONDS, "500ms")

    def took_long(row: Row) -> bool:
        took = row.duration if row.latency is None else row.latency
        return took is not None and took >= limit

    return took_long


def _larger(value: str) -> RowFilter:
    limit = _quantity("larger", value, BYTES, "10kB")
    return lambda row: row.size >= limit


TOKENS = (
    Token("from", "agent", "sent by this peer: `client` or `agent`", _from, is_shared=True),
    Token(
        "method",
        "session/*",
        "this method, its responses, or an update of this name; also that of an MCP message;"
        " `*` matches anything",
        _method,
        is_shared=True,
        free=True,
    ),
    Token(
        "kind",
        "request",
        f"of this kind: {', '.join(f'`{kind}`' for kind in KINDS)}",
        _kind,
        is_shared=True,
    ),
    Token(
        "hop",
        "successor",
        "in a proxy chain, wrapped in `proxy/successor` (`successor`) or plain (`predecessor`)",
        _hop,
        is_shared=True,
    ),
    Token(
        "session",
        "ID",
        "in the session with this id; `*` matches anything",
        _session,
        is_shared=True,
        free=True,
    ),
    Token(
        "tool",
        "ID",
        "about the tool call with this id; `*` matches anything",
        _tool,
        is_shared=True,
        free=True,
    ),
    Token(
        "finding",
        "any",
        "with a finding: `any`, `error`, `warning`, `note`, or a rule's code, family or name",
        _finding,
    ),
    Token(
        "text",
        "WORDS",
        "with these words in the row or in the bytes that were sent; in streamed text, the chunk"
        " that completes them; case does not matter",
        _text,
        remembers=True,
        free=True,
    ),
    Token("seq", "10-40", "a frame in this range; `10-` has no upper end, `14` is one frame", _seq),
    Token("after", "2.5s", "from this time on; also `ms`, `m`, `h`", _after),
    Token("before", "9s", "up to this time", _before),
    Token(
        "slower",
        "500ms",
        "a response, or the end of a tool call, that took this long or longer",
        _slower,
    ),
    Token("larger", "10kB", "this large or larger, as sent; also `B`, `MB`, `KiB`, `MiB`", _larger),
)
# Frames are not checked on their way, so none has a finding there.
TOKENS_ON_THE_WAY = tuple(token for token in TOKENS if token.name != "finding")
