"""
Feed targets for as long as there is time, and tell what came of it.

Here the inputs are seeds, changed at random. Where atheris is installed it chooses them, by which
code each one reaches (`by_coverage`).
"""

import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from fuzz.mutation import Mutator
from fuzz.seeds import seeds
from fuzz.targets import TARGETS, hold

LONGEST = 20.0  # seconds of CPU for one input of at most 200 kB: far more than any takes


class Hang(BaseException):
    """An input took too long. No `Exception`: nothing on the way may take it for one."""


class Outcome(msgspec.Struct):
    """What came of one target: how often it was run, and what is worth a look."""

    target: str
    executions: int = 0
    failures: dict[str, bytes] = msgspec.field(default_factory=dict)  # the first input of each
    slowest: float = 0.0
    slowest_input: bytes = b""


def feed(outcome: Outcome, data: bytes) -> None:
    """Run the target once, and take note."""
    outcome.executions += 1
    began = time.process_time()
    try:
        with limit(LONGEST):
            hold(outcome.target, data)
    except (Exception, Hang) as error:  # noqa: BLE001 - which is what we are here for
        outcome.failures.setdefault(_told(error), data)
    took = time.process_time() - began
    if took > outcome.slowest:
        outcome.slowest, outcome.slowest_input = took, data


def run(target: str, seconds: float, seed: int) -> Outcome:
    """Feed a target with changed seeds; the same ones in the same order for the same `seed`."""
    outcome = Outcome(target)
    mutator = Mutator(seeds(TARGETS[target].seeds), seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        feed(outcome, mutator.next())
    return outcome


def by_coverage(target: str, seconds: float, seed: int) -> None:
    """Have atheris feed a target until it fails or time is up. It ends the process."""
    import sys
    import tempfile

    import atheris

    corpus = Path(tempfile.mkdtemp(prefix=f"fuzz-{target}-"))
    for number, data in enumerate(seeds(TARGETS[target].seeds)):
        (corpus / f"seed-{number}").write_bytes(data)
    words = [sys.argv[0], f"-max_total_time={int(seconds)}", f"-seed={seed}", "-timeout=20"]
    atheris.Setup(
        [*words, "-rss_limit_mb=4096", "-max_len=20000", str(corpus)],
        lambda data: hold(target, data),
    )
    atheris.Fuzz()


def table(outcomes: list[Outcome]) -> Iterator[str]:
    """Give what came of it, a line a target, and below it each failure."""
    yield f"{'target':<15}{'executions':>11}{'failures':>10}  slowest input"
    for outcome in outcomes:
        slowest = f"{outcome.slowest:.3f} s for {len(outcome.slowest_input):,} bytes"
        failures = len(outcome.failures)
        yield f"{outcome.target:<15}{outcome.executions:>11,}{failures:>10}  {slowest}"
    for outcome in outcomes:
        for output in outcome.failures:
            yield f"\n{outcome.target}: {output}"


def save(outcomes: list[Outcome], where: Path) -> Iterator[Path]:
    """Keep the inputs of all failures, and each target's slowest; give their paths."""
    where.mkdir(parents=True, exist_ok=True)
    for outcome in outcomes:
        kept = [*outcome.failures.values(), outcome.slowest_input]
        for number, data in enumerate(kept, start=1):
            name = f"failure-{number}" if number < len(kept) else "slowest"
            path = where / f"{outcome.target}-{name}"
            path.write_bytes(data)
            yield path


def _told(error: BaseException) -> str:
    """Return an exception and where it was raised: enough to tell two bugs apart."""
    places = [
        f"{Path(place.filename).name}:{place.lineno} {place.name}"
        for place in traceback.extract_tb(error.__traceback__)[-3:]
    ]
    return f"{type(error).__name__}: {str(error)[:200]!a} at {' < '.join(reversed(places))}"


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise `Hang` when the work has taken so much CPU time."""

    def stop(*_: object) -> None:
        raise Hang(f"no end after {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
