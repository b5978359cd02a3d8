"""
A capture as one HTML page that needs nothing else: no network, no other file, no server.

What the peers have sent goes into two blocks of JSON that no browser runs, and its script builds
the page from them as text, never as markup. The page's own policy forbids everything but that
one script and style, by their hashes, so that a mistake of ours could not make a payload act.
"""

import base64
import hashlib
import html
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files

from acp_spy.lint.rule import Finding
from acp_spy.view import page_data
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.page_data import (
    FindingData,
    about_capture,
    about_state,
    about_stats,
    row_values,
    rule_data,
    to_json,
    too_long,
)
from acp_spy.view.stats.collect import Collector
from acp_spy.view.stats.part import Part
from acp_spy.wire.inert import inert

STYLES = ("page", "rows", "waterfall", "panel")
# In this order: a script comes after those that it uses while it is loaded.
SCRIPTS = (
    *("inert", "dom", "words", "slices", "json", "data", "shell", "tails", "filters", "fold"),
    "search",
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
        "fields",
        "clicks",
        "app",
    ),
)
PLACE = re.compile(r"\{\{(\w+)\}\}")


def render(view: CaptureView) -> Iterator[str]:
    """
    Give the page of a capture, piece by piece.

    Raises `AcpSpyError` when the page becomes too long to be opened.
    """
    if not view.filters and view.size > page_data.MOST:
        raise too_long(view.path)  # the page would be longer still: do not read it all for that
    if view.filters:
        view.check_first()  # a filter may ask for findings
    else:
        view.check_alongside()
    page = _Page(view)
    parts: dict[str, Callable[[], Iterable[str]]] = {
        "policy": lambda: [policy(_script(), style_of(STYLES))],
        "title": lambda: [html.escape(inert(f"{view.name} - acp-spy"))],
        "style": lambda: [style_of(STYLES)],
        "script": lambda: [_script()],
        "rows": page.rows,
        "about": lambda: [page.about()],
    }
    # The template's places and the text between them, in turn.
    for index, piece in enumerate(PLACE.split(document(source_of("page.html")))):
        if index % 2:
            yield from parts[piece]()
        else:
            yield piece


def document(body: str, kind: str = "") -> str:
    """Return the template of a page: the head that all have, and this body."""
    parts = {"body": body, "kind": f' class="{kind}"' if kind else ""}
    return PLACE.sub(lambda place: parts.get(place[1], place[0]), source_of("document.html"))


class _Page:
    """The data of one page: first the rows, then what is known when all have passed."""

    def __init__(self, view: CaptureView) -> None:
        self._view = view
        self._stats = Collector()
        self._findings: list[tuple[Finding, int | None]] = []  # with the number of its row
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
                # One that comes late is placed by its frame, which is on the page (see data.js).
                last = None if self._part else timeline.last_seq
                self._findings += [
                    (each, count if last in (None, each.seq) else None) for each in row.findings
                ]
                spelled = to_json(row_values(row))
                size += len(spelled)
                if size > page_data.MOST:
                    raise too_long(self._view.name)
                yield (",\n" if count else "\n") + spelled
                count += 1
        yield "\n]"

    def about(self) -> str:
        """Return everything but the rows, as a JSON object."""
        view = self._view
        stats = self._stats.close()
        late = list(view.late())  # what has no row, and no place in a part
        if self._part:
            stats = self._part.of(stats)
        else:
            self._findings += [(finding, None) for finding in late]
        self._findings.sort(key=lambda placed: placed[0].seq)
        finding_data = FindingData()
        findings = [finding_data.of(*placed) for placed in self._findings]
        codes = sorted({finding["code"] for finding in findings})
        capture = about_capture(
            view.name,
            view.header,
            view.settings,
            view.rule_count,
            view.filters_shown,
            masked=view.masked,
            was_redacted=view.was_redacted,
        )
        state = about_state(view.diagnosis, view.crashes, view.masked_places, running=view.running)
        return to_json(
            {
                **capture,
                **about_stats(stats),
                **state,
                "findings": findings,
                "rules": {code: rule_data(code) for code in codes},
            }
        )


def policy(script: str, style: str, *more: str) -> str:
    """Return what a page may do: run its script, use its style, show its icon; and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            *more,
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",  # no text can become markup, even by mistake
            "trusted-types 'none'",
        )
    )


@cache
def style_of(names: tuple[str, ...]) -> str:
    """Return these of the page's styles as one."""
    return "\n".join(source_of(f"{name}.css") for name in names)


@cache
def _script() -> str:
    return script_of(SCRIPTS) + "\nacpSpy.page = acpSpy.app.start();\n"


def script_of(names: Iterable[str]) -> str:
    """Return these of the page's scripts as one, which declares and does not start anything."""
    return "\n".join(
        ['"use strict";\nconst acpSpy = {};', *(source_of(f"{name}.js") for name in names)]
    )


def _hash(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def source_of(name: str) -> str:
    """Return the text of one of the page's files."""
    return files("acp_spy.view").joinpath("page", name).read_text(encoding="utf-8")
