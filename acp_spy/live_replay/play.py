"""Play on a stage, by trio."""

from collections.abc import Callable

import trio

from acp_spy.engine.driven import something_to_carry
from acp_spy.live_replay.stage import Stage


def run(stage: Stage) -> None:
    """Play until all has been sent and read."""
    trio.run(play, stage, lambda: stage.is_over)


async def play(stage: Stage, is_over: Callable[[], bool]) -> None:
    """Take what comes and send what is due, until it is over."""
    while not is_over():
        with trio.move_on_after(stage.seconds_left) as patience:
            await something_to_carry(stage.carrier)
        if not patience.cancelled_caught:  # else something is due, which must not wait longer
            # Ctrl-C, if it is pending: it ends the client as well, whose stream then ends early.
            await trio.lowlevel.checkpoint_if_cancelled()
            stage.carrier.carry()
        stage.write_due()
