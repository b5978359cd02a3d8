"""A link that others may have put there is not followed: they would choose the file to replace."""

import errno
import os
import stat
import subprocess
import sys
from contextlib import suppress

import pytest

from acp_spy.capture import links
from acp_spy.capture.files import CaptureFile, Follower, load, make_folder
from acp_spy.capture.folder import captures, files_in, look_at
from acp_spy.capture.links import open_above, open_folder
from acp_spy.capture.opening import FoundPath, status_of
from acp_spy.capture.records import Header
from acp_spy.capture.scan import read_end
from acp_spy.capture.write_file import write_file
from acp_spy.cli.prune import prune
from acp_spy.editors.settings import Settings
from acp_spy.errors import AcpSpyError
from acp_spy.live_page.capture_list import CaptureList
from acp_spy.live_page.find import find
from acp_spy.live_replay.verdict import Verdict
from acp_spy.mcp_server.captures import Captures

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


# What reads the captures in a folder: each is given the folder.
READERS = {
    "list": captures,
    "check": files_in,
    "mcp": lambda folder: Captures(folder).entries(),
    "mcp, the newest": lambda folder: Captures(folder).find(""),
}


@pytest.mark.parametrize("reader", READERS)
def test_captures_are_not_read_through_such_a_link(put_link, tmp_path, reader):
    CaptureFile(str(tmp_path / "run.jsonl"), Header()).close()
    link = put_link(0o1777, "..")
    with pytest.raises(AcpSpyError, match=f"cannot read the folder `{link}`: `{link}` {OTHERS}"):
        READERS[reader](link)


def test_captures_are_not_served_through_such_a_link(put_link, tmp_path):
    CaptureFile(str(tmp_path / "run.jsonl"), Header()).close()
    link = put_link(0o1777, "..")
    (line,) = CaptureList(link).take()
    assert f"cannot read the folder `{link}`: `{link}` {OTHERS}" in line
    assert find(link, "", "run.jsonl") is None
    with pytest.raises(AcpSpyError, match="No such file or directory"):
        Captures(link).find("run")


@pytest.mark.parametrize("reader", READERS)
def test_captures_are_read_through_a_link_of_their_reader(tmp_path, reader):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "link").symlink_to("..")
    CaptureFile(str(tmp_path / "run.jsonl"), Header()).close()
    assert READERS[reader](str(tmp_path / "shared" / "link"))


def test_a_capture_is_not_read_if_its_folder_became_a_link_after_it_was_found(put_link, tmp_path):
    CaptureFile(str(tmp_path / "run.jsonl"), Header()).close()
    found = FoundPath(f"{put_link(0o1777, '..')}/run.jsonl")
    assert look_at(found) is None
    for open_it in (load, read_end, status_of, Follower):
        with pytest.raises((AcpSpyError, OSError), match=OTHERS):
            open_it(found)


def test_a_verdict_is_not_added_to_a_file_that_became_a_link(put_link, tmp_path, monkeypatch):
    """Another user is faster than we are."""
    path = str(tmp_path / "shared" / "link")
    found = links.Place.status

    def put_then(place):
        status = found(place)
        put_link(0o1777, "../precious")
        return status

    monkeypatch.setattr(links.Place, "status", put_then)
    with pytest.raises(AcpSpyError, match="cannot write the verdict"):
        Verdict(path, "agent", "run.jsonl")
    assert (tmp_path / "precious").read_text() == "precious"


