"""The replay of `session/load`, compared with what was seen of the session."""

import pytest
from support.lifecycle import announce, change, judge, update

from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
)

LOAD = (
    '-> {"jsonrpc": "2.0", "id": 90, "method": "session/load", "params": {"sessionId": "s1",'
    ' "cwd": "/home/dev/project", "mcpServers": []}}'
)
LOADED = '<- {"jsonrpc": "2.0", "id": 90, "result": {}}'


def prompt(number, text):
    return PROMPT.replace('"id": 2', f'"id": {number}').replace("Fix the test", text)


def end(number, line=END_TURN):
    return line.replace('"id": 2', f'"id": {number}')


def user(*texts):
    return [
        update(sessionUpdate="user_message_chunk", content={"type": "text", "text": text})
        for text in texts
    ]


def call(name):
    return [announce(name, status="in_progress"), change(name, status="completed")]


HISTORY = [
    *(prompt(2, "Fix the test"), *call("c1"), *call("c2"), CHUNK, end(2)),
    *(prompt(3, "And the docs"), *call("c3"), CHUNK, end(3)),
]


def replayed(*lines, history=HISTORY):
    findings = judge(HANDSHAKE, NEW_SESSION, *history, LOAD, *lines, LOADED)
    assert {finding.code for finding in findings} <= {"LIF033"}
    return [finding.text for finding in findings]


FIRST, SECOND = (
    [*user("Fix the test"), *call("c1"), *call("c2"), CHUNK],
    [*user("And the docs"), *call("c3"), CHUNK],
)


def test_the_whole_conversation_in_its_order_is_right():
    assert replayed(*FIRST, *SECOND) == []


def test_a_prompt_that_never_reached_the_agent_need_not_be_replayed():
    dropped = [prompt(4, "Go on"), "*> dropped by intercept"]
    assert replayed(*FIRST, *SECOND, history=[*HISTORY, *dropped]) == []


def test_a_prompt_that_a_script_replaced_is_replayed_as_the_agent_got_it():
    sent, got = prompt(4, "Go on"), prompt(4, "Stop here")
    turn = [sent, f"*> replaced by script a.py: {got[3:]}", CHUNK, end(4)]
    told = [*user("Stop here"), CHUNK]
    assert replayed(*FIRST, *SECOND, *told, history=[*HISTORY, *turn]) == []


def test_a_tool_call_may_be_told_by_its_end_alone_and_there_may_be_more():
    ends = [announce(name, status="completed") for name in ("c1", "c0", "c2")]
    assert replayed(*user("Fix the test"), *ends, CHUNK, *SECOND, *user("[interrupted]")) == []


def test_a_prompt_may_be_replayed_in_pieces_and_with_more_around_it():
    pieces = user("<query>Fix ", "the te", "st</query>")
    assert replayed(*pieces, *call("c1"), *call("c2"), CHUNK, *SECOND) == []


@pytest.mark.parametrize(
    ("lines", "lacks"),
    [
        ([*FIRST, *user("And the docs"), CHUNK], "1 tool call of this session, tool call `c3`"),
        ([*FIRST, *call("c3")], "1 prompt of this session, the prompt of frame 12 first"),
        (SECOND, "1 prompt and 2 tool calls of this session, the prompt of frame 5 first"),
        ([CHUNK], "2 prompts and 3 tool calls"),
    ],
)
def test_what_is_missing_is_counted_and_the_first_is_named(lines, lacks):
    (text,) = replayed(*lines)
    assert f"the replay lacks {lacks}" in text


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([*SECOND, *FIRST], "the prompt of frame 12"),
        ([*user("Fix the test"), *call("c2"), *call("c1"), *SECOND], "tool call `c2`"),
        ([*FIRST, *call("c3"), *user("And the docs")], "tool call `c3`"),
    ],
)
def test_what_is_out_of_order_is_named(lines, named):
    (text,) = replayed(*lines)
    assert text.startswith(named)
    assert "out of order" in text


def test_tool_calls_that_ran_at_once_may_be_replayed_in_any_order():
    at_once = [announce("c1"), announce("c2"), change("c2", status="completed")]
    history = [prompt(2, "Fix"), *at_once, change("c1", status="completed"), end(2)]
    assert replayed(*user("Fix"), *call("c2"), *call("c1"), history=history) == []


def test_the_same_prompt_twice_is_two_prompts():
    twice = [prompt(2, "Go on"), CHUNK, end(2), prompt(3, "Go on"), CHUNK, end(3)]
    assert replayed(*user("Go on"), CHUNK, *user("Go on"), CHUNK, history=twice) == []
    assert len(replayed(*user("Go on"), CHUNK, history=twice)) == 1


def test_what_failed_and_what_is_a_command_need_not_be_replayed():
    refused = '<- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "Too long"}}'
    history = [prompt(2, "Go on"), CHUNK, end(2), prompt(3, "Fail"), refused]
    assert replayed(*user("Go on"), CHUNK, history=history) == []
    command = [prompt(2, "Go on"), CHUNK, end(2), prompt(3, "/compact"), CHUNK, end(3)]
    assert replayed(*user("Go on"), CHUNK, history=command) == []
    cancelled = [prompt(2, "Go on"), CHUNK, end(2), prompt(3, "Stop"), CANCEL, end(3, CANCELLED)]
    assert replayed(*user("Go on"), CHUNK, history=cancelled) == []


def test_the_replies_of_the_agent_are_replayed():
    (text,) = replayed(*(line for line in (*FIRST, *SECOND) if line != CHUNK))
    assert "lacks 2 replies of this session, the agent's text of frame 10 first" in text
    (text,) = replayed(*FIRST, *SECOND[:-1])
    assert "lacks 1 reply of this session, the agent's text of frame 15 first" in text


def test_a_turn_that_did_not_end_by_itself_may_be_replayed_without_its_reply():
    cut = CANCELLED.replace("cancelled", "max_tokens")
    history = [prompt(2, "Go on"), CHUNK, end(2, cut)]
    assert replayed(*user("Go on"), history=history) == []


def test_a_prompt_that_is_replayed_twice_is_named():
    (text,) = replayed(*user("Fix the test"), *FIRST, *SECOND)
    assert text == "the prompt of frame 5 is replayed twice; expected it once"
