"""A link that others may have put there is not followed: they would choose the file to replace."""

import os
import subprocess
import sys

import pytest

from acp_spy.capture import files, links, pipes
from acp_spy.capture import write_file as write_file_module
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.links import real_path
from acp_spy.capture.records import Header
from acp_spy.capture.write_file import write_file
from acp_spy.cli import prune as prune_module
from acp_spy.cli.prune import prune
from acp_spy.editors import settings as settings_module
from acp_spy.editors.settings import Settings
from acp_spy.errors import AcpSpyError
from acp_spy.live_replay.verdict import Verdict

OTHERS = "is a link of another user, in a folder that others can write to"


@pytest.fixture
def put_link(tmp_path, monkeypatch):
    """Put a link of another user into a folder, as a function of its mode and where it leads."""
    (tmp_path / "precious").write_text("precious")
    folder = tmp_path / "shared"
    folder.mkdir()

    def put(mode, to):
        link = folder / "link"
        link.symlink_to(to)
        if os.getuid() == 0:
            os.lchown(link, 54321, -1)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        folder.chmod(mode)
        return str(link)

    return put


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
@pytest.mark.parametrize("to", ["../precious", "../missing"])
def test_nothing_is_written_through_a_link_of_another_user(put_link, tmp_path, mode, to):
    link = put_link(mode, to)
    with pytest.raises(AcpSpyError, match=f"cannot write `{link}`: `{link}` {OTHERS}"):
        write_file(link, ["new"])
    assert (tmp_path / "precious").read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == ["precious", "shared"]


def test_neither_is_a_device(put_link):
    """The link leads to a file by the time that it is opened, if its owner is quick."""
    link = put_link(0o1777, os.devnull)
    with pytest.raises(AcpSpyError, match=OTHERS):
        write_file(link, ["new"])
    with pytest.raises(PermissionError, match=OTHERS):
        CaptureFile(link, Header())


def test_neither_through_a_link_to_a_folder(put_link, tmp_path):
    link = put_link(0o1777, "..")
    with pytest.raises(AcpSpyError, match=OTHERS):
        write_file(f"{link}/precious", ["new"])
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
@pytest.mark.parametrize("name", ["new.jsonl", "new/folder/new.jsonl"])
def test_neither_is_recorded_there(put_link, tmp_path, mode, name):
    """Most kernels refuse to follow such a link, but only at the end of a path."""
    link = put_link(mode, "..")
    with pytest.raises(PermissionError, match=OTHERS):
        CaptureFile(f"{link}/{name}", Header())
    assert sorted(os.listdir(tmp_path)) == ["precious", "shared"]


def test_a_link_that_is_put_there_when_the_folder_is_made_is_not_followed_either(
    put_link, tmp_path, monkeypatch
):
    """Another user is faster than we are."""
    make = os.mkdir

    def put_first(path, mode, **where):
        put_link(0o1777, "..")
        make(path, mode, **where)

    monkeypatch.setattr(os, "mkdir", put_first)
    with pytest.raises(NotADirectoryError):
        CaptureFile(str(tmp_path / "shared" / "link" / "new.jsonl"), Header())
    assert sorted(os.listdir(tmp_path)) == ["precious", "shared"]


@pytest.mark.parametrize("option", ["-o", "--dir"])
def test_the_agent_runs_also_if_it_cannot_be_recorded_for_that(put_link, tmp_path, option):
    link = put_link(0o1777, "..")
    if os.getuid():
        pytest.skip("a link of another user needs root")
    command = [sys.executable, "-m", "acp_spy", option, f"{link}/new", "--", "cat"]
    done = subprocess.run(command, input=b"{}\n", capture_output=True, check=True)
    assert done.stdout == b"{}\n"
    assert f"`{link}` {OTHERS}" in done.stderr.decode()
    assert sorted(os.listdir(tmp_path)) == ["precious", "shared"]


def test_a_verdict_is_not_added_to_such_a_file(put_link, tmp_path):
    link = put_link(0o777, "../precious")
    with pytest.raises(AcpSpyError, match=f"cannot write the verdict `{link}`: `{link}` {OTHERS}"):
        Verdict(link, "agent", "run.jsonl")
    assert (tmp_path / "precious").read_text() == "precious"


def test_settings_are_not_changed_there(put_link, tmp_path):
    link = put_link(0o777, "../settings.json")
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(PermissionError, match=OTHERS):
        Settings(link, ("agent_servers",))


def test_where_only_we_can_put_a_link_it_is_followed(put_link, tmp_path):
    if os.getuid() != 0:
        pytest.skip("only root can have a link of another user in a folder of its own")
    write_file(link := put_link(0o755, "../precious"), ["new"])
    assert (tmp_path / "precious").read_text() == "new"
    assert os.path.islink(link)


