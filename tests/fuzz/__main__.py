"""
`python -m tests.fuzz [TARGET...] --seconds N --seed S`: fuzz for a while, and show a table.

Without a target, all have their share of the time. The same seed gives the same inputs in the same
order; how far it comes depends on the machine. With `--atheris` one target is fed by coverage:
that needs `pip install atheris`, which has to be built with clang's libFuzzer on some machines.
"""

import argparse
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def _watched() -> object:
    """Return in what our code is to be imported: by atheris it is made to tell where it has been."""
    if "--atheris" not in sys.argv:
        return nullcontext()
    import atheris

    return atheris.instrument_imports(include=["acp_spy"], enable_loader_override=False)


with _watched():
    from fuzz.loop import by_coverage, run, save, table
    from fuzz.targets import TARGETS


def main() -> int:
    """Return 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", nargs="*", choices=[[], *TARGETS], metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=60.0, help="the time for all together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="where to keep the inputs that failed")
    parser.add_argument("--atheris", action="store_true", help="feed one target by coverage")
    options = parser.parse_args()
    names = options.target or list(TARGETS)
    if options.atheris:
        by_coverage(names[0], options.seconds, options.seed)
    outcomes = [run(name, options.seconds / len(names), options.seed) for name in names]
    print("\n".join(table(outcomes)))
    if failed := any(outcome.failures for outcome in outcomes):
        where = options.save or Path(tempfile.mkdtemp(prefix="fuzz-"))
        print("\nkept:", *save(outcomes, where), sep="\n  ")
    return int(failed)


sys.exit(main())
