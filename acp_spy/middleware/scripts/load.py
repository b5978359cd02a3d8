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
    except BaseException as error:
        if not is_its_own(error):
            raise
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


def is_its_own(error: BaseException) -> bool:
    """
    Whether a script has raised it: anything but a Ctrl-C, and what trio cancels.

    `sys.exit`, and what pytest raises to fail, are no reason to end a conversation.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_its_own, error.exceptions))
    if isinstance(error, KeyboardInterrupt):  # the proxy waits for the signal in another way
        return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    trio = sys.modules.get("trio")
    return trio is None or not isinstance(error, trio.Cancelled)


def describe(error: BaseException, path: str) -> str:
    """Return an error in one line, with the line of the script where it happened."""
    try:
        words = writable(" ".join(str(error).split()))
    except BaseException as raised:  # it is the script's own class
        if not is_its_own(raised):
            raise
        words = ""
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{type(error).__name__}: {error.msg}, line {error.lineno}"
    here = os.path.abspath(path)
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.abspath(frame.filename) == here
    ]
    return f"{what}, line {lines[-1]}" if lines else what


def _failed(path: str, reason: str, hint: str) -> AcpSpyError:
    return AcpSpyError(f"cannot use the script `{path}`: {reason}", hint=hint)
