"""
Which regular expressions take more than twice as long for twice as much text.

`python -m benchmarks.expressions [--name WORD] [--seed N] [--texts N]` makes texts for each expression
of acp-spy from the expression itself: one of its repetitions goes on and on, the others are
short, and what comes after matches nothing. Each text is matched at two sizes, by the methods that the source
calls on this expression: what only `fullmatch` is called on may well take the square in `search`.
The exponent is 1 for what takes time in proportion to the text, and 2 for its square.
"""

import argparse
import ast
import math
import pkgutil
import random
import re
import signal
import sys
import time
from collections import defaultdict
from importlib import import_module
from inspect import getsource

# What an expression consists of is known to `re` alone.
from re import _constants as codes
from re import _parser as parser

import msgspec

import acp_spy
from acp_spy.secrets.expressions import _Expression as Lazy

SIZES = (1_000, 8_000)  # characters
LIMIT = 1.4
SHORTEST = 0.002  # seconds at the larger size: of less, nothing is said
MOST_SECONDS = 1
MANY = 64  # repetitions: what may come so often is repeated as often as there is room
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
ENDS = ("", "\0", "{", "!", " ", "\n", '"', "x", "0")
ANY = [chr(code) for code in range(32, 127)] + ["\n", "\t", "é"]


class TooLong(Exception):
    pass


def patterns():
    """Give each expression once, with the names that it has, and what the source does with it."""
    named = defaultdict(set)
    methods = defaultdict(set)
    known = {}
    modules = []
    for found in pkgutil.walk_packages(acp_spy.__path__, "acp_spy."):
        if not found.name.startswith(("acp_spy.pytest_plugin", "acp_spy.__main__")):
            modules.append(import_module(found.name))
    for module in modules:
        called = calls(module)
        for name, value in vars(module).items():
            for pattern, is_within in expressions_in(value):
                key = (pattern.pattern, pattern.flags)
                known[key] = pattern
                named[key].add(f"{module.__name__.removeprefix('acp_spy.')}.{name}")
                methods[key] |= {"finditer"} if is_within else called.get(name, set())
    for key, pattern in known.items():
        yield sorted(named[key])[0], pattern, methods[key] or {"search"}


def expressions_in(value, depth=0):
    """Give the expressions that a value is or has, and whether it has them."""
    if isinstance(value, re.Pattern | Lazy):
        yield value, depth > 0
    elif depth < 4:
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
            if node.attr in METHODS:
                found[node.value.id].add(node.attr)
    return found


