"""
What the public names are to a type checker. Not run: mypy reads it, in tests/test_house.py.

A name whose type is lost on the way, or changes, is an error here before it is one for a user.
"""

from os import PathLike
from typing import Any, assert_type

import acp_spy.script


def captures(path: str, other: PathLike[str]) -> None:
    capture = acp_spy.load(path)
    assert_type(capture, acp_spy.Capture)
    assert_type(acp_spy.load(other), acp_spy.Capture)
    assert_type(capture.header, acp_spy.Header)
    assert_type(capture.frames, tuple[acp_spy.Frame, ...])
    assert_type(
        capture.records,
        tuple[
            acp_spy.Frame
            | acp_spy.Delivery
            | acp_spy.Stderr
            | acp_spy.Closed
            | acp_spy.Exit
            | acp_spy.HttpExchange
            | acp_spy.Disconnect,
            ...,
        ],
    )
    assert_type(capture.exit, acp_spy.Exit | None)
    acp_spy.save(capture, path, overwrite=True)
    acp_spy.save(path, other)  # type: ignore[arg-type] # only what was loaded can be saved


def frames(frame: acp_spy.Frame) -> None:
    assert_type(frame.seq, int)
    assert_type(frame.t, float)
    assert_type(frame.sender, acp_spy.Peer)
    assert_type(frame.raw, bytes)
    assert_type(frame.message, Any)
    assert_type(frame.via, acp_spy.Via | None)


def conversations(capture: acp_spy.Capture) -> None:
    conversation = capture.conversation
    assert_type(conversation, acp_spy.Conversation)
    assert_type(conversation.version, int | None)
    assert_type(conversation.agent_info, dict[str, Any])
    assert_type(conversation.sessions, tuple[acp_spy.Session, ...])
    assert_type(conversation.turns, tuple[acp_spy.Turn, ...])
    assert_type(conversation.tool_calls, tuple[acp_spy.ToolCall, ...])
    assert_type(conversation.exchanges, tuple[acp_spy.Exchange, ...])
    session = conversation.sessions[0]
    assert_type(session.turns, tuple[acp_spy.Turn, ...])
    assert_type(session.turns[0].tool_calls, tuple[acp_spy.ToolCall, ...])
    assert_type(session.turns[0].stop_reason, str | None)
    for each in (conversation.turns[0], conversation.tool_calls[0], conversation.exchanges[0]):
        assert_type(each.started, float)
        assert_type(each.ended, float | None)
        assert_type(each.duration, float | None)
    assert_type(conversation.exchanges[0].sender, acp_spy.Peer)
    conversation.version = 2  # type: ignore[misc] # values are frozen


def functions(capture: acp_spy.Capture, path: str) -> None:
    assert_type(acp_spy.check(capture), list[acp_spy.Finding])
    assert_type(acp_spy.check(path), list[acp_spy.Finding])
    rules: list[acp_spy.Rule] = []
    assert_type(acp_spy.check(capture.records, rules), list[acp_spy.Finding])
    assert_type(acp_spy.check(capture.records)[0].severity, acp_spy.Severity)
    acp_spy.assert_clean(path, ignore="FRM", fail_on="warning")
    acp_spy.assert_clean(path, fail_on="warnings")  # type: ignore[arg-type] # no such severity
    assert_type(acp_spy.stats(capture), acp_spy.Stats)
    assert_type(acp_spy.stats(path).turns.count, int)
    assert_type(acp_spy.diff(capture, path), acp_spy.CaptureDiff)
    assert_type(acp_spy.diff(capture, path).is_equal, bool)
    assert_type(acp_spy.redact(path, key="token", home=True), acp_spy.Capture)


def replay(capture: acp_spy.Capture) -> None:
    script = acp_spy.Script.of(capture, acp_spy.Peer.AGENT)
    player = acp_spy.Player(script, acp_spy.Options(timeout=5))
    assert_type(player.take(0.0), list[acp_spy.Said])
    assert_type(player.divergences, list[acp_spy.Divergence])
    assert_type(acp_spy.explain(player.divergences[0], 1), str)


def a_script(
    event: acp_spy.script.Event,
    conversation: acp_spy.script.Conversation,
    line: acp_spy.script.LogLine,
) -> None:
    assert_type(event.sender, str)
    assert_type(event.session, str | None)
    assert_type(event.raw, bytes)
    event.replace(b"bytes")
    event.delay(0.5)
    event.delay("soon")  # type: ignore[arg-type]
    event.answer({"outcome": {}}, error=None)
    assert_type(event.inject("agent", {"method": "_x"}), acp_spy.script.Injected)
    assert_type(conversation.inject("client", {}), acp_spy.script.Injected)
    assert_type(line.raw, bytes)


def errors(error: acp_spy.AcpSpyError) -> None:
    assert_type(error.message, str)
    assert_type(error.hint, str)
