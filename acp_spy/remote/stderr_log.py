"""
The stderr of a process with many conversations: who does not read it makes none of them wait.

What an agent writes there waits for a slow reader, and so does that agent, as it would without us.
"""

import trio

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.driven import something_to_carry
from acp_spy.engine.stderr_queue import StderrQueue


class StderrLog:
    """Takes lines at any time; what has to wait is written by `run`."""

    def __init__(self, descriptor: int = 2) -> None:
        stdio.secure()
        self._carrier = Carrier()
        self._queue = StderrQueue(self._carrier, descriptor)
        self._waiting = trio.lowlevel.ParkingLot()
        self.put = self._queue.put
        self.announce = self._queue.announce

    async def write(self, chunk: bytes) -> None:
        """Write what an agent has written, when everything before it has been taken."""
        try:
            while self._queue.pending:
                await self._waiting.park()
        finally:  # it may be cancelled because the agent has ended: then that waits, too
            self._queue.put(chunk)

    async def run(self) -> None:
        """Write what waits, until it is cancelled."""
        while True:
            await something_to_carry(self._carrier)
            self._carrier.turn(0)
            if not self._queue.pending:
                self._waiting.unpark_all()

    def close(self) -> None:
        """Leave what waits in the reader's pipe, as far as that can be made to hold it."""
        self._queue.detach()
        self._queue.leave_rest()
        self._carrier.close()
        stdio.restore()
