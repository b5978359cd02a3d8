"""Where a control socket is: nowhere where another user could put something else in its place."""

import os
import socket
from contextlib import closing
from pathlib import Path

import pytest
from support.holds import Run

from acp_spy.capture.codec import encode
from acp_spy.capture.control_path import control_paths, has_socket, runtime_folder
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.links import is_ours_alone
from acp_spy.capture.records import Header
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.client import connect
from acp_spy.middleware.holds.server import listen
from acp_spy.middleware.holds.stale_sockets import remove_socket

SOMEBODY = 54321


@pytest.fixture
def base(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose path is short enough for a socket, with a runtime folder in it."""
    base = Path(os.path.realpath(tmp_path_factory.mktemp("r")))
    (base / "run").mkdir(mode=0o700)
    (base / "up" / "here").mkdir(parents=True)
    (base / "up" / "here" / "a.jsonl").write_bytes(encode([Header()]))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base / "run"))
    return base


def give_away(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("a folder of another user needs root")
    os.chown(path, SOMEBODY, -1)


# Who can exchange what is on the way: the folder, what is done to it, and whether it stays ours.
WAYS = [
    ("up/here", 0o700, True),
    ("up/here", 0o755, True),
    ("up/here", 0o2755, True),
    ("up/here", 0o775, False),
    ("up/here", 0o777, False),
    ("up/here", 0o1777, False),
    ("up/here", None, False),
    ("up", 0o1777, True),
    ("up", 0o1775, True),
    ("up", 0o775, False),
    ("up", 0o777, False),
    ("up", None, False),
]


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0]} {way[1] and oct(way[1])}")
def way(request: pytest.FixtureRequest, base: Path) -> bool:
    """Change a folder on the way; return whether the last one is still ours alone."""
    name, mode, is_alone = request.param
    if mode is None:
        give_away(base / name)
    else:
        (base / name).chmod(mode)
    return bool(is_alone)


def test_a_socket_is_beside_its_capture_only_where_nobody_can_exchange_it(
    base: Path, way: bool
) -> None:
    capture = base / "up" / "here" / "a.jsonl"
    listening, path = listen(str(capture))
    listening.close()
    assert is_ours_alone(str(capture.parent)) == way
    assert path == (f"{capture}.sock" if way else control_paths(str(capture))[1])
    assert path.startswith(str(capture) if way else f"{base}/run/acp-spy/")
    assert sorted(os.listdir(capture.parent)) == ["a.jsonl", "a.jsonl.sock"][: 2 if way else 1]
    assert has_socket(str(capture))


def test_viewers_find_it_wherever_it_is(base: Path, way: bool) -> None:
    capture = base / "up" / "here" / "a.jsonl"
    with Run(capture) as run, connect(run.capture) as viewer:
        assert viewer.ask("list")["held"] == []
        assert os.path.exists(f"{capture}.sock") == way
    assert not has_socket(run.capture)


def test_a_socket_is_removed_only_there(base: Path, way: bool) -> None:
    """What was looked at and what is removed could be two things."""
    capture = base / "up" / "here" / "a.jsonl"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"{capture}.sock")
    assert has_socket(str(capture)) == way
    remove_socket(str(capture))
    assert os.path.exists(f"{capture}.sock") != way


def test_a_viewer_removes_and_connects_only_there(base: Path, way: bool) -> None:
    """A run that was killed has left its socket; the viewer finds that out by connecting."""
    capture = base / "up" / "here" / "a.jsonl"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"{capture}.sock")
    with pytest.raises(AcpSpyError, match="no run with a control socket records it"):
        connect(str(capture))
    assert os.path.exists(f"{capture}.sock") != way
    if way:
        return
    os.unlink(f"{capture}.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{capture}.sock")
        listening.listen()
        listening.settimeout(0)
        with pytest.raises(AcpSpyError, match="no run with a control socket records it"):
            connect(str(capture))
        with pytest.raises(BlockingIOError):
            listening.accept()


@pytest.mark.parametrize("change", ["a mode", "an owner", "above"])
def test_a_runtime_folder_that_others_can_exchange_is_not_used(base: Path, change: str) -> None:
    (base / "up" / "here").chmod(0o775)  # so not beside the capture
    folder = base / "run" / "acp-spy"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "left.sock"))
    if change == "an owner":
        give_away(folder)
    else:
        (folder if change == "a mode" else folder.parent).chmod(0o777)
    with pytest.raises(PermissionError, match=f"others can write to {folder}, or to a folder"):
        listen(str(base / "up" / "here" / "a.jsonl"))
    assert os.listdir(folder) == ["left.sock"]


def test_the_runtime_folder_of_another_user_is_not_ours(base: Path) -> None:
    """`su` leaves the variable as it was."""
    assert runtime_folder() == str(base / "run" / "acp-spy")
    give_away(base / "run")
    assert runtime_folder() == f"/tmp/acp-spy-{os.geteuid()}"


def test_a_link_is_followed_to_where_the_capture_is(base: Path) -> None:
    here = base / "up" / "here"
    (base / "link").symlink_to("up/here")
    (base / "b.jsonl").symlink_to("up/here/a.jsonl")
    for path in ("link/a.jsonl", "b.jsonl"):
        assert control_paths(str(base / path))[0] == str(here / "a.jsonl.sock")
    assert not is_ours_alone(str(base / "link"))


def test_the_socket_of_an_open_file_is_where_that_of_its_path_is(base: Path) -> None:
    path = base / "up" / "here" / "a.jsonl"
    with open(path, "ab") as file:
        given, seen = f"/dev/fd/{file.fileno()}", f"/proc/{os.getpid()}/fd/{file.fileno()}"
        assert control_paths(given) == control_paths(str(path))
        with Run(Path(given)), connect(str(path)) as viewer:
            assert viewer.ask("list")["held"] == []
        path.rename(base / "moved")
        assert control_paths(given) == control_paths(str(base / "moved"))
        (base / "moved").unlink()
        (base / "moved (deleted)").touch()  # as Linux says where it was
        assert control_paths(given) == control_paths(seen) != control_paths(str(base / "moved"))
        with Run(Path(given)), connect(seen) as viewer:
            assert viewer.ask("list")["held"] == []


def test_the_way_of_a_relative_path_is_looked_at_from_the_root(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(base / "up" / "here")
    assert control_paths("a.jsonl")[0] == str(base / "up" / "here" / "a.jsonl.sock")
    (base / "up").chmod(0o777)
    assert control_paths("a.jsonl")[0] == ""
    assert not is_ours_alone("")
    assert not is_ours_alone("up")


def test_a_capture_whose_way_is_not_to_be_trusted_is_a_clear_error(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link of another user may take the place of a folder at any moment."""
    if os.getuid() != 0:
        pytest.skip("a link of another user needs root")
    link = base / "up" / "link"
    link.symlink_to("here")
    os.lchown(link, SOMEBODY, -1)
    (base / "up").chmod(0o777)
    capture = str(link / "a.jsonl")
    with pytest.raises(AcpSpyError, match=r"cannot control .* is a link of another user, in a f"):
        connect(capture)
    assert not has_socket(capture)
    remove_socket(capture)
    # The newest is not looked for there.
    monkeypatch.setenv("ACP_SPY_DIR", str(link))
    running = CaptureFile(str(base / "up" / "here" / "b.jsonl"), Header())
    with (
        closing(running),
        pytest.raises(AcpSpyError, match=r"cannot read the folder .* is a link of another user"),
    ):
        connect()
