"""Each kind of diagnosis has a conversation that it is the answer to; and what is not one."""

from pathlib import Path

import msgspec
import pytest
from support.diagnoses import (
    AGAIN,
    ASKS_NEW,
    EXAMPLES,
    LEAVES,
    PERMISSION,
    ask,
    diagnosed,
    fails,
)

from acp_spy import load
from acp_spy.capture.records import IMPORTED, Closed, Delivery, Exit, Header
from acp_spy.capture.transcript import parse
from acp_spy.diagnosis.diagnose import diagnose
from acp_spy.diagnosis.diagnosing_checker import DiagnosingChecker
from acp_spy.diagnosis.kinds import KINDS
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    INITIALIZE,
    INITIALIZED,
    NEW_SESSION,
    PROMPT,
)
from acp_spy.lint.rules.network import _examples as network
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.view.findings.why import of_capture
from acp_spy.wire.frame import Frame, Peer

FIXTURES = Path(__file__).parents[2] / "fixtures"
OPENED = f"{HANDSHAKE}\n{NEW_SESSION}"


def kind(*parts, now=None):
    return diagnosed(*parts, now=now).kind


def test_each_kind_has_an_example():
    assert list(EXAMPLES) == list(KINDS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_kind_has_that_diagnosis(name):
    found = EXAMPLES[name].diagnosis()
    assert found.kind == name, found.text
    assert found.is_wrong is (name not in ("fine", "in-progress", "frame-held"))


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_explained_and_has_few_words(name):
    assert KINDS[name].meaning.endswith(".")
    assert len(KINDS[name].words) <= 22


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_text_is_whole_sentences_and_its_frames_exist(name):
    found = EXAMPLES[name].diagnosis()
    assert found.text[0].isupper()
    assert found.text.endswith(".")
    assert "  " not in found.text
    assert ".." not in found.text
    frames = {each.seq for each in EXAMPLES[name].records() if isinstance(each, Frame)}
    assert frames.issuperset(found.seq)
    assert list(found.as_json()) == ["kind", "text", "blame", "seq", "hint"]


# ----------------------------------------------------------------------------- the agent's end


def test_a_death_quotes_the_last_lines_of_stderr():
    log = "\n".join(f"!! line {number}" for number in range(9))
    found = diagnosed(OPENED, PROMPT, log, "!!     ^^^^", "<- EOF", "== 3")
    assert found.kind == "agent-died"
    assert "exited with status 3" in found.text
    assert "`line 6`, `line 7`, `line 8`" in found.text
    assert found.blame is Peer.AGENT
    assert found.seq == (5,)


def test_an_agent_that_ends_after_the_client_left_has_not_died():
    assert kind(OPENED, "-> EOF", "<- EOF", "== 1") == "fine"


def test_a_client_that_leaves_with_a_question_open_has_both_named():
    asks = ask(0, "session/request_permission", **PERMISSION)
    found = diagnosed(OPENED, PROMPT, asks, LEAVES)
    assert found.kind == "client-left"
    assert "`session/prompt` (frame 5)" in found.text
    assert "waiting for the response to `session/request_permission` (frame 6)" in found.text
    assert found.seq == (5, 6)


def test_a_crash_without_a_pending_request_is_a_death():
    assert kind(OPENED, "<- EOF", "== -11") == "agent-died"


def test_a_crash_is_not_for_the_user_to_find():
    found = diagnosed(INITIALIZE, "<- EOF", "== -11")
    assert "signal 11" in found.text
    assert "author" in found.hint
    assert "`acp-spy redact run.jsonl`" in of_capture(found.hint, "run.jsonl")


@pytest.mark.parametrize("signal", [3, 13])
def test_a_signal_that_is_no_crash_is_not_called_one(signal):
    found = diagnosed(OPENED, PROMPT, "<- EOF", f"== -{signal}")
    assert found.kind == "agent-died"
    assert found.hint == "run the agent's command in a terminal to see why it exits"


@pytest.mark.parametrize("rest", ["", f"{NEW_SESSION}\n{PROMPT}\n{CHUNK}\n{END_TURN}"])
def test_an_agent_behind_a_terminal_that_echoes_also_answers(rest):
    echo = f"<- {INITIALIZE.strip().removeprefix('-> ')}"
    found = diagnosed(INITIALIZE, echo, INITIALIZED, rest, LEAVES)
    assert found.kind == "agent-echoes"
    assert found.text == "The agent sent `initialize` (frame 1) of the client back (frame 2)."
    assert diagnosed(INITIALIZE, echo, LEAVES).text.endswith("(frame 2), and no response.")


def test_an_agent_that_is_terminated_when_nothing_is_pending_is_fine():
    assert kind(OPENED, PROMPT, CHUNK, END_TURN, "<- EOF", "== -15") == "fine"


def test_a_hang_that_somebody_ended_is_the_hang():
    found = diagnosed(OPENED, PROMPT, CHUNK, "@ 90", "<- EOF", "== -15")
    assert found.kind == "prompt-pending"
    assert "1 m 30 s" in found.text


def test_an_agent_that_prints_its_usage_and_exits_is_not_in_acp_mode():
    found = diagnosed(INITIALIZE, "<- Usage: agent [options]", "<- EOF", "== 0")
    assert found.kind == "agent-died"
    assert "`Usage: agent [options]`" in found.text
    assert "--acp" in found.hint
    assert found.seq == (1, 2)


# ----------------------------------------------------------------------------- the handshake


def test_noise_that_the_client_survives_is_not_the_cause():
    assert kind(INITIALIZE, "<- [info] hello", INITIALIZED, NEW_SESSION, LEAVES) != (
        "noise-in-handshake"
    )


def test_noise_before_the_handshake_after_which_the_client_gives_up_is_the_cause():
    found = diagnosed(INITIALIZE, "<- [info] hello", INITIALIZED, "@ 30", LEAVES)
    assert found.kind == "noise-in-handshake"
    assert "the client sent nothing after the handshake" in found.text


def test_a_client_that_takes_the_older_version_has_no_mismatch():
    asked = INITIALIZE.replace('"protocolVersion": 1', '"protocolVersion": 2')
    assert kind(asked, INITIALIZED, NEW_SESSION, LEAVES) != "version-mismatch"


def test_a_client_that_had_no_time_to_take_the_older_version_has_no_mismatch():
    asked = INITIALIZE.replace('"protocolVersion": 1', '"protocolVersion": 2')
    assert kind(asked, INITIALIZED) == "fine"
    assert kind(asked, INITIALIZED, now=5.0) == "fine"
    assert kind(asked, INITIALIZED, now=60.0) == "version-mismatch"
    assert kind(asked, INITIALIZED, LEAVES) == "version-mismatch"


@pytest.mark.parametrize("version", ['"1"', "-1", "65536"])
def test_a_version_that_cannot_be_one_is_the_agents_mistake(version):
    answer = INITIALIZED.replace('"protocolVersion": 1', f'"protocolVersion": {version}')
    found = diagnosed(INITIALIZE, answer, LEAVES)
    assert (found.kind, found.blame) == ("version-mismatch", Peer.AGENT)
    assert version in found.text


def test_an_agent_that_is_killed_after_its_answer_was_lost_is_not_killed_at_work():
    lost = '<- {"jsonrpc": "2.0", "id": "2", "result": {"stopReason": "end_turn"}}'
    assert kind(OPENED, PROMPT, CHUNK, lost, "<- EOF", "== -15") == "answer-lost"
    cut = '<~ {"jsonrpc": "2.0", "id": 2, "resu'
    assert kind(OPENED, PROMPT, CHUNK, cut, "<- EOF", "== -9") == "agent-killed"


def test_a_prompt_for_a_session_that_was_never_opened_is_the_clients_mistake():
    wrong = PROMPT.replace('"s1"', '"other"')
    found = diagnosed(OPENED, wrong, END_TURN, LEAVES)
    assert (found.kind, found.blame) == ("empty-turn", Peer.CLIENT)


def test_a_message_that_is_cut_off_is_not_noise_and_not_fine():
    cut = '~> {"jsonrpc": "2.0", "id": 2, "method": "sess'
    assert kind(OPENED, cut) == "cut-off"
    assert kind(OPENED, cut, LEAVES) == "client-left"
    assert kind(cut) == "cut-off"
    answer = '<~ {"jsonrpc": "2.0", "id": 0, "resu'
    assert kind(INITIALIZE, answer, LEAVES) == "client-left"
    assert kind(INITIALIZE, answer) == "cut-off"
    found = diagnosed(INITIALIZE, answer, "<- EOF", "== 1")
    assert found.kind == "agent-died"
    assert "resu" not in found.text


def test_a_permission_that_is_pending_after_its_turn_says_so():
    asks = ask(7, "session/request_permission", **PERMISSION)
    found = diagnosed(OPENED, PROMPT, asks, CHUNK, END_TURN, "@ 60", LEAVES)
    assert found.kind == "permission-pending"
    assert "No turn waits for it." in found.text


def test_an_error_without_a_message_has_its_code():
    error = '<- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603}}'
    found = diagnosed(OPENED, PROMPT, error, LEAVES)
    assert found.kind == "prompt-failed"
    assert "`code -32603`" in found.text


def test_an_agent_that_left_first_is_mentioned():
    for status, how in (0, "exited with status 0"), (-9, "was ended by signal 9"):
        found = diagnosed(OPENED, "<- EOF", f"== {status}")
        assert found.kind == "fine"
        assert f"Then the agent {how}, before the client closed the connection." in found.text


def test_a_refused_version_is_a_mismatch():
    found = diagnosed(INITIALIZE, fails(0, "unsupported protocol version"), LEAVES)
    assert found.kind == "version-mismatch"


def test_a_client_that_sends_headers_speaks_another_protocol():
    found = diagnosed("-> Content-Length: 120", "-> ")
    assert found.kind == "other-protocol"
    assert found.blame is Peer.CLIENT


# ----------------------------------------------------------------------------- login and session


def test_a_login_that_succeeds_is_no_longer_required():
    refused = fails(1, "Authentication required", -32000)
    again = NEW_SESSION.replace('"id": 1', '"id": 5')
    assert kind(HANDSHAKE, ASKS_NEW, refused, again, LEAVES) == "fine"


def test_after_a_login_that_succeeds_something_else_is_wrong():
    refused = fails(1, "Authentication required", -32000)
    login = '-> {"jsonrpc": "2.0", "id": 5, "method": "authenticate", "params": {"methodId": "m"}}'
    done = '<- {"jsonrpc": "2.0", "id": 5, "result": {}}'
    again = ASKS_NEW.replace('"id": 1', '"id": 6')
    found = diagnosed(HANDSHAKE, ASKS_NEW, refused, login, done, again, "@ 60", LEAVES)
    assert found.kind == "session-pending"


def test_a_login_that_nobody_can_do_is_the_agents_fault():
    refused = fails(1, "Authentication required", -32000)
    assert diagnosed(HANDSHAKE, ASKS_NEW, refused, LEAVES).blame is Peer.AGENT


def test_a_refused_session_is_not_why_a_later_turn_was_cut_off():
    load = '-> {"jsonrpc": "2.0", "id": 9, "method": "session/load", "params": {"sessionId": "s9", "cwd": "/", "mcpServers": []}}'
    refused = [HANDSHAKE, NEW_SESSION, load, fails(9, "no such session")]
    assert kind(*refused) == "session-refused"
    assert kind(*refused, PROMPT, CHUNK) == "cut-off"
    assert kind(*refused, PROMPT, CHUNK, LEAVES) == "client-left"
    assert kind(*refused, PROMPT, CHUNK, now=1.0) == "in-progress"
    assert kind(*refused, load.replace("9,", "10,")) == "cut-off"


def test_a_refused_session_is_forgotten_when_another_is_opened():
    again = NEW_SESSION.replace('"id": 1', '"id": 5')
    assert kind(HANDSHAKE, ASKS_NEW, fails(1, "Internal error"), again, LEAVES) == "fine"


# ----------------------------------------------------------------------------- turns


def test_a_pending_prompt_says_what_came_last_and_which_tool_call_is_open():
    tool = (
        '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update":'
        ' {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "npm test",'
        ' "status": "in_progress"}}}'
    )
    found = diagnosed(OPENED, PROMPT, "@ 2", tool, now=32.0)
    assert found.kind == "prompt-pending"
    assert "a tool call (frame 6, 30.0 s ago)" in found.text
    assert "`npm test` (frame 6) is in progress" in found.text


def test_the_first_request_that_is_stuck_is_the_answer():
    later = '-> {"jsonrpc": "2.0", "id": 7, "method": "session/new", "params": {"cwd": "/"}}'
    found = diagnosed(OPENED, PROMPT, "@ 30", later, now=60.0)
    assert found.kind == "prompt-pending"
    assert found.seq == (5,)
    assert "1 later request is pending, too" in found.text


def test_a_terminal_that_does_not_end_is_nobodys_fault():
    waits = ask(0, "terminal/wait_for_exit", terminalId="t1")
    found = diagnosed(OPENED, PROMPT, waits, now=99.0)
    assert found.kind == "client-request-pending"
    assert found.blame is None
    assert "`t1`" in found.text


def test_a_permission_that_the_agent_withdrew_is_not_pending():
    withdraws = '<- {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}}'
    asks = ask(0, "session/request_permission", **PERMISSION)
    found = kind(OPENED, PROMPT, asks, withdraws, CHUNK, END_TURN, "@ 60", LEAVES)
    assert found == "protocol-errors"


def test_a_permission_that_outlives_a_cancel_is_for_the_client_to_answer():
    asks = ask(0, "session/request_permission", **PERMISSION)
    found = diagnosed(OPENED, PROMPT, asks, CANCEL, now=60.0)
    assert found.kind == "permission-pending"
    assert "cancelled at frame 7" in found.text


def test_a_client_that_cancels_and_leaves_its_permission_unanswered_must_act():
    asks = ask(0, "session/request_permission", **PERMISSION)
    found = diagnosed(OPENED, PROMPT, asks, CANCEL, "@ 3", LEAVES)
    assert found.kind == "permission-pending"
    assert found.blame is Peer.CLIENT


def test_a_login_that_takes_long_is_the_users():
    logs_in = (
        '-> {"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {"methodId": "k"}}'
    )
    found = diagnosed(HANDSHAKE, logs_in, now=60.0)
    assert found.kind == "request-pending"
    assert found.blame is None
    assert "The login has not ended" in found.text


def test_an_error_without_a_message_is_not_an_empty_turn():
    assert kind(OPENED, PROMPT, fails(2, ""), LEAVES) == "prompt-failed"


def test_a_word_of_another_protocol_in_a_conversation_that_works_is_not_the_cause():
    stray = '<- {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}'
    assert kind(OPENED, stray, PROMPT, CHUNK, END_TURN, LEAVES) == "protocol-errors"


def test_the_earlier_of_two_prompts_at_once_is_not_empty():
    second = AGAIN.replace("Fix the test", "And that")
    end = END_TURN.replace('"id": 2', '"id": 3')
    assert kind(OPENED, PROMPT, second, CHUNK, END_TURN, end, LEAVES) != "empty-turn"


def test_a_prompt_after_a_cancel_that_gets_no_reaction_shows_a_session_that_is_lost():
    found = diagnosed(OPENED, PROMPT, CANCEL, CANCELLED, AGAIN, now=60.0)
    assert found.kind == "session-unusable-after-cancel"


def test_the_first_prompt_after_a_cancel_is_meant_though_more_are_sent():
    more = AGAIN.replace('"id": 3', '"id": 4')
    found = diagnosed(OPENED, PROMPT, CANCEL, CANCELLED, AGAIN, "@ 30", more, now=60.0)
    assert found.kind == "session-unusable-after-cancel"
    assert found.seq == (8,)


def test_an_agent_that_answers_no_session_hangs_as_a_whole():
    new = ASKS_NEW.replace('"id": 1', '"id": 9')
    found = diagnosed(OPENED, PROMPT, CANCEL, CANCELLED, AGAIN, new, now=60.0)
    assert found.kind == "prompt-pending"
    assert "1 later request is pending, too, not only in this session" in found.text
    assert "whole agent" in found.hint


def test_a_pending_prompt_quotes_what_the_agent_wrote_to_stderr_since_its_last_update():
    retries = "!! 429 Too Many Requests, retrying in 60 s"
    found = diagnosed(OPENED, PROMPT, CHUNK, "@ 2", retries, now=60.0)
    assert "Its last line on stderr: `429 Too Many Requests, retrying in 60 s`." in found.text
    before = diagnosed(OPENED, retries, "@ 1", PROMPT, "@ 2", CHUNK, now=60.0)
    assert "stderr: " not in before.text


def test_an_update_that_is_neither_text_nor_a_tool_call_is_named_by_its_frame():
    usage = CHUNK.partition('"update"')[0] + (
        '"update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}}'
    )
    found = diagnosed(OPENED, PROMPT, usage, now=60.0)
    assert "its last update was frame 6, 1 m 00 s ago." in found.text


def test_a_cancelled_turn_must_end_although_a_terminal_is_still_waited_for():
    waits = ask(0, "terminal/wait_for_exit", terminalId="t1")
    found = diagnosed(OPENED, PROMPT, waits, CANCEL, now=60.0)
    assert found.kind == "cancel-not-confirmed"
    assert found.blame is Peer.AGENT
    assert "Its request `terminal/wait_for_exit` (frame 6) is pending, too." in found.text
    assert found.seq == (5, 6, 7)


def test_a_request_that_hangs_now_comes_before_a_prompt_that_failed():
    lists = '-> {"jsonrpc": "2.0", "id": 7, "method": "session/list", "params": {}}'
    found = diagnosed(OPENED, PROMPT, fails(2, "model overloaded"), lists, now=60.0)
    assert found.kind == "request-pending"
    assert found.seq == (7,)


def test_a_session_or_login_that_is_tried_again_and_hangs_comes_before_the_refusal():
    again = ASKS_NEW.replace('"id": 1', '"id": 5')
    refused = fails(1, "Internal error")
    assert kind(HANDSHAKE, ASKS_NEW, refused, again, now=60.0) == "session-pending"
    logs_in = (
        '-> {"jsonrpc": "2.0", "id": 5, "method": "authenticate", "params": {"methodId": "k"}}'
    )
    found = diagnosed(HANDSHAKE, ASKS_NEW, fails(1, "Log in", -32000), logs_in, now=60.0)
    assert "The login has not ended" in found.text


@pytest.mark.parametrize(
    ("data", "quote", "hint"),
    [
        ('{"error": "Failed to connect MCP servers"}', "Failed to connect MCP servers", "MCP"),
        ('{"reason": "x", "details": "429 slow down"}', "429 slow down", "wait"),
        ('"invalid api key"', "invalid api key", "API key"),
        ('{"error": {"message": "boom"}}', "boom", "read the error"),
        ('{"sessionId": "s1"}', "Internal error`", "read the error"),
    ],
)
def test_a_failed_prompt_quotes_what_its_error_says_wherever_it_says_it(data, quote, hint):
    error = f'{{"code": -32603, "message": "Internal error", "data": {data}}}'
    failed = f'<- {{"jsonrpc": "2.0", "id": 2, "error": {error}}}'
    found = diagnosed(OPENED, PROMPT, failed, LEAVES)
    assert found.kind == "prompt-failed"
    assert quote in found.text
    assert hint in found.hint


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("Agent exited with code 1, see the log in /home/dev/agent.log", "read the error"),
        ("catalog in use", "read the error"),
        ("cannot read /src/login.py", "read the error"),
        ("Tool call 401 failed: syntax error", "read the error"),
        ("Port 429 busy", "read the error"),
        ("barcode 401", "read the error"),
        ("You are not logged in", "log in"),
        ("Please log in", "log in"),
        ("Login required", "log in"),
        ("Invalid token. Please run /login.", "log in"),
        ("API Error: 401", "log in"),
        ("HTTP/1.1 401", "log in"),
        ("request failed, status code 429", "wait"),
        ('{"statusCode":529}', "wait"),
        ("429 Too Many Requests", "wait"),
    ],
)
def test_the_hint_follows_from_what_an_error_says(message, hint):
    assert diagnosed(OPENED, PROMPT, fails(2, message), LEAVES).hint.startswith(hint)


