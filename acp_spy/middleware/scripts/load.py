"""A script from its file: the functions in it that acp-spy calls."""

import importlib.util
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib.abc import Loader
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from acp_spy.capture.codec import writable
from acp_spy.capture.links import is_for_others_too
from acp_spy.errors import AcpSpyError

FUNCTIONS = ("start", "request", "response", "notification", "noise", "stderr", "end")
Functions = Mapping[str, Callable[[Any], Any]]


def load(path: str) -> Functions:
    """Return the functions of a script by their names. Raises `AcpSpyError` for a bad script."""
    if not os.path.isfile(path):
        reason = "it is a folder" if os.path.isdir(path) else "no such file"
        raise _failed(path, reason, "give the path of a Python file")
    name = f"acp_spy_script_{len(sys.modules)}"
    loader = _Source(name, path) if path.endswith(".py") else None
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or spec.loader is None:
        raise _failed(path, "it is not a Python file", "give it a name that ends in `.py`")
    module = importlib.util.module_from_spec(spec)
    _execute(spec.loader, module, path)
    found = {name: getattr(module, name) for name in FUNCTIONS if hasattr(module, name)}
    if not found:
        functions = ", ".join(f"`{name}`" for name in FUNCTIONS)
        hint = f"define one of {functions}; see docs/scripts.md"
        raise _failed(path, "it has no function that acp-spy calls", hint)
    for name, function in found.items():
        if not callable(function):
            raise _failed(path, f"`{name}` is not a function", "rename it, or make it a function")
    return found


def _execute(loader: Loader, module: ModuleType, path: str) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    is_shared = is_for_others_too(folder)
    if not is_shared:
        sys.path.insert(0, folder)  # for what it imports
    try:
        loader.exec_module(module)
    except BaseException as error:  # noqa: BLE001 - a script may raise anything
        pass_on_others(error)
        hint = "correct the script"
        if is_shared and isinstance(error, ModuleNotFoundError):
            hint = f"to import its neighbors, move it: others can put modules into `{folder}`"
        raise _failed(path, describe(error, path), hint) from None
    finally:
        if not is_shared:
            del sys.path[0]


class _Source(SourceFileLoader):
    """Runs the source itself: what is in a `__pycache__` beside it may be somebody else's."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - it is the one script
        return self.source_to_code(self.get_data(self.path), self.path)


def pass_on_others(error: BaseException) -> None:
    """
    Raise what a script has not raised itself: a Ctrl-C, also in a nursery, and what trio cancels.

    `sys.exit`, and what pytest raises to fail, are no reason to end a conversation.
    """
    if issubclass(type(error), BaseExceptionGroup):
        for each in error.exceptions:  # type: ignore[attr-defined]
            pass_on_others(each)
    elif issubclass(type(error), KeyboardInterrupt):
        # The proxy waits for the signal in another way.
        if signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
            raise KeyboardInterrupt from None
    elif (trio := sys.modules.get("trio")) and issubclass(type(error), trio.Cancelled):
        raise error


def describe(error: BaseException, path: str) -> str:
    """Return an error in one line, with the line of the script where it happened."""
    what = _name_of(type(error))
    words = _tried(lambda: writable(" ".join(str(error).split())))
    line = _tried(lambda: _line_in(path, error))
    if issubclass(type(error), SyntaxError) and error.lineno:  # type: ignore[attr-defined]
        words, line = _tried(lambda: writable(str(error.msg))), str(error.lineno)  # type: ignore[attr-defined]
    what = f"{what}: {words}" if words else what
    return f"{what}, line {line}" if line else what


def _tried(words: Callable[[], str]) -> str:
    """Return what the script's own class says, if it can."""
    try:
        return words()
    except BaseException as raised:  # noqa: BLE001 - anything
        pass_on_others(raised)
        return ""


def _name_of(kind: type) -> str:
    return str(type.__dict__["__name__"].__get__(kind))  # its own class may not even say that


def _line_in(path: str, error: BaseException) -> str:
    here = os.path.abspath(path)
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.abspath(frame.filename) == here
    ]
    return str(lines[-1]) if lines else ""


def _failed(path: str, reason: str, hint: str) -> AcpSpyError:
    return AcpSpyError(f"cannot use the script `{path}`: {reason}", hint=hint)
