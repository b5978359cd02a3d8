"""
What takes more than twice as long for twice as much: each command over captures of one thing again.

`python -m benchmarks.growth [--unit WORD] [--reader NAME]` writes captures of two sizes of a unit
(see `repeated`) and compares the times of each reader. The exponent is 1 for what takes time in
proportion to the bytes, and 2 for its square. What may be above the limit is measured again with
four times as much, and printed if it is. With `--texts` the redactor reads strings of one token or
of a part of a key, with `--pairs` strings of two tokens, and with `--expressions` what our regular
expressions nearly match, somewhere in a message. All of it takes hours: `--part 0/9` takes every
ninth unit.

Each command runs in a fork of this process, so that nothing is loaded twice. Seconds are the
processor's, without those for an empty capture.
"""

import argparse
import contextlib
import gc
import math
import os
import pkgutil
import random
import resource
import signal
import sys
import tempfile
import traceback
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import msgspec

import acp_spy
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.shape_search import SHAPES
from acp_spy.wire.frame import Frame, Peer
from benchmarks.near_matches import NearMatches, expressions
from benchmarks.repeated import (
    AGENT,
    CLIENT,
    PLACES,
    UNITS,
    as_chunks,
    as_lines,
    as_one_text,
    opening,
    pairs,
    spelled_out,
    texts,
    write,
)

SIZES = (80_000, 400_000)  # bytes
TEXT_SIZES = (16_000, 64_000, 256_000, 1_000_000)
LONG_ENOUGH, TEXT_LONG_ENOUGH = 1.5, 0.3  # seconds after which no larger size is tried
SHORTEST = 0.25  # seconds: of less, nothing is said
MOST_SECONDS = 20
SUSPECT = 1.3  # an exponent that is measured again, at a larger size
LIMIT = 1.35  # a square has 2; with this, eight times as much takes twice what it should


def command(*words, stdin=None):
    """Return a reader that is a command; X is the capture, Y another, O a file that is written."""

    def read(folder):
        from acp_spy.cli.entry import run

        names = {"X": f"{folder}/x.jsonl", "Y": f"{folder}/y.jsonl", "D": f"{folder}"}
        given = [names.get(word, word.replace("OUT", f"{folder}/out")) for word in words]
        with open(f"{folder}/{stdin}" if stdin else os.devnull) as file:
            os.dup2(file.fileno(), 0)
        sys.argv = ["acp-spy", *given]
        run(given)

    return read


def conversation(folder):
    from acp_spy import load

    capture = load(f"{folder}/x.jsonl")
    found = capture.conversation
    for each in (found.sessions, found.turns, found.tool_calls, found.exchanges):
        repr(each)


def live_page(folder):
    from acp_spy.live_page.live_capture import Choices, LiveCapture

    live = LiveCapture(f"{folder}/x.jsonl", Choices(masked=False))
    while not live.is_over:
        live.take()


def console(folder):
    from acp_spy.console.document import Document
    from acp_spy.console.reader import Reader
    from acp_spy.console.shelf import Shelf

    path = f"{folder}/x.jsonl"
    shelf = Shelf.create()
    reader = Reader(path, shelf)
    while not reader.is_over:
        reader.advance()
    document = Document(path, shelf)
    document.update(reader.status(0.0))
    place = document.last()
    while place is not None:
        document.show(place)
        place = document.before(place)


def redactor(folder):
    from acp_spy.capture.files import read
    from acp_spy.secrets.redactor import Redactor

    redacting = Redactor()
    records = [*read(f"{folder}/x.jsonl")]
    redacting.learn_all(records)
    for record in records:
        redacting.record(record)


def recording(folder):
    """Redact as the proxy does, which cannot read anything twice."""
    from acp_spy.capture.files import read
    from acp_spy.secrets.redactor import Redactor

    redacting = Redactor()
    for record in read(f"{folder}/x.jsonl"):
        redacting.record(record)


