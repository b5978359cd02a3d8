"""The settings file: changed whole or not at all, and given back as it was."""

import errno
import json
import os
import socket
import stat
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from acp_spy.editors.edit import CannotEdit
from acp_spy.editors.settings import Settings

KEYS = ("agent_servers",)
ENTRY = {"command": "/bin/acp-spy", "args": ["--", "agent"]}
SHAPES = {
    "empty": b"",
    "blank": b" \n",
    "an empty object": b"{}",
    "an empty object with a blank": b"{ }\n",
    "an empty object over two lines": b"{\n}\n",
    "no agents in it": b'{"agent_servers": {  }}',
    "a comment alone": b"{ /* nothing */ }",
    "comments": b'// a\n{\n  "a": 1, // b\n  /* c */\n}\n',
    "crlf": b'{\r\n\t"a": 1\r\n}\r\n',
    "a byte order mark": b'\xef\xbb\xbf{\n  "a": 1\n}\n',
    "a byte order mark and nothing": b"\xef\xbb\xbf",
    "letters": '{\n  "schrift": "Übergröße \U0001f600"\n}'.encode(),
    "no end of line": b'{"a": 1}',
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "settings.json"


@pytest.mark.parametrize("content", SHAPES.values(), ids=SHAPES.keys())
def test_put_then_take_gives_back_every_byte(path, content):
    path.write_bytes(content)
    put = Settings(path, KEYS).put("spy", ENTRY)
    assert (put.what, put.backup) == ("changed", f"{path}.before-acp-spy")
    assert (path.parent / "settings.json.before-acp-spy").read_bytes() == content
    assert Settings(path, KEYS).entry("spy") == ENTRY
    assert path.read_bytes().startswith(b"\xef\xbb\xbf") == content.startswith(b"\xef\xbb\xbf")
    assert Settings(path, KEYS).remove("spy").what == "restored"
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == ["settings.json"]


def test_a_file_that_was_not_there_is_not_there_again(tmp_path):
    path = tmp_path / "new" / "settings.json"
    assert Settings(path, KEYS).put("spy", ENTRY).what == "created"
    assert Settings(path, KEYS).remove("spy").what == "removed"
    assert os.listdir(path.parent) == []


def test_putting_it_twice_keeps_one_backup_and_changes_nothing(path):
    path.write_bytes(b"{}")
    Settings(path, KEYS).put("spy", ENTRY)
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert Settings(path, KEYS).put("spy", ENTRY).what == "same"
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert sorted(os.listdir(path.parent)) == ["settings.json", "settings.json.before-acp-spy"]


def test_taking_out_what_is_not_there_changes_nothing(path):
    path.write_bytes(b"{}")
    assert Settings(path, KEYS).remove("spy").what == "same"
    assert os.listdir(path.parent) == ["settings.json"]


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
def test_two_agents_come_out_in_any_order(path, order):
    content = b'{\n  "agent_servers": {}\n}\n'
    path.write_bytes(content)
    for name in ("a", "b"):
        Settings(path, KEYS).put(name, ENTRY)
    for name in order:
        Settings(path, KEYS).remove(name)
    if order == ["b", "a"]:
        assert path.read_bytes() == content
        assert os.listdir(path.parent) == ["settings.json"]
    assert Settings(path, KEYS).entry("a") is Settings(path, KEYS).entry("b") is None


def test_what_others_have_written_since_is_kept(path):
    path.write_bytes(b'{\n  "a": 1\n}\n')
    Settings(path, KEYS).put("spy", ENTRY)
    path.write_bytes(path.read_bytes().replace(b'"a": 1', b'"a": 2, // since'))
    assert Settings(path, KEYS).remove("spy").what == "changed"
    assert path.read_bytes() == b'{\n  "a": 2, // since\n}\n'


def test_a_replaced_agent_is_its_own_again_in_settings_that_changed_since(path):
    before = b'{\n  "agent_servers": {\n    "mine": { "command": "agent" } // own\n  }\n}\n'
    path.write_bytes(before)
    Settings(path, KEYS).put("mine", ENTRY)
    path.write_bytes(path.read_bytes() + b"// since\n")
    own = {"command": "agent", "args": []}
    assert Settings(path, KEYS).remove("mine", own).what == "unwrapped"
    assert path.read_bytes() == before + b"// since\n"


def test_a_link_stays_one_and_its_file_is_changed(tmp_path, path):
    real = tmp_path / "dotfiles" / "zed.json"
    real.parent.mkdir()
    real.write_bytes(b"{}")
    path.symlink_to(real)
    change = Settings(path, KEYS).put("spy", ENTRY)
    assert change.path == str(real)
    assert path.is_symlink()
    assert b"acp-spy" in real.read_bytes()
    Settings(path, KEYS).remove("spy")
    assert real.read_bytes() == b"{}"


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777])
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_what_is_new_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "new" / "deep" / "settings.json"
    Settings(path, KEYS).put("spy", ENTRY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [stat.S_IMODE(each.stat().st_mode) for each in path.parents[:2]] == [0o700, 0o700]


def test_no_part_of_a_backup_is_left(path, monkeypatch):
    """It would be taken for what was there before."""
    path.write_bytes(b"{}")

    def fail(_):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        Settings(path, KEYS).put("spy", ENTRY)
    assert os.listdir(path.parent) == ["settings.json"]


def test_a_ctrl_c_at_the_last_moment_leaves_the_backup_of_what_was_changed(path, monkeypatch):
    path.write_bytes(b"{}")
    replace = os.replace

    def replace_and_interrupt(new, there, **folders):
        replace(new, there, **folders)
        if there == path.name:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", replace_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        Settings(path, KEYS).put("spy", ENTRY)
    assert b"acp-spy" in path.read_bytes()
    assert sorted(os.listdir(path.parent)) == ["settings.json", "settings.json.before-acp-spy"]


@pytest.mark.usefixtures("umask")
def test_the_mode_is_kept(path):
    path.write_bytes(b"{}")
    path.chmod(0o640)
    change = Settings(path, KEYS).put("spy", ENTRY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert stat.S_IMODE(os.stat(change.backup).st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6777])
def test_no_more_of_the_mode_is_kept_than_who_may_read_write_and_run(path, mode):
    """What runs with the rights of its owner would be a gift of whoever owned the settings."""
    path.write_bytes(b"{}")
    path.chmod(mode)
    change = Settings(path, KEYS).put("spy", ENTRY)
    for each in (path, change.backup):
        assert stat.S_IMODE(os.stat(each).st_mode) == mode & 0o777


@pytest.fixture
def path_of_other(path, monkeypatch):
    """Return the path of settings of another user, who is in our group."""
    path.write_bytes(b"{}")
    real = os.fstat

    def fstat(descriptor):
        status = real(descriptor)
        is_old = os.path.samestat(status, os.stat(path))
        return os.stat_result((*status[:4], status.st_uid + is_old, *status[5:]))

    def fchown(descriptor, owner, _group):
        if owner != real(descriptor).st_uid:
            raise PermissionError

    monkeypatch.setattr(os, "fstat", fstat)
    monkeypatch.setattr(os, "fchown", fchown)
    return path


@pytest.mark.usefixtures("umask")
def test_others_may_only_read_what_was_not_ours_before(path_of_other):
    path_of_other.chmod(0o6777)
    change = Settings(path_of_other, KEYS).put("spy", ENTRY)
    modes = [stat.S_IMODE(os.stat(each).st_mode) for each in (path_of_other, change.backup)]
    assert modes == [0o744] * 2


def test_neither_may_those_in_its_list_do_more(path_of_other):
    if not hasattr(os, "setxattr"):
        pytest.skip("only Linux has such a list")
    path_of_other.chmod(0o600)
    try:
        os.setxattr(path_of_other, "system.posix_acl_access", acl_with(os.getuid() + 1))
    except OSError:
        pytest.skip("this file system has no such list")
    change = Settings(path_of_other, KEYS).put("spy", ENTRY)
    for each in (path_of_other, change.backup):
        assert os.getxattr(each, "system.posix_acl_access") == acl_with(os.getuid() + 1, at_most=4)
        assert stat.S_IMODE(os.stat(each).st_mode) == 0o640


def test_settings_of_another_user_in_a_shared_folder_give_nobody_our_rights():
    if os.getuid() != 0:
        pytest.skip("settings of another user need root")
    with TemporaryDirectory() as folder:  # no folder of pytest's can be entered by others
        path = Path(folder) / "settings.json"
        path.write_bytes(b"{}")
        for each, mode in ((path, 0o6777), (Path(folder), 0o770)):
            os.chown(each, 54322, 54321)
            each.chmod(mode)
        os.setegid(54321)
        os.seteuid(54321)
        try:
            change = Settings(path, KEYS).put("spy", ENTRY)
        finally:
            os.seteuid(0)
            os.setegid(0)
        for status in map(os.stat, (path, change.backup)):
            assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (54321, 0o744)


@pytest.mark.usefixtures("umask")
def test_another_group_gets_no_access(path, monkeypatch):
    """The settings are of a group in which the user is not: a new file cannot be given to it."""
    path.write_bytes(b"{}")
    path.chmod(0o664)
    group = path.stat().st_gid
    real = os.fstat

    def fstat(descriptor):
        status = real(descriptor)
        is_old = os.path.samestat(status, os.stat(path))
        return os.stat_result((*status[:5], group + is_old, *status[6:]))

    monkeypatch.setattr(os, "fstat", fstat)
    monkeypatch.setattr(os, "fchown", deny)
    change = Settings(path, KEYS).put("spy", ENTRY)
    monkeypatch.undo()
    assert [stat.S_IMODE(os.stat(each).st_mode) for each in (path, change.backup)] == [0o600] * 2


def test_what_a_folder_gives_to_new_files_is_not_given(path):
    if not hasattr(os, "setxattr"):
        pytest.skip("only Linux has such a list")
    path.write_bytes(b"{}")
    path.chmod(0o640)
    acl = acl_with(os.getuid() + 1)
    try:
        os.setxattr(path.parent, "system.posix_acl_default", acl)
    except OSError:
        pytest.skip("this file system has no such list")
    change = Settings(path, KEYS).put("spy", ENTRY)
    for each in (path, change.backup):
        assert "system.posix_acl_access" not in os.listxattr(each)
        assert stat.S_IMODE(os.stat(each).st_mode) == 0o640


def acl_with(user, at_most=6):
    of = [(1, 6, -1), (2, 6, user), (4, 0, -1), (16, at_most, -1), (32, 0, -1)]
    entries = (struct.pack("<HHI", tag, may, who & 0xFFFFFFFF) for tag, may, who in of)
    return struct.pack("<I", 2) + b"".join(entries)


def deny(*_):
    raise PermissionError


def test_a_list_of_who_has_access_is_kept(path):
    """The bits of the group are the most that those in it may have, not what the group has."""
    if not hasattr(os, "setxattr"):
        pytest.skip("only Linux has such a list")
    path.write_bytes(b"{}")
    path.chmod(0o600)
    acl = acl_with(os.getuid() + 1)
    try:
        os.setxattr(path, "system.posix_acl_access", acl)
    except OSError:
        pytest.skip("this file system has no such list")
    change = Settings(path, KEYS).put("spy", ENTRY)
    for each in (path, change.backup):
        assert os.getxattr(each, "system.posix_acl_access") == acl
        assert stat.S_IMODE(os.stat(each).st_mode) == 0o660


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"\xff\xfe{}", "it is not UTF-8"), (b"not json", "line 1: expected a value")],
)
def test_what_is_no_json_is_left_alone(path, content, why):
    path.write_bytes(content)
    with pytest.raises(CannotEdit, match=why):
        Settings(path, KEYS).put("spy", ENTRY)
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == ["settings.json"]


