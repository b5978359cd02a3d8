"""A pipe that others may have put there is not written to: they would read what is recorded."""

import os

import pytest
from support.in_process import acp_spy

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.pipes import open_special, refuse_others_pipe
from acp_spy.capture.records import Header
from acp_spy.capture.write_file import write_file
from acp_spy.errors import AcpSpyError

EVERYBODYS = "it is a pipe in a folder that others can write to"


@pytest.fixture
def pipe(tmp_path):
    """Give a pipe that somebody reads."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield str(path)
    os.close(reader)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o720])
def test_a_pipe_in_a_folder_of_others_is_refused(pipe, tmp_path, mode):
    tmp_path.chmod(mode)
    with pytest.raises(PermissionError, match=EVERYBODYS):
        CaptureFile(pipe, Header())
    with pytest.raises(AcpSpyError, match=f"cannot write `{pipe}`: {EVERYBODYS}") as error:
        write_file(pipe, ["secret"])
    assert error.value.hint == "use a file, or a pipe in a folder that only you can write to"
    link = tmp_path / "link"
    link.symlink_to(pipe)
    with pytest.raises(PermissionError, match=EVERYBODYS):
        CaptureFile(str(link), Header())


def test_a_pipe_of_another_user_is_refused(pipe, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    for write in (lambda: CaptureFile(pipe, Header()), lambda: write_file(pipe, ["secret"])):
        with pytest.raises((PermissionError, AcpSpyError), match="it is a pipe of another user"):
            write()


def test_what_is_open_counts_and_not_what_was_there_before(pipe, tmp_path, monkeypatch):
    """Somebody replaces the pipe between the two."""
    other = tmp_path / "other"
    other.touch()
    descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    refuse_others_pipe(str(other))
    with pytest.raises(PermissionError):
        refuse_others_pipe(str(other), descriptor)
    os.close(descriptor)


def test_a_file_that_has_come_in_the_place_of_a_device_is_not_written_to(tmp_path):
    (tmp_path / "file").write_text("precious")
    with pytest.raises(PermissionError, match="it was replaced by a file at the same time"):
        open_special(str(tmp_path / "file"), os.O_WRONLY)
    assert (tmp_path / "file").read_text() == "precious"


def test_ones_own_pipe_and_one_without_a_name_are_written_to(pipe, tmp_path, monkeypatch):
    write_file(pipe, ["x"])
    reader, writer = os.pipe()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)  # as by sudo
    write_file(f"/dev/fd/{writer}", ["y"])
    assert os.read(reader, 9) == b"y"
    os.close(reader)
    os.close(writer)


def test_a_folder_is_checked_for_secrets_without_waiting_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.txt").write_text("nothing")
    assert acp_spy("redact", "--check", tmp_path) == ("", "1 file checked, no secrets found\n", 0)
