"""
Play the agent on our own standard streams.

A mock agent is started again by every test: neither its first answer nor a client in a hurry waits
for trio, which is loaded in the first silence; a short play is over before that.
"""

from acp_spy.engine.loading import Loading
from acp_spy.engine.work import carry
from acp_spy.live_replay.stage import Reporting, Stage
from acp_spy.replay.player import Player


def run_agent(player: Player, reporting: Reporting) -> int:
    """Play the agent; return the status to exit with."""
    stage = Stage(player, reporting, source=0, sink=1)
    loading = Loading("acp_spy.engine.driven")

    def by_trio() -> bool:
        if loading.module is None:
            return False
        try:
            loading.module.run(loading.module.carry, stage)
        except (OSError, MemoryError):  # too many open files for trio's own
            return False
        return True

    try:
        stage.begin()
        carry(stage, loading, by_trio)
        return stage.end()
    finally:
        stage.close()
