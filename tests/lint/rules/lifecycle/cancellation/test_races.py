"""What may have crossed on its way is at most a note."""

import pytest
from support.lifecycle import found, judge
from support.transcripts import lint

from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
)

ABORTED = '<- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "Overloaded"}}'


def verdicts(*parts):
    findings = judge(HANDSHAKE, NEW_SESSION, PROMPT, *parts)
    assert all(
        ("unless the two messages crossed" in finding.text) == (finding.severity is Severity.NOTE)
        for finding in findings
    )
    return [(finding.name, finding.severity.value) for finding in findings]


def test_an_end_that_may_have_been_under_way_when_the_cancel_passed_is_a_note():
    assert verdicts(CHUNK, "@ 1", CANCEL, "@ 1.2", END_TURN) == [("cancel-not-confirmed", "note")]


def test_an_end_that_no_agent_could_send_so_soon_has_crossed_with_the_cancel():
    assert verdicts(CHUNK, "@ 1", CANCEL, "@ 1.001", END_TURN) == []
    assert verdicts(CHUNK, "@ 1", CANCEL, "@ 1.001", ABORTED) == []
    assert verdicts(CHUNK, "@ 1", CANCEL, "@ 1.003", END_TURN) == [("cancel-not-confirmed", "note")]


def test_without_times_nobody_knows_what_has_crossed():
    cancelled = "@ 0", CANCEL, *["@ 0", CHUNK] * 40, "@ 0"
    assert verdicts(*cancelled, END_TURN) == [("cancel-not-confirmed", "note")]
    assert verdicts(*cancelled, ABORTED) == [("cancel-as-error", "note")]


def test_an_agent_that_waits_for_the_client_does_not_work_after_a_cancel():
    asks = (
        '<- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params":'
        ' {"sessionId": "s1", "toolCall": {"toolCallId": "t1"}, "options":'
        ' [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]}}'
    )
    answer = '-> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "cancelled"}}}'
    assert verdicts(asks, CANCEL, "@ 30", answer, "@ 31", CANCELLED) == []
    assert verdicts(asks, CANCEL, answer, "@ 30", CANCELLED) == [("work-after-cancel", "warning")]
    talk = HANDSHAKE, NEW_SESSION, PROMPT, asks, CANCEL, "@ 30", answer, "@ 45", CANCELLED
    (finding,) = judge(*talk)
    assert (
        "15.0 s after the response to `session/request_permission` in a cancelled turn"
        in finding.text
    )


def test_an_end_that_nothing_separates_from_the_cancel_has_a_second():
    assert verdicts(CHUNK, "@ 1", CANCEL, "@ 1.9", END_TURN) == [("cancel-not-confirmed", "note")]
    assert verdicts(CHUNK, "@ 1", CANCEL, "@ 2.1", END_TURN) == [("cancel-not-confirmed", "error")]


def test_a_turn_that_is_cancelled_again_and_again_was_cancelled_at_first():
    impatient = ["@ 1", CANCEL, "@ 2", CANCEL, "@ 3", CANCEL, "@ 3.1", END_TURN]
    (finding,) = judge(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, *impatient)
    assert (finding.name, finding.see) == ("cancel-not-confirmed", 7)
    assert "2.1 s after `session/cancel`" in finding.text


def test_an_end_after_more_text_had_time_to_hear_of_the_cancel():
    assert found(NEW_SESSION, PROMPT, "@ 1", CANCEL, "@ 1.3", CHUNK, END_TURN) == [
        "cancel-not-confirmed"
    ]


def test_an_error_that_may_have_been_under_way_when_the_cancel_passed_is_a_note():
    assert verdicts("@ 1", CANCEL, "@ 1.1", ABORTED) == [("cancel-as-error", "note")]
    assert verdicts("@ 1", CANCEL, "@ 3", ABORTED) == [("cancel-as-error", "error")]


def test_an_error_that_says_aborted_is_caused_by_the_cancel_however_soon_it_comes():
    aborted = ABORTED.replace("Overloaded", "The operation was aborted")
    assert found(NEW_SESSION, PROMPT, "@ 1", CANCEL, aborted) == ["cancel-as-error"]


def test_a_prompt_that_was_withdrawn_may_end_in_an_error_after_a_cancel():
    withdrawn = '-> {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}}'
    cancelled = (
        '<- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32800, "message": "Request cancelled"}}'
    )
    assert found(NEW_SESSION, PROMPT, CANCEL, withdrawn, "@ 3", cancelled) == []


def test_a_cancel_that_crossed_with_the_end_is_not_idle():
    assert found(NEW_SESSION, PROMPT, CHUNK, "@ 1", END_TURN, "@ 1.2", CANCEL) == []
    assert found(NEW_SESSION, PROMPT, CHUNK, "@ 1", END_TURN, "@ 1.5", CANCEL) == [
        "cancel-outside-turn"
    ]


def test_stop_pressed_twice_is_told_once():
    assert found(NEW_SESSION, PROMPT, CHUNK, END_TURN, "@ 2", CANCEL, CANCEL) == [
        "cancel-outside-turn"
    ]


