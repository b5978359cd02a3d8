"""
Ctrl-C while we load: it ends us at once, and does not raise `KeyboardInterrupt` somewhere in there.

Python ignores an exception in a callback, and importing a module has such callbacks. A Ctrl-C, or
the SIGINT of a client, that came just then would be lost, and the agent would run on.

Before `main`, while Python itself starts, that can happen still, as to any program in Python.
"""

# What `signal` is made of: importing that one imports several modules more, in which it can happen.
import _signal as signal  # type: ignore[import-not-found]


def end_at_once() -> None:
    """From now on an interrupt ends this process, as SIGTERM does."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # else it is ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_again() -> None:
    """From now on an interrupt raises `KeyboardInterrupt` again: there may be something to undo."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
