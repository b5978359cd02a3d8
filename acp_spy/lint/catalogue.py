"""
Every rule, by code, found by its declaration alone: a module below `rules` that declares one.

A module whose name begins with `_` is shared by the rules beside it and declares none.
"""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules

from acp_spy.lint import rules
from acp_spy.lint.rule import Rule


def _declared(package: str, paths: Iterable[str]) -> list[Rule]:
    """Return the rules that the modules of `package`, and of the packages in it, declare."""
    found: list[Rule] = []
    for module in iter_modules(paths):
        name = f"{package}.{module.name}"
        if module.ispkg:
            found += _declared(name, import_module(name).__path__)
        elif not module.name.startswith("_"):
            rule = getattr(import_module(name), module.name, None)
            assert isinstance(rule, Rule), f"{name} declares no rule `{module.name}`"
            found.append(rule)
    return found


def _by_code(declared: list[Rule]) -> dict[str, Rule]:
    found = {rule.code: rule for rule in sorted(declared, key=lambda rule: rule.code)}
    assert len(found) == len(declared), "two rules have one code"
    return found


CATALOGUE: dict[str, Rule] = _by_code(_declared(rules.__name__, rules.__path__))
