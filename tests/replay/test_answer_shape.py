"""Which answers of a live agent have the shape of the recorded one."""

import json

import pytest
from support.replays import play, script_of

from acp_spy import Peer

NAMED, TITLED = {"id": "a", "name": "A"}, {"id": "a", "name": "A", "title": "An A"}


@pytest.mark.parametrize(
    ("recorded", "live", "differs_at"),
    [
        ({"a": 1}, {"a": 2.5, "b": 1}, []),
        ({"a": 1}, {"a": "1"}, ["/result/a"]),
        ({"a": 1}, {}, ["/result/a"]),
        ({"a": {"b": 1}}, {"a": {}}, ["/result/a/b"]),
        ({"_meta": {"a": 1}}, {}, []),
        # `null` and nothing are the same, on either side and in either direction.
        ({"a": None}, {}, []),
        ({}, {"a": None}, []),
        ({"a": None}, {"a": {"b": 1}}, []),
        ({"a": {"b": 1}}, {"a": None}, ["/result/a"]),
        ({"a": 1}, {"a": None}, ["/result/a"]),
        ({}, None, ["/result"]),
        (None, {"a": 1}, []),
        # A list may have any number of items; one of them has what all the recorded ones have.
        ({"a": []}, {"a": [1, "x"]}, []),
        ({"a": [1, 2]}, {"a": []}, []),
        ({"a": [1]}, {"a": None}, ["/result/a"]),
        ({"a": [1]}, {"a": {"0": 1}}, ["/result/a"]),
        ({"a": [1, 2]}, {"a": ["x"]}, ["/result/a/0"]),
        ({"a": [1, "x"]}, {"a": [True]}, []),
        ({"a": [TITLED]}, {"a": [NAMED, TITLED]}, []),
        ({"a": [TITLED]}, {"a": [NAMED, NAMED]}, ["/result/a/0/title"]),
        ({"a": [TITLED, NAMED]}, {"a": [NAMED]}, []),
        ({"a": [TITLED, NAMED]}, {"a": [{"id": "b"}]}, ["/result/a/0/name"]),
        ({"a": [{"b": None}, {"b": 1}]}, {"a": [{}]}, []),
        ({"a": [[1], [2]]}, {"a": [["x"]]}, []),
        ({"a": [[1]]}, {"a": [["x"]]}, ["/result/a/0/0"]),
        # The value of these counts, but where several were recorded.
        ({"stopReason": "end_turn"}, {"stopReason": "refusal"}, ["/result/stopReason"]),
        ({"turns": [{"stopReason": "a"}]}, {"turns": [{"stopReason": "b"}]}, []),
    ],
)
def test_the_shape_of_a_result(recorded, live, differs_at):
    script = script_of(
        f"""
        -> {{"id":0,"method":"session/list"}}
        <- {{"id":0,"result":{json.dumps(recorded)}}}
        """,
        Peer.CLIENT,
    )
    answer = json.dumps({"id": 0, "result": live}).encode() + b"\n"
    divergences = play(script, [answer]).player.divergences
    assert [place.path for each in divergences for place in each.differences] == differs_at