def test_a_session_that_works_after_a_cancel_is_fine():
    end = END_TURN.replace('"id": 2', '"id": 3')
    assert kind(OPENED, PROMPT, CANCEL, CANCELLED, AGAIN, CHUNK, end, LEAVES) == "fine"


def test_a_failed_turn_is_mentioned_when_a_later_one_works():
    end = END_TURN.replace('"id": 2', '"id": 3')
    found = diagnosed(OPENED, PROMPT, fails(2, "overloaded"), AGAIN, CHUNK, end, LEAVES)
    assert found.kind == "fine"
    assert "1 turn failed before: `session/prompt` (frame 5) got `overloaded`." in found.text


def test_a_prompt_for_a_session_that_was_never_opened_is_the_clients_fault():
    found = diagnosed(HANDSHAKE, PROMPT, fails(2, "Session not found", -32002), LEAVES)
    assert found.kind == "prompt-failed"
    assert found.blame is Peer.CLIENT


def test_an_empty_turn_whose_updates_name_another_session_says_so():
    elsewhere = CHUNK.replace('"s1"', '"S1"')
    found = diagnosed(OPENED, PROMPT, elsewhere, END_TURN, LEAVES)
    assert found.kind == "empty-turn"
    assert "name session `S1`, which the client never opened (frame 6)" in found.text


