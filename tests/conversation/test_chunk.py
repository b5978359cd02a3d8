"""What is heard in passing is what a close look would have seen."""

import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_spy.capture.transcript import parse
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.engine import Linter
from acp_spy.lint.oddity import is_odd
from acp_spy.lint.schema import find_breaches
from acp_spy.lint.topics import OF_CHUNK, topics
from acp_spy.wire.frame import Frame, Peer

OPENING = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":VERSION,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":VERSION,"agentCapabilities":{},"agentInfo":{"name":"a","version":"1"}}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/dev","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Hi"}]}}
"""
PLAIN = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s",'
    b'"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}\n'
)
SPACED = PLAIN.replace(b'":', b'": ').replace(b',"', b', "')


def in_a_turn(version="1"):
    tracker = Tracker()
    for frame in parse(OPENING.replace("VERSION", version)):
        tracker.advance(tracker.look(frame))
    return tracker


def a_frame(raw, sender=Peer.AGENT):
    return Frame(6, 0.01, sender, raw)


def known(tracker):
    """Return the whole state; the detector is no struct, and has not to change."""
    state = msgspec.structs.asdict(tracker.state)
    tongues = state.pop("tongues")
    return state, vars(tongues)


@st.composite
def nearly_plain(draw):
    """Give a chunk, perhaps with something about it that is not as usual."""
    text = draw(
        st.text(st.characters(codec="utf-8")) | st.sampled_from(['a":b', "é", "\u2028", ""])
    )
    block = {"type": draw(st.sampled_from(["text", "text", "image", 1])), "text": text}
    update = {
        "sessionUpdate": draw(
            st.sampled_from(
                ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "message"]
            )
        ),
        "content": block,
        **draw(st.sampled_from([{}, {}, {"messageId": "m"}, {"messageId": None}, {"_meta": {}}])),
    }
    params = {"sessionId": draw(st.sampled_from(["s", "s", "t", 1])), "update": update}
    extra = draw(st.sampled_from([{}, {}, {"id": 1}, {"_meta": {}}]))
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params, **extra}
    separators = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    raw = json.dumps(message, separators=separators, ensure_ascii=draw(st.booleans())).encode()
    return raw + draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"", b" \n", b"}\n"]))


DOUBLED = PLAIN.replace(b'"sessionId":"s"', b'"sessionId":"t","sessionId":"s"')


@given(nearly_plain(), st.sampled_from(["1", "1", "2", "true", "1.0", "null"]))
@example(PLAIN, "1")
@example(DOUBLED, "1")
@example(PLAIN.replace(b'"text":"Hello"', b'"text" :"a","text":"b"'), "1")
@example(PLAIN.replace(b"Hello", b"\\ud800"), "1")
@example(PLAIN.replace(b"Hello", b"\xff"), "1")
def test_hearing_and_looking_come_to_the_same(raw, version):
    heard, looked = in_a_turn(version), in_a_turn(version)
    frame = a_frame(raw)
    step = looked.look(frame)
    tells = set(topics(step))
    chunk = heard.hear(frame)
    if chunk is None:
        heard.advance(heard.look(frame))
    else:
        assert (chunk.role, chunk.text) == (step.event.role, step.event.content["text"])
        assert tells <= set(OF_CHUNK)
        assert not is_odd(step)
        for spec in ("auto", "v1", "v1-unstable"):
            step.spec = spec
            assert find_breaches(step) == []
    looked.advance(step)
    assert known(heard) == known(looked)


@pytest.mark.parametrize("raw", [PLAIN, PLAIN.replace(b"agent_m", b"user_m"), SPACED])
def test_a_plain_chunk_is_heard(raw):
    assert in_a_turn().hear(a_frame(raw)).text == "Hello"


@pytest.mark.parametrize(
    ("raw", "sender"),
    [
        (PLAIN, Peer.CLIENT),
        (DOUBLED, Peer.AGENT),
        (PLAIN.replace(b'"text":"Hello"', b'"text" :"a","text":"b"'), Peer.AGENT),
        (PLAIN.replace(b'"s"', b'"t"'), Peer.AGENT),
        (PLAIN.replace(b'"text":"Hello"', b'"text":"Hello","annotations":{}'), Peer.AGENT),
        (PLAIN.replace(b"\n", b"\r\n"), Peer.AGENT),
    ],
)
def test_what_is_unusual_is_left_alone(raw, sender):
    tracker = in_a_turn()
    before = known(in_a_turn())
    assert tracker.hear(a_frame(raw, sender)) is None
    assert known(tracker) == before


def test_no_rule_wants_to_look_at_plain_chunks():
    """If this fails, a rule listens to every chunk, and judging takes twice as long."""
    linter = Linter(CATALOGUE.values())
    for record in parse(OPENING.replace("VERSION", "1")):
        linter.feed(record)
    linter.feed(a_frame(PLAIN))
    assert linter.step is None
    assert linter.chunk.text == "Hello"


def test_a_rule_that_wants_to_look_at_plain_chunks_is_shown_them():
    rule = next(iter(CATALOGUE.values()))
    shown = []

    def listen(step, _memory):
        shown.append(step)
        return iter(())

    linter = Linter([msgspec.structs.replace(rule, on=("Said",), check=listen)])
    for record in parse(OPENING.replace("VERSION", "1")):
        linter.feed(record)
    linter.feed(a_frame(PLAIN))
    assert [step.frame.seq for step in shown] == [6]
