"""A new recording of a capture: recorded apart, and put in its place when the test has passed."""

import os
import stat
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from acp_spy.pytest_plugin.mock import ACP_SPY, masked, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from acp_spy.capture.links import Place
    from acp_spy.capture.records import Capture, Exit

_ROOM = 64 * 1024  # bytes: more than most messages have


class NewRecording:
    """
    A recording of the real agent that will become the capture at `path`.

    It is made in `folder`, which is the test's own: a test that fails leaves the old one as it was.
    """

    def __init__(self, path: str, folder: str, *, shown: str) -> None:
        self.path = path
        self.shown = shown
        self.output = os.path.join(folder, os.path.basename(path))
        self._folder = folder

    def argv(self, command: list[str]) -> list[str]:
        """Return the command line of the real agent, recorded."""
        return [*ACP_SPY, "-o", self.output, "--no-check", "--", *command]

    def wait(self) -> None:
        """Give the recorder the time to end."""
        wait_until(lambda: not any(map(_is_written, self._recordings())))

    def trouble(self) -> str:
        """Return why there is nothing to keep; empty if there is."""
        count = len(self._recordings())
        if count == 1:
            return self._incompleteness()
        if not count:
            return f"cannot record {self.shown}: the agent's command was never started"
        return (
            f"cannot record {self.shown}: the agent was started {count} times\n"
            "hint: a capture is one conversation; call acp_agent once for each, with another name"
        )

    def _incompleteness(self) -> str:
        """Return why what was recorded may be a part only: no room was left for the rest."""
        from acp_spy.capture.files import load
        from acp_spy.errors import AcpSpyError

        (path,) = self._recordings()
        with suppress(AcpSpyError):  # which playing it will report
            if load(path).exit:
                return ""
        try:  # without an end it may also be that of an agent that was killed
            _make_room(path)
        except OSError as error:
            return (
                f"cannot record {self.shown}: recording stopped: {error.strerror}\n"
                f"hint: make room in {self._folder}, then record it again"
            )
        with suppress(AcpSpyError):
            if load(self.path).exit:
                return (
                    f"cannot record {self.shown}: recording stopped before the agent ended, and the"
                    " recording that is there has an end\n"
                    "hint: let the client end the agent; or remove the old recording first"
                )
        return ""

    def explain_failure(self) -> str:
        """Return what is known when the test has failed: the agent may be the cause."""
        from acp_spy.errors import AcpSpyError
        from acp_spy.secrets.redact import redact

        lines = [f"{self.shown} was not recorded, because the test did not pass"]
        for path in self._recordings():
            try:
                capture = redact(path)  # a log of a CI is read by others
            except AcpSpyError as error:
                lines.append(error.without_secrets(masked).message)
                continue
            if capture.exit and (capture.exit.status or not _has_message(capture)):
                lines.append(_how_it_failed(capture, capture.exit))
            lines.append(f"the failed attempt is in {path}")
        return masked("\n".join(lines))  # the agent's command may be in it

    @contextmanager
    def prepared(self) -> "Iterator[Callable[[], None]]":
        """
        Write the recording beside its place, without the secrets that can be found.

        What is given puts it there; until then nothing has changed. A link stays a link: its place
        is where that leads, unless others may have put it there. Its mode is that of other new
        files, for it is committed with the tests.
        Raises `AcpSpyError` if something is there that must not be replaced.
        """
        from acp_spy.capture.codec import encode
        from acp_spy.capture.files import read
        from acp_spy.capture.links import open_above
        from acp_spy.secrets.redactor import Masked

        records = Masked(lambda: read(self.output))
        _make_folder(os.path.dirname(self.path))
        with open_above(self.path) as place:
            self._refuse_what_is_at(place)
            folder, beside = place.folder, f"{place.name}.{os.getpid()}"
            with suppress(FileNotFoundError):  # of a run that was killed
                os.unlink(beside, dir_fd=folder)
            try:
                with open(beside, "xb", opener=partial(_open, folder=folder)) as file:
                    file.writelines(encode([record]) for record in records())
                yield lambda: os.replace(beside, place.name, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                with suppress(OSError):  # it has its name by now, or was never there
                    os.unlink(beside, dir_fd=folder)

    def _refuse_what_is_at(self, place: "Place") -> None:
        """Raise `AcpSpyError` for what is not replaced: as other commands do, with their words."""
        from acp_spy.capture.files import is_capture, read
        from acp_spy.capture.opening import FoundPath
        from acp_spy.capture.write_file import refuse_running, refuse_unreadable
        from acp_spy.errors import AcpSpyError, file_word

        refuse_running(self.shown, place)
        refuse_unreadable(self.shown, place)
        status = place.status()
        if status is None or not stat.S_ISREG(status.st_mode):
            return
        there = FoundPath(place.path, place.folder)
        try:
            if not is_capture(there):
                next(read(there), None)  # one of another tool has been played like one of ours
        except AcpSpyError:
            raise AcpSpyError(
                f"cannot write `{self.shown}`: it is not a capture",
                hint=f"give a new name, or remove it first: `rm {file_word(self.shown)}`",
            ) from None

    def _recordings(self) -> list[str]:
        return [os.path.join(self._folder, name) for name in sorted(os.listdir(self._folder))]


def _make_folder(path: str) -> None:
    """
    Make a folder, and those above it, with the mode of other new folders.

    Raises `PermissionError` for a link that others may have put there, as `open_folder` does.
    """
    from acp_spy.capture.links import open_above, open_folder

    try:
        with open_folder(path):
            return
    except FileNotFoundError:
        _make_folder(os.path.dirname(path))
    # Another worker may be faster; and `..` is there.
    with suppress(FileExistsError, IsADirectoryError), open_above(path, follow=False) as place:
        os.mkdir(place.name, dir_fd=place.folder)


def _open(name: str, flags: int, *, folder: int | None) -> int:
    return os.open(name, flags, 0o666, dir_fd=folder)


def _make_room(path: str) -> None:
    """Raise `OSError` if the file could not become longer."""
    size = os.stat(path).st_size
    with open(path, "ab", buffering=0) as file:
        try:
            rest = _ROOM
            while rest:
                rest -= file.write(bytes(rest))
        finally:
            os.truncate(path, size)


def _has_message(capture: "Capture") -> bool:
    from acp_spy.wire.frame import Peer
    from acp_spy.wire.jsonrpc import Unreadable, read_message

    said = (frame.payload for frame in capture.frames if frame.sender is Peer.AGENT)
    return any(not isinstance(read_message(line), Unreadable) for line in said)


def _how_it_failed(capture: "Capture", end: "Exit") -> str:
    from acp_spy.capture.records import Stderr
    from acp_spy.replay.agent_exit import AgentExit, with_cause
    from acp_spy.replay.divergence import NO_MESSAGE

    if end.reason:
        return f"cannot start the agent: {end.reason}"
    words = AgentExit(end.status).words
    reason = f"the agent {words}" if _has_message(capture) else f"{NO_MESSAGE}: it {words}"
    stderr = b"".join(record.raw for record in capture.records if isinstance(record, Stderr))
    return with_cause(reason, stderr.decode(errors="backslashreplace"))


def _is_written(path: str) -> bool:
    from acp_spy.capture.lock import is_held, open_to_look

    descriptor = open_to_look(path)
    try:
        return is_held(descriptor)
    finally:
        os.close(descriptor)