def test_nor_to_a_pipe_or_a_file_that_another_user_may_have_put_there(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    tmp_path.chmod(0o1777)
    with pytest.raises(AcpSpyError, match="it is a pipe in a folder that others can write to"):
        Verdict(str(tmp_path / "pipe"), "agent", "run.jsonl")
    (tmp_path / "precious").touch()
    (tmp_path / "name").hardlink_to(tmp_path / "precious")
    with pytest.raises(AcpSpyError, match="another user may have put it there"):
        Verdict(str(tmp_path / "name"), "agent", "run.jsonl")
    if os.getuid() != 0:
        return  # a file of another user needs another user
    (tmp_path / "theirs").touch()
    os.chown(tmp_path / "theirs", 54321, -1)
    with pytest.raises(AcpSpyError, match="another user may have put it there"):
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


@pytest.mark.parametrize("how", ["O_PATH", "without"])
def test_a_path_leads_where_the_system_says(tmp_path, monkeypatch, how):
    if how == "without":  # macOS
        monkeypatch.setattr(links, "_PATH", 0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "to-b").symlink_to("a/b")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "to-x").symlink_to("to-b/x")
    for path in ("x", "./a/../x", "to-b/../x", "a/up/to-b/x", "/x", "to-b", "to-x", "a/up/to-x"):
        with open_above(path) as place:
            assert place.path == os.path.realpath(path)
            assert os.path.samestat(os.fstat(place.folder), os.stat(os.path.dirname(place.path)))
    for path in ("", "/", "..", "to-b/..", "a/up/a/up"):
        with open_folder(path) as place:
            assert place.path == os.path.realpath(path)
            assert os.path.samestat(os.fstat(place.folder), os.stat(place.path))
    (tmp_path / "loop").symlink_to("loop")
    for wrong, open_it, reason in (
        ("loop", open_above, "symbolic links"),
        ("n/m", open_above, "No such file"),
        ("to-b/..", open_above, "Is a directory"),
        ("to-b/", open_above, "Is a directory"),
        ("x/", open_above, "Is a directory"),
        ("x", open_folder, "No such file"),
    ):
        with pytest.raises(OSError, match=reason), open_it(wrong):
            pass


def test_a_folder_that_we_are_in_and_that_is_gone_matters_only_to_relative_paths(
    tmp_path, monkeypatch
):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert write_file(str(tmp_path / "new"), ["new"]) == str(tmp_path / "new")
    with pytest.raises(AcpSpyError, match="cannot write `new`: No such file"):
        write_file("new", ["new"])


@pytest.fixture
def as_somebody():
    """Do something as a user who is not root, as a function of what to do."""
    if os.getuid() != 0:
        pytest.skip("another user needs root")

    def do(what):
        os.seteuid(54321)
        try:
            return what()
        finally:
            os.seteuid(0)

    return do


def test_the_folders_above_the_one_that_we_are_in_need_not_be_ours(
    as_somebody, tmp_path, monkeypatch
):
    """As with `sudo -u`, or as the user of a container."""
    (tmp_path / "here").mkdir()
    os.chown(tmp_path / "here", 54321, -1)
    tmp_path.chmod(0o700)
    monkeypatch.chdir(tmp_path / "here")
    as_somebody(lambda: CaptureFile("run.jsonl", Header()).close())
    as_somebody(lambda: CaptureFile("./new/run.jsonl", Header()).close())
    as_somebody(lambda: write_file("a.txt", ["a"]))
    as_somebody(lambda: write_file("new/../b.txt", ["b"], beside=True))
    as_somebody(lambda: prune(keep=1, folder="new"))
    assert sorted(os.listdir()) == ["a.txt", "b.txt", "new", "run.jsonl"]
    with pytest.raises(AcpSpyError, match="Permission denied"):
        as_somebody(lambda: write_file(str(tmp_path / "here" / "c.txt"), ["c"]))


def test_a_folder_that_can_be_searched_but_not_read_is_walked_through(
    as_somebody, tmp_path, monkeypatch
):
    here = tmp_path / "searched" / "here"
    here.mkdir(parents=True)
    os.chown(here, 54321, -1)
    for each in (tmp_path, here.parent):
        each.chmod(0o711)
    monkeypatch.chdir(tmp_path)
    as_somebody(lambda: write_file("searched/here/../here/a.txt", ["a"]))
    assert (here / "a.txt").read_text() == "a"


