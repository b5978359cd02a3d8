"""What is known of frames: found out when it is asked for, of the last ones, bounded in bytes."""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import pytest
from support.recordings import recordings

from acp_spy.capture.files import load
from acp_spy.capture.transcript import parse
from acp_spy.conversation.state import Conversation
from acp_spy.conversation.tracker import Tracker
from acp_spy.middleware import context as room
from acp_spy.middleware.context import Context
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Frame, Peer


def _context(complaints: list[str] | None = None, *, needs_rows: bool = False) -> Context:
    return Context((complaints if complaints is not None else []).append, needs_rows=needs_rows)


def _update(seq: int, text: str, session: str = "s1") -> Frame:
    raw = (
        '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":'
        '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n'
    )
    return Frame(seq, seq / 10, Peer.AGENT, (raw % (session, text)).encode())


@pytest.mark.parametrize("needs_rows", [False, True])
def test_the_session_of_a_frame_is_known_also_if_nobody_has_opened_it(needs_rows: bool) -> None:
    context = _context(needs_rows=needs_rows)
    frame = _update(1, "hello")
    context.follow(frame)
    assert context.session_of(frame) == "s1"
    assert context.state.t == frame.t


def test_large_frames_are_forgotten_sooner_than_small_ones() -> None:
    context = _context()
    small = [_update(seq, "x") for seq in range(1, 31)]
    for frame in small:
        context.follow(frame)
    assert all(context.session_of(frame) for frame in small)
    large = [_update(seq, "x" * 1024 * 1024) for seq in range(31, 41)]
    for frame in large:
        context.follow(frame)
    known = [frame.seq for frame in (*small, *large) if context.session_of(frame)]
    assert known == [39, 40]
    many = [_update(seq, "x") for seq in range(41, 10_041)]
    for frame in many:
        context.follow(frame)
    count = sum(context.session_of(frame) is not None for frame in (*large, *many))
    assert 2048 <= count <= 4098


def test_the_last_frame_is_known_however_large_it_is_and_then_forgotten_soon() -> None:
    context = _context()
    frame = _update(1, "x" * 6 * 1024 * 1024)
    context.follow(frame)
    assert context.session_of(frame) == "s1"
    small = [_update(seq, "x") for seq in range(2, 5)]
    for each in small:
        context.follow(each)
    known = [each.seq for each in (frame, *small) if context.session_of(each)]
    assert known == [2, 3, 4]


def test_a_bug_of_ours_is_reported_once_and_only_the_meaning_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(room, "stray_run", fail)
    complaints: list[str] = []
    context = _context(complaints)
    for seq in (1, 2):
        context.follow(_update(seq, "x"))
        assert context.session_of(_update(seq, "x")) is None
    assert complaints == [
        "a bug in acp-spy, please report it: KeyError('planted'); what frame 1 means is not known"
    ]


def test_a_frame_that_was_taken_in_when_a_bug_came_up_is_not_taken_in_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(tracker: Tracker, frame: Frame) -> None:
        tracker.state.last = frame
        raise KeyError("planted")

    complaints: list[str] = []
    taken: list[Frame] = []
    monkeypatch.setattr(Tracker, "pass_text", fail)
    monkeypatch.setattr(Tracker, "advance", lambda _, moment: taken.append(moment))
    context = _context(complaints)
    context.follow(_update(1, "x"))
    assert context.state.t == 0.1
    assert context.session_of(_update(1, "x")) is None
    assert context.text is None
    assert len(complaints) == 1
    assert taken == []


_TURN = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}
TEXTS
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
TEXTS
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
TEXTS
    -> {"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s1"}}
    <- {"jsonrpc":"2.0","id":3,"result":{}}
TEXTS
"""
_WORDS = ("a", "b", "b", "\\u00e9", "x" * 50, "x" * 50, '\\"', "é", "\\ud800", "c", "", "d", "e")


def _texts() -> Iterable[str]:
    for session, name, more in (
        ("s1", "agent_message_chunk", ""),
        ("s1", "agent_thought_chunk", ',"messageId":"m1"'),
        ("s1", "user_message_chunk", ',"messageId":"m1"'),
        ("unknown", "agent_message_chunk", ""),
    ):
        for word in _WORDS:
            update = f'"sessionUpdate":"{name}","content":{{"type":"text","text":"{word}"}}{more}'
            params = f'{{"sessionId":"{session}","update":{{{update}}}}}'
            yield f'    <- {{"jsonrpc":"2.0","method":"session/update","params":{params}}}'


def _check(frames: Iterable[Frame]) -> None:
    """Check that each frame and the state are known as a close look at each frame knows them."""
    quick, with_rows = _context(), _context(needs_rows=True)
    timeline = Timeline(ruleset=None)
    for frame in frames:
        quick.follow(frame)
        with_rows.follow(frame)
        (row,) = timeline.feed(frame)
        assert with_rows.row(frame) == row
        assert with_rows.turn_number(frame) == row.turn_number
        assert quick.session_of(frame) == with_rows.session_of(frame)
        assert row.hop or quick.session_of(frame) == row.session
    assert _compared(quick.state) == _compared(with_rows.state) == _compared(timeline.state)


def _compared(state: Conversation) -> dict[str, object]:
    return {
        each.name: getattr(state, each.name)
        for each in fields(state)
        if each.compare and each.name != "dialects"
    }


@pytest.mark.parametrize("version", ["1", "2"])
def test_texts_inside_and_outside_of_turns_are_known_as_a_close_look_knows_them(
    version: str,
) -> None:
    talk = _TURN.replace('Version":1', f'Version":{version}').replace("TEXTS", "\n".join(_texts()))
    _check(record for record in parse(talk) if isinstance(record, Frame))


@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.stem)
def test_the_frames_of_a_recording_are_known_as_a_close_look_knows_them(path: Path) -> None:
    _check(load(path).frames)
