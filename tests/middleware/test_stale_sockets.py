"""What a killed run has left beside its capture goes; the socket of another program stays."""

import os
import socket

import pytest

from acp_spy.middleware.holds.stale_sockets import remove_socket


@pytest.fixture
def capture(tmp_path_factory):
    """Return a path that is short enough for a socket beside it."""
    return os.path.realpath(tmp_path_factory.mktemp("r") / "a.jsonl")


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_socket_of_another_program_stays(capture, kind):
    with socket.socket(socket.AF_UNIX, kind) as other:
        other.bind(f"{capture}.sock")
        if kind == socket.SOCK_STREAM:
            other.listen()
        remove_socket(capture)
        assert os.path.exists(f"{capture}.sock")


def test_the_socket_of_a_killed_run_goes(capture):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"{capture}.sock")
    remove_socket(capture)
    assert not os.path.exists(f"{capture}.sock")
