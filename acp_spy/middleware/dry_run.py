"""A capture through a pipeline: what the stages would have done, without waiting for any time."""

import time
from collections.abc import Callable, Iterable, Sequence

import trio
from trio.testing import MockClock

from acp_spy.capture.records import Delivery, Header, Record, Stderr
from acp_spy.engine.leaving import cancel_and_leave
from acp_spy.errors import AcpSpyError, TasksLeft
from acp_spy.middleware.failures import causes
from acp_spy.middleware.pipeline import Pipeline, Stage
from acp_spy.wire.frame import Frame

# How long stages may take after the last frame, on a clock that nobody waits for.
_AT_THE_END = 24 * 3600.0


class NeverEndsError(AcpSpyError):
    """A task of a script does not end. To let go of it may run it again, so keep this."""


def dry_run(
    records: Iterable[Record], stages: Sequence[Stage], complain: Callable[[str], None]
) -> list[Record]:
    """
    Return the records with what the stages would have made of them.

    What became of the frames when they were recorded is left out. The clock is that of the capture,
    so that a delay is seen in the times and takes none.
    """
    run = _Run(records, stages, complain)
    try:
        trio.run(run.play, clock=MockClock(autojump_threshold=0))
    except BaseException as error:  # noqa: BLE001 - a task that a script started may raise anything
        raise run.reason_for(error) from None
    if not run.is_complete:
        raise run.reason_for(None)
    return run.done


async def _pause(seconds: float) -> None:
    """Wait in a thread: the clock of a dry run jumps meanwhile, and stands if a task is busy."""
    await trio.to_thread.run_sync(time.sleep, seconds)


class _Run:
    """One run; `done` are the records that are finished so far."""

    def __init__(
        self, records: Iterable[Record], stages: Sequence[Stage], complain: Callable[[str], None]
    ) -> None:
        self._records = records
        self._start = 0.0
        self._pipeline = Pipeline(stages, lambda: trio.current_time() - self._start, complain)
        self._pipeline.on_output = self._collect
        self._raised: BaseException | None = None  # in no task but this
        self.done: list[Record] = []
        self.is_complete = False

    async def play(self) -> None:
        """Pass all frames through the pipeline, each at its time."""
        self._start = trio.current_time()
        async with trio.open_nursery() as nursery:
            try:
                for record in self._records:
                    await self._take(record, nursery)
                await trio.sleep(_AT_THE_END)
                self.is_complete = True
            except Exception as error:
                self._raised = error
                raise
            finally:
                await cancel_and_leave(nursery, pause=_pause)
        self._pipeline.end()
        self._collect()

    def reason_for(self, error: BaseException | None) -> BaseException:
        """Return the one error because of which trio raised `error`, or ended without any."""
        found = [*causes(error)] if error else []
        for each in found:
            if issubclass(type(each), KeyboardInterrupt):
                return each
        if self._raised:  # a capture that cannot be read
            return self._raised
        reason = self._pipeline.explain(error)
        if reason or not found:
            is_left = any(isinstance(each, TasksLeft) for each in found)
            kind = NeverEndsError if is_left else AcpSpyError
            return kind(f"cannot finish the run: {reason}", hint="correct the script")
        return found[0]

    async def _take(self, record: Record, nursery: trio.Nursery) -> None:
        if isinstance(record, Header):
            self.done.append(record)
            self._pipeline.begin(nursery.start_soon, trio.sleep)
        elif isinstance(record, Frame):
            await trio.sleep_until(self._start + record.t)
            self._pipeline.take(record)
            self._collect()
        elif not isinstance(record, Delivery):
            self.done.append(record)
            if isinstance(record, Stderr):
                self._pipeline.take_stderr(record.raw)

    def _collect(self) -> None:
        made, _lines = self._pipeline.collect()
        self.done.extend(made)