def test_a_withdrawal_that_crossed_with_the_answer_is_fine():
    withdrawn = '-> {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}}'
    assert found(NEW_SESSION, PROMPT, CHUNK, END_TURN, withdrawn) == []
    assert found(NEW_SESSION, PROMPT, CHUNK, END_TURN, "@ 5", withdrawn) == ["stray-cancel-request"]


def test_the_other_peers_request_is_not_ones_own_to_withdraw():
    withdrawn = '<- {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}}'
    findings = judge(HANDSHAKE, NEW_SESSION, PROMPT, withdrawn)
    assert [f.name for f in findings] == ["stray-cancel-request"]
    assert "a request of the client, not of the agent" in findings[0].text


def test_a_turn_that_closing_cut_short_had_a_quarter_of_a_second():
    close = (
        '-> {"jsonrpc": "2.0", "id": 3, "method": "session/close", "params": {"sessionId": "s1"}}'
    )
    closed = '<- {"jsonrpc": "2.0", "id": 3, "result": {}}'
    assert found(NEW_SESSION, PROMPT, CHUNK, "@ 1", close, "@ 1.2", END_TURN, closed) == []
    assert found(NEW_SESSION, PROMPT, CHUNK, "@ 1", close, "@ 3", END_TURN, closed) == [
        "turn-not-cancelled-on-close"
    ]


def test_a_close_that_was_refused_cancels_nothing():
    close = (
        '-> {"jsonrpc": "2.0", "id": 3, "method": "session/close", "params": {"sessionId": "s1"}}'
    )
    refused = '<- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "Busy"}}'
    assert found(NEW_SESSION, PROMPT, close, refused, "@ 3", CHUNK, END_TURN) == []


@pytest.mark.parametrize("method", ["session/close", "session/delete"])
def test_a_turn_may_end_as_cancelled_while_its_session_is_closed(method):
    ask = f'-> {{"jsonrpc": "2.0", "id": 3, "method": "{method}", "params": {{"sessionId": "s1"}}}}'
    assert (
        found(NEW_SESSION, PROMPT, ask, CANCELLED, '<- {"jsonrpc": "2.0", "id": 3, "result": {}}')
        == []
    )


def test_a_turn_may_end_as_cancelled_after_a_permission_was_refused():
    asked = '<- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "t1"}, "options": [{"optionId": "no", "name": "No", "kind": "reject_once"}]}}'
    refused = '-> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}'
    assert found(NEW_SESSION, PROMPT, asked, refused, CANCELLED) == []


def test_a_permission_that_was_given_before_the_cancel_is_fine():
    asked = '<- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "t1"}, "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]}}'
    given = '-> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}'
    assert found(NEW_SESSION, PROMPT, asked, given, CANCEL, CANCELLED) == []
    assert found(NEW_SESSION, PROMPT, asked, CANCEL, given, CANCELLED) == [
        "permission-not-cancelled"
    ]


def test_a_cancel_before_the_prompt_is_named_when_it_carries_over_to_the_turn():
    lines = (HANDSHAKE, NEW_SESSION, CANCEL, PROMPT, CHUNK)
    early, carried = judge(*lines, CANCELLED)
    assert (early.name, early.text) == (
        "cancel-outside-turn",
        "`session/cancel` was sent, but session `s1` has no open turn",
    )
    assert (carried.name, carried.seq, carried.see) == ("cancelled-without-cancel", 8, 6)
    assert carried.text.endswith(
        "but the cancel at frame 5 came before this prompt (frame 6); a cancel must not carry over"
        " to the next turn"
    )


def test_a_cancel_before_the_turn_before_is_not_named():
    again, ended = (text.replace('"id": 2', '"id": 3') for text in (PROMPT, CANCELLED))
    lines = (HANDSHAKE, NEW_SESSION, CANCEL, PROMPT, CHUNK, END_TURN, again, CHUNK)
    (_, found) = judge(*lines, ended)
    assert found.text == "the turn ended with `cancelled`, but the client did not cancel it"


NEXT = PROMPT.replace('"id": 2', '"id": 3')


def failed(message, code=-32603):
    error = f'{{"code": {code}, "message": "{message}"}}'
    return f'<- {{"jsonrpc": "2.0", "id": 3, "error": {error}}}'


def test_a_session_that_only_fails_after_a_cancel_is_found():
    before = NEW_SESSION, PROMPT, CANCEL, CANCELLED, NEXT
    assert found(*before, failed("Internal error")) == ["session-lost-after-cancel"]
    assert found(*before, failed("No such session", -32002)) == ["session-lost-after-cancel"]
    assert found(*before, failed("HTTP 503")) == []  # not the session, but its model


def test_a_failure_without_a_cancel_before_it_is_another_matter():
    assert found(NEW_SESSION, PROMPT, CHUNK, END_TURN, NEXT, failed("Internal error")) == []


def test_a_prompt_after_a_cancelled_turn_that_is_never_answered_says_so():
    talk = [HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CANCELLED, NEXT, "-> EOF", "== 0"]
    (finding,) = lint("\n".join(talk), "RPC006")
    assert "never answered; the turn before it was cancelled" in finding.text
    assert "after `session/cancel`" in finding.hint
