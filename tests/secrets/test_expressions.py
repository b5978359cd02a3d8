"""Expressions are compiled when they are first used, and each can be."""

import importlib
import pkgutil
import re

import acp_spy.secrets
from acp_spy.secrets.expressions import expression


def test_it_is_compiled_when_it_is_used_and_is_then_like_any_other(monkeypatch):
    compiled = []
    compile_it = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given) or compile_it(*given))
    lazy = expression(rb"(?P<word>a)b", re.IGNORECASE)
    assert lazy.pattern == rb"(?P<word>a)b"
    assert compiled == []
    assert lazy.fullmatch(b"AB")["word"] == b"A"
    assert [found.span() for found in lazy.finditer(b"abab")] == [(0, 2), (2, 4)]
    assert (lazy.groups, lazy.groupindex["word"], lazy.flags) == (1, 1, re.IGNORECASE)
    assert compiled == [(rb"(?P<word>a)b", re.IGNORECASE)]
    assert not hasattr(lazy, "nothing_like_that")


def test_all_of_them_can_be_compiled():
    modules = [
        importlib.import_module(f"{acp_spy.secrets.__name__}.{each.name}")
        for each in pkgutil.iter_modules(acp_spy.secrets.__path__)
    ]
    lazy = [
        value
        for module in modules
        for value in vars(module).values()
        if type(value) is type(expression(""))
    ]
    assert len(lazy) > 200
    for each in lazy:
        assert each.groups >= 0
