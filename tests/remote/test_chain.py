"""
A client, the bridge, the relay, `serve` and an agent, over a network that is slow or fails.

`python -m benchmarks.chain` does it with random conversations, for as long as you like.
"""

import pytest
import trio
from support import effort

from benchmarks.chain.case import Case
from benchmarks.chain.network import ENDS
from benchmarks.chain.run import run_case
from benchmarks.chain.servers import serving

NUMBERS = [*range(200)]
# By WebSocket, or with no more than one prompt by HTTP: there the bridge sends the next message
# after a second, so that a busy machine may change their order.
USUAL = (9,)
OTHERS = (105, 1, 8, 31, 87, 91, 117)


@pytest.mark.parametrize("number", effort.some_of(OTHERS, *USUAL))
def test_a_conversation_is_whole_or_fails_in_the_open(number, tmp_path):
    found = []

    async def main():
        async with serving(tmp_path) as agents:
            found.extend(await run_case(number, tmp_path, agents))
        found.extend(agents.problems)

    trio.run(main)
    assert found == []


def test_the_conversations_are_of_all_kinds():
    cases = [Case(number) for number in NUMBERS]
    assert {fault.kind for case in cases for fault in case.faults} == {*ENDS}
    kinds = {(case.is_socket, case.is_relayed, case.fails) for case in cases}
    assert len(kinds) == 8