FORMATS = ("concise", "json", "github", "sarif", "junit")
VIEWS = ("json", "jsonl")
MASKED_VIEWS = ("markdown", "mermaid", "html")
READERS = {
    "check": command("check", "X"),
    **{f"check --format {name}": command("check", "X", "--format", name) for name in FORMATS},
    "check --fix": command("check", "X", "--fix", "-o", "OUT.jsonl"),
    "check --diff": command("check", "X", "--diff"),
    "check --delivered": command("check", "X", "--delivered", "--format", "concise"),
    "check --dialect crow": command("check", "X", "--dialect", "crow", "--format", "concise"),
    "check --spec v2": command("check", "X", "--spec", "v2", "--format", "concise"),
    "view": command("view", "X"),
    "view --raw": command("view", "X", "--raw"),
    "view --no-fold": command("view", "X", "--no-fold"),
    "view --frame 6": command("view", "X", "--frame", "6"),
    "view finding:any": command("view", "X", "finding:any"),
    "view text:x": command("view", "X", "text:x", "-session:q"),
    **{f"view --format {name}": command("view", "X", "--format", name) for name in VIEWS},
    **{
        f"view --format {name}": command(
            "view", "X", "--format", name, "-o", "OUT", "--force", "--show-secrets"
        )
        for name in MASKED_VIEWS
    },
    "stats": command("stats", "X"),
    "stats --format json": command("stats", "X", "--format", "json"),
    "why": command("why", "X"),
    "diff with another": command("diff", "X", "Y"),
    "diff --format json": command("diff", "Y", "X", "--format", "json"),
    "diff with itself": command("diff", "X", "X"),
    "diff --delivered": command("diff", "X", "--delivered"),
    "script --fault": command("script", "X", "--fault", "drop p:0.5", "-o", "OUT.jsonl"),
    "list": command("list", "--dir", "D"),
    "import": command("import", "agent.ndjson", "--from", "ndjson"),
    "raw": command("raw", "X", "--sender", "agent"),
    "raw --delivered": command("raw", "X", "--sender", "agent", "--delivered"),
    "replay agent": command(
        "replay", "agent", "X", "--timeout", "0.2", "--on-divergence", "warn", stdin="client"
    ),
    "redact": command("redact", "X", "-o", "OUT.jsonl", "--force"),
    "redact --explain": command("redact", "X", "--explain"),
    "redact --home": command("redact", "X", "-o", "OUT.jsonl", "--force", "--home", "--user"),
    "record --redact": recording,
    "conversation": conversation,
    "live page": live_page,
    "console": console,
    "proxy": command("-o", "OUT.jsonl", "-v", "--", "cat", "agent", stdin="client"),
    "proxy --fix": command("-o", "OUT.jsonl", "-v", "--fix", "--", "cat", "agent", stdin="client"),
}


class Grown(msgspec.Struct, frozen=True):
    """The seconds at two sizes."""

    unit: str
    reader: str
    sizes: tuple[int, int]
    seconds: tuple[float, float]

    @property
    def exponent(self):
        (small, large), (short, long) = self.sizes, self.seconds
        return math.log(long / short) / math.log(large / small)

    @property
    def is_above(self):
        return self.seconds[1] >= SHORTEST and self.exponent > LIMIT