def test_in_a_folder_of_another_user_it_is_not(put_link, tmp_path):
    link = put_link(0o755, "../precious")
    if os.getuid() == 0:
        os.chown(os.path.dirname(link), 54321, -1)
    with pytest.raises(AcpSpyError, match=OTHERS):
        write_file(link, ["new"])
    assert (tmp_path / "precious").read_text() == "precious"


def test_captures_are_not_removed_through_such_a_link(put_link, tmp_path):
    CaptureFile(str(tmp_path / "run.jsonl"), Header()).close()
    os.utime(tmp_path / "run.jsonl", (0, 0))
    link = put_link(0o1777, "..")
    with pytest.raises(AcpSpyError, match=f"cannot prune `{link}`: `{link}` {OTHERS}"):
        prune(older_than="1d", folder=link)
    assert (tmp_path / "run.jsonl").exists()


def test_a_verdict_is_not_added_to_a_file_that_became_a_link(put_link, tmp_path, monkeypatch):
    """Another user is faster than we are."""
    link = put_link(0o1777, "../precious")
    monkeypatch.setattr(pipes, "real_path", lambda path: path)
    with pytest.raises(AcpSpyError, match="cannot write the verdict"):
        Verdict(link, "agent", "run.jsonl")
    assert (tmp_path / "precious").read_text() == "precious"


def test_nor_to_a_pipe_or_a_file_that_another_user_may_have_put_there(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    tmp_path.chmod(0o1777)
    with pytest.raises(AcpSpyError, match="it is a pipe in a folder that others can write to"):
        Verdict(str(tmp_path / "pipe"), "agent", "run.jsonl")
    if os.getuid() != 0:
        return  # a file of another user needs another user
    (tmp_path / "theirs").touch()
    os.chown(tmp_path / "theirs", 54321, -1)
    with pytest.raises(AcpSpyError, match="another user has put it there"):
        Verdict(str(tmp_path / "theirs"), "agent", "run.jsonl")


def test_a_verdict_goes_to_a_pipe_that_was_given_to_us():
    reader, writer = os.pipe()
    with Verdict(f"/dev/fd/{writer}", "agent", "run.jsonl"):
        assert b'"start"' in os.read(reader, 1000)
    os.close(reader)
    os.close(writer)


def test_ones_own_link_is_followed_anywhere(tmp_path):
    tmp_path.chmod(0o1777)
    (tmp_path / "link").symlink_to("file")
    write_file(str(tmp_path / "link"), ["new"])
    assert (tmp_path / "file").read_text() == "new"
    assert os.path.islink(tmp_path / "link")


def test_a_path_leads_where_the_system_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "to-b").symlink_to("a/b")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    for path in ("x", "./a/../x", "to-b/../x", "a/up/to-b/x", "/", "/x", "to-b/", "a/up/a/up/n/m"):
        assert real_path(path) == os.path.realpath(path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        real_path("loop")


def test_a_folder_that_we_are_in_and_that_is_gone_matters_only_to_relative_paths(
    tmp_path, monkeypatch
):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert real_path(str(tmp_path / "new")) == str(tmp_path / "new")
    with pytest.raises(FileNotFoundError):
        real_path("new")


@pytest.fixture
def exchange(tmp_path, monkeypatch):
    """Exchange a folder for a link to another, each time that its real path has been found."""
    folder, other = tmp_path / "shared", tmp_path / "own"
    for each in (folder, other):
        each.mkdir()
        (each / "old.jsonl").write_text('{"type":"header","format":1}\n')
    found = links.real_path

    def find(path):
        real = found(path)
        if os.path.lexists(folder) and not folder.is_symlink():
            folder.rename(tmp_path / "moved")
            folder.symlink_to("own")
        return real

    for module in (files, pipes, prune_module, settings_module, write_file_module):
        monkeypatch.setattr(module, "real_path", find)
    return folder


@pytest.mark.parametrize(
    ("write", "error"),
    [
        (lambda path: write_file(path, ["new"]), AcpSpyError),
        (lambda path: write_file(path, ["new"], beside=True), AcpSpyError),
        (lambda path: Verdict(path, "agent", "run.jsonl"), AcpSpyError),
        (lambda path: CaptureFile(path, Header()), OSError),
        (lambda path: CaptureFile(f"{os.path.dirname(path)}/new/run.jsonl", Header()), OSError),
        (lambda path: prune(keep=0, folder=os.path.dirname(path)), AcpSpyError),
        (lambda path: Settings(path, ("agents",)).put("new", {}), OSError),
    ],
)
def test_a_folder_that_becomes_a_link_is_not_written_to(exchange, tmp_path, write, error):
    """Its owner is faster than we are."""
    own = tmp_path / "own" / "old.jsonl"
    before = own.read_bytes()
    with pytest.raises(error, match=r"Not a directory|symbolic links"):
        write(str(exchange / "old.jsonl"))
    assert exchange.is_symlink()
    assert os.listdir(tmp_path / "own") == ["old.jsonl"]
    assert own.read_bytes() == before
