"""Whoever is killed at whatever moment: no frame that anyone received is missing, nobody stays."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from support import effort
from support.kills import plan, strike

SEED = 20261115
TWO_AT_ONCE = 2  # as many as there are processors; more would be in each other's way


def strike_all(folder, kills, **how):
    """Return how many frames went through the proxies."""
    with ThreadPoolExecutor(TWO_AT_ONCE) as pool:
        return sum(pool.map(partial(strike, folder, **how), kills))


@pytest.mark.parametrize("kills", effort.some_of((6, 24), 6))
def test_kills_of_proxy_agent_and_client_are_seen_as_without_the_proxy(tmp_path, kills):
    """A thousand of them: python -m tests.faults"""
    assert strike_all(tmp_path, plan(kills, SEED))


@pytest.mark.parametrize("kills", effort.some_of((8, 60), 8))
def test_kills_of_the_proxy_under_load_lose_no_frame_that_anyone_received(tmp_path, kills):
    # Unjudged, for so many take a while; tests/e2e/test_live.py kills those that are judged.
    kills = plan(kills, SEED, victims=("proxy",), judged_one_in=0)
    assert strike_all(tmp_path, kills, compared=False)
