import os
import socket

import pytest

from acp_spy.capture import pruning
from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.cli.prune import prune


@pytest.fixture
def folder(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(encode([Header(started="2026-01-05T09:30:00Z")]))
    return tmp_path


def test_what_cannot_be_removed_is_told_and_does_not_keep_the_others(folder, monkeypatch, capfd):
    unlink = os.unlink

    def refuse_b(path, **where):
        if path.endswith("b.jsonl"):
            raise PermissionError(1, "Operation not permitted")
        unlink(path, **where)

    monkeypatch.setattr(pruning.os, "unlink", refuse_b)
    assert prune(keep=0, folder=str(folder)) == 2
    out, err = capfd.readouterr()
    assert out == (f"removed a.jsonl  94 B\nremoved 1 capture, 94 B; 1 capture left in {folder}\n")
    assert err == f"error: cannot remove `{folder}/b.jsonl`: Operation not permitted\n"


def test_nothing_to_remove_is_said(folder, capfd):
    assert prune(keep=5, folder=str(folder)) == 0
    assert capfd.readouterr().out == f"removed 0 captures, 0 B; 2 captures left in {folder}\n"


@pytest.fixture
def one(tmp_path_factory):
    """Return the path of a capture, which is short enough for a socket beside it."""
    path = tmp_path_factory.mktemp("r") / "a.jsonl"
    path.write_bytes(encode([Header()]))
    return os.path.realpath(path)


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_socket_of_another_program_stays(one, kind):
    with socket.socket(socket.AF_UNIX, kind) as other:
        other.bind(f"{one}.sock")
        if kind == socket.SOCK_STREAM:
            other.listen()
        assert prune(keep=0, folder=os.path.dirname(one)) == 0
        assert os.path.exists(f"{one}.sock")


def test_the_socket_of_a_killed_run_goes_with_its_capture(one):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"{one}.sock")
    assert prune(keep=0, folder=os.path.dirname(one)) == 0
    assert not os.path.exists(f"{one}.sock")