def test_a_slash_command_may_have_nothing_to_say():
    command = PROMPT.replace("Fix the test", "/clear")
    assert kind(OPENED, command, END_TURN, LEAVES) == "fine"


def test_a_request_that_acp_spy_holds_is_why_everything_waits():
    asked = ask(5, "session/request_permission", toolCall={"toolCallId": "c1"}, options=[])
    checker = DiagnosingChecker(ALL_RULES.checker())
    records = [Header(), *parse(f"{OPENED}\n{PROMPT}\n{asked}")]
    records.append(Delivery(records[-1].seq, records[-1].t, Peer.CLIENT, "intercept", "held"))
    for record in records:
        checker.feed(record)
    assert checker.diagnosis(now=60.0).kind == "frame-held"
    checker.feed(msgspec.structs.replace(records[-1], action="delayed"))
    assert checker.diagnosis(now=60.0).kind == "permission-pending"


def test_version_2_ends_a_turn_by_its_state():
    version_2 = (
        '-> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 2,'
        ' "capabilities": {}, "info": {"name": "c", "version": "1"}}}\n'
        '<- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 2, "capabilities": {"session":'
        ' {}}, "info": {"name": "a", "version": "1"}}}'
    )
    accepted = '<- {"jsonrpc": "2.0", "id": 2, "result": {"messageId": "m1"}}'
    running = [version_2, NEW_SESSION, PROMPT, accepted]
    idle = (
        '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update":'
        ' {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}}}'
    )
    pending = diagnosed(*running, CHUNK, now=60.0)
    assert pending.kind == "prompt-pending"
    assert "which it accepted" in pending.text
    assert "1 turn ended" in diagnosed(*running, CHUNK, idle, now=60.0).text
    assert kind(*running, idle, now=60.0) == "empty-turn"
    assert kind(*running, CHUNK, "<- EOF", "== 0") == "agent-died"


