"""The fold: what is known after each frame."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from acp_spy.capture.records import DROPPED, INJECTED, Delivery
from acp_spy.capture.transcript import parse
from acp_spy.conversation.state import REMEMBERED, OpenRequests, Phase
from acp_spy.conversation.tracker import Tracker
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Frame, Peer

HANDSHAKE = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminal":true},"clientInfo":{"name":"c"}}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[]}}
"""
SESSION = """
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[]}}}
"""
PROMPT = """
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
"""


def follow(*transcripts):
    """Return the tracker after a conversation, and its steps."""
    tracker = Tracker()
    steps = []
    for record in parse("".join(transcripts)):
        step = tracker.look_closely(record)
        steps.append(step)
        tracker.advance(step)
    return tracker.state, steps


def test_the_handshake_is_followed():
    state, _ = follow()
    assert state.phase is Phase.FRESH
    state, _ = follow(HANDSHAKE.strip().splitlines()[0])
    assert state.phase is Phase.INITIALIZING
    state, steps = follow(HANDSHAKE)
    assert state.phase is Phase.READY
    assert state.version == 1
    assert state.capabilities == {
        Peer.CLIENT: {"terminal": True},
        Peer.AGENT: {"loadSession": True},
    }
    assert steps[1].method == "initialize"
    assert steps[1].exchange.seq == 1


def test_ids_are_json_tokens_and_belong_to_their_sender():
    """Both count from zero, and `1` is neither `"1"` nor `1.0`."""
    state, steps = follow(
        """
        -> {"jsonrpc":"2.0","id":1,"method":"a"}
        <- {"jsonrpc":"2.0","id":1,"method":"b"}
        <- {"jsonrpc":"2.0","id":"1","result":null}
        <- {"jsonrpc":"2.0","id":1.0,"result":null}
        -> {"jsonrpc":"2.0","id":1,"result":null}
        """
    )
    assert [step.exchange.method if step.exchange else None for step in steps] == [
        *("a", "b"),
        *(None, None),
        "b",
    ]
    assert list(state.pending) == [(Peer.CLIENT, b"1")]


def test_a_session_is_opened_by_its_answer():
    state, _ = follow(HANDSHAKE, SESSION)
    session = state.sessions["s"]
    assert (session.how, session.cwd, session.mode) == ("new", "/p", "ask")


def test_a_turn_lasts_from_the_prompt_to_its_answer():
    state, _ = follow(HANDSHAKE, SESSION, PROMPT)
    assert state.sessions["s"].turn.exchange.seq == 5
    state, steps = follow(
        HANDSHAKE,
        SESSION,
        PROMPT,
        """
        <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}}
        -> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
        <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
        """,
    )
    session = state.sessions["s"]
    assert session.turn is None
    assert session.turn_count == 1
    assert session.last_turn_cancelled
    assert steps[-1].event == ev.TurnEnded("s", "cancelled")


def test_a_turn_that_ends_in_an_error_has_ended():
    state, _ = follow(
        HANDSHAKE,
        SESSION,
        PROMPT,
        '<- {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"x"}}',
    )
    assert state.sessions["s"].turn is None


def test_sessions_interleave():
    state, _ = follow(
        HANDSHAKE,
        SESSION,
        SESSION.replace('"id":1', '"id":5').replace('"s"', '"z"'),
        PROMPT,
        PROMPT.replace('"id":2', '"id":6').replace('"s"', '"z"'),
        '<- {"jsonrpc":"2.0","id":6,"result":{"stopReason":"end_turn"}}',
    )
    assert state.sessions["s"].turn is not None
    assert state.sessions["z"].turn is None


def test_tool_calls_and_their_permission_are_followed():
    state, _ = follow(
        HANDSHAKE,
        SESSION,
        PROMPT,
        """
        <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"Run","status":"pending"}}}
        <- {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}
        -> {"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}
        <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}}}
        """,
    )
    call = state.sessions["s"].tool_calls["t"]
    assert (call.announced, call.title, call.status) == (True, "Run", "completed")
    assert call.permission == "allow_once"
    assert not call.is_open


def test_a_message_with_something_in_front_of_it_is_understood():
    state, steps = follow(r'<~ \x1b]0;title\x07{"jsonrpc":"2.0","id":7,"method":"x"}\n')
    assert steps[0].glued_at == 10
    assert list(state.pending) == [(Peer.AGENT, b"7")]


def test_what_is_remembered_has_a_bound():
    tracker = Tracker()
    for number in range(REMEMBERED + 100):
        params = {"sessionId": f"s{number}", "update": {"sessionUpdate": "plan", "entries": []}}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        frame = Frame(number, 0.0, Peer.AGENT, msgspec.json.encode(message) + b"\n")
        tracker.advance(tracker.look_closely(frame))
    assert len(tracker.state.sessions) == REMEMBERED
    assert f"s{REMEMBERED + 99}" in tracker.state.sessions


