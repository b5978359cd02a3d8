"""A pipe that others may have put there is not written to: they would read what is recorded."""

import os

import pytest
from support.in_process import acp_spy

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.links import open_above
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
    """Somebody puts the pipe there between the two, and takes it away again."""
    other = tmp_path / "other"
    other.symlink_to(os.devnull)
    null = os.stat(os.devnull)
    descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    for path in (pipe, str(tmp_path / "missing")):
        with open_above(path) as place:
            refuse_others_pipe(place, null)
            with pytest.raises(PermissionError, match="it is a pipe of another user"):
                refuse_others_pipe(place, os.fstat(descriptor))
    os.close(descriptor)


def test_a_file_that_has_come_in_the_place_of_a_device_is_not_written_to(tmp_path):
    (tmp_path / "file").write_text("precious")
    reason = "it was replaced by a file at the same time"
    with (
        open_above(str(tmp_path / "file")) as place,
        pytest.raises(PermissionError, match=reason),
    ):
        open_special(place, os.O_WRONLY)
    assert (tmp_path / "file").read_text() == "precious"


def test_ones_own_pipe_and_one_without_a_name_are_written_to(pipe, tmp_path, monkeypatch):
    write_file(pipe, ["x"])
    reader, writer = os.pipe()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)  # as by sudo
    write_file(f"/dev/fd/{writer}", ["y"])
    assert os.read(reader, 9) == b"y"
    os.close(reader)
    os.close(writer)


def test_a_pipe_of_another_user_that_is_there_for_a_moment_is_refused(tmp_path, monkeypatch):
    """It has no name when it is asked where it is."""
    if os.getuid() != 0:
        pytest.skip("a pipe of another user needs root")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    os.chown(pipe, 54321, -1)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    with pytest.raises(AcpSpyError, match="it is a pipe of another user"):
        write_file(str(pipe), ["secret"])
    os.close(reader)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("/dev/fd/{}", {}),
        ("/dev/fd/{}", {"replace": False}),
        ("/dev/fd/{}", {"beside": True}),
        ("link", {}),
    ],
)
def test_a_file_that_is_open_already_is_written_to_where_it_is(tmp_path, name, how):
    path = tmp_path / "file"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(descriptor, b"before ")
    (tmp_path / "link").symlink_to(f"/dev/fd/{descriptor}")
    given = str(tmp_path / name) if name == "link" else name.format(descriptor)
    assert write_file(given, ["new"], **how) == given
    os.write(descriptor, b" after")
    os.close(descriptor)
    assert path.read_bytes() == b"before new after"
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]


def test_a_folder_is_checked_for_secrets_without_waiting_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.txt").write_text("nothing")
    assert acp_spy("redact", "--check", tmp_path) == ("", "1 file checked, no secrets found\n", 0)
