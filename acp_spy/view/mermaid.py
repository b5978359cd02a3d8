"""
Rows as a Mermaid sequence diagram, which GitHub draws.

Every character that Mermaid could obey is spelled as an entity, and a diagram stops before it is
too large for GitHub to draw.
"""

from collections.abc import Iterable, Iterator

from acp_spy.lint.rule import Finding
from acp_spy.units import counted, span
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.findings.report import grouped
from acp_spy.view.folding import Fold, Item, folded
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

LARGEST = 45_000  # characters; GitHub draws 50,000
_LONGEST_LABEL = 80
_SAFE = frozenset(" .,_-/()'=+!?[]")
_SHAFTS = {
    "request": "->>",
    "response": "-->>",
    "notification": "-)",
    "noise": "-x",
    "delivery": "-)",
    "exchange": "-->>",
    "disconnect": "-x",
    "closed": "-x",
}
_ENDS = {Peer.CLIENT: ("C", "A"), Peer.AGENT: ("A", "C")}


def render(view: CaptureView) -> Iterator[str]:
    """Give the lines of the diagram, with their ends."""
    for line in _diagram(view):
        yield f"{line}\n"


def _diagram(view: CaptureView) -> Iterator[str]:
    yield "sequenceDiagram"
    yield "    participant C as client"
    yield "    participant A as agent"
    written = 100
    left_out = 0
    # Lines of stderr have no receiver, and there are many.
    for item in folded(row for row in view.rows() if row.kind != "stderr"):
        lines = list(_lines(item))
        if left_out or written + sum(len(line) + 1 for line in lines) > LARGEST:
            left_out += item.count if isinstance(item, Fold) else 1
            continue
        written += sum(len(line) + 1 for line in lines)
        yield from lines
    if left_out:
        yield f"    Note over C,A: {left_out} more rows do not fit; filter them, as with seq 1-100"
    yield from _fitting(_findings(view.late()), LARGEST - written)
    if view.masked_places:
        yield f"    Note over C,A: secrets masked in {counted(view.masked_places, 'place')}"


def _fitting(findings: Iterable[str], room: int) -> Iterator[str]:
    left_out = 0
    for line in findings:
        room -= len(line) + 1
        if room >= 0:
            yield line
        else:
            left_out += 1
    if left_out:
        yield f"    Note over C,A: and {counted(left_out, 'finding')} more"


def _lines(item: Item) -> Iterator[str]:
    row = item.first if isinstance(item, Fold) else item
    if row.turn_edge == "start":
        name = f"of frame {row.seq}" if row.turn_number is None else str(row.turn_number)
        yield f"    Note over C,A: turn {name}"
    if row.sender is None:
        yield f"    Note right of A: {_label(_words(item))}"
    else:
        sender, receiver = _ENDS[row.sender]
        yield f"    {sender}{_SHAFTS[row.kind]}{receiver}: {_label(_words(item))}"
    yield from _findings(item.findings)
    if isinstance(item, Fold) and item.more_findings:
        yield f"    Note over C,A: and {counted(item.more_findings, 'finding')} more"


def _findings(findings: Iterable[Finding]) -> Iterator[str]:
    for finding, count in grouped(findings):
        side = "left of C" if finding.blame is Peer.CLIENT else "right of A"
        times = f" ×{count}" if count > 1 else ""
        label = f"{finding.severity.value} {finding.code}{times} {finding.text}"
        yield f"    Note {side}: {_label(label)}"


def _words(item: Item) -> str:
    row = item.last if isinstance(item, Fold) else item
    seq = f"{item.first.seq if isinstance(item, Fold) else row.seq} " if row.seq else ""
    if isinstance(item, Fold) and item.count > 1:
        took = "" if item.duration is None else f" ({span(item.duration)})"
        return f"{seq}{item.first.what} ×{item.count}{took} {item.text if row.stream else row.gist}"
    seconds = row.duration if row.latency is None else row.latency
    took = f" ({span(seconds)})" if seconds is not None else ""
    return f"{seq}{row.what}{took} {row.gist}"


def _label(text: str) -> str:
    words = " ".join(text.split())
    if len(words) > _LONGEST_LABEL:
        words = words[: _LONGEST_LABEL - 1] + "…"
    return "".join(map(_spelled, words)) or " "


def _spelled(character: str) -> str:
    if not character.isascii() or not character.isprintable():
        shown = inert(character)
        return character if shown == character else "".join(map(_spelled, shown))
    is_plain = character.isalnum() or character in _SAFE
    return character if is_plain else f"#{ord(character)};"
