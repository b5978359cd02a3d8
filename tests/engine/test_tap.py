"""The tap calls `on_write` when what it was shown can be read, and what it cannot keep stops nothing."""

import errno
import os
from threading import Event

import msgspec
import pytest
from support.fake_agent import open_descriptors

from acp_spy.capture.codec import messages_in
from acp_spy.capture.files import CaptureFile, load
from acp_spy.capture.lock import is_held
from acp_spy.capture.records import Header
from acp_spy.engine import tap as tap_module
from acp_spy.engine.backlog import Backlog, Worker
from acp_spy.engine.tap import END_LEFT_OUT, STILL_REDACTING, Tap
from acp_spy.wire.frame import Peer, Via


class Redactor:
    """Changes nothing."""

    def header(self, header):
        return header

    def record(self, record):
        return record


@pytest.mark.parametrize("redactor", [None, Redactor()])
@pytest.mark.parametrize("how", ["client", "stderr"])
def test_on_write_is_called_after_the_write(tmp_path, redactor, how):
    """Called before it, the checker could look for the record too early, and then wait."""
    tap = Tap(0, complain=pytest.fail, redactor=redactor)
    tap.open(str(tmp_path / "x.jsonl"), Header())
    counts = []
    tap.on_write = lambda: counts.append(len(load(tmp_path / "x.jsonl").records))
    getattr(tap, how)(b"x\n")
    getattr(tap, how)(b"x\n")
    tap.findings(b'{"type":"finding"}\n')  # which it knows of
    tap.close()
    assert counts == [1, 2]


@pytest.mark.parametrize("how", ["client", "stderr"])
def test_without_memory_the_recording_ends_and_says_so(tmp_path, how):
    class Greedy(Redactor):
        def record(self, _record):
            raise MemoryError

    told, before = [], open_descriptors()
    tap = Tap(0, complain=told.append, redactor=Greedy())
    tap.open(str(tmp_path / "x.jsonl"), Header())
    for _ in range(2):
        getattr(tap, how)(b"x\n")
    assert open_descriptors() == before
    assert told == ["recording stopped: out of memory; the conversation continues"]


def test_a_disk_that_becomes_full_ends_the_recording_and_is_told_once(tmp_path, monkeypatch):
    told = []
    tap = Tap(0, complain=told.append)
    tap.open(str(tmp_path / "x.jsonl"), Header())

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    tap.client(b"kept\n")
    with monkeypatch.context() as patch:
        patch.setattr(CaptureFile, "append_lines", full)
        tap.client(b"lost\n")
    tap.agent(b"not even tried\n")
    tap.exit(0, {})
    (line,) = told
    assert line == (
        f"recording stopped: cannot write `{tmp_path}/x.jsonl`: No space left on device;"
        " the conversation continues"
    )
    assert [frame.raw for frame in load(tmp_path / "x.jsonl").frames] == [b"kept\n"]


@pytest.mark.parametrize(
    ("spoil", "how"), [(os.unlink, "deleted"), (lambda path: os.truncate(path, 1), "shortened")]
)
def test_what_is_recorded_no_more_is_closed_and_not_said_to_be_recorded(tmp_path, spoil, how):
    """A process that serves many has not descriptors for all that it once recorded."""
    told, before, path = [], open_descriptors(), tmp_path / "x.jsonl"
    tap = Tap(0, complain=told.append)
    tap.open(str(path), Header())
    with path.open("rb") as file:
        assert is_held(file.fileno())
        spoil(path)
        tap.check_file()
        assert not is_held(file.fileno())
    assert f"another program {how}" in told[0]
    assert open_descriptors() == before


def test_a_file_that_is_given_is_deleted_only_if_it_had_a_name(tmp_path):
    told = []
    for name in ("deleted before", "deleted later"):
        with open(tmp_path / name, "wb") as given:
            tap = Tap(0, complain=told.append)
            if name == "deleted before":
                os.unlink(tmp_path / name)
            tap.open(f"/dev/fd/{given.fileno()}", Header())
            if name == "deleted later":
                assert not told
                os.unlink(tmp_path / name)
            tap.check_file()
            tap.close()
    (line,) = told
    assert line.startswith("recording stopped: another program deleted `/dev/fd/")


def test_messages_with_line_feeds_inside_are_records_of_one_line_each(tmp_path):
    """The data of an SSE event may be several lines, and a WebSocket message indented JSON."""
    path = tmp_path / "x.jsonl"
    tap = Tap(0, complain=pytest.fail)
    tap.open(str(path), Header())
    payloads = [b'{"a":\n1}', b"{}", b"not JSON"]
    assert tap.messages(Peer.AGENT, payloads, Via("http", "session")) == 3
    tap.close()
    assert [frame.raw for frame in load(path).frames] == [line + b"\n" for line in payloads]
    assert len(path.read_bytes().splitlines()) == 4


def test_messages_that_were_found_at_once_are_redacted_one_by_one(tmp_path):
    class Redactor:
        def header(self, header):
            return header

        def record(self, frame):
            return msgspec.structs.replace(frame, raw=frame.raw.replace(b"s3cret", b"redacted"))

    path = tmp_path / "x.jsonl"
    tap = Tap(0, complain=pytest.fail, redactor=Redactor())
    tap.open(str(path), Header())
    values, _ = messages_in(b'{"a":"s3cret"}\n[]\n', 2)
    tap.found_messages(Peer.AGENT, values, Via("http", "session"))
    tap.close()
    assert [frame.raw for frame in load(path).frames] == [b'{"a":"redacted"}\n', b"[]\n"]