# ----------------------------------------------------------------------------- lost answers


def test_an_answer_on_stderr_is_lost():
    found = diagnosed(INITIALIZE, '!! {"jsonrpc": "2.0", "id": 0, "result": {}}', now=30.0)
    assert found.kind == "answer-lost"
    assert "on stderr" in found.text


def test_an_answer_that_is_not_json_is_lost():
    broken = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": end_turn}}'
    assert kind(OPENED, PROMPT, CHUNK, broken, now=30.0) == "answer-lost"


def test_a_second_answer_is_not_a_lost_one():
    assert kind(OPENED, PROMPT, INITIALIZED, CHUNK, END_TURN, LEAVES) == "protocol-errors"


# ----------------------------------------------------------------------------- time


def test_slow_steps_are_named_when_nothing_is_wrong():
    asks, answers = NEW_SESSION.splitlines()
    slow = (HANDSHAKE, "@ 1", asks, "@ 22", answers, "@ 23", PROMPT, CHUNK, "@ 24", END_TURN)
    found = diagnosed(*slow, LEAVES)
    assert found.kind == "fine"
    assert "21 of 24 s were `session/new` (frame 3)." in found.text
    assert found.seq == (3, 4)


def test_silence_within_a_turn_is_a_slow_step():
    found = diagnosed(OPENED, PROMPT, "@ 31", CHUNK, END_TURN, LEAVES)
    assert "silence of the agent before frame 6" in found.text