def test_a_read_only_file_is_left_alone(path):
    """Its folder may well be writable: replacing it would be easy, and is not what was meant."""
    path.write_bytes(b"{}")
    path.chmod(0o444)
    with pytest.raises(CannotEdit, match="read-only"):
        Settings(path, KEYS).put("spy", ENTRY)
    assert path.read_bytes() == b"{}"


def put_pipe(path):
    os.mkfifo(path)


def put_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


@pytest.mark.parametrize(
    "put",
    [
        lambda path: path.symlink_to("settings.json"),
        lambda path: path.symlink_to("nowhere"),
        put_pipe,
        lambda path: path.mkdir(),
        put_socket,
    ],
    ids=["link", "dangling link", "pipe", "folder", "socket"],
)
def test_what_cannot_be_a_backup_is_passed_over(path, put, monkeypatch):
    monkeypatch.chdir(path.parent)  # a socket's path must be short
    put(path.with_name("settings.json.before-acp-spy"))
    path.write_bytes(b'{"a": 1} // mine')
    backup = Settings(path, KEYS).put("spy", ENTRY).backup
    assert backup == f"{path.parent}/settings.json-2.before-acp-spy"
    assert Settings(path, KEYS).remove("spy").what == "restored"
    assert path.read_bytes() == b'{"a": 1} // mine'
    assert sorted(os.listdir(path.parent)) == ["settings.json", "settings.json.before-acp-spy"]


def test_what_cannot_be_a_backup_proves_nothing(path):
    """An agent that may be the user's own stays, with its own command."""
    path.with_name("settings.json.before-acp-spy").mkdir()
    path.write_text(json.dumps({"agent_servers": {"spy": ENTRY}, "a": 1}))
    own = {"command": "agent", "args": []}
    assert Settings(path, KEYS).remove("spy", own).what == "unwrapped"
    assert Settings(path, KEYS).entry("spy") == own


def test_a_folder_or_a_pipe_is_no_settings_file(path):
    path.mkdir()
    with pytest.raises(CannotEdit, match="it is not a regular file"):
        Settings(path, KEYS)
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(CannotEdit, match="it is not a regular file"):
        Settings(path, KEYS)


def test_a_change_by_somebody_else_meanwhile_is_not_overwritten(path):
    path.write_bytes(b"{}")
    settings = Settings(path, KEYS)
    path.write_bytes(b'{"a": 1}')
    with pytest.raises(CannotEdit, match="another program changed it"):
        settings.put("spy", ENTRY)
    assert path.read_bytes() == b'{"a": 1}'
    assert os.listdir(path.parent) == ["settings.json"]
