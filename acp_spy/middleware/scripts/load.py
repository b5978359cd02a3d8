"""A script from its file: the functions in it that acp-spy calls."""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.abc import Loader
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from acp_spy.capture.links import is_for_others_too
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.failures import describe, pass_on_others

FUNCTIONS = ("start", "request", "response", "notification", "noise", "stderr", "end")
_IMPORTED_BY = ("path", "meta_path", "path_hooks")  # lists of `sys`
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
    try:
        with _same_folder(), _importing_from("" if is_shared else folder):
            loader.exec_module(module)
            # A module can have a `__getattr__`, which may raise anything, too.
            return {name: getattr(module, name) for name in FUNCTIONS if hasattr(module, name)}
    except BaseException as error:  # noqa: BLE001 - a script may raise anything
        pass_on_others(error)
        hint = "correct the script"
        if is_shared and isinstance(error, ModuleNotFoundError):
            hint = f"to import its neighbors, move it: others can put modules into `{folder}`"
        raise _failed(path, describe(error, path), hint) from None


@contextmanager
def _same_folder() -> Iterator[None]:
    """Return to the folder of the command line: to it belong its paths, and the agent."""
    before = _folder()
    try:
        yield
    finally:
        if before and _folder() != before:
            with suppress(OSError):  # removed, or of another user: then nothing is written to it
                os.chdir(before)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


@contextmanager
def _importing_from(folder: str) -> Iterator[None]:
    """
    Let a script import what is in `folder`, if any, meanwhile.

    It may add to the path, and to what else Python imports by. What it has taken away is put back
    afterwards: we import some modules later, and no agent is started without them.
    """
    modules, loaded = sys.modules, dict(sys.modules)
    before = {name: [*getattr(sys, name)] for name in _IMPORTED_BY}
    if folder:
        sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.modules = modules
        modules.update({name: loaded[name] for name in loaded.keys() - modules.keys()})
        for name in _IMPORTED_BY:
            left = getattr(sys, name, ())
            setattr(sys, name, _completed(left, before[name], folder if name == "path" else None))


def _completed(left: object, before: list[Any], ours: str | None) -> list[Any]:
    """Return what a script has left of a list, with what was `before`, and without `ours`."""
    found: list[Any] = left if type(left) is list else []
    try:
        if ours is not None and found.count(ours) > before.count(ours):
            found.remove(ours)
        if all(each in found for each in before):
            return found
        return [each for each in found if each not in before] + before
    except Exception:  # noqa: BLE001 - it may have anything in it, which cannot even be compared
        return before


class _Source(SourceFileLoader):
    """Runs the source itself: what is in a `__pycache__` beside it may be somebody else's."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - it is the one script
        return self.source_to_code(self.get_data(self.path), self.path)


def _failed(path: str, reason: str, hint: str) -> AcpSpyError:
    return AcpSpyError(f"cannot use the script `{path}`: {reason}", hint=hint)