def test_without_times_nothing_is_said_about_them():
    records = [
        Frame(each.seq, 0.0, each.sender, each.raw)
        for each in parse(f"{OPENED}\n{PROMPT}\n{CHUNK}")
    ]
    found = diagnose([Header(note=f"{IMPORTED}elsewhere"), *records])
    assert found.kind == "cut-off"
    assert found.text == (
        "The recording ends while `session/prompt` (frame 5) is pending: what came then is not"
        " known."
    )


def test_no_value_in_a_text_is_longer_than_80_characters():
    long = "x" * 500
    found = diagnosed(OPENED, PROMPT, fails(2, f"{long}`"), LEAVES)
    assert max(map(len, found.text.split("`"))) <= 80


def test_a_diagnosis_can_be_asked_for_at_any_time():
    for talk in EXAMPLES.values():
        checker = DiagnosingChecker(Ruleset(()).checker())
        for record in talk.records():
            checker.feed(record)
            for now in (None, 0.0, 1000.0):
                assert checker.diagnosis(now).kind in KINDS


def cut(name, count):
    """Return the diagnosis of the first frames of a fixture, after which nothing came."""
    records = load(FIXTURES / f"{name}.jsonl").frames[:count]
    return diagnose([*records, Closed(60.0, Peer.CLIENT), Exit(60.1, 0)])