class Text:
    """Makes texts that an expression nearly matches."""

    def __init__(self, pattern, rnd):
        self._rnd = rnd
        self._is_bytes = isinstance(pattern.pattern, bytes)
        source = pattern.pattern.decode("latin1") if self._is_bytes else pattern.pattern
        flags = pattern.flags & ~re.UNICODE if self._is_bytes else pattern.flags
        self._tree = parser.parse(source, flags)
        self._groups = {}
        self._repeats = []
        self._collect(self._tree)

    def _collect(self, tree):
        for code, given in tree:
            if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
                if given[1] > MANY:
                    self._repeats.append(given)
                self._collect(given[2])
            else:
                for each in within(code, given):
                    self._collect(each)

    @property
    def has_repeats(self):
        return bool(self._repeats)

    def made(self):
        """Return a function of a size, which gives a text of about so many characters."""
        chosen = self._rnd.choice(self._repeats)
        # What the part repeats is one and the same, or something else each time.
        unit = "".join(self._sample(chosen[2], None) for _ in range(self._rnd.choice((1, 1, 2))))
        unit = unit or "a"
        before, _, _ = self._sample(self._tree, chosen).partition("\1")
        before = self._rnd.choice(("", before, before, before[-1:]))
        end = self._rnd.choice(ENDS)
        again = self._rnd.random() < 0.3 and before  # the whole beginning comes again and again

        def text(size):
            if again:
                unit_of_all = before + unit * 2
                return self._as_given(unit_of_all * (size // len(unit_of_all)) + end)
            return self._as_given(before + unit * (size // len(unit)) + end)

        return text

    def _as_given(self, text):
        return text.encode("latin1", errors="replace") if self._is_bytes else text

    def _sample(self, tree, chosen):
        return "".join(self._one(code, given, chosen) for code, given in tree)

    def _one(self, code, given, chosen):
        rnd = self._rnd
        match code:
            case codes.LITERAL:
                return chr(given)
            case codes.NOT_LITERAL:
                return rnd.choice([each for each in ANY if ord(each) != given])
            case codes.ANY:
                return rnd.choice(ANY)
            case codes.IN:
                return self._of_set(given)
            case codes.BRANCH:
                return self._sample(rnd.choice(given[1]), chosen)
            case codes.SUBPATTERN:
                text = self._sample(given[3], chosen)
                if given[0] is not None:
                    self._groups[given[0]] = text
                return text
            case codes.ATOMIC_GROUP:
                return self._sample(given, chosen)
            case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
                low, high, inner = given
                if given is chosen:
                    return "\1"
                times = min(high, low + rnd.choice((0, 0, 1, 2)))
                return "".join(self._sample(inner, chosen) for _ in range(min(times, 400)))
            case codes.GROUPREF:
                return self._groups.get(given, "")
            case codes.GROUPREF_EXISTS:
                return self._sample(given[1], chosen)
            case _:
                return ""  # what is ahead, behind or between takes no room

    def _of_set(self, items):
        [(first, _), *_] = items
        texts = [each for each in ANY if is_in(each, items)]
        if first is not codes.NEGATE:
            texts += [chr(given) for code, given in items if code is codes.LITERAL]
        return self._rnd.choice(texts) if texts else "\x7f"


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
    return []


CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


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


def seconds(pattern, method, text):
    """Return how long it takes, of the processor's time; all that is found, if there are several."""
    run = getattr(pattern, method)
    given = (b"" if isinstance(text, bytes) else "", text) if method.startswith("sub") else (text,)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        found = run(*given)
        if method == "finditer":
            for _ in found:
                pass
    except TooLong:
        return MOST_SECONDS
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return time.process_time() - start


def grows(pattern, method, text):
    """Return how much, if it grows with more than the size, and how long the larger takes."""
    small, large = map(text, SIZES)
    if len(large) < 2 * len(small):
        return None
    long = seconds(pattern, method, large)
    if long < SHORTEST:
        return None
    exponent = 0
    for _ in range(2):  # a machine that was busy is not so twice
        short = max(seconds(pattern, method, small), 1e-6)
        long = min(long, seconds(pattern, method, large))
        exponent = math.log(long / short) / math.log(len(large) / len(small))
        if exponent <= LIMIT or long < SHORTEST:
            return None
    return exponent, long


def main():
    options = argparse.ArgumentParser(prog="python -m benchmarks.expressions", description=__doc__)
    options.add_argument("--name", metavar="WORD", help="only expressions with this word in a name")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--texts", type=int, default=40, help="for each expression and method")
    given = options.parse_args()
    signal.signal(signal.SIGALRM, stop)
    rnd = random.Random(given.seed)
    bad = count = 0
    for name, pattern, methods in patterns():
        count += 1
        texts = Text(pattern, rnd)
        if not texts.has_repeats or (given.name and given.name not in name):
            continue
        for method in sorted(methods):
            worst = None
            for _ in range(given.texts):
                text = texts.made()
                found = grows(pattern, method, text)
                if found:
                    worst = found, text(60)
                    break
            if worst:
                bad += 1
                (exponent, long), sample = worst
                print(f"{exponent:4.2f} {long:6.3f} s  {name}.{method}  {sample!r}", flush=True)
    print(f"{count} expressions, {bad} that grow")
    return int(bool(bad))


def stop(*_):
    raise TooLong


if __name__ == "__main__":
    sys.exit(main())
