"""Tool calls: who announced what, in which session, and how it ended."""

import json

import pytest
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.check import check
from acp_spy.lint.rules.lifecycle import _opening

RULES = rules_with("LIF1")


def told(transcript):
    return [(finding.code, finding.seq) for finding in check(parse(transcript), RULES)]


def update(session="s1", **fields):
    params = {"sessionId": session, "update": fields}
    return "<- " + json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})


def announce(call="call_1", session="s1", **fields):
    return update(session, sessionUpdate="tool_call", toolCallId=call, title="Run", **fields)


def change(call="call_1", session="s1", **fields):
    return update(session, sessionUpdate="tool_call_update", toolCallId=call, **fields)


def conversation(*lines, start=_opening.PROMPT):
    return "\n".join([start, *lines])


SECOND_SESSION = (
    '-> {"jsonrpc": "2.0", "id": 3, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}}'
    '\n<- {"jsonrpc": "2.0", "id": 3, "result": {"sessionId": "s2"}}'
)
LOAD = '-> {"jsonrpc": "2.0", "id": 4, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/", "mcpServers": []}}'
LOADED = '<- {"jsonrpc": "2.0", "id": 4, "result": {}}'


def test_two_sessions_may_use_the_same_id():
    assert told(conversation(SECOND_SESSION, announce(), announce(session="s2"))) == []


def test_an_id_of_one_session_is_unknown_in_another():
    lines = SECOND_SESSION, announce(), change(session="s2", status="completed")
    assert told(conversation(*lines)) == [("LIF102", 9)]


def test_many_updates_of_an_unannounced_call_are_one_finding():
    assert told(conversation(change(), change(), change(status="completed"))) == [("LIF102", 6)]


def test_a_call_that_is_announced_late_is_told_once():
    assert told(conversation(change(), announce(), change(status="completed"))) == [("LIF102", 6)]


def test_history_that_is_loaded_again_is_no_repetition():
    lines = announce(), change(status="completed"), LOAD, announce(status="pending")
    assert told(conversation(*lines, change(status="completed"), LOADED)) == []


def test_history_that_comes_too_late_is_no_repetition_either():
    lines = announce(), change(status="completed"), LOAD, LOADED, announce()
    assert told(conversation(*lines, change(status="completed"))) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [("completed", "failed"), ("failed", "in_progress"), ("in_progress", "pending")],
)
def test_there_is_no_way_back(before, after):
    assert told(conversation(announce(status=before), change(status=after))) == [("LIF103", 7)]


@pytest.mark.parametrize("fields", [{}, {"status": None}, {"status": "completed"}])
def test_more_content_after_the_end_is_fine(fields):
    assert told(conversation(announce(status="completed"), change(content=[], **fields))) == []


def test_a_path_is_told_once_for_a_call_however_often_it_is_sent():
    wrong = {"locations": [{"path": "main.py"}]}
    lines = announce(**wrong), change(**wrong), change(**wrong), announce("call_2", **wrong)
    assert told(conversation(*lines)) == [("LIF106", 6), ("LIF106", 9)]


@pytest.mark.parametrize("path", ["/a", "C:\\a", "C:/a", "\\\\server\\share\\a"])
def test_paths_of_every_system_are_absolute(path):
    assert told(conversation(announce(locations=[{"path": path}]))) == []


@pytest.mark.parametrize("path", ["a", "./a", "~/a", "file:///a", ""])
def test_what_only_looks_like_a_path_is_found_in_a_diff(path):
    diff = {"type": "diff", "path": path, "newText": ""}
    (finding,) = check(parse(conversation(announce(content=[diff]))), RULES)
    assert (finding.code, finding.path) == ("LIF106", "/params/update/content/0/path")


def test_a_file_that_follows_its_folder_has_not_grown():
    paths = "/home", "/home/dev", "/home/dev/main.py"
    lines = [change(locations=[{"path": path}]) for path in paths]
    assert told(conversation(announce(), *lines)) == []


def test_a_terminal_that_was_shown_may_be_shown_again_after_its_release():
    shown = change(content=[{"type": "terminal", "terminalId": "term_1"}])
    release = (
        '<- {"jsonrpc": "2.0", "id": 1, "method": "terminal/release",'
        ' "params": {"sessionId": "s1", "terminalId": "term_1"}}'
    )
    answer = '-> {"jsonrpc": "2.0", "id": 1, "result": {}}'
    assert told(conversation(shown, release, answer, shown, start=_opening.TERMINAL)) == []


def test_a_terminal_that_an_extension_brings_is_its_own_business():
    content = [{"type": "terminal", "terminalId": "own"}]
    meta = {"terminal_info": {"terminal_id": "own"}}
    assert told(conversation(announce(content=content, _meta=meta))) == []
    assert told(conversation(announce(content=content))) == [("LIF120", 6)]


def test_a_block_in_tool_content_is_looked_into():
    image = {"type": "image", "mimeType": "text/plain", "data": "no base64"}
    lines = announce(content=[{"type": "content", "content": image}])
    found = check(parse(conversation(lines)), RULES)
    assert [(finding.code, finding.path) for finding in found] == [
        ("LIF147", "/params/update/content/0/content/data"),
        ("LIF148", "/params/update/content/0/content/mimeType"),
    ]


def test_a_plan_of_another_turn_is_a_new_plan():
    first = update(sessionUpdate="plan", entries=[{"content": "A"}, {"content": "B"}])
    second = update(sessionUpdate="plan", entries=[{"content": "C"}])
    turn = (
        '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}\n'
        '-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt",'
        ' "params": {"sessionId": "s1", "prompt": []}}'
    )
    assert told(conversation(first, turn, second, turn, first)) == []
    assert told(conversation(first, second, first)) == [("LIF128", 8)]


def test_the_last_update_under_a_wrong_session_is_one_mistake():
    """Neither is the call left open then, nor is it another one that nobody announced."""
    end = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}'
    lines = (announce(), change(session="S1", status="completed"), end)
    found = check(parse(conversation(*lines)))
    assert [f.code for f in found if f.severity.value != "note"] == ["LIF029"]
