"""
Every rule, by code, found by its declaration alone: a module below `rules` that declares one.

A rule is called as its module is. A module whose name begins with `_` is shared by the rules beside
it and declares none. Nothing is loaded before it is asked for.
"""

import os
from collections import UserDict
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module

from acp_spy.lint import rules
from acp_spy.lint.rule import Rule


class _Catalogue(UserDict[str, Rule]):
    """The rules by code, in the order of their codes; all are loaded when one is looked up."""

    def __init__(self) -> None:
        pass  # what `UserDict` does here would load them

    @cached_property
    def data(self) -> dict[str, Rule]:  # type: ignore[override]  # a variable, made when it is used
        declared = [_load(name) for name, _ in _modules()]
        found = {rule.code: rule for rule in sorted(declared, key=lambda rule: rule.code)}
        if len(found) != len(declared):
            raise TypeError("two rules have one code")
        return found

    def find(self, word: str) -> Rule | None:
        """Return the rule of this code or name; its module alone is loaded, if none is yet."""
        code, name = word.upper(), word.lower()
        if "data" in vars(self):
            return self.get(code) or next(
                (rule for rule in self.values() if rule.name == name), None
            )
        modules = dict(_modules())
        for module in modules:
            if module.rpartition(".")[2] == name.replace("-", "_"):
                return _load(module)
        declared = f'code="{code}"'.encode(errors="replace")  # what is typed may be any bytes
        for module, path in modules.items():
            with open(path, "rb") as source:
                if declared in source.read():
                    return _load(module)
        return None


CATALOGUE = _Catalogue()


def _modules(
    package: str = rules.__name__, folders: Iterable[str] = rules.__path__
) -> Iterator[tuple[str, str]]:
    """Give the names and files of the modules of `package` that declare rules."""
    for folder in folders:
        for entry in os.scandir(folder):  # `pkgutil` takes as long as loading a tenth of them
            if entry.name.startswith("_"):
                continue
            if entry.is_dir():
                yield from _modules(f"{package}.{entry.name}", [entry.path])
            elif entry.name.endswith(".py"):
                yield f"{package}.{entry.name.removesuffix('.py')}", entry.path


def _load(name: str) -> Rule:
    rule = getattr(import_module(name), name.rpartition(".")[2], None)
    if not isinstance(rule, Rule):
        raise TypeError(f"{name} declares no rule of its name")
    return rule
