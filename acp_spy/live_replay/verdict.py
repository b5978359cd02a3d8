"""
The result of a play, in a file: for the program that gave out a mock's command line.

A test framework hands the command line to a client, which starts the mock, reads its stderr and
takes its exit status. So the mock writes the result to a file as well. A line is a
JSON object with a `type` and the `pid` of the mock:

    start        it runs, with this `role` and `capture`
    error        it could not play, or not to the end, as `text` says; `peer` is `agent` if
                 that is the agent's doing: it cannot be started, or sent no message
    divergence   the live peer has diverged from the recording, as `text` explains
    complete     all that was recorded has come
    end          it has ended by itself, with `status`; one that was killed has no such line

The file grows: several mocks may share it. A lock shows that one of them lives. Nothing heavy is
imported here, because the pytest plugin reads what is written.
"""

import fcntl
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from acp_spy.errors import AcpSpyError, reason_of
from acp_spy.wire.inert import inert, inert_lines

START, ERROR, DIVERGENCE, COMPLETE, END = "start", "error", "divergence", "complete", "end"
_BEGINNING = b'{"type": "start", '


class Verdict:
    """
    The verdict on one play, written as it goes; without a path it is not written at all.

    If it `is_shared`, the error that ends the play has no secrets.
    """

    def __init__(self, path: str, role: str, capture: str, *, is_shared: bool = False) -> None:
        self._is_shared = is_shared
        self._fd = _open(path) if path else -1
        self._is_complete = False
        self._write(START, role=role, capture=capture)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if isinstance(error, AcpSpyError):
            if self._is_shared:
                from acp_spy.secrets.redactor import Redactor

                error = error.without_secrets(Redactor().text)
            self.error(error.message, *([f"hint: {error.hint}"] if error.hint else ()))
        elif isinstance(error, Exception):  # nobody has killed it, and it should not look so
            self.error(reason_of(error))
        if self._fd >= 0:
            os.close(self._fd)

    def error(self, *lines: str, peer: str = "") -> None:
        """Write why there is no play, or why it is over; `peer` is who caused it, if a peer did."""
        more = {"peer": peer} if peer else {}
        self._write(ERROR, text=_text(lines), **more)

    def diverge(self, *lines: str) -> None:
        """Explain a divergence."""
        self._write(DIVERGENCE, text=_text(lines))

    def complete(self) -> None:
        """Write, once, that all has come that was recorded."""
        if not self._is_complete:
            self._is_complete = True
            self._write(COMPLETE)

    def end(self, status: int) -> int:
        """Write that the play is over, and return the status."""
        self._write(END, status=status)
        return status

    def _write(self, kind: str, **more: Any) -> None:
        if self._fd < 0:
            return
        line = json.dumps({"type": kind, "pid": os.getpid(), **more}) + "\n"
        with suppress(OSError):  # the play goes on; the reader will find no end
            os.write(self._fd, line.encode())  # in one piece: others append to the file, too


def _text(lines: Iterable[str]) -> str:
    return inert_lines("\n".join(map(inert, lines)))


def read(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the lines of a verdict file; none, if nobody has written any."""
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


def has_something_else(path: str) -> bool:
    """Whether it is a file that no verdict has begun: lines behind it could spoil it."""
    from acp_spy.capture.links import names_descriptor  # as in `_open`

    if names_descriptor(path) or not os.path.isfile(path):
        return False
    with suppress(OSError), open(path, "rb") as file:
        start = file.read(len(_BEGINNING))
        return bool(start) and start != _BEGINNING
    return False  # what writes it says why it cannot be


def is_running(path: str | os.PathLike[str]) -> bool:
    """Whether a mock that writes to this file still lives."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open(path: str) -> int:
    # Not before it is needed: the pytest plugin loads this module, too.
    from acp_spy.capture.pipes import open_to_append

    try:
        descriptor = open_to_append(path)
    except OSError as error:
        raise AcpSpyError(
            f"cannot write the verdict `{path}`: {error.strerror}",
            hint="use a file in a folder that exists",
        ) from None
    with suppress(OSError):  # a file system without locks: its readers take every mock for ended
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # shared: others may write, too
    return descriptor
