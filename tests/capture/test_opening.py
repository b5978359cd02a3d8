"""A file that was found in a folder, and exchanged by others before it is opened."""

import os
import socket
import sys
from contextlib import closing

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.files import Follower, is_capture, read
from acp_spy.capture.folder import captures, files_in, is_running
from acp_spy.capture.locate import find_capture
from acp_spy.capture.opening import FoundPath
from acp_spy.capture.records import Header
from acp_spy.capture.scan import frames_in_lines
from acp_spy.console import export
from acp_spy.console.document import Document
from acp_spy.console.reading import Show, Work
from acp_spy.console.shelf import Shelf
from acp_spy.errors import AcpSpyError
from acp_spy.live_page.find import find
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.wire.frame import Frame, Peer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")

TALK = [Header(), Frame(1, 0.0, Peer.CLIENT, b'{"jsonrpc":"2.0","method":"initialize"}\n')]


@pytest.fixture
def private(tmp_path):
    """Give a capture outside of the folder."""
    path = tmp_path / "private.jsonl"
    path.write_bytes(encode(TALK))
    return str(path)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give the capture folder, with one capture."""
    folder = tmp_path / "captures"
    folder.mkdir()
    (folder / "run.jsonl").write_bytes(encode(TALK))
    monkeypatch.setenv("ACP_SPY_DIR", str(folder))
    return str(folder)


def put_link(path, private):
    os.symlink(private, path)


def put_pipe(path, private):
    os.mkfifo(path)


def put_folder(path, private):
    os.mkdir(path)


def put_socket(path, private):
    os.chdir(os.path.dirname(path))  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.basename(path))


@pytest.mark.parametrize("put", [put_link, put_pipe, put_folder, put_socket])
def test_what_takes_the_place_of_a_found_file_is_not_read(folder, private, put, monkeypatch):
    monkeypatch.chdir(folder)  # which `put` may leave
    (entry,) = captures(folder)
    newest = find_capture()
    shown = find(folder, "", "run.jsonl")
    os.unlink(newest)
    put(newest, private)
    for path in (entry.path, newest, shown):
        for look in (
            is_capture,
            Follower,
            lambda path: list(read(path)),
            lambda path: LiveCapture(path, Choices()),
        ):
            with pytest.raises(AcpSpyError, match=r"^cannot read .*: it is not a regular file"):
                look(path)
        with pytest.raises(OSError, match="it is not a regular file"):
            list(frames_in_lines(path, [1]))
        assert not is_running(path)


def test_a_found_file_that_has_gone_cannot_be_read(folder):
    path = find_capture()
    os.unlink(path)
    for look in (is_capture, Follower, lambda path: LiveCapture(path, Choices())):
        with pytest.raises(AcpSpyError, match=r"^cannot read .*: No such file or directory"):
            look(path)


def test_a_link_that_the_user_names_is_followed(folder, private, monkeypatch):
    put_link(os.path.join(folder, "link.jsonl"), private)
    monkeypatch.chdir(folder)
    for named in ("link.jsonl", "link", os.path.join(folder, "link.jsonl")):
        path = find_capture(named)
        assert is_capture(path)
        assert list(read(path)) == TALK
        assert [frame for _, frame in frames_in_lines(path, [1])] == TALK[1:]


def test_a_capture_that_is_removed_while_it_is_looked_for_is_a_file_that_is_missing(
    folder, monkeypatch
):
    real = files_in

    def found_and_removed(folder):
        """Say what is so no more when it is heard."""
        found = real(folder)
        for path in found:
            os.unlink(path)
        return found

    monkeypatch.setattr("acp_spy.capture.folder.files_in", found_and_removed)
    path = find_capture("run")
    with pytest.raises(AcpSpyError, match=r"^cannot read .*: No such file or directory"):
        list(read(path))


@pytest.mark.parametrize("put", [put_link, put_pipe, put_folder])
def test_a_name_is_completed_to_a_file_of_the_folder_only(folder, private, put):
    put(os.path.join(folder, "1999.jsonl"), private)
    for named in ("1999", "199"):
        assert find_capture(named) == named  # which is then said to be missing


@pytest.mark.parametrize("put", [put_link, put_pipe])
def test_the_console_neither_follows_nor_waits(folder, private, put, tmp_path):
    path = find_capture()
    os.unlink(path)
    put(path, private)
    with closing(Shelf.create()) as shelf:
        with pytest.raises(OSError, match="it is not a regular file"):
            Document(path, shelf)
        (failed,) = Work(shelf).obey(Show(1, os.fsencode(path)))
    assert "it is not a regular file" in failed.message
    with pytest.raises(AcpSpyError, match="it is not a regular file"):
        export.write(path, str(tmp_path / "out.md"), ())
    assert not (tmp_path / "out.md").exists()


def test_a_found_file_that_has_gone_is_not_completed_to_another(folder, private):
    put_link(os.path.join(folder, "b.jsonl"), private)
    gone = FoundPath(os.path.join(folder, "b"))
    assert find_capture(gone, may_be_empty=True) is gone
