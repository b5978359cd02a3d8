"""The control socket of a run, served by trio beside the traffic: JSON Lines both ways."""

import errno
import os
import socket
import stat
from collections import deque
from contextlib import suppress

import msgspec
import trio

from acp_spy.capture.control_path import control_paths, is_own_socket, runtime_folder
from acp_spy.capture.files import make_folder
from acp_spy.capture.links import open_above
from acp_spy.errors import reason_of
from acp_spy.middleware.holds.control import Control, Viewer
from acp_spy.middleware.holds.stage import Event, HoldStage
from acp_spy.middleware.holds.stale_sockets import UNSEEN, remove_all_stale
from acp_spy.remote.listening import accept_all, places
from acp_spy.wire.framing import Framer

_LONGEST_REQUEST = 128 * 1024 * 1024  # an edited line, escaped
# Messages that a viewer has not read; then it is detached. A burst that is held comes at once.
_MOST_UNREAD = 20_000
_MOST_UNREAD_BYTES = 64 * 1024 * 1024  # of them together; one alone may be longer
_MOST_VIEWERS = 64  # at once; others wait


class Server:
    """Serves `control` for the stage of a run."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._path = ""
        self._inode = 0  # of the socket: what is at its path in the end may be another's file

    def start(self, stage: HoldStage) -> None:
        """Open the socket and serve it, until the run ends. A failure stops nothing."""
        complain = stage.pipeline.complain
        try:
            listening, self._path = listen(stage.pipeline.capture)
            self._inode = os.lstat(self._path).st_ino
        except OSError as error:
            reason = error.strerror or str(error)
            complain(f"cannot open a control socket: {reason}; nothing will be held")
            return
        stage.on_end = self.remove
        stage.pipeline.start(stage, lambda: self._serve(listening, stage))

    def remove(self) -> None:
        """Remove the socket from the folder, unless something else is in its place by now."""
        if self._path:
            with suppress(OSError), open_above(self._path, follow=False) as place:
                status = place.status()
                if status and stat.S_ISSOCK(status.st_mode) and status.st_ino == self._inode:
                    os.unlink(place.name, dir_fd=place.folder)
            self._path = ""

    async def _serve(self, listening: socket.socket, stage: HoldStage) -> None:
        try:
            listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
            free = trio.Semaphore(places(_MOST_VIEWERS, files=1))
            await accept_all([listener], self._talk, free, stage.pipeline.complain)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            stage.pipeline.complain(f"control socket: {reason_of(error)}")
        finally:
            self.remove()

    async def _talk(self, stream: trio.SocketStream) -> None:
        """Talk to one viewer until it has gone."""
        unread: deque[bytes] = deque()
        has_unread = trio.Event()
        size = 0

        async def write() -> None:
            nonlocal size, has_unread
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                while True:
                    await has_unread.wait()
                    has_unread = trio.Event()
                    while unread:
                        await stream.send_all(unread[0])
                        size -= len(unread.popleft())

        async with trio.open_nursery() as nursery:

            def put(message: Event) -> None:
                nonlocal size
                data = msgspec.json.encode(message) + b"\n"
                is_too_much = size + len(data) > _MOST_UNREAD_BYTES or len(unread) >= _MOST_UNREAD
                if unread and is_too_much:  # it does not read: nobody sees what is held for it
                    nursery.cancel_scope.cancel()
                    return
                unread.append(data)
                size += len(data)
                has_unread.set()

            viewer = Viewer(put)
            nursery.start_soon(write)
            self._control.join(viewer)
            try:
                await self._read(stream, viewer)
            finally:
                self._control.leave(viewer)
            nursery.cancel_scope.cancel()

    async def _read(self, stream: trio.abc.Stream, viewer: Viewer) -> None:
        framer = Framer(_LONGEST_REQUEST)
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while chunk := await stream.receive_some(64 * 1024):
                for line in framer.feed(bytes(chunk)):
                    if not line.endswith(b"\n"):
                        return  # far too long
                    if line.strip():
                        self._control.take(viewer, line)


def listen(capture: str) -> tuple[socket.socket, str]:
    """Return a socket that listens, for this user alone, and its path. Raises `OSError`."""
    if not capture:
        raise FileNotFoundError(errno.ENOENT, "nothing is recorded")  # so no viewer would find it
    beside, _ = control_paths(capture)
    if beside and os.path.isfile(capture):
        with suppress(OSError):
            return _bind(beside), beside
    folder = runtime_folder()
    make_folder(folder)
    _, elsewhere = control_paths(capture)
    if not elsewhere:
        raise PermissionError(errno.EPERM, f"others can write to {folder}, or to a folder above it")
    remove_all_stale(os.path.dirname(elsewhere))
    return _bind(elsewhere), elsewhere


def _bind(path: str) -> socket.socket:
    """Bind and listen, and only then be found: a socket that refuses is taken for a stale one."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    unseen = path + UNSEEN
    before = os.umask(0o177)  # the mode is right from the first moment on
    try:
        for there in filter(os.path.lexists, (unseen, path)):
            if not is_own_socket(there):  # of another program: it stays
                raise FileExistsError(errno.EEXIST, f"`{there}` is not a socket of yours")
        with suppress(FileNotFoundError):
            os.unlink(unseen)
        listening.bind(unseen)
        listening.listen(16)
        os.rename(unseen, path)
    except BaseException:
        listening.close()
        raise
    finally:
        os.umask(before)
    return listening
