"""What is heard in passing is what a close look would have seen."""

import json
from dataclasses import fields

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.rules import checker

from acp_spy.capture.records import Stderr
from acp_spy.capture.transcript import parse
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Step
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.facts import Facts
from acp_spy.lint.mismatches import find_mismatches
from acp_spy.lint.topics import OF_CHUNK, topics
from acp_spy.lint.unusual import is_unusual
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
    """Return the whole state; the detector has no fields, and must not change."""
    state = {
        each.name: getattr(tracker.state, each.name)
        for each in fields(tracker.state)
        if each.compare
    }
    dialects = state.pop("dialects")
    return state, vars(dialects)


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


LIKE_PLAIN = [  # after the first of a run, a chunk is known by the bytes around its text
    PLAIN.replace(b'"text":"Hello"', b'"text" :"a","text":"b"'),
    *(PLAIN.replace(b"Hello", text) for text in (b"\\ud800", b"\xff", b"", b"\x07", b"\xc3\xa9")),
    *(PLAIN.replace(b"Hello", text) for text in (b'a\\"b', b'a"b', b'a","text":"b', b"\\n", b"\\")),
    PLAIN.replace(b'Hello"', b""),
    PLAIN.replace(b'"text":"Hello"', b'"text" : "Hello"'),
    PLAIN.replace(b'"text":"Hello"', b'"te\\u0078t":"Hello"'),
    PLAIN.replace(b'"}}}}', b'","annotations":{}}}}}'),
]


@given(nearly_plain(), st.sampled_from(["1", "1", "2", "true", "1.0", "null"]), st.booleans())
@example(PLAIN, "1", False)
@example(DOUBLED, "1", True)
def test_a_chunk_means_what_a_close_look_sees(raw, version, is_second):
    compare(raw, version, is_second=is_second)


@pytest.mark.parametrize("raw", LIKE_PLAIN)
def test_a_chunk_that_looks_like_the_one_before_means_what_a_close_look_sees(raw):
    compare(raw, is_second=False)
    compare(raw, is_second=True)


def compare(raw, version="1", *, is_second):
    quick, slow = in_a_turn(version), in_a_turn(version)
    frame = a_frame(raw)
    if is_second:
        quick.follow(a_frame(PLAIN))
        slow.advance(slow.look_closely(a_frame(PLAIN)))
    step = slow.look_closely(frame)
    facts = Facts()
    facts.look_at(step)
    chunk = quick.look(frame)
    if is_second:
        passed_text(frame, version, chunk)
    if isinstance(chunk, Chunk):
        assert (chunk.role, chunk.text) == (step.event.role, step.event.content["text"])
        assert set(topics(facts)) <= set(OF_CHUNK)
        assert not is_unusual(step)
        for edition in ("auto", "v1", "v1-unstable"):
            assert find_mismatches(step, edition) == []
    quick.advance(chunk)
    slow.advance(step)
    assert known(quick) == known(slow)


def passed_text(frame, version, chunk):
    """Check that to pass the text of the second of two frames is to follow it, or does nothing."""
    passing, following = in_a_turn(version), in_a_turn(version)
    for tracker in (passing, following):
        tracker.follow(a_frame(PLAIN))
    if passing.pass_text(frame):
        assert isinstance(chunk, Chunk)
        following.follow(frame)
        assert passing.state.run == following.state.run
    assert known(passing) == known(following)


def test_text_that_goes_on_is_passed_and_nothing_else():
    tracker = in_a_turn()
    assert not tracker.pass_text(a_frame(PLAIN))  # nothing to go on with
    tracker.follow(a_frame(PLAIN))
    assert tracker.pass_text(a_frame(PLAIN.replace(b"Hello", b" world")))
    assert tracker.state.sessions["s"].turn.speech.head == "Hello world"
    assert not tracker.pass_text(Stderr(0.02, b"x"))
    assert not tracker.pass_text(a_frame(PLAIN, Peer.CLIENT))
    assert not tracker.pass_text(a_frame(PLAIN.replace(b"agent_m", b"user_m")))
    assert not tracker.pass_text(Frame(7, 60.0, Peer.AGENT, PLAIN))
    tracker.follow(Stderr(0.02, b"x"))
    assert not tracker.pass_text(a_frame(PLAIN))


@pytest.mark.parametrize("raw", [PLAIN, PLAIN.replace(b"agent_m", b"user_m"), SPACED])
def test_a_plain_chunk_is_read_in_one_go(raw):
    assert in_a_turn().look(a_frame(raw)).text == "Hello"


@pytest.mark.parametrize(
    ("raw", "sender"),
    [
        (PLAIN, Peer.CLIENT),
        (DOUBLED, Peer.AGENT),
        (PLAIN.replace(b'"text":"Hello"', b'"text" :"a","text":"b"'), Peer.AGENT),
        (PLAIN.replace(b'"s"', b'"t"'), Peer.AGENT),
        (PLAIN.replace(b'"text":"Hello"', b'"text":"Hello","annotations":{}'), Peer.AGENT),
        (PLAIN.replace(b"\n", b"\r\n"), Peer.AGENT),
        (PLAIN.replace(b'"type":"text"', b'"type":' + b"[" * 9000 + b"]" * 9000), Peer.AGENT),
    ],
)
def test_what_is_unusual_gets_a_close_look_and_looking_changes_nothing(raw, sender):
    tracker = in_a_turn()
    before = known(in_a_turn())
    assert isinstance(tracker.look(a_frame(raw, sender)), Step)
    assert known(tracker) == before


def test_no_rule_wants_to_look_at_plain_chunks():
    """If this fails, a rule listens to every chunk, and judging takes twice as long."""
    assert not checker().linter.only_steps


def test_a_rule_that_wants_to_look_at_plain_chunks_is_shown_them():
    rule = CATALOGUE["FRM001"]
    shown = []

    def listen(step):
        shown.append(step)
        return iter(())

    linter = checker([msgspec.structs.replace(rule, on=("Said",), check=listen, takes=())])
    for record in parse(OPENING.replace("VERSION", "1")):
        linter.feed(record)
    linter.feed(a_frame(PLAIN))
    assert [step.frame.seq for step in shown] == [6]


def test_what_is_found_after_chunks_names_the_last_of_them():
    linter = checker()
    for record in parse(OPENING.replace("VERSION", "1")):
        linter.feed(record)
    for seq in (6, 7, 8):
        linter.feed(Frame(seq, 0.01, Peer.AGENT, PLAIN))
    (finding,) = linter.feed(Stderr(0.02, PLAIN))
    assert (finding.code, finding.seq) == ("FRM013", 8)


ALIKE = [
    "y" * 40,
    "y" * 40 + "1",
    "y" * 41,
    "q" * 16,
    "q" * 16 + "r",
    "q" * 17 + "s",
    "ok",
    "",
    "= " * 9,
]


@given(st.lists(st.sampled_from(ALIKE), max_size=12))
def test_a_stream_of_texts_that_begin_alike_means_what_a_close_look_sees(texts):
    quick, slow = in_a_turn(), in_a_turn()
    for seq, text in enumerate(texts, 10):
        frame = Frame(seq, 0.01, Peer.AGENT, PLAIN.replace(b"Hello", text.encode()))
        if not quick.pass_text(frame):
            quick.follow(frame)
        slow.advance(slow.look_closely(frame))
        assert known(quick) == known(slow)
