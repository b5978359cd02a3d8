"""Which tongue a peer speaks: by evidence, per peer, and never without enough of it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.families import for_each

from acp_spy import load
from acp_spy.capture.transcript import parse
from acp_spy.conversation.tracker import Tracker
from acp_spy.dialect.declaration import Line
from acp_spy.dialect.detect import _PLAIN_ANSWERS, _PLAIN_CALLS, Detector
from acp_spy.dialect.known import DIALECTS
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
CLIENT, AGENT = Peer.CLIENT, Peer.AGENT


def heard(records):
    """Return the names of what client and agent speak."""
    tracker = Tracker()
    for record in records:
        if isinstance(record, Frame):
            tracker.advance(tracker.look_closely(record))
    return tuple(tracker.state.dialects.spoken_by(peer).name for peer in (CLIENT, AGENT))


def update(fields, **around):
    return Notification("session/update"), {"sessionId": "s", "update": fields, **around}


def found(*messages, sender=AGENT):
    """Return the tongue of a peer that has said these messages."""
    detector = Detector()
    for seq, (message, body, *method) in enumerate(messages, start=1):
        detector.take(sender, detector.weigh(message, body, *method, seq=seq))
    return detector.spoken_by(sender)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crow", ("crow", "crow")),
        ("threads", ("threads", "threads")),
        ("quickref", ("quickref", "quickref")),
        ("jetbrains", ("acp", "jetbrains")),
        ("acpex", ("acpex", "acpex")),
    ],
)
def test_a_conversation_in_a_dialect_is_recognised_for_each_peer(name, expected):
    assert heard(load(FIXTURES / f"dialect-{name}.jsonl").records) == expected


def test_the_peers_of_a_conversation_about_threads_may_have_changed_sides():
    """Its document has the directions the other way round than its crate had."""
    records = load(FIXTURES / "dialect-threads.jsonl").records
    turned = [
        Frame(record.seq, record.t, record.sender.other, record.raw)
        for record in records
        if isinstance(record, Frame)
    ]
    assert heard(turned) == ("threads", "threads")


def test_official_captures_are_in_no_dialect():
    assert heard(load(FIXTURES / "example.jsonl").records) == ("acp", "acp")


@for_each(CATALOGUE.values(), lambda rule: rule.code)
def test_what_is_right_for_a_rule_is_in_no_dialect(rule):
    spoken = {"acp"} if rule.dialect == "auto" else {"acp", rule.dialect}
    assert set(heard(parse(rule.good))) <= spoken


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("crow", {"@type": "agent_message_text", "text": "x"}),
        ("quickref", {"sessionUpdate": "tool_call", "id": "1", "name": "Bash", "kind": "command"}),
        ("jetbrains", {"sessionUpdate": "message", "role": "assistant", "content": []}),
        ("acpex", {"kind": "agent_thought_chunk", "content": {"thought": "x"}}),
        ("acpex", {"type": "tool_call", "sessionUpdate": "update-1", "toolCallId": "1"}),
        ("zed", {"sessionUpdate": "agentMessageChunk", "content": {"type": "text", "text": "x"}}),
    ],
)
def test_one_update_can_be_enough(name, fields):
    assert found(update(fields)).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("zed", Request(b"1", "sendUserMessage")),
        ("zed", Request(b"1", "acp/prompt")),
        ("zed", Notification("session/cancelled")),
    ],
)
def test_so_can_be_a_method_that_nobody_else_has(name, message):
    assert found((message, {}), sender=CLIENT).name == name


@pytest.mark.parametrize(
    "fields",
    [
        {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "x", "kind": "read"},
        {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "x", "kind": "command"},
        {"sessionUpdate": "tool_call", "id": "1", "title": "x"},
        {"sessionUpdate": "plan", "entries": []},
        {"sessionUpdate": ["message"]},
        {"@type": "agent_message_chunk", "content": {"type": "text", "text": "x"}},
        {"@type": "tool_call", "toolCallId": "1", "title": "x"},
        {"kind": "agent_message_chunk", "content": {"type": "text", "text": "x"}},
        {"kind": "tool_call", "toolCallId": "1", "title": "x"},
        {"kind": {}},
        {"kind": "read"},
        [],
        None,
    ],
)
def test_one_slip_is_no_dialect(fields):
    assert found(update(fields)).name == "acp"


def test_the_same_slip_counts_once():
    call = update({"sessionUpdate": "tool_call", "id": "1", "title": "x"})
    assert found(*[call] * 100).name == "acp"


def test_version_2_has_capabilities_without_being_a_dialect():
    asked = Request(b"0", "initialize"), {"protocolVersion": 2, "capabilities": {}, "info": {}}
    assert found(asked, sender=CLIENT) == Detector().spoken_by(CLIENT)


def test_an_mcp_server_is_no_dialect():
    offered = {"tools": {}, "prompts": {}}
    answer = {"protocolVersion": "2025-03-26", "capabilities": offered, "serverInfo": {}}
    assert found((Response(b"0", b"{}"), answer, "initialize")).name == "acp"


def test_the_evidence_is_told_with_its_frames():
    tongue = found(
        (Response(b"0", b"{}"), {"protocol_version": 1}, "initialize"),
        update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}),
        update({"@type": "plan_update", "entries": []}),
    )
    assert (tongue.name, tongue.score) == ("crow", 5)
    assert tongue.lines == ("`protocol_version` (frame 1)", "`@type` in an update (frame 3)")


def test_a_method_about_threads_with_jsonrpc_is_not_enough():
    assert heard(parse('-> {"jsonrpc":"2.0","id":0,"method":"stat","params":{}}')) == ("acp", "acp")
    assert heard(parse('-> {"id":0,"method":"stat","params":{}}')) == ("threads", "acp")


def test_a_glance_changes_nothing():
    tracker = Tracker()
    (frame,) = parse('-> {"id":0,"method":"getThreads","params":null}')
    tracker.look_closely(frame)
    assert tracker.state.dialects.spoken_by(CLIENT).name == "acp"
    tracker.advance(tracker.look_closely(frame))
    assert tracker.state.dialects.spoken_by(CLIENT).name == "threads"


def test_every_dialect_has_a_name_and_words_of_its_own():
    assert len({dialect.name for dialect in DIALECTS} | {"acp", "auto"}) == len(DIALECTS) + 2
    assert all(dialect.words and dialect.origin and dialect.title for dialect in DIALECTS)


METHODS = sorted(
    {m for d in DIALECTS for e in d.evidence for m in (*e.calls, *e.answers)}
    | {m for d in DIALECTS for m in (*d.calls, *d.answers)}
)
WORDS = sorted({w for d in DIALECTS for w in d.words} | {"update", "sessionUpdate", "content"})
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=effort.examples(50))
@given(st.lists(st.tuples(st.sampled_from(METHODS), values, values), max_size=8))
def test_whatever_is_said_nothing_raises(calls):
    import msgspec

    tracker = Tracker()
    for seq, (method, params, result) in enumerate(calls):
        for sender, body in (
            (CLIENT, {"id": seq, "method": method, "params": params}),
            (AGENT, {"id": seq, "result": result}),
            (AGENT, {"method": method, "params": params}),
        ):
            frame = Frame(seq, 0.0, sender, msgspec.json.encode(body) + b"\n")
            tracker.advance(tracker.look_closely(frame))


PLAIN_PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "source"}]}


@pytest.mark.parametrize(
    ("kind", "method", "body"),
    [
        ("calls", "session/prompt", PLAIN_PROMPT),
        ("calls", "session/prompt", {**PLAIN_PROMPT, "prompt": []}),
        ("calls", "session/update", {"update": {"sessionUpdate": "usage_update", "used": 1}}),
        ("calls", "session/update", {"update": {"sessionUpdate": "tool_call", "toolCallId": "t"}}),
        ("answers", "session/prompt", {"stopReason": "end_turn"}),
        ("answers", "session/prompt", {"stopReason": "cancelled"}),
    ],
)
def test_there_is_no_evidence_in_a_plain_message(kind, method, body):
    is_plain = (_PLAIN_CALLS if kind == "calls" else _PLAIN_ANSWERS)[method]
    line = Line(method, body)
    assert is_plain(body)
    held = [
        evidence.words
        for dialect in DIALECTS
        for evidence in dialect.evidence
        if method in getattr(evidence, kind) and evidence.holds(line)
    ]
    assert held == []


@pytest.mark.parametrize(
    ("kind", "method", "body"),
    [
        ("calls", "session/prompt", {"session_id": "s", "prompt": []}),
        ("calls", "session/prompt", {**PLAIN_PROMPT, "prompt": [{"type": "text", "source": {}}]}),
        ("calls", "session/prompt", {**PLAIN_PROMPT, "content": []}),
        ("answers", "session/prompt", {"stopReason": "canceled"}),
        ("answers", "session/prompt", {"stopReason": "done"}),
        ("answers", "session/prompt", {"stop_reason": "end_turn"}),
    ],
)
def test_where_there_may_be_evidence_is_not_plain(kind, method, body):
    assert not (_PLAIN_CALLS if kind == "calls" else _PLAIN_ANSWERS)[method](body)
