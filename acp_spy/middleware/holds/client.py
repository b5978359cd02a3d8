"""Talk to a run over its control socket: find it, ask, and read what happens."""

import errno
import os
import socket
from collections import deque
from contextlib import suppress
from struct import unpack
from typing import Any, Self

import msgspec

from acp_spy.capture.control_path import control_paths, is_own_socket
from acp_spy.capture.folder import captures, is_running
from acp_spy.capture.locate import capture_folder, find_capture
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.control import PROTOCOL
from acp_spy.middleware.holds.replies import EVENTS, REPLIES, Hello, is_as_expected
from acp_spy.middleware.holds.stale_sockets import remove_stale
from acp_spy.wire.framing import Framer

_PATIENCE = 10.0  # seconds in which a run answers, unless its process is stopped
_START = "start one with `acp-spy --intercept FILTER -- COMMAND`"


class NoRunError(AcpSpyError):
    """There is no run that could be meant."""


class UnreadableError(AcpSpyError):
    """A line from the socket is nothing that acp-spy says. What comes after it may be."""

    def __init__(self) -> None:
        super().__init__(
            "cannot read what the run said",
            hint="is another version of acp-spy, or another program, at its socket?",
        )


class ControlClient:
    """One connection to a run. It is a context manager; `events` are those not read yet."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_PATIENCE)
        self._framer = Framer()
        self._count = 0
        self._received: deque[bytes] = deque()
        self.events: deque[dict[str, Any]] = deque()
        try:
            self._socket.connect(path)
            _refuse_others(self._socket, path)
            self.hello = self._receive()
        except TimeoutError:
            self._socket.close()
            raise _silent() from None
        except BaseException:
            self._socket.close()
            raise
        if self.hello.get("protocol") != PROTOCOL:
            self._socket.close()
            raise AcpSpyError(
                f"cannot talk to `{path}`: it is of acp-spy {self.hello.get('version')}",
                hint="use the same version of acp-spy",
            )
        if not is_as_expected(self.hello, Hello):
            self._socket.close()
            raise UnreadableError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._socket.fileno()

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Ask for something; return the reply. Raises `AcpSpyError` if it is refused."""
        self._count += 1
        ident = self._count
        request = {"id": ident, "do": do, **more}
        try:
            line = msgspec.json.encode(request) + b"\n"
        except UnicodeEncodeError:  # bytes of a command line that are no text
            raise AcpSpyError("cannot ask the run: what was given is not UTF-8") from None
        try:
            self._socket.sendall(line)
            message = self._reply(ident)
        except TimeoutError:
            raise _silent() from None
        except OSError:
            raise _ended() from None
        if not message.get("ok"):
            why = message.get("error", "the run refused without a reason")
            raise AcpSpyError(str(why), hint=str(message.get("hint", "")))
        if not is_as_expected(message, REPLIES.get(do, Any)):
            raise UnreadableError
        return message

    def next_event(self) -> dict[str, Any]:
        """
        Wait for the next event. Raises `AcpSpyError` when the run has ended.

        Raises `UnreadableError` for what cannot be read; then the next one can be waited for.
        """
        self._socket.settimeout(None)
        try:
            while not self.events:
                message = self._receive()
                if "event" in message:
                    self.events.append(message)
        except OSError:
            raise _ended() from None
        finally:
            self._socket.settimeout(_PATIENCE)
        return self.events.popleft()

    @property
    def has_event(self) -> bool:
        """Whether an event has been received that was not read."""
        return bool(self.events or self._received)

    def _reply(self, ident: int) -> dict[str, Any]:
        """Wait for the reply to a request; keep the events that come before it."""
        unreadable: UnreadableError | None = None
        while True:
            try:
                message = self._receive()
            except UnreadableError as error:  # an event, perhaps: the reply can still come
                unreadable = error
                continue
            except TimeoutError:
                raise unreadable or _silent() from None
            if "event" in message:
                self.events.append(message)
            elif message.get("id") == ident:
                return message

    def _receive(self) -> dict[str, Any]:
        while not self._received:
            chunk = self._socket.recv(256 * 1024)
            if not chunk:
                raise ConnectionResetError
            self._received += self._framer.feed(chunk)
        return _message(self._received.popleft())


def connect(capture: str | None = None) -> ControlClient:
    """
    Connect to the run that records `capture`, or to the newest one that has a socket.

    Raises `AcpSpyError` if there is none, or if it does not answer.
    """
    if capture is not None:
        path = find_capture(capture)
        try:
            found = _connect_to(path)
        except OSError as error:  # others may have exchanged its folder
            raise AcpSpyError(f"cannot control `{path}`: {error.strerror}") from None
        if found is None:
            raise AcpSpyError(
                f"cannot control `{path}`: no run with a control socket records it", hint=_START
            )
        return found
    folder = capture_folder()
    for entry in captures(folder):
        with suppress(OSError):
            if entry.running and (found := _connect_to(entry.path)):
                return found
    raise NoRunError(
        f"no run with a control socket records to `{folder}`",
        hint=f"{_START}, or name its capture with --capture",
    )


def _connect_to(capture: str) -> ControlClient | None:
    for path in control_paths(capture):
        if not is_own_socket(path):
            continue
        try:
            return ControlClient(path)
        except ConnectionRefusedError:
            if not is_running(capture):  # it was killed
                remove_stale(path)
        except OSError:
            continue
    return None


def _refuse_others(connected: socket.socket, path: str) -> None:
    """Raise if another user listens: whose folder it is can exchange a socket at any moment."""
    if hasattr(socket, "SO_PEERCRED"):  # Linux
        _, user, _ = unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if user != os.geteuid():
            raise PermissionError(errno.EPERM, "it is a socket of another user", path)


class _WithFrame(msgspec.Struct):
    frame: msgspec.Raw


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise UnreadableError
    event = message.get("event", "")
    if not isinstance(event, str) or not is_as_expected(message, EVENTS.get(event, Any)):
        raise UnreadableError
    if "frame" in message:  # as it is spelled: it may be edited, and all else in it is to stay
        message["frame"] = msgspec.json.decode(line, type=_WithFrame).frame
    return message


def _silent() -> AcpSpyError:
    return AcpSpyError("the run does not answer", hint="is its process stopped?")


def _ended() -> AcpSpyError:
    return AcpSpyError("the run has ended")