METHODS = [
    *("initialize", "session/new", "session/load", "session/resume", "session/list"),
    *("session/prompt", "session/cancel", "session/update", "session/request_permission"),
    *("session/set_mode", "session/set_config_option", "session/close", "terminal/create"),
    *("terminal/release", "$/cancel_request", "x"),
]
keys = st.sampled_from(
    [
        *("sessionId", "update", "sessionUpdate", "toolCall", "toolCallId", "options", "outcome"),
        *("modes", "requestId", "sessions", "terminalId", "protocolVersion", "stopReason"),
    ]
)
words = st.sampled_from(["s", "tool_call", "tool_call_update", "plan", "selected", "y", ""])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)
ids = st.sampled_from([0, 1, "1", None, 1.5])
messages = st.one_of(
    st.fixed_dictionaries({"id": ids, "method": st.sampled_from(METHODS), "params": values}),
    st.fixed_dictionaries({"method": st.sampled_from(METHODS), "params": values}),
    st.fixed_dictionaries({"id": ids, "result": values}),
    st.fixed_dictionaries({"id": ids, "error": values}),
)


@given(st.lists(st.tuples(st.sampled_from(Peer), messages | values), max_size=12))
def test_whatever_the_peers_send_nothing_is_raised(conversation):
    tracker = Tracker()
    for seq, (sender, message) in enumerate(conversation, 1):
        frame = Frame(seq, seq / 10, sender, msgspec.json.encode(message) + b"\n")
        tracker.advance(tracker.look_closely(frame))
    assert tracker.end().state is tracker.state


@given(st.binary())
def test_whatever_bytes_come_nothing_is_raised(raw):
    tracker = Tracker()
    tracker.advance(tracker.look_closely(Frame(1, 0.0, Peer.AGENT, raw)))


def test_open_requests_are_found_by_what_they_are_about():
    state, _ = follow(
        """
        -> {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}
        -> {"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s"}}
        <- {"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s"}}
        -> {"jsonrpc":"2.0","id":3,"method":"session/load","params":{}}
        -> {"jsonrpc":"2.0","id":4,"method":"session/load","params":{"sessionId":"z"}}
        -> {"jsonrpc":"2.0","id":4,"method":"session/close","params":{"sessionId":"z"}}
        <- {"jsonrpc":"2.0","id":1,"result":{}}
        """
    )
    load = "session/load"
    assert [exchange.seq for exchange in state.pending.about(load, "s")] == [2, 3]
    assert [exchange.seq for exchange in state.pending.about(load, None)] == [4]
    assert list(state.pending.about(load, "z")) == []  # its id was taken for another request
    assert [exchange.seq for exchange in state.pending.about("session/close", "z")] == [6]


@given(st.lists(st.tuples(st.sampled_from(Peer), messages), max_size=12))
def test_what_is_open_and_what_it_is_about_stay_the_same(conversation):
    tracker = Tracker()
    for seq, (sender, message) in enumerate(conversation, 1):
        frame = Frame(seq, seq / 10, sender, msgspec.json.encode(message) + b"\n")
        tracker.advance(tracker.look_closely(frame))
    pending = tracker.state.pending
    for key, exchange in pending.items():
        assert exchange in pending.about(exchange.method, exchange.session)
        assert (exchange.sender, exchange.id) == key
        assert exchange in pending.asked_in(exchange.seq)
    assert sum(map(len, pending._about.values())) == len(pending)
    assert sum(map(len, pending._by_frame.values())) == len(pending)


def test_a_request_that_was_dropped_is_open_in_no_respect():
    """Else updates of the session would be taken for the history that was asked for."""
    tracker = Tracker()
    (load,) = parse(
        '-> {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}'
    )
    tracker.follow(load)
    pending = tracker.state.pending
    assert pending.replays("s")
    tracker.follow(Delivery(load.seq, load.t, Peer.AGENT, "fault drop", DROPPED))
    assert not pending
    assert not pending.replays("s")
    assert pending.reopening == 0


def test_a_request_that_was_answered_by_somebody_else_is_open_in_no_respect():
    tracker = Tracker()
    (load,) = parse(
        '-> {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}'
    )
    tracker.follow(load)
    made = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    tracker.follow(Delivery(0, load.t, Peer.CLIENT, "script", INJECTED, made))
    pending = tracker.state.pending
    assert not pending
    assert not pending.replays("s")


def test_a_request_that_was_injected_beside_a_frame_that_is_dropped_is_open():
    """A script asks for the next page, and keeps the first from the client until it has both."""
    tracker = Tracker()
    asked, page, more = parse(
        """
        -> {"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
        <- {"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"b"}}
        <- {"jsonrpc":"2.0","id":"next","result":{"sessions":[]}}
        """
    )
    made = b'{"jsonrpc":"2.0","id":"next","method":"session/list","params":{"cursor":"b"}}\n'
    for record in (asked, page):
        tracker.follow(record)
    tracker.follow(Delivery(page.seq, page.t, Peer.AGENT, "script", INJECTED, made))
    tracker.follow(Delivery(page.seq, page.t, Peer.CLIENT, "script", DROPPED))
    step = tracker.look_closely(more)
    assert step.exchange
    assert step.exchange.params == {"cursor": "b"}


def test_a_dropped_request_is_found_without_a_look_at_all_that_are_open():
    """With 32,000 of them, `check` took minutes."""
    tracker = Tracker()
    tracker.state.pending = _NeverRead()
    (asked,) = parse('-> {"jsonrpc":"2.0","id":1,"method":"x"}')
    tracker.follow(asked)
    tracker.follow(Delivery(asked.seq, asked.t, Peer.AGENT, "fault drop", DROPPED))
    assert not tracker.state.pending


class _NeverRead(OpenRequests):
    def _refuse(self, *_):
        raise AssertionError("all open requests are looked at")

    values = items = __iter__ = _refuse
