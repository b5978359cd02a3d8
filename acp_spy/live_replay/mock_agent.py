"""
Play the agent on our own standard streams.

A mock agent is started again by every test: neither its first answer nor a client in a hurry waits
for trio, which is loaded in the first silence; a short play is over before that.
"""

from acp_spy.engine.carrier import Carrier
from acp_spy.engine.loading import Loading
from acp_spy.engine.no_tap import NoTap
from acp_spy.engine.sink import Sink
from acp_spy.engine.work import carry
from acp_spy.live_replay.stage import Reporting, Stage
from acp_spy.replay.player import Player


def run_agent(player: Player, reporting: Reporting) -> int:
    """Play the agent; return the status to exit with."""
    carrier = Carrier()
    stage = Stage(player, reporting, 0, Sink(carrier, 1), Sink(carrier, 2), NoTap())
    loading = Loading("acp_spy.engine.driven")
    try:
        stage.begin()
        carry(stage, loading, lambda: loading.run("carry", stage) is None)
        return stage.end()
    finally:
        stage.close()
