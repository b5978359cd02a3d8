"""What is wrapped in `proxy/successor` is a conversation of its own, with a state of its own."""

import json
from pathlib import Path

import pytest

from acp_spy import load
from acp_spy.capture.transcript import parse
from acp_spy.conversation.successor import outer_path
from acp_spy.conversation.tracker import Tracker
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request

FIXTURES = Path(__file__).parents[2] / "fixtures"
CHAINS = ("chain", "chain-conductor", "chain-recorded")


def follow(records):
    tracker = Tracker(only_steps=True)
    return tracker, [tracker.follow(record) for record in records]


def of(name):
    return follow(load(FIXTURES / f"{name}.jsonl").frames)


def wrapped(arrow, method, params, ident=None, wrapper="proxy/successor"):
    message = {"jsonrpc": "2.0", "method": wrapper, "params": {"method": method, "params": params}}
    return f"{arrow} {json.dumps(message if ident is None else {**message, 'id': ident})}\n"


PROMPT = {"sessionId": "s", "prompt": []}


@pytest.mark.parametrize("name", CHAINS)
def test_each_conversation_has_its_sessions_turns_and_tool_calls(name):
    tracker, _ = of(name)
    plain, inner = tracker.state, tracker.successor.state
    assert list(plain.sessions) == list(inner.sessions)
    assert plain.turn_count == inner.turn_count > 0
    for state in (plain, inner):
        (session,) = state.sessions.values()
        (call,) = session.tool_calls.values()
        assert (call.status, session.turns, state.pending) == ("completed", [], {})
    assert plain.sessions is not inner.sessions


def test_in_the_conversation_with_the_successor_the_proxy_is_the_client():
    _, steps = of("chain")
    assert [(step.frame.sender, step.inner.frame.sender) for step in steps if step.inner][:2] == [
        (Peer.AGENT, Peer.CLIENT),
        (Peer.CLIENT, Peer.AGENT),
    ]
    assert isinstance(steps[1].inner.event, ev.InitializeAsked)
    assert isinstance(steps[2].inner.event, ev.InitializeAnswered)


def test_the_id_of_the_wrapper_is_that_of_the_wrapped_request():
    _, (asked, answered) = follow(
        parse(
            wrapped("<-", "session/prompt", PROMPT, "a")
            + '-> {"jsonrpc":"2.0","id":"a","result":{"stopReason":"end_turn"}}'
        )
    )
    assert asked.inner.message == Request(
        b'"a"', "session/prompt", b'{"sessionId": "s", "prompt": []}'
    )
    assert (answered.method, answered.inner.method) == ("proxy/successor", "session/prompt")
    assert answered.inner.exchange is asked.inner.exchange
    assert answered.inner.event == ev.TurnEnded("s", "end_turn")


def test_a_cancel_request_with_the_id_of_the_wrapper_withdraws_both():
    tracker, (asked, _) = follow(
        parse(
            wrapped("<-", "session/prompt", PROMPT, 7)
            + '@ 2\n<- {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}'
        )
    )
    assert asked.exchange.cancelled_at == asked.inner.exchange.cancelled_at == 2.001
    assert len(tracker.successor.state.pending) == 1


def test_the_same_id_may_be_open_in_both_conversations():
    """Ids belong to the sender: the conductor's `1` is not the proxy's."""
    tracker, steps = follow(
        parse(
            '-> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}\n'
            + wrapped("<-", "session/prompt", PROMPT, 1)
            + '-> {"jsonrpc":"2.0","id":1,"result":{"stopReason":"refusal"}}\n'
        )
    )
    assert [step.inner is not None for step in steps] == [False, True, True]
    assert [exchange.method for exchange in tracker.state.pending.values()] == ["session/prompt"]
    assert tracker.successor.state.pending == {}


def test_a_prompt_that_waits_for_the_successor_is_blocked_by_it():
    tracker, _ = of("chain")
    records = load(FIXTURES / "chain.jsonl").frames[:10]
    tracker, _ = follow(records)
    (waits,) = tracker.state.waits_for().values()
    assert (waits.seq, waits.name) == (10, "proxy/successor › session/prompt")


@pytest.mark.parametrize(
    "wrapper", ["proxy/successor", "_proxy/successor", "_proxy/successor/notification"]
)
def test_every_spelling_is_unwrapped(wrapper):
    tracker, (step,) = follow(
        parse(wrapped("->", "session/update", {"sessionId": "s", "update": {}}, wrapper=wrapper))
    )
    assert step.method == "proxy/successor"
    assert step.name == "proxy/successor › session/update"
    assert list(tracker.successor.state.sessions) == ["s"]
    assert tracker.state.sessions == {}


@pytest.mark.parametrize(
    "params",
    [
        "null",
        "[]",
        "{}",
        '{"method": 1}',
        '{"method": "a", "params": ' + "[" * 2000 + "]" * 2000 + "}",
    ],
    ids=["null", "array", "empty", "number", "deep"],
)
def test_a_wrapper_without_a_message_is_itself(params):
    _, (step, answer) = follow(
        parse(
            f'<- {{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{params}}}\n'
            '-> {"jsonrpc":"2.0","id":1,"result":{}}'
        )
    )
    assert step.method == "proxy/successor" or params.startswith('{"method": "a"')
    assert answer.inner is None or step.inner is not None


def test_a_wrapper_in_a_wrapper_is_not_unwrapped_again():
    inside = {"method": "session/prompt", "params": PROMPT}
    tracker, (step,) = follow(parse(wrapped("<-", "proxy/successor", inside, 1)))
    assert (step.inner.method, step.inner.inner) == ("proxy/successor", None)
    assert tracker.successor.successor is None


def test_a_place_in_the_message_is_found_in_the_frame():
    assert outer_path("/params/sessionId") == "/params/params/sessionId"
    assert outer_path("/method") == "/params/method"
    assert outer_path("/result/stopReason") == "/result/stopReason"
    assert outer_path("") == ""
