"""One frame in full: its JSON in colour, its partner, and its findings with what they mean."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

import msgspec

from acp_spy.capture.records import ANSWERED, DROPPED
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import HEADINGS, Finding
from acp_spy.units import size, span
from acp_spy.view.capture_view import FrameDetail
from acp_spy.view.gists.http import via_words
from acp_spy.view.gists.words import plain
from acp_spy.view.style import Piece, broken, paint
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.inert import inert
from acp_spy.wire.json_text import leaves
from acp_spy.wire.jsonrpc import find_glued
from acp_spy.wire.pointer import nearest_span, steps

_DIRECTIONS = {Peer.CLIENT: "client → agent", Peer.AGENT: "agent → client"}
_TOKEN = re.compile(r'("(?:[^"\\]++|\\.)*+")(\s*:)?|(-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b)')
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_EVERYTHING = 10**9  # lines
_MANY = 100  # places in one frame
MARKED, NO_JSON = "▶ ", "!"


def render(detail: FrameDetail, width: int, *, colour: bool) -> Iterator[str]:
    """Give the lines that show a frame."""
    for pieces in _pieces(detail, max(width, 40)):
        yield paint(pieces, colour=colour)


def _pieces(detail: FrameDetail, width: int) -> Iterator[list[Piece]]:
    row = detail.row
    yield from head(detail)
    yield [("", "")]
    yield from _payload(row, {finding.path for finding in detail.findings})
    for finding in detail.findings:
        yield [("", "")]
        yield from explained(finding, width)
    for partner, word in ((detail.request, "request:"), (detail.response, "response:")):
        if partner is not None:
            yield [("", "")]
            yield [("dim", f"{word} "), *title(partner)]
            yield [("", "")]
            yield from _payload(partner, set())


def head(detail: FrameDetail) -> Iterator[list[Piece]]:
    """Give the lines above the JSON."""
    yield title(detail.row)
    yield from ([("dim", line)] for line in _facts(detail))


def title(row: Row) -> list[Piece]:
    """Return the line that says which frame this is."""
    sender = _DIRECTIONS[row.sender] if row.sender else ""
    style = row.sender.value if row.sender else ""
    return [
        ("bold", f"frame {row.seq}"),
        (style, f"  {sender}"),
        ("bold", f"  {inert(row.what)}"),
        ("dim", f"  {row.t:.6f} s"),
    ]


def _facts(detail: FrameDetail) -> Iterator[str]:
    row = detail.row
    facts = [size(row.size)]
    if row.latency is not None:
        facts.append(f"{span(row.latency)} after its request")
    if detail.response is not None and detail.response.latency is not None:
        facts.append(f"response after {span(detail.response.latency)}")
    elif row.fate in (ANSWERED, DROPPED) and row.kind == "request":
        facts.append(f"{row.fate} by acp-spy")
    elif row.kind == "request":
        facts.append("no response yet" if detail.running else "no response")
    if row.session is not None:
        facts.append(f"session {inert(row.session)}")
    if row.turn is not None:
        number = "" if row.turn_number is None else f" {row.turn_number}"
        facts.append(f"turn{number} (prompt: frame {row.turn})")
    if row.tool is not None:
        took = "" if row.duration is None else f", which took {span(row.duration)}"
        facts.append(f"tool call {inert(row.tool)}{took}")
    yield ", ".join(facts)
    if isinstance(row.record, Frame) and row.record.via:
        yield inert(via_words(row.record.via))


def _payload(row: Row, places: set[str]) -> Iterator[list[Piece]]:
    """Give the frame's JSON, indented for reading; what is not JSON as it is."""
    for mark, line in json_lines(row, places):
        if mark == NO_JSON:
            yield [("noise", line)]
        else:
            yield [("error" if mark else "", mark or "  "), *coloured(line)]


def json_lines(row: Row, places: set[str], most: int | None = None) -> list[tuple[str, str]]:
    """
    Return the frame's JSON in lines, each with a mark: `MARKED` if a finding is about it.

    At most the first `most` lines. What is not JSON has the mark `NO_JSON`.
    """
    assert isinstance(row.record, Frame)
    payload = row.record.payload
    glued = find_glued(payload) if row.kind != "noise" else None
    start = glued[0] if glued and not payload.startswith(b"{") else 0
    try:
        pretty = msgspec.json.format(payload[start:], indent=2)
        text = pretty.decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [(NO_JSON, inert(plain(row.record.raw), but="\n"))]
    before = [(NO_JSON, inert(plain(payload[:start])))] if start else []
    find = partial(place_in_lines, pretty) if len(places) < _MANY else _all_places(pretty)
    marked = _line_numbers(pretty, {at for at in map(find, places) if at is not None})
    lines = enumerate(text.split("\n", -1 if most is None else most)[:most])
    return before + [(MARKED if number in marked else "", inert(line)) for number, line in lines]


