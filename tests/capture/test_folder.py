import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.folder import captures, look_at, newest
from acp_spy.capture.records import Header
from acp_spy.errors import AcpSpyError

FIXTURES = Path(__file__).parents[2] / "fixtures"


def put(folder, name, started="2026-01-05T09:30:00Z", **more):
    path = folder / name
    path.write_bytes(encode([Header(started=started, **more)]))
    return path


def names(folder):
    return [entry.name for entry in captures(str(folder))]


def test_the_newest_comes_first_whatever_it_is_called(tmp_path):
    put(tmp_path, "b.jsonl", "2026-01-05T09:30:00Z")
    put(tmp_path, "c.jsonl", "2026-01-05T11:30:00+02:00")  # the same moment; then by name
    put(tmp_path, "a", "2026-01-05T09:30:00.000001Z")
    put(tmp_path, "z.jsonl", "2025-12-31T23:59:59Z")
    assert names(tmp_path) == ["a", "c.jsonl", "b.jsonl", "z.jsonl"]
    assert newest(str(tmp_path)).path == str(tmp_path / "a")


@pytest.mark.parametrize("started", ["", "yesterday", "2026-13-01", "0001-01-01T00:00:00+14:00"])
def test_without_a_time_in_the_header_the_last_write_counts(tmp_path, started):
    path = put(tmp_path, "run.jsonl", started)
    os.utime(path, (0, 86400))
    (entry,) = captures(str(tmp_path))
    assert entry.started == datetime(1970, 1, 2, tzinfo=UTC)


def test_an_entry_tells_what_the_first_line_and_the_folder_tell(tmp_path):
    path = put(tmp_path, "run.jsonl", command=("agent", "--acp"))
    os.utime(path, (5, 7))
    entry = look_at(str(path))
    assert (entry.name, entry.header.command) == ("run.jsonl", ("agent", "--acp"))
    assert (entry.size, entry.written, entry.running) == (path.stat().st_size, 7, False)


def test_what_is_no_capture_is_passed_over(tmp_path):
    put(tmp_path, "run.jsonl")
    put(tmp_path, "of-the-future.jsonl", format=2)
    (tmp_path / "folder").mkdir()
    put(tmp_path / "folder", "inner.jsonl")
    (tmp_path / "link.jsonl").symlink_to(put(tmp_path / "folder", "linked.jsonl"))
    (tmp_path / "dangling.jsonl").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "torn.jsonl").write_bytes(b'{"type":"header","format":1,"to')
    (tmp_path / "notes.txt").write_text("dear diary\n")
    (tmp_path / "binary").write_bytes(b"\xff\x00" * 9000)
    (tmp_path / "long.json").write_bytes(b"{" * 9000)
    (tmp_path / "other.jsonl").write_text('{"format":1}\n{"type":"header","format":1}\n')
    (tmp_path / "wrong.jsonl").write_text('{"type":"header","format":1,"command":"agent"}\n')
    assert names(tmp_path) == ["run.jsonl"]


def test_a_very_long_command_line_is_no_obstacle(tmp_path):
    put(tmp_path, "run.jsonl", command=("agent", "x" * 2_000_000))
    assert names(tmp_path) == ["run.jsonl"]


def test_another_order_of_the_fields_is_no_obstacle(tmp_path):
    (tmp_path / "run.jsonl").write_text('{ "format": 1, "more": {}, "type": "header" }\n')
    assert names(tmp_path) == ["run.jsonl"]


def test_one_that_is_being_written_is_running(tmp_path):
    put(tmp_path, "old.jsonl", "2020-01-01T00:00:00Z")
    file = CaptureFile(str(tmp_path / "new.jsonl"), Header(started="2026-01-01T00:00:00Z"))
    assert [entry.running for entry in captures(str(tmp_path))] == [True, False]
    os.close(file._fd)
    assert [entry.running for entry in captures(str(tmp_path))] == [False, False]


def test_a_folder_that_does_not_exist_is_empty(tmp_path):
    assert captures(str(tmp_path / "nowhere")) == []


def test_no_capture_is_an_error_with_a_way_out(tmp_path):
    with pytest.raises(AcpSpyError, match="there are no captures in") as error:
        newest(str(tmp_path))
    assert error.value.hint == "record one with `acp-spy -- COMMAND` or `acp-spy demo`, or name one"


def test_a_folder_that_is_a_file_is_an_error(tmp_path):
    with pytest.raises(AcpSpyError, match=r"cannot read the folder `.*`: Not a directory"):
        captures(str(put(tmp_path, "run.jsonl")))


def test_the_fixtures_are_captures():
    assert "example.jsonl" in names(FIXTURES)
    assert "format-from-the-future.jsonl" not in names(FIXTURES)
