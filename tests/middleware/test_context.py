"""What is known of frames: found out when it is asked for, of the last ones, bounded in bytes."""

import pytest

from acp_spy.middleware import context as room
from acp_spy.middleware.context import Context
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
    assert all(context.moment(frame) for frame in small)
    large = [_update(seq, "x" * 1024 * 1024) for seq in range(31, 41)]
    for frame in large:
        context.follow(frame)
    known = [frame.seq for frame in (*small, *large) if context.moment(frame)]
    assert known == [38, 39, 40]


def test_the_last_frame_is_known_however_large_it_is() -> None:
    context = _context()
    frame = _update(1, "x" * 6 * 1024 * 1024)
    context.follow(frame)
    assert context.moment(frame) is not None


def test_a_bug_of_ours_is_reported_once_and_only_the_meaning_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(room, "session_of_nobodys_text", fail)
    complaints: list[str] = []
    context = _context(complaints)
    for seq in (1, 2):
        context.follow(_update(seq, "x"))
        assert context.session_of(_update(seq, "x")) is None
    assert complaints == [
        "a bug in acp-spy, please report it: KeyError('planted'); what frame 1 means is not known"
    ]
