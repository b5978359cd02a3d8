"""
Play the agent on our own standard streams.

A mock agent is started again by every test: its first answer does not wait for trio, which is
loaded meanwhile; and a short play is over before that.
"""

from select import POLLIN

from acp_spy.engine.loading import Loading
from acp_spy.live_replay.stage import Reporting, Stage
from acp_spy.replay.player import Player


def run_agent(player: Player, reporting: Reporting) -> int:
    """Play the agent; return the status to exit with."""
    stage = Stage(player, reporting, source=0, sink=1)
    carrier = stage.carrier
    loading = Loading("acp_spy.live_replay.play")
    if loading.done >= 0:
        carrier.watch(loading.done, POLLIN, lambda _events: carrier.forget(loading.done))
    try:
        stage.begin()
        while not stage.is_over:
            if loading.module is not None:
                loading.module.run(stage)
                break
            carrier.turn(stage.seconds_left)  # also to the end, if trio cannot be loaded
            stage.write_due()
        return stage.end()
    finally:
        stage.close()