def test_what_a_broken_link_leads_to_is_not_made(tmp_path):
    """It may be on a disk that is not there."""
    (tmp_path / "link").symlink_to("missing/folder")
    with pytest.raises(FileNotFoundError):
        make_folder(str(tmp_path / "link" / "new"))
    (tmp_path / "missing" / "folder").mkdir(parents=True)
    make_folder(str(tmp_path / "link" / "new"))
    assert (tmp_path / "missing" / "folder" / "new").is_dir()


def test_a_new_folder_can_be_entered_whatever_the_umask_is(tmp_path):
    before = os.umask(0o777)
    try:
        make_folder(str(tmp_path / "a" / "b"))
    finally:
        assert os.umask(before) == 0o777
    for each in ("a", "a/b"):
        assert stat.S_IMODE((tmp_path / each).stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "write",
    [
        lambda path: CaptureFile(path, Header()).close(),
        lambda path: write_file(path, ["new"]),
        lambda path: write_file(path, ["new"], beside=True),
        lambda path: Verdict(path, "agent", "run.jsonl"),
    ],
)
def test_a_new_file_can_be_read_and_written_by_its_owner_whatever_the_umask_is(tmp_path, write):
    before = os.umask(0o777)
    try:
        write(str(tmp_path / "new"))
    finally:
        assert os.umask(before) == 0o777
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "write",
    [
        lambda path: write_file(path, ["new"]),
        lambda path: write_file(path, ["new"], beside=True),
        lambda path: write_file(path, ["new"], replace=False),
        lambda path: Verdict(path, "agent", "run.jsonl"),
    ],
)
def test_a_path_that_ends_with_a_slash_is_no_file(tmp_path, write):
    with pytest.raises(AcpSpyError, match=r"cannot write .*new/`: Is a directory"):
        write(str(tmp_path / "new") + "/")
    assert os.listdir(tmp_path) == []


@pytest.fixture
def once(monkeypatch):
    """Call something once, before or after a function of `os` that was asked about something."""

    def hook(name, act, *, when=lambda *_: True, after=False):
        real, acted = getattr(os, name), []

        def call(*given, **options):
            if acted or not when(*given):
                return real(*given, **options)
            acted.append(True)
            if not after:
                act()
                return real(*given, **options)
            result = real(*given, **options)
            act()
            return result

        # `os` itself asks which functions take which arguments.
        for known in (os.supports_dir_fd, os.supports_follow_symlinks, os.supports_fd):
            if real in known:
                known.add(call)
        monkeypatch.setattr(os, name, call)
        return acted

    return hook


@pytest.mark.parametrize("how", ["O_PATH", "without"])
def test_a_link_of_ours_that_is_exchanged_for_one_of_another_user_is_not_mistaken_for_it(
    put_link, tmp_path, monkeypatch, once, how
):
    """The owner is asked of one link, and another one is read."""
    if os.getuid() != 0:
        pytest.skip("a link of another user needs root")
    if how == "without":  # macOS
        monkeypatch.setattr(links, "_PATH", 0)
    theirs = put_link(0o777, "../precious")
    ours = tmp_path / "shared" / "ours"
    ours.symlink_to("../own")
    # At the last moment, and not when `os.path` reads it.
    exchanged = once(
        "readlink",
        lambda: os.replace(theirs, ours),
        when=lambda *_: sys._getframe(2).f_globals["__name__"] == links.__name__,
    )
    with suppress(AcpSpyError):
        write_file(str(ours), ["new"])
    assert exchanged
    assert (tmp_path / "precious").read_text() == "precious"
    assert sorted(set(os.listdir(tmp_path)) - {"own"}) == ["precious", "shared"]