def test_a_proxy_that_waits_for_its_successor_is_not_to_blame():
    for count, method in ((2, "initialize"), (6, "session/new"), (10, "session/prompt")):
        found = cut("chain", count)
        assert found.kind == "client-request-pending", found.text
        assert found.text.startswith(
            f"The successor of the proxy has not answered `proxy/successor › {method}`"
        )


def test_a_proxy_that_does_not_hand_on_what_its_successor_asks_is():
    assert cut("chain", 17).blame is Peer.AGENT


def test_a_file_that_the_client_owes_is_named_not_the_prompt_above_it():
    assert "`fs/read_text_file` (frame 18)" in cut("chain", 18).text


def test_an_mcp_call_without_a_response_is_named():
    assert "`mcp/message › tools/call` (frame 9)" in cut("mcp-messages", 9).text


def test_the_hang_of_a_refused_response_is_told_in_one_paragraph():
    found = diagnose(FIXTURES / "remote-refused-response.jsonl")
    assert (found.kind, found.blame, found.seq) == ("response-refused", Peer.CLIENT, (5, 6, 7))
    assert found.text == (
        "The client answered `session/request_permission` (frame 6), but its response (frame 7) was"
        " refused with 400 `Missing Acp-Session-Id`: the header `Acp-Session-Id: s-1` is missing."
        " The agent never got it and has been waiting for 30.0 s, and so has `session/prompt`"
        " (frame 5)."
    )
    assert found.hint.startswith("send `Acp-Session-Id: s-1` with every response")


def test_what_was_refused_and_then_accepted_is_over():
    talk = (network.OPENING, network.PROMPT, network.PERMISSION)
    refused = (f"->[post c1] {network.ALLOWED}", "<> 400")
    again = (f"->[post c1 s1] {network.ALLOWED}", "<> 202", network.CHUNK, network.END_TURN)
    assert kind(*talk, *refused, *again, "-> EOF", "== 0") == "protocol-errors"
    prompt = network.PROMPT.splitlines()[0]
    retried = (prompt, "<> 503", network.PROMPT, network.CHUNK, network.END_TURN)
    assert kind(network.OPENING, *retried, "-> EOF", "== 0") == "fine"


def test_a_stream_that_was_opened_again_is_not_lost():
    lost = (network.OPENING, network.PROMPT, '<> END 4 agent {"lost": true}')
    assert kind(*lost) == "connection-lost"
    assert kind(*lost, "<> GET c1 s1 200") == "cut-off"


def test_a_stream_that_ends_for_one_that_was_opened_since_is_not_lost():
    both = (network.OPENING, network.PROMPT, "<> GET c1 s1 200")
    assert kind(*both, '<> END 4 agent {"lost": true}') == "cut-off"
    assert kind(*both, '<> END 6 agent {"lost": true}') == "connection-lost"


def test_a_cancel_that_was_refused_need_not_be_confirmed():
    cancel = network.over("post c1 s1", CANCEL.replace('"s"', '"s1"'))
    talk = (network.OPENING, network.PROMPT, network.CHUNK, "@ 5", cancel, "<> 503", "@ 9")
    found = diagnosed(*talk, network.END_TURN, "-> EOF", "== 0")
    assert found.kind != "protocol-errors", found.text
    accepted = [line.replace("<> 503", "<> 202") for line in talk]
    assert kind(*accepted, network.END_TURN, "-> EOF", "== 0") == "protocol-errors"


def test_a_prompt_that_was_refused_is_not_the_one_of_another_session():
    other = network.PROMPT.replace("s1", "s2").replace('"id": 2', '"id": 12')
    ended = (network.CHUNK.replace("s1", "s2"), network.END_TURN.replace('"id": 2', '"id": 12'))
    refused = (network.PROMPT.splitlines()[0], "<> 503")
    assert kind(network.OPENING, *refused, other, *ended) == "request-refused"


def test_a_stream_that_was_asked_for_too_early_does_not_say_that_the_server_knows_nothing():
    session = network.NEW_SESSION.splitlines()[:-1]
    early = (network.CONNECT, *session, "<> GET c1 s1 404")
    assert kind(*early, network.PROMPT, now=60.0) == "stream-not-opened"
    late = (*early, "<> GET c1 s1 200", network.PROMPT, network.PERMISSION)
    assert kind(*late, now=60.0) == "permission-pending"


def test_a_session_that_is_being_loaded_is_opened_by_the_client():
    load = '-> {"jsonrpc": "2.0", "id": 9, "method": "session/load", "params": {"sessionId": "s9", "cwd": "/", "mcpServers": []}}'
    asks = ask(7, "session/request_permission", **{**PERMISSION, "sessionId": "s9"})
    found = diagnosed(HANDSHAKE, load, asks, now=60.0)
    assert (found.kind, found.blame) == ("permission-pending", Peer.CLIENT)


