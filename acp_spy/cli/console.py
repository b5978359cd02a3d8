"""Our voice on stderr: what is wrong, and what to do next. Plain text, readable in any log."""

import os

from acp_spy.errors import AcpSpyError

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

FINE, FOUND, WRONG_USE, BUG = 0, 1, 2, 70


def report(error: AcpSpyError) -> int:
    """Tell the person at the keyboard, and return the exit status for it."""
    write(f"error: {error.message}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
    return WRONG_USE


def note(line: str) -> None:
    """Say one line in the log of somebody else's program: it must tell who speaks."""
    write(f"acp-spy: {line}\n")


def speak_by(say: "Callable[[bytes], None] | None") -> None:
    """
    Say everything by `say` from now on; by `None` to stderr itself.

    While there is traffic to be carried, a slow reader of our words must not stop it.
    """
    global _say  # noqa: PLW0603 - one process, one voice
    _say = say or _write_to_stderr


def write(text: str) -> None:
    """Write to stderr, whatever state it is in. Escapes in names are shown, not obeyed."""
    from acp_spy.wire.inert import inert

    _say(inert(text, but="\n").encode(errors="backslashreplace"))


def _write_to_stderr(data: bytes) -> None:
    try:
        while data:
            try:
                data = data[os.write(2, data) :]
            except (
                BlockingIOError
            ):  # whoever shares it with us has made it so: there may be room soon
                _wait_for_room()
    except OSError:
        pass  # there is nowhere left to say it


def _wait_for_room() -> None:
    from select import POLLOUT, poll

    poller = poll()
    poller.register(2, POLLOUT)
    poller.poll()


_say = _write_to_stderr