def _line_numbers(text: bytes, places: Iterable[int]) -> set[int]:
    """Return in which lines of a text these places are."""
    numbers: set[int] = set()
    number = before = 0
    for place in sorted(places):
        number += text.count(b"\n", before, place)
        numbers.add(number)
        before = place
    return numbers


def _all_places(pretty: bytes) -> Callable[[str], int | None]:
    """Return what finds very many, or the nearest around each: all tokens are read, but once."""
    known: dict[tuple[str, ...], int] = {}
    for leaf in leaves(pretty):
        path = (*map(str, leaf.path),)
        known[path] = leaf.start
        known.setdefault(path[:-1], leaf.inside)

    def find(pointer: str) -> int | None:
        path = (*steps(pointer),)
        while path and path not in known:
            path = path[:-1]
        return known.get(path) if path else None

    return find


def place_in_lines(pretty: bytes, pointer: str) -> int | None:
    """
    Return where a value is in indented JSON, or the nearest around it.

    By the indent of its line: to read every token of a large frame takes seconds.
    """
    found, start, end = None, 0, len(pretty)
    for depth, step in enumerate(steps(pointer), 1):
        margin = b"\n" + b"  " * depth
        if pretty.startswith(b"{", start):
            name = margin + json.dumps(step, ensure_ascii=False).encode(errors="replace") + b": "
            at = pretty.rfind(name, start, end)  # of two with one name, readers take the last
            if at < 0 and re.compile(margin + rb'"[^"\\\n]*+\\').search(pretty, start, end):
                span = nearest_span(pretty, pointer)  # a name is spelled otherwise
                return span.start if span else None
            after = at + len(name)
        elif pretty.startswith(b"[", start) and _INDEX.fullmatch(step):
            lines = re.compile(margin + rb"(?=[^ \]}])").finditer(pretty, start, end)
            line = next(islice(lines, int(step), None), None)
            at, after = (line.start(), line.end()) if line else (-1, -1)
        else:
            break
        if at < 0:
            break
        found = start = after
        closing = {b"{\n": b"}", b"[\n": b"]"}.get(pretty[after : after + 2])
        end = pretty.find(margin + closing, after, end) if closing else after + 2
    return found


def coloured(line: str) -> Iterator[Piece]:
    """Give a line of JSON in pieces."""
    at = 0
    for match in _TOKEN.finditer(line):
        if match.start() > at:
            yield "", line[at : match.start()]
        if match[3]:
            yield "number", match[3]
        else:
            yield ("name" if match[2] else "string"), match[1]
            yield "", match[2] or ""
        at = match.end()
    yield "", line[at:]


def explained(finding: Finding, width: int) -> Iterator[list[Piece]]:
    """Give the lines of a finding, and of its rule."""
    level = finding.severity.value
    yield [
        (level, f"{level} {finding.code}"),
        ("bold", f" {finding.name}"),
        ("dim", f"  {finding.must_fix}"),
    ]
    parts = [inert(finding.text)]
    if finding.path:
        parts.append(f"at {inert(finding.path)}")
    if finding.see is not None:
        parts.append(f"see frame {finding.see}")
    if finding.hint:
        parts.append(f"hint: {inert(finding.hint)}")
    for part in parts:
        yield from ([("", f"  {line}")] for line in broken(part, width - 2, _EVERYTHING))
    rule = CATALOGUE.get(finding.code)
    if rule is not None:
        yield [("", "")]
        for heading, section in zip(HEADINGS, rule.sections, strict=True):
            for number, paragraph in enumerate(section.split("\n\n") if section else ()):
                text = ("" if number else f"{heading}: ") + " ".join(paragraph.split())
                yield from ([("dim", f"  {line}")] for line in broken(text, width - 2, _EVERYTHING))
        if rule.spec:
            yield [("dim", f"  {rule.spec}")]
