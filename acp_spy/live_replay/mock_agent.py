"""
Play the agent on our own standard streams.

A mock agent is started again by every test: neither its first answer nor a client in a hurry waits
for trio, which is loaded in the first silence; a short play is over before that.
"""

from acp_spy.engine.loading import A_GOOD_MOMENT, Loading
from acp_spy.live_replay.stage import Reporting, Stage
from acp_spy.replay.player import Player


def run_agent(player: Player, reporting: Reporting) -> int:
    """Play the agent; return the status to exit with."""
    stage = Stage(player, reporting, source=0, sink=1)
    carrier = stage.carrier
    loading: Loading | None = None
    try:
        stage.begin()
        while not stage.is_over:
            if loading is None:
                patience = stage.seconds_left
                if not carrier.turn(min(patience, A_GOOD_MOMENT)) and patience > A_GOOD_MOMENT:
                    loading = Loading("acp_spy.live_replay.play")
                    loading.wake(carrier)
            elif loading.module is not None:
                try:
                    loading.module.run(stage)
                except (OSError, MemoryError):  # too many open files for trio's own
                    loading.module = None
            else:
                carrier.turn(stage.seconds_left)  # also to the end, if trio cannot be used
            stage.write_due()
        return stage.end()
    finally:
        stage.close()
