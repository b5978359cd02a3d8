"""
A conversation as a person would paste it into a bug report: who, what was asked, what came of it.

All text of a peer is in a fence or a code span that it cannot close, so it is shown
and not obeyed: no mention, no link, no image, no markup.
"""

import re
from collections.abc import Iterable, Iterator

from acp_spy.capture.records import Header
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.lint.rule import Finding
from acp_spy.units import counted, in_span, span
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.findings.report import grouped
from acp_spy.view.folding import BESIDE, Fold, Item, folded
from acp_spy.view.timeline import Row
from acp_spy.wire.inert import inert

_SPEAKERS = {"agent": "Agent", "thought": "Agent, thinking", "user": "User, replayed"}
_LONGEST = 20_000  # characters of a text
_LONGEST_SPAN = 300
_MOST_LOGGED = 200  # lines of stderr in one block


def render(view: CaptureView) -> Iterator[str]:
    """Give the parts of the report."""
    yield "# An ACP conversation\n\n"
    about = _about(view.header)
    if about:
        yield f"{about[0].upper()}{about[1:]}\n\n"
    if view.header.note:
        yield f"Note: {code(view.header.note)}\n\n"
    if view.masked:
        yield "Secrets are masked.\n\n"
    head = view.diagnosis
    yield from _diagnosis(head)
    logged: list[str] = []
    for item in folded(view.rows(), _LONGEST):
        if isinstance(item, Row) and item.kind == "stderr" and len(logged) < _MOST_LOGGED:
            logged.append(item.gist)
            continue
        yield from _log(logged)
        yield from _item(item)
    yield from _log(logged)
    yield from _findings(view.late())
    if head is None:  # a large capture was not read before it was shown
        yield from _diagnosis(view.diagnosis)
    if view.masked_places:
        yield f"Secrets masked: {counted(view.masked_places, 'place')}.\n"


def _diagnosis(found: Diagnosis | None) -> Iterator[str]:
    if found:
        parts = (found.text, found.must_fix, found.hint and f"hint: {found.hint}")
        yield f"**{found.words.capitalize()}**\n\n{fence(chr(10).join(filter(None, parts)))}\n"


def _about(header: Header) -> str:
    """Return when, by what and of whom it was recorded, as far as the header says."""
    when = code(header.started[:19].replace("T", " "))
    by, agent = code(header.tool), code(" ".join(header.command))
    parts = (
        f"recorded {when} UTC" if when else "",
        f"by {by}" if by else "",
        f"agent {agent}" if agent else "",
    )
    return ", ".join(filter(None, parts))


def _log(lines: list[str]) -> Iterator[str]:
    """Give consecutive lines of stderr as one block, and clear them."""
    if lines:
        yield f"stderr:\n\n{fence(chr(10).join(lines))}\n"
        lines.clear()


def _item(item: Item) -> Iterator[str]:
    row = item.last if isinstance(item, Fold) else item
    first = item.first if isinstance(item, Fold) else item
    if row.what not in BESIDE or item.findings:
        yield from _content(item, first, row)
    yield from _findings(item.findings)
    if isinstance(item, Fold) and item.more_findings:
        yield f"> and {counted(item.more_findings, 'finding')} more\n\n"


def _content(item: Item, first: Row, row: Row) -> Iterator[str]:
    place = f"frame {first.seq}, {first.t:.3f} s" if first.seq is not None else f"{first.t:.3f} s"
    if row.turn_edge == "start":
        number = "" if row.turn_number is None else f"turn {row.turn_number}, "
        yield f"## Prompt ({number}{place})\n\n{fence(row.gist)}\n"
    elif row.turn_edge == "end" and row.kind == "response":
        took = f" after {span(row.latency)}" if row.latency is not None else ""
        end = "Error" if row.failed else "End of turn"
        yield f"**{end}**{took} ({place}): {code(row.gist)}\n\n"
    elif isinstance(item, Fold) and first.stream:
        count = f"{item.count} chunks {in_span(item.span)}, " if item.count > 1 else ""
        speaker = _SPEAKERS.get(first.stream, first.stream)
        yield f"**{speaker}** ({count}{place}):\n\n{fence(item.text)}\n"
    elif isinstance(item, Fold):
        took = "" if item.duration is None else f"{span(item.duration)}, "
        yield f"- **Tool call** ({took}{place}): {code(row.gist)}\n"
        if item.text:
            yield f"\n{fence(item.text)}"
        yield "\n"
    else:
        sender = f"{row.sender.value}: " if row.sender else ""
        took = f" after {span(row.latency)}" if row.latency is not None else ""
        gist = f" {code(row.gist)}" if row.gist else ""
        what = "stderr" if row.kind == "stderr" else code(row.what)
        yield f"- {sender}{what}{took} ({place}){gist}\n\n"


def _findings(findings: Iterable[Finding]) -> Iterator[str]:
    for finding, count in grouped(findings):
        times = f" ×{count}" if count > 1 else ""
        label = f"{finding.severity.value} {finding.code}{times}"
        place = f"frame {finding.seq}, {finding.must_fix}"
        yield f"> **{label}** {finding.name} ({place}): {code(finding.text)}\n\n"


def fence(text: str) -> str:
    """Return a fenced block that `text` cannot close."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    shown = inert(text, but="\n\t").rstrip()
    return f"{ticks}text\n{shown}\n{ticks}\n"


def code(text: str) -> str:
    """Return a code span that `text` cannot close, on one line."""
    shown = inert(text if len(text) <= _LONGEST_SPAN else text[:_LONGEST_SPAN] + "…")
    if not shown.strip():
        return ""
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
