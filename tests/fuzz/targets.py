# ruff: noqa: D401 - a target's docstring is its promise, not what it does
"""
Everything that reads what strangers wrote, each as one function of bytes.

The promise is the same for all: a value or an `AcpSpyError`, never another exception, nor an end
that does not come. What can be said of the value is asserted besides: it cannot act on a terminal,
a program can read it, the bytes come back. `TARGETS` is the one list: hypothesis, the loop of
`python -m tests.fuzz` and a coverage-guided fuzzer all take it from here.
"""

import io
import json
import os
import re
import tempfile
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec
from rich.cells import cell_len
from rich.console import Console
from support.replays import Play
from support.rules import EVERY_BUDGET, checker

from acp_spy.capture.codec import decode, encode
from acp_spy.capture.files import Follower, load, read
from acp_spy.capture.folder import captures
from acp_spy.capture.foreign.known import NAMES
from acp_spy.capture.foreign.read import read_foreign
from acp_spy.capture.records import Capture, Header, Record, Stderr
from acp_spy.comparison import json as diff_json
from acp_spy.comparison import text as diff_text
from acp_spy.comparison.capture_diff import diff_captures
from acp_spy.comparison.read import read_capture
from acp_spy.conversation.tracker import Tracker
from acp_spy.dialect.known import choices
from acp_spy.editors.edit import CannotEdit, put, remove
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.replay.options import Options
from acp_spy.replay.script import Script
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.redactor import Redactor
from acp_spy.view import frame_detail, html, markdown, mermaid, text
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.captures import json as list_json
from acp_spy.view.captures import text as list_text
from acp_spy.view.captures.summary import summarize
from acp_spy.view.findings import concise, full, github, junit, sarif
from acp_spy.view.findings import json as findings_json
from acp_spy.view.findings.check_file import add_excerpts, check_file
from acp_spy.view.findings.settings_file import find_settings
from acp_spy.view.layout import Layout
from acp_spy.view.rows_json import as_capture, as_json
from acp_spy.view.stats import json as stats_json
from acp_spy.view.stats import text as stats_text
from acp_spy.view.stats.collect import collect
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.framing import Framer
from acp_spy.wire.jsonrpc import find_glued, read_message
from acp_spy.wire.pointer import nearest_span, span

RULES = tuple(CATALOGUE.values())
WIDTHS = (40, 80, 200)
_PLAIN = Layout()
_NAME = "hostile\n\x1b[31m<b>.jsonl"  # a name is somebody's text, too


# ----------------------------------------------------------------------------- the wire