def test_a_disk_that_becomes_full_in_a_burst_ends_the_recording(tmp_path, monkeypatch):
    told = []
    tap = Tap(0, complain=told.append)
    tap.open(str(tmp_path / "x.jsonl"), Header())

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(CaptureFile, "append_lines", full)
    values, _ = messages_in(b"{}\n[]\n", 2)
    for _ in range(2):
        tap.found_messages(Peer.AGENT, values, Via("http", "session"))
    assert len(told) == 1


LARGE = b'"%b"\n' % (b"x" * 5000)


class Slow(Redactor):
    """Waits with what is large."""

    def __init__(self):
        self.go = Event()
        self.has_begun = Event()

    def text(self, text):
        return text.replace("s3cret", "redacted")

    def text_meanwhile(self, text):
        return text.replace("s3cret", "masked")

    def record(self, record):
        via = getattr(record, "via", None)
        if len(getattr(record, "raw", b"")) > 2048 or (via and len(via.session) > 2048):
            self.has_begun.set()
            assert self.go.wait(60)
        return record


def slow_tap(path, told, worker=None):
    redactor = Slow()
    tap = Tap(0, told.append, redactor, Backlog(worker))
    tap.open(str(path), Header())
    return tap, redactor


def test_no_traffic_waits_for_what_is_large_and_all_is_kept_in_turn(tmp_path):
    path, told, written = tmp_path / "x.jsonl", [], []
    tap, redactor = slow_tap(path, told)
    tap.on_write = lambda: written.append(len(load(path).records))
    tap.client(b"1\n")
    tap.agent(LARGE)
    tap.client(b"3\n")
    tap.stderr(b"log\n")
    tap.findings(b'{"type":"finding"}\n')
    assert [frame.raw for frame in load(path).frames] == [b"1\n"]
    redactor.go.set()
    tap.exit(0, {})
    tap.finish()
    assert [frame.raw for frame in load(path).frames] == [b"1\n", LARGE, b"3\n"]
    assert load(path).exit.status == 0
    assert (told, written[-1]) == ([], len(load(path).records))


def test_what_is_small_is_kept_at_once_whatever_another_tap_has_to_redact(tmp_path):
    path, worker, told = tmp_path / "small.jsonl", Worker(), []
    slow, redactor = slow_tap(tmp_path / "slow.jsonl", told, worker)
    tap, _ = slow_tap(path, told, worker)
    slow.client(LARGE)
    assert redactor.has_begun.wait(60)
    tap.client(b"1\n")
    tap.exit(0, {})
    assert (tap.is_written, slow.is_written) == (True, False)
    tap.finish()
    assert [frame.raw for frame in load(path).frames] == [b"1\n"]
    assert load(path).exit.status == 0
    redactor.go.set()
    slow.finish()
    assert told == []


def test_no_traffic_waits_for_a_long_id_beside_a_small_message(tmp_path):
    path, told = tmp_path / "x.jsonl", []
    tap, redactor = slow_tap(path, told)
    tap.messages(Peer.CLIENT, [b"1"], Via("http", "post", "c", "x" * 5000))
    assert redactor.has_begun.wait(60)
    redactor.go.set()
    tap.finish()
    assert [frame.raw for frame in load(path).frames] == [b"1\n"]
    assert told == []


def test_what_is_late_can_be_left_out(tmp_path):
    path, told = tmp_path / "x.jsonl", []
    tap, redactor = slow_tap(path, told)
    tap.client(b"1\n")
    tap.client(LARGE)
    tap.exit(0, {})
    tap.finish(iter([False, True]).__next__, told.append)
    redactor.go.set()
    assert told == [STILL_REDACTING, END_LEFT_OUT]
    assert [frame.raw for frame in load(path).frames] == [b"1\n"]
    assert load(path).exit is None


def test_what_fails_later_is_told_once_and_nothing_follows_it(tmp_path, monkeypatch):
    path, told = tmp_path / "x.jsonl", []
    tap, redactor = slow_tap(path, told)
    monkeypatch.setattr(redactor.go, "wait", lambda _seconds: 1 / 0)
    tap.client(LARGE)
    tap.client(LARGE)
    tap.exit(0, {})
    tap.finish()
    (line,) = told
    assert line.startswith("recording stopped: a bug in acp-spy")
    assert not load(path).frames


def test_no_message_waits_for_what_is_large(tmp_path, monkeypatch):
    monkeypatch.setattr(tap_module, "_A_MOMENT", 0.01)
    tap, redactor = slow_tap(tmp_path / "x.jsonl", [])
    assert tap.mask("a s3cret") == "a redacted"
    tap.client(LARGE)
    assert redactor.has_begun.wait(60)
    assert tap.mask("a s3cret") == "a masked"
    redactor.go.set()
    tap.exit(0, {})
    tap.finish()


def test_behind_a_line_that_was_cut_by_a_full_disk_nothing_is_put(tmp_path, monkeypatch):
    path, told = tmp_path / "x.jsonl", []
    tap, redactor = slow_tap(path, told)
    has_failed = Event()

    def half(file, line):
        os.write(file._fd, line[:100])
        has_failed.set()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(CaptureFile, "append_lines", half)
        redactor.go.set()
        tap.client(LARGE)
        assert has_failed.wait(60)
        assert tap._backlog.wait(60)
    tap.findings(b'{"type":"finding"}\n')  # there is room again
    tap.check_file()
    assert [line.partition(" cannot")[0] for line in told] == ["recording stopped:"]
    assert path.read_bytes().count(b"\n") == 1  # that of the header