def prepare(folder, make, size):
    """Write about `size` bytes of repetitions, and what a replay needs; return how many bytes."""
    low = 8
    sampled = _length(make(low))
    floor = _length(make(0))
    count = max(int(low * (size - floor) / max(sampled - floor, 1)), 1)
    if _length(make(2 * low)) - floor > 2.5 * (sampled - floor):  # it grows with the square
        count = int(low * math.sqrt((size - floor) / (sampled - floor)))
    records = make(count)
    Path(folder, "y.jsonl").parent.mkdir(exist_ok=True)
    write(f"{folder}/y.jsonl", make(count * 15 // 16))
    for peer in (CLIENT, AGENT):
        _write_stream(f"{folder}/{peer}", records, peer)
    os.replace(f"{folder}/agent", f"{folder}/agent.ndjson")
    os.symlink(f"{folder}/agent.ndjson", f"{folder}/agent")
    return write(f"{folder}/x.jsonl", records)


def _length(records):
    return sum(len(msgspec.json.encode(record)) + 50 for record in records)


def _write_stream(path, records, peer):
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    with open(path, "wb") as file:
        for record in records:
            if isinstance(record, tuple) and record[0] == peer:
                sent = record[1]
                text = isinstance(sent, str)
                file.write(sent.encode() if text else msgspec.json.encode(sent) + b"\n")


def seconds_of(reader, folder):
    """Run a reader in a fork; return the processor's seconds, or None if it was stopped."""
    child = os.fork()
    if not child:
        _read_and_end(reader, folder)
    _, status, used = os.wait4(child, 0)
    stopped = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    seconds = used.ru_utime + used.ru_stime
    return MOST_SECONDS if stopped else seconds


def _read_and_end(reader, folder):
    status = 0
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
        os.chdir(folder)
        null = os.open(os.devnull, os.O_WRONLY)
        told = os.open(f"{folder}/told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(null, 1)
        os.dup2(told, 2)
        for name in (f"{folder}/out.jsonl",):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
        reader(folder)
    except SystemExit:
        pass
    except BaseException:  # noqa: BLE001 - the fork must end here
        traceback.print_exc()
        status = 1
    os._exit(status)


def grow(name, make, readers, sizes, enough):
    """Give how each of `readers` grew with a unit, at the last two sizes that were tried."""
    last = dict.fromkeys(readers)
    left = set(readers)
    before = 0
    for size in sizes:
        now, used = measured(make, size, [reader for reader in readers if reader in left])
        for reader, seconds in used.items():
            taken = max(seconds - empty(reader), 1e-3)
            earlier = last[reader].seconds[1] if last[reader] else 0.0
            last[reader] = Grown(name, reader, (before, now), (earlier, taken))
            if taken >= enough and before:
                left.discard(reader)
        before = now
    yield from last.values()


@cache
def empty(reader):
    """Return the seconds for a capture with next to nothing."""
    return measured(UNITS["turns"], 1, [reader])[1][reader]


def measured(make, size, readers):
    """Return the bytes of a capture, and the seconds of each reader."""
    with tempfile.TemporaryDirectory() as folder:
        written = prepare(folder, make, size)
        return written, {reader: seconds_of(READERS[reader], folder) for reader in readers}


def confirm(grown, make):
    """Measure again, with four times as much; return that, or the earlier if it takes too long."""
    runs = [measured(make, size, [grown.reader]) for size in (grown.sizes[1], 4 * grown.sizes[1])]
    sizes = tuple(written for written, _ in runs)
    seconds = tuple(max(used[grown.reader] - empty(grown.reader), 1e-3) for _, used in runs)
    again = Grown(grown.unit, grown.reader, sizes, seconds)
    return (
        max(grown, again, key=lambda each: each.exponent)
        if seconds[1] > MOST_SECONDS - 2
        else again
    )


def chosen_units(options):
    if options.expressions:
        yield from near_matches(random.Random(options.seed))
    elif options.texts or options.pairs:
        for name, words in pairs() if options.pairs else texts():
            yield name, as_one_text(words)
            if options.texts:
                yield f"chunks of {name}", as_chunks(words)
                yield f"lines of {name}", as_lines(words)
    else:
        yield from UNITS.items()


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--unit", action="append", metavar="WORD", help="only units with this word")
    parser.add_argument("--reader", action="append", metavar="NAME", choices=READERS)
    parser.add_argument("--texts", action="store_true", help="repeat tokens and parts of keys")
    parser.add_argument("--pairs", action="store_true", help="repeat pairs of tokens")
    parser.add_argument("--expressions", action="store_true", help="what expressions nearly match")
    parser.add_argument("--seed", type=int, default=1, help="of --expressions")
    parser.add_argument("--part", default="0/1", help="for example 0/2: every second unit")
    parser.add_argument("--all", action="store_true", help="also print what grows as it should")
    options = parser.parse_args()
    are_texts = options.texts or options.pairs or options.expressions
    readers = options.reader or (["record --redact"] if are_texts else [*READERS])
    measure = partial(
        grow,
        readers=readers,
        sizes=TEXT_SIZES if are_texts else SIZES,
        enough=TEXT_LONG_ENOUGH if are_texts else LONG_ENOUGH,
    )
    preload()
    try_readers(readers)
    part, parts = map(int, options.part.split("/"))
    bad = 0
    for number, (name, make) in enumerate(chosen_units(options)):
        if number % parts != part or (options.unit and not any(w in name for w in options.unit)):
            continue
        for grown in measure(name, make):
            is_suspect = grown.seconds[1] >= SHORTEST and grown.exponent > SUSPECT
            sure = confirm(grown, make) if is_suspect else grown
            bad += sure.is_above
            if sure.is_above or options.all:
                print_row(sure)
    return int(bool(bad))


def near_matches(rnd):
    """Give a unit for each expression that may go on: its text, after an example of a secret."""
    for name, expression, _ in expressions():
        makes = NearMatches(expression, rnd)
        if makes.repetitions:
            place = rnd.choice([*PLACES])
            before = spelled_out(rnd.choice(("", rnd.choice(SHAPES).example)))
            unit = as_near_match(place, before, makes.text())
            yield f"{name} in {place} after {before[:20]!r}", unit


def as_near_match(place, before, text):
    return lambda number: [*opening(), *PLACES[place](before + text(number))]


def print_row(grown):
    sizes = " ".join(
        f"{size / 1000:7.0f} kB {seconds:6.2f} s"
        for size, seconds in zip(grown.sizes, grown.seconds, strict=True)
    )
    sign = "GROWS" if grown.is_above else "  ok "
    print(f"{sign} {grown.exponent:5.2f}  {grown.unit:40.60} {grown.reader:22} {sizes}", flush=True)


def preload():
    """Load everything once, before it is forked."""
    for module in pkgutil.walk_packages(acp_spy.__path__, "acp_spy."):
        if not module.name.startswith(("acp_spy.pytest_plugin", "acp_spy.__main__")):
            import_module(module.name)
    tuple(CATALOGUE.values())
    Redactor().record(Frame(1, 0.1, Peer.AGENT, b'{"a":"password=b ghp_1"}\n'))
    gc.freeze()


def try_readers(readers):
    """See to it that no reader complains of how it is called."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, UNITS["turns"], 2000)
        for name in readers:
            seconds_of(READERS[name], folder)
            complaint = Path(folder, "told").read_text()
            assert "Traceback" not in complaint, (name, complaint)
            assert "error:" not in complaint, (name, complaint)


if __name__ == "__main__":
    sys.exit(main())
