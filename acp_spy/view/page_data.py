"""
What the page of a capture is given, as JSON: of a whole capture at once, or while it is recorded.

`data.js` is the counterpart: it takes what is made here.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from acp_spy import __version__
from acp_spy.capture.codec import encode, is_message, is_utf8
from acp_spy.capture.records import ANSWERED, Delivery, Header, Record, Stderr
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Finding
from acp_spy.lint.settings import Settings
from acp_spy.view.filters import TOKENS
from acp_spy.view.findings.report import MistakeKey, mistake_key
from acp_spy.view.folding import BESIDE, SPEAKERS
from acp_spy.view.stats.model import Stats
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert_json

# Characters of rows. A page of this size is open after some ten seconds; one twice as long is more
# than a browser can hold in one text, and only an error would be seen.
MOST = 250_000_000
# Bytes of one line, and characters of a text. The row of a longer one shows its beginning: nobody
# reads a hundred megabytes on a page, and a browser would have to hold them.
LONGEST_LINE = 1_000_000
Text = TypeVar("Text", str, str | None)
_encode = msgspec.json.encode


def too_long(name: str) -> AcpSpyError:
    """Return why there is no page, and what to do instead."""
    return AcpSpyError(
        f"cannot make a page of `{name}`: it would be larger than {MOST // 1_000_000} MB",
        hint="filter the rows, for example with `seq:1-100000` or `finding:any`,"
        " or use `acp-spy view` on the terminal",
    )


def about_capture(
    name: str,
    header: Header,
    settings: Settings,
    rule_count: int,
    filters: Sequence[str] = (),
    *,
    masked: bool,
    was_redacted: bool,
) -> dict[str, Any]:
    """Return what is known of a capture when its first line has been read."""
    return {
        "name": name,
        "started": header.started,
        "note": header.note,
        "header": encode([header]).decode().rstrip("\n"),
        "command": header.command,
        "cwd": header.cwd,
        "tool": header.tool,
        "version": __version__,
        "settings": {**_settings(settings), "count": rule_count},
        "imported": header.is_imported,
        "masked": masked,
        "wasRedacted": was_redacted,
        "filter": " ".join(filters),
        "catalogue": [[rule.code, rule.name] for rule in CATALOGUE.values()],
        "filterWords": [[token.name, token.example, token.meaning] for token in TOKENS],
        "beside": sorted(BESIDE),
        "speakers": SPEAKERS,
    }


def about_stats(stats: Stats) -> dict[str, Any]:
    """Return the statistics, and how the peers are called."""
    return {
        "peers": {"client": stats.client, "agent": stats.agent},
        "stats": msgspec.to_builtins(stats),
    }


def about_state(
    diagnosis: Diagnosis | None, crashes: Iterable[Crash], masked_places: int, *, running: bool
) -> dict[str, Any]:
    """Return what else may change with each record."""
    return {
        "running": running,
        "maskedPlaces": masked_places,
        "diagnosis": diagnosis
        and {
            **diagnosis.as_json(),
            "words": diagnosis.words,
            "isWrong": diagnosis.is_wrong,
        },
        "crashed": sorted({crash.code for crash in crashes}),
    }


class FindingData:
    """Findings as the page takes them; those of the same mistake share a number."""

    def __init__(self) -> None:
        self._mistakes: dict[MistakeKey, int] = {}

    def of(self, finding: Finding, row: int | None) -> dict[str, Any]:
        """Return a finding with the number of its row, if that is known."""
        mistake = self._mistakes.setdefault(mistake_key(finding), len(self._mistakes))
        builtins = msgspec.to_builtins(finding)
        return {**builtins, "mustFix": finding.must_fix, "row": row, "mistake": mistake}


def rule_data(code: str) -> dict[str, str]:
    """Return the texts of a rule."""
    rule = CATALOGUE[code]
    return {"summary": rule.summary, "explanation": rule.explanation, "spec": rule.spec}


def row_values(row: Row) -> list[Any]:
    """Return a row as a list: the order is that in which data.js takes them."""
    record = row.record
    left_out = 0
    if isinstance(record, Frame | Stderr) and len(record.raw) > LONGEST_LINE:
        left_out = len(record.raw) - LONGEST_LINE
        record = msgspec.structs.replace(record, raw=record.raw[:LONGEST_LINE])
    sent = record.raw if isinstance(record, Frame | Stderr) else None
    return [
        row.kind,
        row.t,
        row.seq,
        row.sender and row.sender.value,
        _head(row.method),
        _head(row.what),
        _head(row.gist),
        row.failed,
        row.latency,
        row.size,
        _head(row.session),
        row.turn,
        row.turn_number,
        row.turn_edge,
        _head(row.tool),
        row.tool_edge,
        row.duration,
        _partner(row),
        row.stream,
        left_out,
        _head(row.text),
        row.fate,
        row.hop,
        row.mcp,
        None if sent is None else sent.decode(errors="ignore" if left_out else "backslashreplace"),
        _line(record),
    ]


def _partner(row: Row) -> int | None:
    """Return the frame of the request that a row responds to, also if acp-spy did."""
    record = row.record
    if isinstance(record, Delivery) and record.action == ANSWERED:
        return record.seq
    return row.partner


def _head(text: Text) -> Text:
    return text[:LONGEST_LINE] if text else text


def _line(record: Record) -> str | None:
    """Return the line of a record in the capture; `None` if record.js can make it of the rest."""
    if isinstance(record, Frame) and not (record.redacted or record.via) and is_message(record.raw):
        return None
    if isinstance(record, Stderr) and not record.redacted and is_utf8(record.raw):
        return None
    return encode([record]).decode().rstrip("\n")


def _settings(settings: Settings) -> dict[str, Any]:
    """Return what was chosen about the rules."""
    names = ("select", "ignore", "severity", "spec", "dialect")
    chosen = msgspec.to_builtins(settings)
    return {name: chosen[name] for name in names}


def to_json(value: Any) -> str:
    """Return `value` as JSON in which nothing can end the block that it is in, or act elsewhere."""
    try:
        spelled = _encode(value).decode()
    except UnicodeEncodeError:  # half of an emoji
        spelled = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return inert_json(spelled).replace("<", "\\u003c")
