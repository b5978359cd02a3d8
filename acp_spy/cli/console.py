"""Our voice on stderr: what is wrong, and what to do next. Plain text, readable in any log."""

import os

from acp_spy.errors import AcpSpyError

_voice = 2

FINE, FOUND, WRONG_USE, BUG = 0, 1, 2, 70


def report(error: AcpSpyError) -> int:
    """Tell the person at the keyboard, and return the exit status for it."""
    write(f"error: {error.message}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
    return WRONG_USE


def note(line: str) -> None:
    """Say one line in the log of somebody else's program: it must tell who speaks."""
    write(f"acp-spy: {line}\n")


def keep_voice() -> None:
    """
    Go on being heard after the agent has closed its stderr, and with it ours.

    Whoever reads our stderr then sees its end only at ours: for those who asked to hear us.
    """
    global _voice  # noqa: PLW0603 - one process, one voice
    _voice = os.dup(2)


def write(text: str) -> None:
    """Write to stderr, whatever state it is in. Escapes in names are shown, not obeyed."""
    from acp_spy.wire.inert import inert

    try:  # noqa: SIM105 - contextlib would be one import more before the agent starts
        os.write(_voice, inert(text, but="\n").encode(errors="backslashreplace"))
    except OSError:
        pass  # there is nowhere left to say it