def framing(data: bytes) -> None:
    """Lines and tail joined are the input, however it is cut, and with any longest line."""
    size = data[0] % 7 + 1 if data else 1
    for longest in (len(data) // 3, 1 << 20):
        framer = Framer(longest)
        lines = [
            line
            for start in range(0, len(data), size)
            for line in framer.feed(data[start : start + size])
        ]
        assert b"".join(lines) + framer.close() == data


def jsonrpc(data: bytes) -> None:
    """Whatever a line is, it means something, and its places can be looked for."""
    for line in data.split(b"\n"):
        read_message(line)
        find_glued(line)
        for pointer in ("", "/params", "/params/update/content/0", "/~1~0/0"):
            found = span(line, pointer)
            assert found is None or line[found.start : found.end].strip()
            nearest_span(line, pointer)


def codec(data: bytes) -> None:
    """A line of a capture is a record, or refused with a reason; a record's line comes back."""
    for line in data.split(b"\n"):
        try:
            record = decode(line)
        except ValueError as error:
            assert str(error)  # noqa: PT017 - either will do
        else:
            assert record is None or _same(decode(encode([record])), record)
    frame = Frame(1, 0.5, Peer.AGENT, data)
    assert decode(encode([frame])) == frame
    assert decode(encode([Stderr(0.5, data)])) == Stderr(0.5, data)


def _same(one: Record | None, other: Record) -> bool:
    """Whether two records are equal, also where a time is not a number."""
    return msgspec.json.encode(one) == msgspec.json.encode(other)


# ----------------------------------------------------------------------------- captures


@contextmanager
def _file(data: bytes) -> Iterator[str]:
    """Give the path of a file with these bytes."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = os.path.join(folder, _NAME)
        with open(path, "wb") as file:
            file.write(data)
        yield path


def reader(data: bytes) -> None:
    """A file is read as the same records at once, as it grows, and by who looks for secrets."""
    with _file(data) as path:
        at_once = _records(path)
        follower, grown = Follower(path), list[Record]()
        with suppress(AcpSpyError):
            while not follower.at_end:
                grown += follower.take(most=17 + len(data) // 5)
            grown += follower.last()
            assert (
                not at_once
                or _is_foreign(at_once)
                or list(map(repr, grown)) == list(map(repr, at_once))
            )
        follower.close()
        with suppress(AcpSpyError):
            for told in secrets_in_file(path, Redactor(("text",), (), ("/params/*",))):
                assert told.isprintable()


def _records(path: str) -> list[Record]:
    try:
        return list(read(path))
    except AcpSpyError as error:
        assert error.message  # noqa: PT017 - either will do
        return []


def _is_foreign(records: Sequence[Record]) -> bool:
    return isinstance(records[0], Header) and records[0].is_imported


def _frames(data: bytes) -> list[Frame]:
    """Return the frames that `data` holds; what is no capture at all is what the agent said."""
    with _file(data) as path:
        records = _records(path)
    return [record for record in records if isinstance(record, Frame)] or [
        Frame(seq, seq / 10, tuple(Peer)[seq % 2], line)
        for seq, line in enumerate(data.splitlines(keepends=True), start=1)
    ]


def tracker(data: bytes) -> None:
    """The fold takes any frame, and so does the overview of it."""
    followed = Tracker()
    frames = _frames(data)
    for frame in frames:
        followed.advance(followed.look(frame))
    followed.end()
    said = Capture(Header(), tuple(frames)).conversation
    assert len(said.exchanges) <= len(frames)
    assert len(said.turns) <= len(said.exchanges)


def linter(data: bytes) -> None:
    """No rule raises, whatever the specification, and in every dialect."""
    frames = _frames(data)
    specs, dialects = ("auto", "v1", "v1-unstable", "v2"), choices()
    turn = zlib.crc32(data)
    for spec, dialect in (("auto", "auto"), (specs[turn % 4], dialects[turn % len(dialects)])):
        asked = checker(RULES, spec=spec, dialect=dialect, budgets=EVERY_BUDGET)
        for frame in frames:
            for finding in asked.feed(frame):
                assert finding.code in CATALOGUE
        asked.close()
        assert asked.crashes == []


# ----------------------------------------------------------------------------- shown


@contextmanager
def _viewed(data: bytes, *, masked: bool = False, layout: Layout = _PLAIN) -> Iterator[CaptureView]:
    """Give a capture to be shown."""
    with _file(data) as path:
        viewed = CaptureView(path, masked=masked, layout=layout)
        yield viewed
        assert viewed.crashes == []


def view_text(data: bytes) -> None:
    """No line is wider than the terminal, but for the path, and none holds what one obeys."""
    for width in WIDTHS:
        with _viewed(data, layout=Layout(width, fold=width != 80)) as viewed:
            head, *rest = "".join(text.render(viewed)).split("\n")
            assert head.isprintable()
            _assert_plain(rest, width)
    with _viewed(data, layout=Layout(raw=True)) as viewed:
        _assert_plain("".join(text.render(viewed)).split("\n"))


def view_frame(data: bytes) -> None:
    """The first frames can be looked at whole."""
    for frame in _frames(data)[:4]:
        with _viewed(data) as viewed:
            found = viewed.frame(frame.seq)
            shown = "\n".join(frame_detail.render(found, 80, colour=False))
            _assert_plain(shown.split("\n"))


def view_html(data: bytes) -> None:
    """A page is given whole, and what was sent closes no element of it."""
    with _file(data) as path:
        page = "".join(html.render(CaptureView(path, masked=True)))
        empty = "".join(html.render(CaptureView("x", records=list)))
        assert page.count("<") == empty.count("<")
        assert page.rstrip().endswith("</html>")


def view_markdown(data: bytes) -> None:
    """Nothing but text and line ends is in Markdown."""
    with _viewed(data, masked=True) as viewed:
        shown = "".join(markdown.render(viewed))
        _assert_plain(shown.replace("\t", " ").split("\n"))


def view_mermaid(data: bytes) -> None:
    """A diagram has one arrow, note or participant a line."""
    with _viewed(data, masked=True) as viewed:
        shown = "".join(mermaid.render(viewed)).splitlines()
        _assert_plain(shown)
        assert all(
            line.lstrip().startswith(("sequenceDiagram", "participant", "Note", "C", "A"))
            for line in shown
        )


def view_programs(data: bytes) -> None:
    """JSON can be read by a program; a smaller capture is a capture with the same frames."""
    with _viewed(data) as viewed:
        told = "".join(as_json(viewed))
        _assert_plain(told.split("\n"))
        json.loads(told)
    with _viewed(data) as viewed:
        written = b"".join(as_capture(viewed))
        with _file(written) as path:
            sent = [record.raw for record in load(path).frames]
        assert sent == [record.raw for record in load(viewed.path).frames]


def figures(data: bytes) -> None:
    """What a capture comes to, for people at any width, and for programs."""
    with _file(data) as path:
        stats = collect(read(path))
        for width in WIDTHS:
            head, *rest = _printed(stats_text.render, path, "ended", stats, width=width)
            assert head.isprintable()
            _assert_plain(rest, width)
        told = stats_json.render(path, "ended", stats)
        _assert_plain(told.split("\n"))
        json.loads(told)


def folder(data: bytes) -> None:
    """A folder with the file in it can be listed."""
    with _file(data) as path:
        where = os.path.dirname(path)
        summaries = [summarize(entry, 0.0) for entry in captures(where)]
        for width in WIDTHS:
            _assert_plain(_printed(list_text.render, where, summaries, width=width))
        json.loads(list_json.render(where, summaries))


def findings(data: bytes) -> None:
    """What is found can be told in all six formats, and none of them is broken by it."""
    with _file(data) as path:
        report = check_file(path, RULES, every=True)
        assert report.crashes == []
        add_excerpts(report)
        for width in WIDTHS:
            _assert_plain("".join(full.render([report], Layout(width))).split("\n"))
        _assert_plain("".join(concise.render([report])).split("\n"))
        for command in "".join(github.render([report])).split("\n")[:-1]:
            assert command.isprintable()
            assert command.startswith(("::error ", "::warning ", "::notice "))
        json.loads("".join(findings_json.render([report])))
        json.loads("".join(sarif.render([report])))
        ET.fromstring("".join(junit.render([report])))


def difference(data: bytes) -> None:
    """Two captures can be compared: this one with its first half, and the other way round."""
    half = data[: data.find(b"\n", len(data) // 2) + 1]
    with _file(data) as one, _file(half) as other:
        for pair in ((one, other), (other, one), (one, one)):
            told = diff_captures(*(read_capture(path, read(path)) for path in pair))
            assert not told.one.crashes
            assert told.is_equal or pair != (one, one)
            for width in WIDTHS:
                _assert_plain(_printed(diff_text.render, told, width=width))
            json.loads(diff_json.render(told))


def _printed(render: Callable[..., None], *arguments: object, width: int) -> list[str]:
    out = io.StringIO()
    render(*arguments, Console(file=out, width=width, color_system=None))
    return out.getvalue().split("\n")


def _assert_plain(lines: Sequence[str] | Iterator[str], width: int = 0) -> None:
    for line in lines:
        assert line.isprintable(), ascii(line)
        assert not width or cell_len(line) <= width, line


# ----------------------------------------------------------------------------- played, made anew


def replay_agent(data: bytes) -> None:
    """A mock agent of this capture hears its client, then what else is there."""
    _replay(data, Peer.AGENT)


def replay_client(data: bytes) -> None:
    """A mock client of this capture hears its agent, then what else is there."""
    _replay(data, Peer.CLIENT)


def _replay(data: bytes, role: Peer) -> None:
    with _file(data) as path:
        try:
            capture = load(path)
        except AcpSpyError:
            capture = Capture(Header(cwd="/p"), tuple(_frames(data)))
    script = Script.of(capture, role, _NAME)
    turn = zlib.crc32(data)
    options = Options(
        strict=bool(turn & 1),
        on_divergence=("error", "warn", "stop")[turn % 3],
        expect=("shape", "exact", "none")[turn // 3 % 3],
        match=("params",) if turn & 2 else (),
        timeout=5.0,
    )
    lines = [frame.raw for frame in capture.frames if frame.sender is not role]
    others = [frame.raw for frame in capture.frames if frame.sender is role]
    for said in (lines, [*lines[::-1], *others[:5], data[:1000]]):
        play = Play(script, options, cwd="/live").hear(*said[:200]).end().wait()
        for told in play.player.reported:
            assert str(told)


def redaction(data: bytes) -> None:
    """What is redacted is a capture still, and what was JSON stays JSON."""
    persons = Persons(homes=True, users=True, home="/home/dev/x", user="someone")
    redactor = Redactor(("text", "cwd"), (re.compile("s.*?e"),), ("/params/*/0",), persons)
    with _file(data) as path:
        records = _records(path)
    for record in records:
        redactor.learn(record)
    for record in records:
        clean = redactor.record(record)
        assert _same(decode(encode([clean])), clean)
        if isinstance(record, Frame):
            assert isinstance(clean, Frame)
            assert _is_json(clean.raw) or not _is_json(record.raw)
    redactor = Redactor()
    for record in records:  # as while recording: what comes later is not known
        clean = redactor.record(record)
        if isinstance(record, Frame):
            assert isinstance(clean, Frame)
            assert _is_json(clean.raw) or not _is_json(record.raw)


def _is_json(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def importer(data: bytes) -> None:
    """Every reader of other tools' files gives records of rising time, or refuses."""
    for form in ("", *NAMES):
        with suppress(AcpSpyError):
            records = list(read_foreign(_NAME, io.BytesIO(data), form=form))
            times = [record.t for record in records if isinstance(record, Frame | Stderr)]
            assert times == sorted(times)
            for record in records:
                assert decode(encode([record])) == record


# ----------------------------------------------------------------------------- settings


def settings(data: bytes) -> None:
    """Whatever stands in `acp-spy.toml`."""
    for name in ("acp-spy.toml", "pyproject.toml"):
        with tempfile.TemporaryDirectory(prefix="fuzz-") as where:
            with open(os.path.join(where, name), "wb") as file:
                file.write(data if name == "acp-spy.toml" else b"[tool.acp-spy]\n" + data)
            find_settings(where)


def editors_settings(data: bytes) -> None:
    """An entry is put into an editor's settings and taken out again, or they are left alone."""
    text = data.decode(errors="replace")
    entry = {"command": "acp-spy", "args": ["--", "agent"]}
    with suppress(CannotEdit):
        changed = put(text, ("agent_servers",), "spied", entry)
        remove(changed, ("agent_servers",), "spied")


# ----------------------------------------------------------------------------- the list


class Target(msgspec.Struct, frozen=True):
    """What is fed, and with what it is fed: `captures`, `foreign`, `toml` or `jsonc`."""

    run: Callable[[bytes], None]
    seeds: str = "captures"

    @property
    def promise(self) -> str:
        """What must hold, in a sentence."""
        return (self.run.__doc__ or "").strip()


def hold(name: str, data: bytes) -> None:
    """Feed a target; an `AcpSpyError` is an answer, too."""
    try:
        TARGETS[name].run(data)
    except AcpSpyError as error:
        assert error.message  # noqa: PT017 - either will do


TARGETS = {
    "framing": Target(framing),
    "jsonrpc": Target(jsonrpc),
    "codec": Target(codec),
    "reader": Target(reader),
    "tracker": Target(tracker),
    "linter": Target(linter),
    "view-text": Target(view_text),
    "view-frame": Target(view_frame),
    "html": Target(view_html),
    "markdown": Target(view_markdown),
    "mermaid": Target(view_mermaid),
    "json-jsonl": Target(view_programs),
    "stats": Target(figures),
    "list": Target(folder),
    "check": Target(findings),
    "diff": Target(difference),
    "replay-agent": Target(replay_agent),
    "replay-client": Target(replay_client),
    "redact": Target(redaction),
    "import": Target(importer, "foreign"),
    "settings": Target(settings, "toml"),
    "editors": Target(editors_settings, "jsonc"),
}