def test_a_websocket_that_the_agent_closes_has_its_code():
    asks = network.over("ws c1", ASKS_NEW)
    found = diagnosed(network.SOCKET, asks, '<> END 1 agent {"code": 1011, "reason": "bug"}')
    assert found.kind == "connection-lost"
    assert "The WebSocket was closed by the agent (code 1011, `bug`)" in found.text


def test_a_websocket_that_is_closed_because_of_the_client_is_for_the_client_to_fix():
    asks = network.over("ws c1", ASKS_NEW)
    found = diagnosed("<> WS 101", asks, '<> END 1 agent {"code": 1002}')
    assert (found.kind, found.blame) == ("connection-lost", Peer.CLIENT)
    assert "The client broke the protocol in frame 1 (LIF001)" in found.text


def test_a_batch_that_is_refused_is_for_the_client_to_fix():
    batch = '->[post c1] [{"jsonrpc": "2.0", "id": 5, "method": "session/list", "params": {}}]'
    found = diagnosed(network.OPENING, batch, "<> 501")
    assert (found.kind, found.blame) == ("request-refused", Peer.CLIENT)
    assert found.hint == "send each message by itself"


def test_the_hint_for_a_refusal_is_about_its_status():
    prompt = network.PROMPT.splitlines()[0]
    assert diagnosed(network.OPENING, prompt, "<> 413").hint == "send less at once"


def test_a_stream_that_was_refused_is_why_its_response_cannot_arrive():
    session = network.NEW_SESSION.splitlines()[:-1]
    refused = '<> GET c1 s1 403 {"body": "Not yours"}'
    found = diagnosed(network.CONNECT, *session, refused, network.PROMPT, now=60.0)
    assert (found.kind, found.blame) == ("stream-not-opened", Peer.CLIENT)
    assert "request for the stream of session `s1` was refused with 403 `Not yours`" in found.text


def test_what_becomes_of_the_end_of_a_connection_matters_to_nobody():
    turn = (network.OPENING, network.PROMPT, network.CHUNK, network.END_TURN)
    for end in ("<> DELETE c1 404", '<> DELETE c1 502 {"by": "proxy", "error": "refused"}'):
        assert kind(*turn, end, "-> EOF", "== 0") == "fine"
    reopened = '<> GET c1 s1 502 {"by": "proxy", "error": "connection refused"}'
    assert kind(*turn, "<> END 4 agent", reopened) == "protocol-errors"
    assert kind(network.OPENING, network.PROMPT, reopened) == "target-unreachable"


def test_a_request_that_was_not_sent_says_nothing_about_the_server():
    unsent = '<> 0 {"by": "proxy", "error": "acp-spy did not send it"}'
    lost = unsent.replace('"by": "proxy", ', "")
    prompt = network.PROMPT.splitlines()[0]
    assert kind(network.OPENING, prompt, lost) == "target-unreachable"
    assert kind(network.OPENING, prompt, unsent) != "target-unreachable"


@pytest.mark.parametrize("end", [LEAVES, f"@ 60\n{LEAVES}"])
def test_a_response_with_a_method_is_a_lost_answer(end):
    answer = END_TURN.replace('"id": 2,', '"id": 2, "method": "session/prompt",')
    found = diagnosed(OPENED, PROMPT, CHUNK, answer, end)
    assert (found.kind, found.blame, found.seq) == ("answer-lost", Peer.AGENT, (5, 7))
    assert "frame 7 has it with a `method`, so it is read as a request" in found.text


def test_a_request_with_the_id_of_a_pending_request_is_not_an_answer():
    assert kind(OPENED, PROMPT, ask(2, "fs/read_text_file", path="/a"), "@ 60", LEAVES) != (
        "answer-lost"
    )


def answered(body):
    return f'-> {{"jsonrpc": "2.0", "id": 7, {body}}}'


@pytest.mark.parametrize(
    ("talk", "blame", "words"),
    [
        (
            [
                ask(7, "session/request_permission", **PERMISSION),
                answered('"result": {"outcome": "allow"}'),
            ],
            Peer.CLIENT,
            "The client broke the protocol in frame 7 (SCH015)",
        ),
        (
            [
                ask(7, "fs/read_text_file", path="/a"),
                answered('"error": {"code": -32603, "message": "gone"}'),
            ],
            Peer.AGENT,
            "Since then, the client answered `fs/read_text_file` (frame 6) with the error `gone`.",
        ),
        (["<- KeyError: 1"], Peer.AGENT, "The agent broke the protocol in frame 6 (FRM"),
    ],
)
def test_a_pending_prompt_is_shown_with_what_may_be_its_reason(talk, blame, words):
    found = diagnosed(OPENED, PROMPT, *talk, "@ 60", LEAVES)
    assert (found.kind, found.blame) == ("prompt-pending", blame)
    assert words in found.text


def test_an_error_of_the_client_after_which_the_agent_went_on_is_not_the_reason():
    asks = ask(7, "fs/read_text_file", path="/a")
    error = answered('"error": {"code": -32603, "message": "gone"}')
    found = diagnosed(OPENED, PROMPT, asks, error, CHUNK, "@ 60", LEAVES)
    assert found.kind == "prompt-pending"
    assert "gone" not in found.text


