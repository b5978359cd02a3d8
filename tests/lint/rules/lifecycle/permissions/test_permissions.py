"""Permissions: the order of question, answer and work, and the races in between."""

import json

import pytest
from support.lifecycle import END, SECOND_SESSION, announce, ask, change, codes

from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle import _opening
from acp_spy.lint.ruleset import check


def reported(*lines, start=_opening.PERMISSION):
    return codes(*lines, start=start)


def answer(outcome):
    return f'-> {{"jsonrpc": "2.0", "id": 0, "result": {{"outcome": {outcome}}}}}'


def status(word):
    return change(status=word)


CANCELLED = answer('{"outcome": "cancelled"}')
NO = answer('{"outcome": "selected", "optionId": "no"}')
YES = answer('{"outcome": "selected", "optionId": "yes"}')
CANCEL = '-> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}'
OTHER_CANCEL = CANCEL.replace("s1", "s2")
WITHDRAW = '<- {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}}'


@pytest.mark.parametrize("lines", [(CANCEL, CANCELLED), (CANCELLED, CANCEL)])
def test_cancel_and_cancelled_may_come_in_either_order(lines):
    assert reported(*lines, status("failed"), END) == []


def test_the_cancellation_of_another_session_is_none_of_this():
    assert reported(SECOND_SESSION, OTHER_CANCEL, CANCELLED, status("failed"), END) == ["LIF118"]


def test_a_question_that_the_agent_withdrew_is_answered_cancelled():
    assert reported(WITHDRAW, CANCELLED, status("failed"), END) == []


def test_two_cancelled_answers_in_a_turn_are_told_once():
    again = _opening.PERMISSION.splitlines()[-1]
    assert reported(CANCELLED, again, CANCELLED, status("failed"), END) == ["LIF118"]


def test_a_conversation_that_breaks_off_is_not_judged_by_its_missing_cancel():
    assert reported(CANCELLED, "-> EOF") == []


def test_work_before_the_answer_is_found():
    assert reported(status("completed"), YES) == ["LIF115"]


@pytest.mark.parametrize("outcome", [NO, CANCELLED])
@pytest.mark.parametrize("word", ["in_progress", "completed"])
def test_work_after_a_rejection_is_an_error(outcome, word):
    findings = check(parse("\n".join([_opening.PERMISSION, outcome, status(word)])))
    levels = [finding.severity for finding in findings if finding.code == "LIF115"]
    assert levels == [Severity.ERROR]


def test_a_call_that_was_running_before_it_asked_may_say_so_again():
    ask = _opening.PERMISSION.splitlines()[-1]
    start = "\n".join([_opening.TOOL_CALL, status("in_progress"), ask])
    assert (
        reported(status("in_progress"), NO, status("in_progress"), status("failed"), start=start)
        == []
    )


def test_a_second_question_may_undo_a_refusal():
    ask = _opening.PERMISSION.splitlines()[-1]
    assert reported(NO, ask, YES, status("in_progress"), status("completed")) == []


def test_an_option_that_was_not_offered_is_one_finding_whatever_follows():
    odd = answer('{"outcome": "selected", "optionId": "allow"}')
    assert reported(odd, status("completed"), END) == ["LIF112"]


def test_a_refused_question_is_one_finding_whatever_follows():
    error = '-> {"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no"}}'
    assert reported(error, status("completed"), END) == ["LIF119"]


def test_an_unannounced_question_is_one_finding_with_all_that_follows():
    ask = _opening.PERMISSION.splitlines()[-1]
    lines = ask, YES, status("in_progress"), status("completed"), END
    assert reported(*lines, start=_opening.PROMPT) == ["LIF111"]


def test_permission_after_the_turn_is_found():
    ask = _opening.PERMISSION.splitlines()[-1]
    assert reported(END, ask, start=_opening.TOOL_CALL) == ["LIF116"]


def test_a_session_that_nobody_opened_is_another_rule_s_business():
    ask = _opening.PERMISSION.splitlines()[-1].replace('"s1"', '"child"')
    assert "LIF116" not in reported(ask, start=_opening.TOOL_CALL)


@pytest.mark.parametrize("outcome", ["null", "[]", '"selected"', '{"outcome": ["selected"]}', "{}"])
def test_an_answer_of_the_wrong_shape_is_another_family_s_business(outcome):
    assert reported(answer(outcome)) == []


