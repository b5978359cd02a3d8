"""`python -m benchmarks`: run the benchmarks, and tell what they came to."""

import argparse
import sys
import time
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import msgspec

from benchmarks.measuring import ROOT, commit, compile_everything, machine
from benchmarks.outcome import Effort, Result
from benchmarks.report import fill, limits, section

# In the order of the page. The number is that of the rounds, where none is asked for.
BENCHMARKS = {
    "proxy": 9,
    "busy": 9,
    "changes": 5,
    "startup": 15,
    "check": 5,
    "view": 5,
    "page": 5,
    "console": 3,
    "stats": 3,
    "redact": 5,
    "replay": 5,
    "remote": 5,
    "scale": 1,
    "soak": 1,
}
KEPT = Path(__file__).parent / "results.json"
PAGE = ROOT / "docs" / "performance.md"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=BENCHMARKS, metavar="NAME", help=", ".join(BENCHMARKS)
    )
    parser.add_argument("--rounds", type=int, help="number of rounds; the median counts")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="small sizes, one round, keep no results: try whether the benchmarks run",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"instead of {KEPT.name}")
    options = parser.parse_args()
    compile_everything()
    results = {}
    for name in options.only or BENCHMARKS:
        rounds = options.rounds or (1 if options.quick else BENCHMARKS[name])
        results[name] = run(name, Effort(rounds, options.quick))
        print(f"\n{name}: {section(results[name])}\n", flush=True)
    print(limits(results))
    if options.json:
        options.json.write_bytes(spell(results))
    elif not options.quick:
        keep(results)
    return int(any(missed(result.outcome) for result in results.values()))


def run(name, effort):
    print(f"{name}:", file=sys.stderr)
    before = time.perf_counter()
    outcome = import_module(f"benchmarks.{name}").measure(effort)
    seconds = time.perf_counter() - before
    today = datetime.now(tz=UTC).date().isoformat()
    return Result(today, commit(), machine(), effort.rounds, seconds, outcome)


def missed(outcome):
    return [limit for limit in outcome.limits if not limit.is_met and not limit.aim]


def kept():
    """Return the results that are kept, in the order of the page."""
    if not KEPT.exists():
        return {}
    results = msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Result])
    return {name: results[name] for name in BENCHMARKS if name in results}


def keep(results):
    """Put `results` in the place of older ones of the same benchmarks, and on the page."""
    together = {**kept(), **results}
    KEPT.write_bytes(spell({name: together[name] for name in BENCHMARKS if name in together}))
    PAGE.write_text(fill(PAGE.read_text(), kept()))


def spell(results):
    return msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"


if __name__ == "__main__":
    sys.exit(main())
