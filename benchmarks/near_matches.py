"""
The regular expressions of acp-spy, and texts that each of them nearly matches.

A text is made from the expression itself: one of its repetitions goes on and on, the others are
short, and what comes at the end matches nothing. What must be ahead or behind is not made.
"""

import ast
import pkgutil
import re
from collections import defaultdict
from importlib import import_module
from inspect import getsource

# What an expression consists of is known to `re` alone (CPython 3.11 and later).
from re import _constants as codes
from re import _parser as parser

import msgspec

import acp_spy
from acp_spy.secrets.expressions import _Expression as Lazy

MANY = 64  # what may come so often is repeated as often as there is room
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
ENDS = ("", "\0", "{", "!", " ", "\n", '"', "x", "0")
ANY = [chr(code) for code in range(32, 127)] + ["\n", "\t", "é"]
LONGEST = 400  # repetitions of what is not the one that goes on and on
DEEPEST = 4  # objects and lists around an expression
CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def expressions():
    """Give (name, expression, methods) for each: the methods that the source calls on it."""
    names, methods, known = {}, defaultdict(set), {}
    for module in modules():
        called = calls(module)
        for name, value in vars(module).items():
            for found, is_within in expressions_in(value):
                key = (found.pattern, found.flags)
                known[key] = found
                names.setdefault(key, f"{module.__name__.removeprefix('acp_spy.')}.{name}")
                methods[key] |= {"finditer"} if is_within else called[name]
    for key, found in known.items():
        yield names[key], found, sorted(methods[key] or {"search"})


def modules():
    for found in pkgutil.walk_packages(acp_spy.__path__, "acp_spy."):
        if not found.name.startswith(("acp_spy.pytest_plugin", "acp_spy.__main__")):
            yield import_module(found.name)


def expressions_in(value, depth=0):
    """Give the expressions that a value is or has, and whether it has them."""
    if isinstance(value, re.Pattern | Lazy):
        yield value, depth > 0
    elif depth < DEEPEST:
        if isinstance(value, msgspec.Struct):
            value = [getattr(value, name) for name in value.__struct_fields__]
        if isinstance(value, dict):
            value = [*value.values()]
        if isinstance(value, list | tuple | set | frozenset):
            for each in value:
                yield from expressions_in(each, depth + 1)


def calls(module):
    """Return the methods that a module calls on each name."""
    found = defaultdict(set)
    for node in ast.walk(ast.parse(getsource(module))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found[node.value.id] |= {node.attr} & set(METHODS)
    return found


class NearMatches:
    """Makes texts that an expression nearly matches."""

    def __init__(self, expression, rnd):
        self._random = rnd
        source, flags = expression.pattern, expression.flags
        if isinstance(source, bytes):
            source, flags = source.decode("latin1"), flags & ~re.UNICODE
        self._tree = parser.parse(source, flags)
        self._groups = {}
        self.repetitions = []  # that may go on and on
        self._collect(self._tree)

    def _collect(self, tree):
        for code, given in tree:
            if code in REPEATS:
                self.repetitions += [given] if given[1] > MANY else []
            for each in within(code, given):
                self._collect(each)

    def text(self):
        """Return a function of a number, which gives a text with so many repetitions."""
        random = self._random
        chosen = random.choice(self.repetitions)
        unit = "".join(self._sample(chosen[2]) for _ in range(random.choice((1, 1, 2)))) or "a"
        whole = self._sample(self._tree, chosen)
        before = random.choice((whole, whole, whole, whole[-1:], ""))
        if before and random.random() < 0.3:  # the beginning comes again, too
            unit, before = before + unit * 2, ""
        end = random.choice(ENDS)
        return lambda number: before + unit * number + end

    def _sample(self, tree, until=None):
        """Return what `tree` matches, up to the repetition `until`."""
        text = ""
        for code, given in tree:
            if given is until:
                break
            text += self._one(code, given, until)
        return text

    def _one(self, code, given, until):
        random = self._random
        match code:
            case codes.LITERAL:
                return chr(given)
            case codes.NOT_LITERAL:
                return random.choice([each for each in ANY if ord(each) != given])
            case codes.ANY:
                return random.choice(ANY)
            case codes.IN:
                return random.choice([each for each in all_of(given) if is_in(each, given)])
            case codes.BRANCH:
                return self._sample(random.choice(given[1]), until)
            case codes.SUBPATTERN:
                self._groups[given[0]] = self._sample(given[3], until)
                return self._groups[given[0]]
            case codes.GROUPREF:
                return self._groups.get(given, "")
            case codes.ASSERT | codes.ASSERT_NOT:
                return ""  # it takes no room
        if code not in REPEATS:
            return "".join(self._sample(part, until) for part in within(code, given)[:1])
        least, most, part = given
        times = min(most, least + random.choice((0, 0, 1, 2)), LONGEST)
        return "".join(self._sample(part, until) for _ in range(times))


def within(code, given):
    """Return the expressions within a part of one."""
    match code:
        case codes.BRANCH:
            return given[1]
        case codes.SUBPATTERN:
            return [given[3]]
        case codes.ATOMIC_GROUP:
            return [given]
        case codes.ASSERT | codes.ASSERT_NOT:
            return [given[1]]
        case codes.GROUPREF_EXISTS:
            return [each for each in given[1:] if each]
        case _ if code in REPEATS:
            return [given[2]]
    return []


def all_of(items):
    """Return the characters of which some are in a set."""
    named = [given for code, given in items if code is codes.LITERAL]
    named += [given[0] for code, given in items if code is codes.RANGE]
    return ANY + [chr(each) for each in named] + ["\x7f"]


def is_in(char, items):
    found = False
    for code, given in items:
        match code:
            case codes.LITERAL:
                found |= ord(char) == given
            case codes.RANGE:
                found |= given[0] <= ord(char) <= given[1]
            case codes.CATEGORY:
                found |= bool(re.match(CATEGORIES[given], char))
    return found != (items[0][0] is codes.NEGATE)
