"""What belongs to a turn, what is outside of one, and how several go on at once."""

import pytest
from support.lifecycle import LOAD, LOADED, found, judge
from support.transcripts import lint

from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.frame import Peer

SECOND = """
    -> {"jsonrpc": "2.0", "id": 11, "method": "session/new", "params": {"cwd": "/home/dev/other", "mcpServers": []}}
    <- {"jsonrpc": "2.0", "id": 11, "result": {"sessionId": "s2"}}
"""
PROMPT_2 = PROMPT.replace('"id": 2', '"id": 12').replace('"s1"', '"s2"')
CHUNK_2 = CHUNK.replace('"s1"', '"s2"')
END_2 = END_TURN.replace('"id": 2', '"id": 12')
SET_MODE = """
    -> {"jsonrpc": "2.0", "id": 8, "method": "session/set_mode", "params": {"sessionId": "s1", "modeId": "auto"}}
"""


def test_turns_of_two_sessions_may_overlap():
    assert found(NEW_SESSION, SECOND, PROMPT, PROMPT_2, CHUNK_2, CHUNK, END_TURN, END_2) == []


def test_text_in_one_session_is_outside_a_turn_though_another_session_has_one():
    findings = judge(HANDSHAKE, NEW_SESSION, SECOND, PROMPT, CHUNK_2, CHUNK, END_TURN)
    assert [(f.name, f.seq, f.blame) for f in findings] == [("update-outside-turn", 8, Peer.AGENT)]


def test_many_texts_outside_a_turn_are_one_finding_when_the_next_turn_begins():
    again = PROMPT.replace('"id": 2', '"id": 3')
    findings = judge(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, CHUNK, CHUNK, CHUNK, again)
    assert [f.name for f in findings] == ["update-outside-turn"]
    assert "and 2 more updates" in findings[0].text


def test_the_replay_of_a_load_is_no_text_outside_a_turn():
    assert found(LOAD, CHUNK, CHUNK, LOADED) == []


def test_text_long_after_a_load_is_not_taken_for_its_history():
    assert found(LOAD, CHUNK, LOADED, "@ 60", CHUNK) == ["update-outside-turn"]


def test_the_replay_of_a_session_that_is_loaded_again_is_none_either():
    user = CHUNK.replace("agent_message", "user_message").replace("Done.", "Fix the test")
    assert found(NEW_SESSION, PROMPT, CHUNK, END_TURN, LOAD, user, CHUNK, LOADED) == []


def test_a_text_that_answers_something_else_is_not_blamed_on_the_cancelled_turn():
    done = '<- {"jsonrpc": "2.0", "id": 8, "result": {}}'
    codes = found(NEW_SESSION, PROMPT, CANCEL, CANCELLED, "@ 1", SET_MODE, CHUNK, done)
    assert codes == ["update-outside-turn"]


def test_a_session_that_is_resumed_does_not_carry_what_was_said_before_into_the_replay():
    resume = LOAD.replace("load", "resume")
    codes = found(NEW_SESSION, PROMPT, CHUNK, END_TURN, CHUNK, resume, LOADED)
    assert codes == ["update-outside-turn"]


def test_an_agent_that_queues_prompts_is_taken_at_its_word():
    queues = HANDSHAKE.replace(
        '"loadSession"', '"_meta": {"claudeCode": {"promptQueueing": true}}, "loadSession"'
    )
    again = PROMPT.replace('"id": 2', '"id": 3')
    assert [f.name for f in judge(queues, NEW_SESSION, PROMPT, again)] == []
    assert [f.name for f in judge(queues, NEW_SESSION, PROMPT, again, CHUNK, END_TURN)] == []
    assert found(NEW_SESSION, PROMPT, again, CHUNK, END_TURN) == ["prompt-during-turn"]


def test_a_prompt_after_one_that_is_never_answered_is_not_the_clients_mistake():
    again = PROMPT.replace('"id": 2', '"id": 3')
    assert found(NEW_SESSION, PROMPT, again, CHUNK, END_TURN.replace('"id": 2', '"id": 3')) == []


def test_a_prompt_after_a_cancelled_one_is_not_the_clients_mistake():
    again = PROMPT.replace('"id": 2', '"id": 3')
    assert found(NEW_SESSION, PROMPT, CANCEL, again, CANCELLED) == []


def test_a_slash_command_may_have_nothing_to_show():
    command = PROMPT.replace("Fix the test", "/clear")
    assert found(NEW_SESSION, command, END_TURN) == []


def test_version_2_has_no_turns_to_be_outside_of():
    draft = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 2, "info": {"name": "e", "version": "1"}, "capabilities": {}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {"session": {}}}}
    """
    accepted = '<- {"jsonrpc": "2.0", "id": 2, "result": {"messageId": "m1"}}'
    again = PROMPT.replace('"id": 2', '"id": 3')
    assert [f.name for f in judge(draft, NEW_SESSION, CHUNK, PROMPT, accepted, again, CHUNK)] == []


@pytest.mark.parametrize(
    "update",
    [
        '{"jsonrpc": "2.0", "method": "session/update", "params": {"session_id": "s1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}}}',
        '{"jsonrpc": "2.0", "method": "session/updates", "params": {"sessionId": "s1", "update": {}}}',
        '{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s2", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}}}',
        '{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "upd',
    ],
)
def test_a_turn_whose_only_update_was_lost_is_not_called_empty(update):
    talk = transcript(HANDSHAKE, NEW_SESSION, PROMPT, f"<- {update}", END_TURN)
    assert "LIF055" not in [finding.code for finding in lint(talk)]
    assert lint(talk)


@pytest.mark.parametrize("method", ["session/request_permission", "elicitation/create"])
def test_a_turn_in_which_the_user_was_asked_is_not_empty(method):
    asks = (
        f'<- {{"jsonrpc": "2.0", "id": 7, "method": "{method}", "params": {{"sessionId": "s1"}}}}'
    )
    refused = '-> {"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "cancelled"}}}'
    talk = transcript(HANDSHAKE, NEW_SESSION, PROMPT, asks, refused, END_TURN)
    assert "LIF055" not in [finding.code for finding in lint(talk)]


def test_text_before_the_first_prompt_has_a_hint_of_its_own():
    (early,) = judge(HANDSHAKE, NEW_SESSION, CHUNK, PROMPT, CHUNK, END_TURN)
    (late,) = judge(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, CHUNK)
    assert early.hint == "wait for the first prompt before sending text"
    assert late.hint == "send all updates of a turn before its response"