@pytest.mark.parametrize("lines", [(OTHER_CANCEL, CANCELLED), (CANCELLED, OTHER_CANCEL)])
def test_a_cancellation_under_a_wrong_session_is_one_mistake(lines):
    """Another rule says that nobody has opened that session."""
    found = check(parse("\n".join([_opening.PERMISSION, *lines, status("failed"), END])))
    assert [f.code for f in found if f.severity.value != "note"] == ["LIF029"]


def permission(number, call="call_1"):
    options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
    return ask(number, "session/request_permission", toolCall={"toolCallId": call}, options=options)


@pytest.mark.parametrize(
    ("status", "wanted"),
    [("pending", []), ("in_progress", []), ("completed", ["LIF155"]), ("failed", ["LIF155"])],
)
def test_permission_is_requested_before_the_tool_call_ends(status, wanted):
    found = codes(announce(), change(status=status), permission(0))
    assert [code for code in found if code == "LIF155"] == wanted


def test_each_finished_tool_call_is_reported_once():
    done = [announce("a", status="completed"), announce("b", status="completed")]
    asked = [permission(0, "a"), permission(1, "a"), permission(2, "b")]
    assert codes(*done, *asked).count("LIF155") == 2


def test_the_tool_call_of_another_session_is_another_tool_call():
    done = announce(session="s2", status="completed")
    found = codes(SECOND_SESSION, done, announce(), permission(0))
    assert "LIF155" not in found


DIFF = '"content": [{"type": "diff", "path": "/home/dev/project/a.py", "newText": ""}]'
ASKS_TO_EDIT = _opening.PERMISSION.replace('"toolCall": {', f'"toolCall": {{{DIFF}, ')
WRITE = ask(5, "fs/write_text_file", path="/home/dev/project/a.py", content="")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((WRITE, YES), ["LIF115"]),
        ((NO, WRITE, WRITE), ["LIF115"]),  # told once
        ((YES, WRITE), []),
        ((NO, WRITE.replace("a.py", "b.py")), []),
        ((NO, WRITE.replace('"/home/dev/project/a.py"', "[]")), []),
    ],
)
def test_a_file_is_not_written_without_the_permission_that_was_requested_for_it(lines, expected):
    assert ASKS_TO_EDIT != _opening.PERMISSION
    found = [code for code in reported(*lines, start=ASKS_TO_EDIT) if code == "LIF115"]
    assert found == expected


def test_a_file_that_was_rejected_may_be_written_in_the_next_turn():
    again = (
        '-> {"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": {"sessionId": "s1",'
        ' "prompt": [{"type": "text", "text": "Do it"}]}}'
    )
    lines = NO, status("failed"), END, again, WRITE
    assert "LIF115" not in reported(*lines, start=ASKS_TO_EDIT)


@pytest.mark.parametrize(
    ("kind", "lines", "expected"),
    [
        ("read", (NO, WRITE), []),
        ("execute", (WRITE, NO), []),
        (None, (NO, WRITE), []),  # it was announced as `execute`
        ("edit", (NO, WRITE), ["LIF115"]),
        ("move", (WRITE, NO), ["LIF115"]),
    ],
)
def test_a_rejected_call_that_changes_no_file_does_not_forbid_to_write_one(kind, lines, expected):
    call = {"toolCallId": "call_1", "locations": [{"path": "/home/dev/project/a.py"}]}
    if kind:
        call["kind"] = kind
    start = _opening.PERMISSION.replace('{"toolCallId": "call_1"}', json.dumps(call))
    assert start != _opening.PERMISSION
    found = [code for code in reported(*lines, start=start) if code == "LIF115"]
    assert found == expected


def test_what_the_announced_tool_call_does_counts_if_the_request_does_not_say():
    call = '{"toolCallId": "call_1", "locations": [{"path": "/home/dev/project/a.py"}]}'
    start = _opening.PERMISSION.replace('{"toolCallId": "call_1"}', call)
    start = start.replace('"kind": "execute"', '"kind": "delete"')
    assert "LIF115" in reported(NO, WRITE, start=start)


def test_a_later_call_that_is_allowed_and_names_the_file_may_write_it():
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    call = {"toolCallId": "c2", "kind": "other", "locations": [{"path": "/home/dev/project/a.py"}]}
    asked = ask(0, "session/request_permission", toolCall=call, options=options)
    assert "LIF115" not in reported(NO, announce("c2"), asked, YES, WRITE, start=ASKS_TO_EDIT)
