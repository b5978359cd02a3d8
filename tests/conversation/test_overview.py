"""`capture.conversation`: what was said as data, with the times that `stats` has, too."""

from pathlib import Path

import pytest

from acp_spy import Capture, Header, Peer, load, stats
from acp_spy.capture.transcript import parse

ROOT = Path(__file__).parents[2]
UNREADABLE = ("damaged-in-the-middle", "format-from-the-future")
FILES = [*(ROOT / "recordings").glob("*.jsonl"), *(ROOT / "fixtures").glob("*.jsonl")]
CAPTURES = sorted(
    path for path in FILES if path.suffixes == [".jsonl"] and path.stem not in UNREADABLE
)

TALK = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"}}}
    @ 1
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
    @ 2
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Fix it"}]}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit a.txt","kind":"edit","status":"pending"}}}
    <- {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}
    @ 5
    -> {"jsonrpc":"2.0","id":9,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}
    @ 6
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Do"}}}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ne"},"_meta":{}}}}
    @ 7
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
    -> {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Again"}]}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"d","title":"Run","status":"in_progress"}}}
    -> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
"""


def capture_of(transcript, **header):
    return Capture(Header(**header), tuple(parse(transcript)))


def test_a_conversation_has_sessions_turns_and_tool_calls_with_their_times():
    said = capture_of(TALK).conversation
    assert (said.version, said.client_info, said.agent_info) == (
        1,
        {"name": "ed", "version": "1"},
        {},
    )
    (session,) = said.sessions
    assert (session.id, session.how, session.cwd, session.seq) == ("s", "new", "/project", 4)
    assert said.turns == session.turns
    assert said.tool_calls == session.tool_calls
    first, second = said.turns
    assert (first.seq, first.prompt, first.text) == (5, "Fix it", "Done")
    assert (first.stop_reason, first.error, first.is_cancelled) == ("end_turn", None, False)
    assert (first.started, first.ended, first.duration) == (2.001, 7.001, 5.0)
    assert (second.ended, second.duration, second.stop_reason) == (None, None, None)
    assert second.is_cancelled
    (edit,), (run,) = first.tool_calls, second.tool_calls
    assert (edit.id, edit.title, edit.kind, edit.status) == ("c", "Edit a.txt", "edit", "completed")
    assert (edit.seq, edit.last, edit.turn, edit.permission) == (6, 9, 5, "allow_once")
    assert (edit.started, edit.ended, edit.duration) == (2.002, 6.001, 3.999)
    assert (run.status, run.ended, run.duration) == ("in_progress", None, None)


def test_an_exchange_says_who_asked_what_and_how_long_it_took():
    *_, permission, prompt = (each for each in capture_of(TALK).conversation.exchanges)
    assert (permission.sender, permission.method) == (Peer.AGENT, "session/request_permission")
    assert (permission.seq, permission.response_seq, permission.session) == (7, 8, "s")
    assert permission.params["toolCall"] == {"toolCallId": "c"}
    assert permission.result == {"outcome": {"outcome": "selected", "optionId": "y"}}
    assert permission.duration == pytest.approx(2.998)
    assert (prompt.is_open, prompt.duration, prompt.result) == (True, None, None)


def test_an_error_is_that_of_the_exchange_and_of_the_turn():
    failed = TALK.replace(
        '"result":{"stopReason":"end_turn"}', '"error":{"code":-32000,"message":"no"}'
    )
    said = capture_of(failed).conversation
    error = {"code": -32000, "message": "no"}
    assert (said.turns[0].error, said.turns[0].stop_reason) == (error, None)
    assert [each.error for each in said.exchanges if each.error] == [error]


def test_history_that_is_replayed_has_no_durations():
    replayed = """
    -> {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run","status":"completed"}}}
    <- {"jsonrpc":"2.0","id":1,"result":{}}
    """
    (call,) = capture_of(replayed).conversation.tool_calls
    assert (call.is_replayed, call.turn, call.duration) == (True, None, None)


def test_where_no_times_were_recorded_there_are_no_durations():
    untimed = "".join(
        f"@ -0.001\n{line}\n" for line in TALK.splitlines() if line.strip()[:1] in "-<"
    )
    said = capture_of(untimed, note="imported from elsewhere").conversation
    assert {each.duration for each in (*said.turns, *said.tool_calls, *said.exchanges)} == {None}
    assert not said.exchanges[0].is_open


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_it_agrees_with_the_statistics(path):
    capture = load(path)
    said, figures = capture.conversation, stats(capture)
    assert figures == stats(path)
    ours = {(turn.seq, turn.session, turn.duration, turn.stop_reason) for turn in said.turns}
    theirs = {(t.seq, t.session, t.seconds, t.stop_reason) for t in figures.turns.longest}
    assert ours == theirs
    for turn, told in zip(said.turns, figures.turns.longest, strict=True):
        tools = [(tool.id, tool.title, tool.status, tool.seconds) for tool in told.tools]
        mine = [(call.id, call.title, call.status, call.duration) for call in turn.tool_calls]
        assert sorted(mine, key=str) == sorted(tools, key=str)
    asked = sum(method.requests for method in figures.methods)
    assert len(said.exchanges) == asked
    assert sum(each.is_open for each in said.exchanges) == sum(
        m.unanswered for m in figures.methods
    )


@pytest.mark.long
def test_thousands_of_open_turns_are_no_burden():
    """To go through all of them at the end of each would take minutes, so that no clock is needed."""
    prompt, answer = (
        next(line.strip() for line in TALK.splitlines() if '"id":2' in line and word in line)
        for word in ("prompt", "stopReason")
    )
    count = 20_000
    asked = "\n".join(prompt.replace('"id":2', f'"id":{at}') for at in range(10, count))
    ended = "\n".join(answer.replace('"id":2', f'"id":{at}') for at in reversed(range(10, count)))
    turns = Capture(Header(), parse(f"{asked}\n{ended}")).conversation.turns
    assert {turn.stop_reason for turn in turns} == {"end_turn"}
