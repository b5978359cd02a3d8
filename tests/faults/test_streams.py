"""Whatever the client's standard streams are, its agent sees and says what it would without us."""

import os
import pty
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from support.captures import stream
from support.processes import DEADLINE, Peer, python, starter

# Tells how much it has heard and what came last, wherever that goes; ends by a status of its own.
TELLS = python(
    """
    import os
    size, last = 0, b""
    try:
        while chunk := os.read(0, 65536):
            size += len(chunk)
            last = (last + chunk)[-9:]
    except OSError:
        last = b"no input\\n"
    try:
        told = b"heard %d bytes, at last %b" % (size, last) * 100
        while told:
            told = told[os.write(1, told):]
    except OSError:
        os._exit(8)
    os._exit(7)
    """
)
LINES = b'{"a": 1}\n' * 300
MANY_LINES = LINES * 300


def reported(data: bytes) -> bytes:
    return b"heard %d bytes, at last %b" % (len(data), data[-9:]) * 100


@dataclass
class End:
    """Our end of a standard stream: how a process is given the other, and what we do with ours."""

    popen: dict
    use: Callable[[], bytes | None]  # to be called when it runs; what was read, if it is an output


@contextmanager
def terminal_in(_folder) -> Iterator[End]:
    ours, theirs = pty.openpty()
    try:
        yield End({"stdin": theirs}, lambda: os.write(ours, LINES + b"\x04") and None)
    finally:
        os.close(ours)
        os.close(theirs)


@contextmanager
def hung_up_terminal_in(_folder) -> Iterator[End]:
    ours, theirs = pty.openpty()
    os.close(ours)
    try:
        yield End({"stdin": theirs}, lambda: None)
    finally:
        os.close(theirs)


@contextmanager
def socket_in(_folder) -> Iterator[End]:
    ours, theirs = socket.socketpair()
    ours.settimeout(DEADLINE)

    def send() -> None:
        ours.sendall(MANY_LINES)
        ours.shutdown(socket.SHUT_WR)

    with ours, theirs:
        yield End({"stdin": theirs}, send)


@contextmanager
def file_in(folder) -> Iterator[End]:
    (folder / "in").write_bytes(MANY_LINES)
    with (folder / "in").open("rb") as file:
        yield End({"stdin": file}, lambda: None)


@contextmanager
def null_in(_folder) -> Iterator[End]:
    yield End({"stdin": subprocess.DEVNULL}, lambda: None)


@contextmanager
def terminal_out(_folder) -> Iterator[End]:
    ours, theirs = pty.openpty()

    def read() -> bytes:
        os.close(theirs)
        data = b""
        try:
            while chunk := os.read(ours, 65536):
                data += chunk
        except OSError:  # nobody has it open any more
            return data
        raise AssertionError("a terminal has no end of file on its other side")

    try:
        yield End({"stdout": theirs}, read)
    finally:
        os.close(ours)


@contextmanager
def socket_out(_folder) -> Iterator[End]:
    ours, theirs = socket.socketpair()
    ours.settimeout(DEADLINE)

    def read() -> bytes:
        theirs.close()
        return b"".join(iter(lambda: ours.recv(65536), b""))

    with ours, theirs:
        yield End({"stdout": theirs}, read)


@contextmanager
def file_out(folder) -> Iterator[End]:
    with (folder / "out").open("wb") as file:
        yield End({"stdout": file}, lambda: None)


@contextmanager
def null_out(_folder) -> Iterator[End]:
    yield End({"stdout": subprocess.DEVNULL}, lambda: None)


@contextmanager
def full_out(_folder) -> Iterator[End]:
    with open("/dev/full", "wb", buffering=0) as file:
        yield End({"stdout": file}, lambda: None)


@contextmanager
def closed_in(_folder) -> Iterator[End]:
    yield End({"preexec_fn": lambda: os.close(0)}, lambda: None)


@contextmanager
def closed_out(_folder) -> Iterator[End]:
    yield End({"preexec_fn": lambda: os.close(1)}, lambda: None)


def outcomes(tmp_path, make_end, converse) -> tuple[list, Peer]:
    """Return what came of it bare and proxied, and the latter's peer."""
    found = []
    for proxied in (False, True):
        folder = tmp_path / f"{proxied}"
        folder.mkdir()
        with starter(folder, proxied=proxied) as start, make_end(folder) as end:
            peer = start(TELLS, **end.popen)
            found.append(converse(peer, end, folder))
    return found, peer


INPUTS = {
    "terminal": (terminal_in, LINES),
    "hung up terminal": (hung_up_terminal_in, b""),
    "socket": (socket_in, MANY_LINES),
    "file": (file_in, MANY_LINES),
    "null": (null_in, b""),
}


def hear(peer, end, _folder):
    feeder = threading.Thread(target=end.use)
    feeder.start()
    out, err = peer.read_all(), peer.read_all(peer.stderr)
    feeder.join()
    return out, err, peer.wait()


@pytest.mark.parametrize(("make_end", "sent"), INPUTS.values(), ids=INPUTS.keys())
def test_stdin_may_be_anything(tmp_path, make_end, sent):
    (bare, proxied), peer = outcomes(tmp_path, make_end, hear)
    assert proxied == bare == (reported(sent), b"", 7)
    assert stream(peer.capture, "client") == sent


def test_a_closed_stdin_is_one_that_has_ended(tmp_path):
    """The bare agent gets an error where ours gets an end: its descriptor 0 is a pipe of ours."""
    (bare, proxied), _ = outcomes(tmp_path, closed_in, hear)
    assert bare == (b"heard 0 bytes, at last no input\n" * 100, b"", 7)
    assert proxied == (reported(b""), b"", 7)


OUTPUTS = {
    "terminal": (terminal_out, reported(LINES).replace(b"\n", b"\r\n")),
    "socket": (socket_out, reported(LINES)),
    "file": (file_out, reported(LINES)),
    "null": (null_out, b""),
}


def speak(peer, end, folder):
    peer.send(LINES)
    peer.close_stdin()
    out = end.use()
    status = peer.wait()
    if out is None:
        out = (folder / "out").read_bytes() if (folder / "out").exists() else b""
    return out, peer.read_all(peer.stderr), status


@pytest.mark.parametrize(("make_end", "arrives"), OUTPUTS.values(), ids=OUTPUTS.keys())
def test_stdout_may_be_anything(tmp_path, make_end, arrives):
    (bare, proxied), peer = outcomes(tmp_path, make_end, speak)
    assert proxied == bare == (arrives, b"", 7)
    assert stream(peer.capture, "agent") == reported(LINES)


@pytest.mark.parametrize("make_end", [closed_out, full_out], ids=["closed", "full"])
def test_a_stdout_that_takes_nothing_ends_no_agent_that_would_live_without_it(tmp_path, make_end):
    """The bare agent is refused at once; ours writes into a pipe, and may have ended by then."""
    (bare, proxied), peer = outcomes(tmp_path, make_end, speak)
    assert bare == (b"", b"", 8)
    assert proxied[:2] == (b"", b"")
    assert proxied[2] in (7, 8)
    assert stream(peer.capture, "agent") == reported(LINES)
