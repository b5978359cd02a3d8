"""A script from its file: the functions in it that acp-spy calls."""

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.abc import Loader
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from acp_spy.capture.links import is_for_others_too
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.failures import describe, pass_on_others

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
    found = _execute(spec.loader, importlib.util.module_from_spec(spec), path)
    if not found:
        functions = ", ".join(f"`{name}`" for name in FUNCTIONS)
        hint = f"define one of {functions}; see docs/scripts.md"
        raise _failed(path, "it has no function that acp-spy calls", hint)
    for name, function in found.items():
        if not callable(function):
            raise _failed(path, f"`{name}` is not a function", "rename it, or make it a function")
    return found


def _execute(loader: Loader, module: ModuleType, path: str) -> Functions:
    """Run a script; return what it has by the names of our functions, functions or not."""
    folder = os.path.dirname(os.path.abspath(path))
    is_shared = is_for_others_too(folder)
    there_before = sys.path.count(folder)
    if not is_shared:
        sys.path.insert(0, folder)  # for what it imports
    try:
        loader.exec_module(module)
        # A module can have a `__getattr__`, which may raise anything, too.
        return {name: getattr(module, name) for name in FUNCTIONS if hasattr(module, name)}
    except BaseException as error:  # noqa: BLE001 - a script may raise anything
        pass_on_others(error)
        hint = "correct the script"
        if is_shared and isinstance(error, ModuleNotFoundError):
            hint = f"to import its neighbors, move it: others can put modules into `{folder}`"
        raise _failed(path, describe(error, path), hint) from None
    finally:
        with suppress(Exception):  # the script may have made anything of the path
            if sys.path.count(folder) > there_before:
                sys.path.remove(folder)


class _Source(SourceFileLoader):
    """Runs the source itself: what is in a `__pycache__` beside it may be somebody else's."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - it is the one script
        return self.source_to_code(self.get_data(self.path), self.path)


def _failed(path: str, reason: str, hint: str) -> AcpSpyError:
    return AcpSpyError(f"cannot use the script `{path}`: {reason}", hint=hint)
