import os

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.folder import captures, look_at
from acp_spy.capture.pruning import may_go, remove, seconds_of
from acp_spy.capture.records import Header
from acp_spy.errors import AcpSpyError


@pytest.fixture
def five(tmp_path):
    """Return five captures, begun and last written a day after each other, the newest first."""
    for day in range(1, 6):
        path = tmp_path / f"{day}.jsonl"
        path.write_bytes(encode([Header(started=f"2026-01-0{day}T00:00:00Z")]))
        os.utime(path, (0, day * 86400))
    return captures(str(tmp_path))


def names(entries):
    return [entry.name.removesuffix(".jsonl") for entry in entries]


@pytest.mark.parametrize(
    ("keep", "day", "gone"),
    [
        (0, None, ["5", "4", "3", "2", "1"]),
        (2, None, ["3", "2", "1"]),
        (9, None, []),
        (None, 3, ["2", "1"]),
        (None, 9, ["5", "4", "3", "2", "1"]),
        (1, 3, ["2", "1"]),
        (4, 3, ["1"]),
        (0, 3, ["2", "1"]),
    ],
)
def test_what_nobody_wants_to_keep_may_go(five, keep, day, gone):
    since = None if day is None else day * 86400
    assert names(may_go(five, keep=keep, unwritten_since=since)) == gone


def test_a_capture_is_removed(five):
    assert remove(five[0])
    assert not os.path.exists(five[0].path)


def test_one_that_another_prune_has_removed_is_no_error(five, monkeypatch):
    monkeypatch.setattr(os, "unlink", gone)
    assert not remove(five[0])


def gone(*_, **__):
    raise FileNotFoundError


def test_one_that_is_running_is_not(tmp_path):
    file = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    assert not remove(look_at(file.path))
    assert os.path.exists(file.path)
    os.close(file._fd)


def test_what_has_become_something_else_is_not(five):
    for entry, text in ((five[0], "notes\n"), (five[1], "")):
        with open(entry.path, "w") as file:
            file.write(text)
        assert not remove(entry)
        assert os.path.exists(entry.path)
    os.rename(five[2].path, f"{five[2].path}.kept")
    os.symlink(f"{five[2].path}.kept", five[2].path)
    assert not remove(five[2])
    assert os.path.exists(five[2].path)


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("30d", 2_592_000),
        ("12h", 43_200),
        ("45m", 2_700),
        ("10s", 10),
        ("1d 12h", 129_600),
        (" 1d12h30m ", 131_400),
        ("1.5h", 5_400),
        ("0s", 0),
    ],
)
def test_a_span_of_time_is_understood(words, seconds):
    assert seconds_of(words) == seconds


@pytest.mark.parametrize(
    "words", ["", "30", "d", "30 days", "-3d", "1d,2h", "1w", "30dd", "1e3s", "1" * 99_999]
)
def test_what_is_no_span_of_time_is_refused(words):
    with pytest.raises(AcpSpyError, match="is not a duration"):
        seconds_of(words)
