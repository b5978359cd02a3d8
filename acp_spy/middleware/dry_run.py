"""A capture through a pipeline: what the stages would have done, without waiting for any time."""

from collections.abc import Callable, Iterable, Sequence

import trio
from trio.testing import MockClock

from acp_spy.capture.records import Delivery, Header, Record, Stderr
from acp_spy.middleware.pipeline import Pipeline, Stage
from acp_spy.wire.frame import Frame

# How long stages may take after the last frame, on a clock that nobody waits for.
_AT_THE_END = 24 * 3600.0


def dry_run(
    records: Iterable[Record], stages: Sequence[Stage], complain: Callable[[str], None]
) -> list[Record]:
    """
    Return the records with what the stages would have made of them.

    What became of the frames when they were recorded is left out. The clock is that of the capture,
    so that a delay is seen in the times and takes none.
    """
    try:
        return trio.run(_run, records, stages, complain, clock=MockClock(autojump_threshold=0))
    except BaseExceptionGroup as group:  # of the nursery: a capture that cannot be read, or Ctrl-C
        raise group.exceptions[0] from None


async def _run(
    records: Iterable[Record], stages: Sequence[Stage], complain: Callable[[str], None]
) -> list[Record]:
    start = trio.current_time()
    pipeline = Pipeline(stages, lambda: trio.current_time() - start, complain)
    done: list[Record] = []

    def collect() -> None:
        made, _lines = pipeline.collect()
        done.extend(made)

    pipeline.on_output = collect
    async with trio.open_nursery() as nursery:
        for record in records:
            if isinstance(record, Header):
                done.append(record)
                pipeline.begin(nursery.start_soon, trio.sleep)
            elif isinstance(record, Frame):
                await trio.sleep_until(start + record.t)
                pipeline.take(record)
                collect()
            elif not isinstance(record, Delivery):
                done.append(record)
                if isinstance(record, Stderr):
                    pipeline.take_stderr(record.raw)
        await trio.sleep(_AT_THE_END)
        nursery.cancel_scope.cancel()
    pipeline.end()
    collect()
    return done