@pytest.fixture
def exchange(tmp_path, once):
    """Exchange a folder for a link to another, once it is open, or was looked at."""
    folder, other = tmp_path / "shared", tmp_path / "own"
    for each in (folder, other):
        each.mkdir()
        (each / "old.jsonl").write_text('{"type":"header","format":1}\n')

    def exchange():
        folder.rename(tmp_path / "moved")
        folder.symlink_to("own")
        if os.getuid() == 0:
            tmp_path.chmod(0o777)
            os.lchown(folder, 54321, -1)

    return lambda: once("open", exchange, when=lambda path, *_: path == "shared", after=True)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: write_file(path, ["new"]),
        lambda path: write_file(path, ["new"], beside=True),
        lambda path: Verdict(path, "agent", "run.jsonl"),
        lambda path: CaptureFile(path, Header()),
        lambda path: CaptureFile(f"{os.path.dirname(path)}/new/run.jsonl", Header()),
        lambda path: prune(keep=0, folder=os.path.dirname(path)),
    ],
)
def test_a_folder_that_becomes_a_link_is_not_written_to(exchange, tmp_path, write):
    """Its owner is faster than we are: all is done in the folder that was looked at."""
    own = tmp_path / "own" / "old.jsonl"
    before = own.read_bytes()
    exchanged = exchange()
    write(str(tmp_path / "shared" / "old.jsonl"))
    assert exchanged
    assert os.listdir(tmp_path / "own") == ["old.jsonl"]
    assert own.read_bytes() == before
    moved = tmp_path / "moved" / "old.jsonl"
    assert os.listdir(moved.parent) != ["old.jsonl"] or moved.read_bytes() != before


def test_settings_in_such_a_folder_are_not_changed(exchange, tmp_path):
    for name in ("own", "shared"):
        os.makedirs(tmp_path / name, exist_ok=True)
        (tmp_path / name / "old.json").write_text("{}")
    if os.getuid() != 0:
        pytest.skip("a link of another user needs root")
    exchanged = exchange()
    with pytest.raises(PermissionError, match=OTHERS):
        Settings(str(tmp_path / "shared" / "old.json"), ("agents",)).put("new", {})
    assert exchanged
    assert (tmp_path / "own" / "old.json").read_text() == "{}"


def test_a_capture_that_cannot_be_begun_is_removed_where_it_was_made(
    exchange, tmp_path, monkeypatch
):
    """The disk is full, and the path leads to a file of ours by then."""
    (tmp_path / "own" / "run.jsonl").write_text("precious")

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", fail)
    exchanged = exchange()
    with pytest.raises(OSError, match="No space left"):
        CaptureFile(str(tmp_path / "shared" / "run.jsonl"), Header())
    assert exchanged
    assert (tmp_path / "own" / "run.jsonl").read_text() == "precious"
    assert os.listdir(tmp_path / "moved") == ["old.jsonl"]


def test_settings_that_become_a_link_are_not_read(tmp_path, once):
    """They would be copied to where others can read them."""
    (tmp_path / "private").write_text('{"key": "secret"}')
    settings = tmp_path / "settings.json"
    settings.write_text("{}")
    (tmp_path / "link").symlink_to("private")
    exchanged = once(
        "open",
        lambda: os.replace(tmp_path / "link", settings),
        when=lambda path, flags, *_: (
            os.path.basename(path) == settings.name and not flags & os.O_PATH
        ),
    )
    with pytest.raises(OSError, match="symbolic links"):
        Settings(str(settings), ("agents",))
    assert exchanged


def test_a_copy_of_settings_has_the_mode_of_the_file_that_was_read(tmp_path, once):
    """And not that of one that others can read and that takes its place."""
    settings, other = tmp_path / "settings.json", tmp_path / "other"
    for each, mode in ((settings, 0o600), (other, 0o666)):
        each.write_text("{}")
        each.chmod(mode)
    exchanged = once("access", lambda: os.replace(other, settings))
    change = Settings(str(settings), ("agents",)).put("new", {})
    assert exchanged
    assert stat.S_IMODE(os.stat(change.backup).st_mode) == 0o600


def test_a_link_that_is_exchanged_while_the_error_is_made_is_no_other_error(tmp_path, monkeypatch):
    def fail(path, **_):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)

    monkeypatch.setattr(os.path, "realpath", fail)
    with pytest.raises(AcpSpyError, match="No such file"):
        write_file(str(tmp_path / "missing" / "a.txt"), ["new"])
