"""
Which regular expressions take more than twice as long for twice as much text.

`python -m benchmarks.expressions [--name WORD] [--seed N] [--texts N]` matches each expression of
acp-spy with texts that it nearly matches (`near_matches`), at two sizes, by the methods that the
source calls on it. The exponent is 1 for what takes time in proportion to the text, and 2 for its
square. What is printed may still be fine, if nothing long is given to it: `python -m
benchmarks.growth --expressions` gives the same texts to whole commands.
"""

import argparse
import math
import random
import signal
import sys
import time

from benchmarks.near_matches import NearMatches, expressions

SIZES = (1_000, 8_000)  # characters
LIMIT = 1.4
SHORTEST = 0.002  # seconds at the larger size: of less, nothing is said
MOST_SECONDS = 1


class TooLongError(Exception):
    """A text took more than `MOST_SECONDS`: `re` lets signals through."""


def stop(*_):
    raise TooLongError


def seconds(run, text):
    """Return the processor's seconds that it takes to find all in a text."""
    start = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        found = run(text)
        if hasattr(found, "__next__"):
            for _ in found:
                pass
    except TooLongError:
        return MOST_SECONDS
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return time.process_time() - start


def growth(run, small, large):
    """Return the exponent and the seconds of the larger; nothing, if that is not too much."""
    exponent = long = 0
    for _ in range(2):  # a machine may be busy once
        short, long = seconds(run, small), seconds(run, large)
        if short >= MOST_SECONDS:
            return math.inf, long
        exponent = math.log(max(long, 1e-6) / max(short, 1e-6), len(large) / len(small))
        if long < SHORTEST or exponent <= LIMIT:
            return None
    return exponent, long


def prepared(expression, method):
    """Return what takes a text as `str`, and applies a method of an expression."""
    call = getattr(expression, method)
    is_bytes = isinstance(expression.pattern, bytes)
    given = (b"" if is_bytes else "",) if method.startswith("sub") else ()
    return lambda text: call(*given, text.encode("latin1", "replace") if is_bytes else text)


def first_that_grows(expression, method, texts):
    """Return the growth of the first text that takes too long, and the text; or nothing."""
    run = prepared(expression, method)
    for text in texts:
        unit = len(text(1)) - len(text(0))
        small, large = (text(size // unit + 1) for size in SIZES)
        if found := growth(run, small, large):
            return *found, text(4)
    return None


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.expressions", description=__doc__)
    parser.add_argument("--name", default="", metavar="WORD", help="only those with this word")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--texts", type=int, default=60, metavar="N", help="for each method")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, stop)
    rnd = random.Random(options.seed)
    bad = 0
    for name, expression, methods in expressions():
        makes = NearMatches(expression, rnd)
        for method in methods if makes.repetitions and options.name in name else ():
            texts = (makes.text() for _ in range(options.texts))
            if found := first_that_grows(expression, method, texts):
                exponent, long, text = found
                print(f"{exponent:4.2f} {long:6.3f} s  {name}.{method} {text!r:.100}", flush=True)
                bad += 1
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