def test_a_cancel_that_is_a_request_is_shown_with_what_is_wrong_about_it():
    cancel = CANCEL.replace('"method"', '"id": 5, "method"')
    found = diagnosed(OPENED, PROMPT, CHUNK, cancel, "@ 60", LEAVES)
    assert (found.kind, found.blame) == ("cancel-not-confirmed", Peer.CLIENT)


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        ('"Result": {}, "id": 2', "in an object that has neither `result` nor `error`"),
        ('"result": {"stopReason": "end_turn"}', "without an id, instead of `2`"),
    ],
)
def test_a_lost_answer_is_shown_with_what_is_wrong_about_it(answer, how):
    found = diagnosed(OPENED, PROMPT, CHUNK, f'<- {{"jsonrpc": "2.0", {answer}}}', "@ 60", LEAVES)
    assert found.kind == "answer-lost"
    assert how in found.text


REFUSED = '<- {"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "Not found"}}'


@pytest.mark.parametrize(
    "last", ["-> a line of a log", '-> {"jsonrpc": "2.0", "method": "_x/y"}', CANCEL]
)
def test_an_error_without_an_id_is_about_what_was_sent_last(last):
    assert diagnosed(OPENED, PROMPT, REFUSED, CHUNK, "@ 60", LEAVES).kind == "answer-lost"
    assert diagnosed(OPENED, PROMPT, last, REFUSED, CHUNK, "@ 60", LEAVES).kind != "answer-lost"


def test_an_error_without_an_id_is_not_about_a_response():
    read = '<- {"jsonrpc": "2.0", "id": 7, "method": "fs/read_text_file", "params": {"sessionId": "s", "path": "/p"}}'
    answer = '-> {"jsonrpc": "2.0", "id": 7, "result": {"content": "x"}}'
    found = diagnosed(OPENED, PROMPT, read, answer, REFUSED, CHUNK, "@ 60", LEAVES)
    assert found.kind == "answer-lost"


def test_an_answer_in_a_batch_is_lost_in_a_batch():
    answer = '<- [{"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}]'
    found = diagnosed(OPENED, PROMPT, CHUNK, answer, "@ 60", LEAVES)
    assert found.kind == "answer-lost"
    assert "in a batch, which ACP does not have" in found.text


@pytest.mark.parametrize("stray", [1, 77])
def test_a_crash_names_what_was_pending_though_a_response_matched_no_request(stray):
    other = f'<- {{"jsonrpc": "2.0", "id": {stray}, "result": {{}}}}'
    found = diagnosed(OPENED, PROMPT, other, CHUNK, "<- EOF", "== 1")
    assert found.kind == "agent-died"
    assert "exited with status 1" in found.text
    assert "while `session/prompt` (frame 5) was pending" in found.text


def untyped(line):
    return line.replace('"type": "text", ', "")


@pytest.mark.parametrize(
    ("status", "blame", "hint"),
    [
        (503, Peer.AGENT, "try again later"),
        (502, Peer.AGENT, "read the body of the response"),
        (401, Peer.CLIENT, "send credentials with every request"),
        (429, Peer.CLIENT, "send fewer requests, or try again later"),
    ],
)
def test_a_status_that_is_not_about_the_message_is_the_cause_though_that_is_wrong(
    status, blame, hint
):
    prompt = untyped(network.PROMPT.splitlines()[0])
    found = diagnosed(network.OPENING, prompt, f"<> {status}")
    assert (found.kind, found.blame, found.hint) == ("request-refused", blame, hint)
    assert "broke the protocol" not in found.text
    refused = diagnosed(network.OPENING, prompt, "<> 400")
    assert refused.blame is Peer.CLIENT
    assert "The client broke the protocol" in refused.text


@pytest.mark.parametrize(
    ("code", "blame", "is_broken"),
    [
        (1001, Peer.AGENT, False),
        (1007, Peer.CLIENT, True),
        (1009, Peer.CLIENT, False),
        (1011, Peer.CLIENT, True),
    ],
)
def test_a_close_code_tells_whether_a_wrong_message_may_be_the_cause(code, blame, is_broken):
    session = [network.over("ws c1", line) for line in NEW_SESSION.splitlines()]
    prompt = untyped(network.over("ws c1", PROMPT))
    end = f'<> END 1 agent {{"code": {code}, "reason": "server restarts"}}'
    found = diagnosed(network.SOCKET, *session, prompt, end)
    assert (found.kind, found.blame) == ("connection-lost", blame)
    assert ("The client broke the protocol" in found.text) is is_broken


def test_a_stream_of_another_connection_brings_no_response():
    other = network.over("post c2 s1", AGAIN)
    talk = network.OPENING, network.PROMPT, network.END_TURN, "<> GET c2 200", other, "<> 202"
    found = diagnosed(*talk, now=60.0)
    assert found.kind == "stream-not-opened"
    assert "`Acp-Connection-Id` and `Acp-Session-Id: s1`" in found.hint
    assert kind(*talk, "<> GET c2 s1 200", now=60.0) == "prompt-pending"
