"""What a script raises, which may be anything: whether it is the script's own, and in words."""

import math
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator

from acp_spy.capture.codec import writable
from acp_spy.wire.cut import cut_at_word

_OURS = "acp_spy."  # the modules
_LONGEST = 2000  # characters of what an error says, which is printed and recorded
CANCELLED = "a script cancelled all tasks"


def pass_on_others(error: BaseException) -> None:
    """
    Raise what a script has not raised itself: a Ctrl-C, also in a nursery, and what trio cancels.

    `sys.exit`, and what pytest raises to fail, are no reason to end a conversation.
    """
    for each in causes(error):
        if issubclass(type(each), KeyboardInterrupt):
            # The proxy waits for the signal in another way.
            if signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
                raise KeyboardInterrupt from None
        elif is_cancelled(each) and _is_being_cancelled():
            raise each


def causes(error: BaseException) -> Iterator[BaseException]:
    """Give the errors in a group, however deep, and in what trio makes of them; or `error`."""
    trio = sys.modules.get("trio")
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if issubclass(type(each), BaseExceptionGroup):
            # As the class has it: one of the script's own may have another idea of it.
            waiting += reversed(BaseExceptionGroup.exceptions.__get__(each))
        elif trio and type(each) is trio.TrioInternalError and each.__cause__:
            waiting.append(each.__cause__)  # a task that a script started outside of any nursery
        else:
            yield each


def is_cancelled(error: BaseException) -> bool:
    """Whether this is what trio raises to cancel."""
    trio = sys.modules.get("trio")
    return trio is not None and issubclass(type(error), trio.Cancelled)


def _is_being_cancelled() -> bool:
    """
    Whether trio cancels the task that we are in.

    The scopes of the script itself have ended. So if it does not, then what the script raises is an
    old one that it has kept, and which would end more than the script.
    """
    trio = sys.modules["trio"]  # here it is loaded
    try:
        return bool(trio.current_effective_deadline() == -math.inf)
    except RuntimeError:  # no task runs, or not yet
        return False


def describe(error: BaseException, path: str) -> str:
    """Return an error in one line, with the line of the script where it happened."""
    what = _name_of(type(error))
    words = _tried(lambda: _one_line(str(error)))
    line = _tried(lambda: _line_in(path, error))
    if issubclass(type(error), SyntaxError):
        syntax_line = _tried(lambda: str(error.lineno or ""))  # type: ignore[attr-defined]
        if syntax_line:
            words, line = _tried(lambda: _one_line(str(error.msg))), syntax_line  # type: ignore[attr-defined]
    what = f"{what}: {words}" if words else what
    return f"{what}, line {line}" if line else what


def is_from(path: str, error: BaseException) -> bool:
    """Whether it was raised in the script at `path`, or in what that has called."""
    return bool(_tried(lambda: _line_in(path, error)))


def describe_other(error: BaseException) -> str:
    """
    Return in words what has failed in a task that is not ours, and nothing if it is.

    Each of ours has a function of ours at its start. A script can start one that has none of its
    own there, as in `start_soon(trio.sleep, None)`.
    """
    frames = [frame for frame, _line in traceback.walk_tb(error.__traceback__)]
    if any(str(frame.f_globals.get("__name__")).startswith(_OURS) for frame in frames):
        return ""
    return f"a task that a script started failed: {describe(error, '')}"


def _tried(words: Callable[[], str]) -> str:
    """Return what the script's own class says, if it can."""
    try:
        return words()
    except BaseException as raised:  # noqa: BLE001 - anything
        pass_on_others(raised)
        return ""


def _one_line(text: str) -> str:
    """Return as much of a text as a person would read."""
    line = writable(" ".join(text[: 2 * _LONGEST].split()))
    if len(line) <= _LONGEST and len(text) <= 2 * _LONGEST:
        return line
    return f"{cut_at_word(line, _LONGEST).rstrip()} …".lstrip()


def _name_of(kind: type) -> str:
    name = str(type.__dict__["__name__"].__get__(kind))  # its own class may not even say that
    return _one_line(name)


def _line_in(path: str, error: BaseException) -> str:
    here = os.path.abspath(path)
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.abspath(frame.filename) == here
    ]
    return str(lines[-1]) if lines else ""
