"""
A capture as one HTML page that needs nothing else: no network, no other file, no server.

What the peers have sent goes into two blocks of JSON that no browser runs, and its script builds
the page from them as text, never as markup. The page's own policy forbids everything but that
one script and style, by their hashes, so that a mistake of ours could not make a payload act.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import msgspec

from acp_spy import __version__
from acp_spy.capture.codec import encode, is_message, is_utf8
from acp_spy.capture.records import Record, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Finding
from acp_spy.lint.settings import Settings
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.filters import TOKENS
from acp_spy.view.findings.report import MistakeKey, mistake_key
from acp_spy.view.folding import BESIDE, SPEAKERS
from acp_spy.view.stats.collect import Collector
from acp_spy.view.stats.part import Part
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert, inert_json

STYLES = ("page", "rows", "waterfall", "panel")
# In this order: a script comes after those that it uses while it is loaded.
SCRIPTS = (
    *("inert", "dom", "words", "json", "data", "shell", "tails", "filters", "fold", "search"),
    *(
        "copy",
        "record",
        "list",
        "row",
        "spans",
        "gestures",
        "waterfall",
        "tree",
        "detail",
        "findings",
    ),
    *(
        "stats",
        "header",
        "about",
        "tally",
        "panel",
        "links",
        "splitter",
        "theme",
        "help",
        "keys",
        "app",
    ),
)
# Characters of rows. A page of this size is open after some ten seconds; one twice as long is more
# than a browser can hold in one text, and only an error would be seen.
MOST = 250_000_000
# Bytes of one line, and characters of a text. The row of a longer one shows its beginning: nobody
# reads a hundred megabytes on a page, and a browser would have to hold them.
LONGEST_LINE = 1_000_000
Text = TypeVar("Text", str, str | None)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def render(view: CaptureView) -> Iterator[str]:
    """
    Give the page of a capture, piece by piece.

    Raises `AcpSpyError` when the page becomes too long to be opened.
    """
    if not view.filters and view.size > MOST:
        raise too_long(view.path)  # the page would be longer still: do not read it all for that
    view.check_first()
    page = _Page(view)
    parts: dict[str, Callable[[], Iterable[str]]] = {
        "policy": lambda: [_policy()],
        "title": lambda: [html.escape(inert(f"{view.name} - acp-spy"))],
        "style": lambda: [_style()],
        "script": lambda: [_script()],
        "rows": page.rows,
        "about": lambda: [page.about()],
    }
    # The template's places and the text between them, in turn.
    for index, piece in enumerate(_PLACE.split(_source("page.html"))):
        if index % 2:
            yield from parts[piece]()
        else:
            yield piece


def too_long(name: str) -> AcpSpyError:
    """Return why there is no page, and what to do instead."""
    return AcpSpyError(
        f"cannot make a page of `{name}`: it would be larger than {MOST // 1_000_000} MB",
        hint="filter the rows, for example with `seq:1-100000` or `finding:any`,"
        " or use `acp-spy view` on the terminal",
    )


class _Page:
    """The data of one page: first the rows, then what is known when all have passed."""

    def __init__(self, view: CaptureView) -> None:
        self._view = view
        self._stats = Collector()
        self._findings: list[dict[str, Any]] = []
        self._mistakes: dict[MistakeKey, int] = {}
        self._part = Part() if view.filters else None

    def rows(self) -> Iterator[str]:
        """Give the rows as a JSON array, one at a time."""
        yield "["
        count = size = 0
        timeline = self._view.timeline
        for rows in self._view.steps():
            self._stats.add(timeline.moment, timeline.state)
            for row in rows:
                if self._part:
                    self._part.feed(row)
                self._findings += [self._finding(finding, count) for finding in row.findings]
                spelled = _json(_values(row))
                size += len(spelled)
                if size > MOST:
                    raise too_long(self._view.name)
                yield (",\n" if count else "\n") + spelled
                count += 1
        yield "\n]"

    def _finding(self, finding: Finding, row: int | None) -> dict[str, Any]:
        """Return a finding with its row, and a number that those of the same mistake share."""
        mistake = self._mistakes.setdefault(mistake_key(finding), len(self._mistakes))
        builtins = msgspec.to_builtins(finding)
        return {**builtins, "mustFix": finding.must_fix, "row": row, "mistake": mistake}

    def about(self) -> str:
        """Return everything but the rows, as a JSON object."""
        view, header = self._view, self._view.header
        stats = self._stats.close()
        late = list(view.late())  # what has no row, and no place in a part
        if self._part:
            stats = self._part.of(stats)
        else:
            self._findings += [self._finding(finding, None) for finding in late]
        codes = sorted({finding["code"] for finding in self._findings})
        return _json(
            {
                "name": view.name,
                "started": header.started,
                "note": header.note,
                "header": encode([header]).decode().rstrip("\n"),
                "command": header.command,
                "cwd": header.cwd,
                "tool": header.tool,
                "version": __version__,
                "running": view.running,
                "settings": {**_settings(view.settings), "count": view.rule_count},
                "imported": header.is_imported,
                "peers": {"client": stats.client, "agent": stats.agent},
                "masked": view.masked,
                "maskedPlaces": view.masked_places,
                "filter": " ".join(view.filters),
                "findings": self._findings,
                "diagnosis": view.diagnosis
                and {
                    **view.diagnosis.as_json(),
                    "words": view.diagnosis.words,
                    "isWrong": view.diagnosis.is_wrong,
                },
                "crashed": sorted({crash.code for crash in view.crashes}),
                "rules": {code: _rule(code) for code in codes},
                "catalogue": [[rule.code, rule.name] for rule in CATALOGUE.values()],
                "filterWords": [[token.name, token.example, token.meaning] for token in TOKENS],
                "beside": sorted(BESIDE),
                "speakers": SPEAKERS,
                "stats": msgspec.to_builtins(stats),
            }
        )


def _values(row: Row) -> list[Any]:
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
        row.partner,
        row.stream,
        left_out,
        _head(row.text),
        row.fate,
        row.hop,
        row.mcp,
        None if sent is None else sent.decode(errors="ignore" if left_out else "backslashreplace"),
        _line(record),
    ]


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


def _rule(code: str) -> dict[str, str]:
    rule = CATALOGUE[code]
    return {"summary": rule.summary, "explanation": rule.explanation, "spec": rule.spec}


def _json(value: Any) -> str:
    """Return `value` as JSON in which nothing can end the block that it is in, or act elsewhere."""
    spelled = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return inert_json(spelled).replace("<", "\\u003c")


def _policy() -> str:
    """Return what the page may do: run its script, use its style, show its icon. Nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(_script())}'",
            f"style-src '{_hash(_style())}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",  # no text can become markup, even by mistake
            "trusted-types 'none'",
        )
    )


@cache
def _style() -> str:
    return "\n".join(_source(f"{name}.css") for name in STYLES)


@cache
def _script() -> str:
    return script_of(SCRIPTS) + "\nacpSpy.page = acpSpy.app.start();\n"


def script_of(names: Iterable[str]) -> str:
    """Return these of the page's scripts as one, which declares and does not start anything."""
    return "\n".join(
        ['"use strict";\nconst acpSpy = {};', *(_source(f"{name}.js") for name in names)]
    )


def _hash(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _source(name: str) -> str:
    return files("acp_spy.view").joinpath("page", name).read_text(encoding="utf-8")
