"""Order and ids in the draft of version 2."""

import pytest
from support.rules import checker, rules_with
from support.transcripts import lint

from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    ACCEPTED,
    CANCEL,
    ECHO,
    END,
    IDLE,
    INITIALIZE,
    INITIALIZED,
    PROMPT,
    REPLY,
    RUNNING,
    SESSION,
    TERMINAL,
    TOOL_CALL,
    TURN,
    error_line,
    request_line,
    result_line,
    state_line,
    transcript,
    update_line,
)
from acp_spy.lint.ruleset import check
from acp_spy.lint.select import select
from acp_spy.wire.frame import Peer

RULES = rules_with("LIF2")

ALL = [rule.code for rule in RULES]


def codes(*lines, only=ALL):
    return [finding.code for finding in lint("\n".join(lines), *only)]


def offered(line):
    return line.replace('"title"', '"capabilities": {"cancel": {}}, "title"')


def test_a_conversation_as_the_draft_wants_it_is_clean():
    lines = [
        TURN,
        offered(TOOL_CALL),
        TERMINAL,
        update_line('"sessionUpdate": "terminal_output_chunk", "terminalId": "t1", "data": "b2sK"'),
        REPLY,
        state_line("requires_action"),
        RUNNING,
        state_line("idle", ', "stopReason": "end_turn", "background": []'),
        request_line(3, "session/resume", '"sessionId": "s1", "cwd": "/home/dev/project"'),
        state_line("idle", ', "stopReason": "end_turn", "background": []'),
        result_line(3),
        request_line(4, "session/close", '"sessionId": "s1"'),
        result_line(4),
        END,
    ]
    assert codes(*lines) == []


def test_a_replay_on_resume_tells_old_states_again():
    """What ended before the replay begins anew in it, and may have another order."""
    done = TOOL_CALL.replace("in_progress", "completed")
    resume = request_line(
        3,
        "session/resume",
        '"sessionId": "s1", "cwd": "/home/dev/project", "replayFrom": {"type": "start"}',
    )
    lines = [TURN, TOOL_CALL, done, state_line("idle", ', "stopReason": "end_turn"'), resume]
    history = [ECHO, RUNNING, TOOL_CALL, done, REPLY, IDLE, result_line(3)]
    everything = [*rules_with("LIF1", "LIF2")]
    found = check(parse("\n".join([*lines, *history, END])), everything)
    assert [finding.code for finding in found] == []
    without = [line.replace(', "replayFrom": {"type": "start"}', "") for line in lines]
    found = check(parse("\n".join([*without, *history, END])), everything)
    assert [finding.code for finding in found] == ["LIF214", "LIF103"]


def test_the_same_frames_in_version_1_are_nobodys_business_here():
    opening = SESSION.replace('"protocolVersion": 2', '"protocolVersion": 1')
    assert codes(opening, PROMPT, ACCEPTED, REPLY, RUNNING, state_line("idle"), END) == []


def test_the_echo_may_come_before_the_answer():
    assert codes(SESSION, PROMPT, ECHO, ACCEPTED, RUNNING, IDLE, END) == []


def test_a_missing_echo_is_told_at_the_answer_that_promised_it():
    found = lint(transcript(SESSION, PROMPT, ACCEPTED, RUNNING, IDLE, END), "LIF204")
    assert [(f.seq, f.blame) for f in found] == [(6, Peer.AGENT)]


def test_a_capture_that_is_cut_off_owes_no_echo():
    assert codes(SESSION, PROMPT, ACCEPTED, IDLE) == []
    assert codes(SESSION, PROMPT, ACCEPTED, IDLE, END) == ["LIF204"]


def test_a_prompt_that_was_held_is_not_answered_late():
    """Work that ended before the message was inserted was other work."""
    assert codes(SESSION, RUNNING, PROMPT, IDLE, ECHO, ACCEPTED, RUNNING, REPLY, IDLE) == []


def test_words_while_idle_may_come_from_the_background():
    assert codes(SESSION, REPLY) == []
    assert codes(TURN, REPLY, IDLE, REPLY) == []


def test_each_silent_start_is_told_once():
    assert codes(SESSION, PROMPT, ACCEPTED, ECHO, REPLY, REPLY, IDLE) == ["LIF205"]


def test_words_while_the_user_is_waited_for_are_a_warning():
    found = lint(transcript(TURN, state_line("requires_action"), REPLY, REPLY), *ALL)
    assert [(f.code, f.severity) for f in found] == [("LIF205", Severity.WARNING)]


def test_sessions_do_not_answer_for_each_other():
    other = REPLY.replace('"s1"', '"s2"')
    second = [
        request_line(7, "session/new", '"cwd": "/x"'),
        result_line(7, '"sessionId": "s2"'),
        update_line('"sessionUpdate": "state_update", "state": "running"', "s2"),
    ]
    assert codes(SESSION, *second, PROMPT, ACCEPTED, ECHO, other) == []
    assert codes(SESSION, *second, PROMPT, ACCEPTED, ECHO, REPLY, other) == ["LIF205"]


@pytest.mark.parametrize(
    ("t", "reason", "wanted"),
    [
        (1.2, "end_turn", [("LIF207", Severity.NOTE)]),
        (1.3, "end_turn", [("LIF207", Severity.ERROR)]),
        (1.3, "error", [("LIF207", Severity.ERROR)]),
        (9, "cancelled", []),
    ],
)
def test_work_that_ended_while_the_cancellation_was_on_its_way_is_a_note(t, reason, wanted):
    lines = [
        TURN,
        "@ 1",
        CANCEL,
        REPLY,
        f"@ {t}",
        state_line("idle", f', "stopReason": "{reason}"'),
    ]
    found = lint(transcript(*lines), *ALL)
    assert [(finding.code, finding.severity) for finding in found] == wanted


def test_the_frame_right_after_a_cancellation_may_have_crossed_it():
    (finding,) = lint(transcript(TURN, "@ 1", CANCEL, "@ 1.9", IDLE), *ALL)
    assert (finding.code, finding.severity) == ("LIF207", Severity.NOTE)
    assert codes(TURN, "@ 1", CANCEL, "@ 2.9", IDLE) == ["LIF207"]
    # Within 2 ms it has, or if it is the next frame and there are no times.
    assert codes(TURN, "@ 1", CANCEL, "@ 1.001", IDLE) == []
    assert codes(TURN, "@ 1", CANCEL, "@ 1", IDLE) == []


def test_a_cancelled_session_that_never_rests_is_told_at_the_end():
    assert codes(TURN, "@ 1", CANCEL, "@ 1.1", "-> EOF", "== 0") == []
    assert codes(TURN, "@ 1", CANCEL, "@ 7", "-> EOF", "== 0") == ["LIF207"]
    assert codes(TURN, "@ 1", CANCEL, "@ 7", REPLY) == []


def test_cancelling_a_session_at_rest_asks_for_nothing():
    assert codes(TURN, IDLE, CANCEL, "@ 9", RUNNING, IDLE) == []


def test_an_offer_that_was_withdrawn_just_now_may_have_crossed_the_request():
    withdrawn = update_line(
        '"sessionUpdate": "tool_call_update", "toolCallId": "c1", "capabilities": null'
    )
    cancel = request_line(3, "tool_call/cancel", '"sessionId": "s1", "toolCallId": "c1"')
    assert codes(TURN, offered(TOOL_CALL), "@ 1", withdrawn, "@ 1.2", cancel) == []
    assert codes(TURN, offered(TOOL_CALL), "@ 1", withdrawn, "@ 1.4", cancel) == ["LIF212"]


def test_a_terminal_nobody_told_of_cannot_be_cancelled():
    cancel = request_line(3, "terminal/cancel", '"sessionId": "s1", "terminalId": "t9"')
    assert codes(TURN, TERMINAL, cancel) == ["LIF212"]


def test_the_same_command_told_again_after_its_exit_is_the_same_terminal():
    gone = update_line('"sessionUpdate": "terminal_update", "terminalId": "t1", "exitStatus": {}')
    assert codes(TURN, TERMINAL, gone, TERMINAL) == []


def test_background_work_is_announced_listed_once_and_ended():
    def idle(*names):
        items = ", ".join(f'{{"type": "tool_call", "toolCallId": "{name}"}}' for name in names)
        return state_line("idle", f', "background": [{items}]')

    done = update_line(
        '"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"'
    )
    start = [SESSION, TOOL_CALL, idle("c1")]
    assert codes(*start, done, idle()) == []
    assert codes(*start, idle()) == ["LIF218"]
    assert codes(*start, state_line("idle")) == ["LIF218"]
    assert codes(SESSION, TOOL_CALL, idle("c1", "c1")) == ["LIF217"]
    assert codes(SESSION, TOOL_CALL, idle("c2")) == ["LIF217"]


def test_a_prompt_during_a_resume_is_no_replay():
    resume = request_line(5, "session/resume", '"sessionId": "s1", "cwd": "/home/dev/project"')
    lines = [SESSION, PROMPT, resume, ECHO, RUNNING, ACCEPTED, result_line(5)]
    assert codes(*lines) == []


def test_a_refused_version_names_what_there_is():
    def refusal(data):
        error = f'"code": -32022, "message": "Unsupported", "data": {data}'
        return codes(INITIALIZE, error_line(0, error))

    assert refusal('{"requested": 2, "supported": [3]}') == []
    assert refusal('{"requested": 2, "supported": [1, 3]}') == ["LIF202"]
    assert refusal('{"requested": 1, "supported": [3]}') == ["LIF202"]
    assert refusal("[]") == ["LIF202"]


def test_an_agent_of_version_1_may_answer_1_to_anything():
    asked = INITIALIZE.replace('"protocolVersion": 2', '"protocolVersion": 0')
    given = INITIALIZED.replace('"protocolVersion": 2', '"protocolVersion": 1')
    assert codes(asked, given) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n x\n--- b/y\n+++ b/z\n", []),
        (r"--- /dev/null\n+++ /a\n@@ -0,0 +1 @@\n+x\n", []),
        (r"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n", ["LIF219"]),
        (r"--- /a\n+++ /b\n@@ -1 +1 @@\n-x\n+y\n", ["LIF219"]),
        (r"From 0123 Mon Sep 17\nSubject: x\n--- /a\n+++ /a\n", ["LIF219"]),
        (r"rename from /a\nrename to b\n", ["LIF219"]),
        ("", []),
    ],
)
def test_a_patch_names_the_files_of_its_changes(text, wanted):
    diff = update_line(
        '"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": [{"type": "diff",'
        ' "changes": [{"operation": "modify", "path": "/a"}],'
        f' "patch": {{"format": "git_patch", "text": "{text}"}}}}]'
    )
    assert codes(TURN, TOOL_CALL, diff) == wanted


def test_a_session_that_is_resumed_after_its_close_may_be_spoken_of():
    close = [request_line(3, "session/close", '"sessionId": "s1"'), result_line(3)]
    resume = request_line(4, "session/resume", '"sessionId": "s1", "cwd": "/home/dev/project"')
    assert codes(TURN, IDLE, *close, resume, IDLE, result_line(4), RUNNING) == []
    assert codes(TURN, IDLE, *close, RUNNING, IDLE) == ["LIF220"]


@pytest.mark.parametrize(
    ("outcome", "wanted"),
    [
        ('"outcome": "selected", "optionId": "y"', []),
        ('"outcome": "selected", "optionId": "n"', ["LIF221"]),
        ('"outcome": "selected", "optionId": "perhaps"', ["LIF221"]),
        ('"outcome": "approved", "optionId": "y"', ["LIF221"]),
        ('"outcome": "cancelled"', ["LIF221"]),
    ],
)
def test_only_an_option_that_allows_is_a_yes(outcome, wanted):
    options = (
        '[{"optionId": "y", "name": "Yes", "kind": "allow_once"},'
        ' {"optionId": "n", "name": "No", "kind": "reject_once"}]'
    )
    params = (
        '"sessionId": "s1", "title": "Run?", "subject": {"type": "command", "command": "ls",'
        f' "cwd": "/", "toolCallId": "c1"}}, "options": {options}'
    )
    lines = [
        TURN,
        TOOL_CALL.replace("in_progress", "pending"),
        request_line(7, "session/request_permission", params).replace("->", "<-"),
        result_line(7, f'"outcome": {{{outcome}}}').replace("<-", "->"),
        TOOL_CALL,
        TOOL_CALL.replace("in_progress", "completed"),
    ]
    assert codes(*lines) == wanted


@pytest.mark.parametrize(
    ("asked", "answered", "severities"),
    [(1, 2, ["error"]), (1, 7, ["error"]), (2, 3, ["error"]), (2, 1, []), (1, 1, [])],
)
def test_a_version_above_the_requested_one_is_an_error(asked, answered, severities):
    found = lint(
        f"""
        -> {{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {{"protocolVersion": {asked}}}}}
        <- {{"jsonrpc": "2.0", "id": 0, "result": {{"protocolVersion": {answered}}}}}
        """,
        "LIF201",
    )
    assert [finding.severity.value for finding in found] == severities


def test_a_handshake_that_is_judged_by_version_2_is_told_in_the_words_of_version_2_only():
    talk = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}}
    """
    rules = select(CATALOGUE.values(), ["LIF", "SCH"])
    by_itself = [finding.code for finding in check(parse(talk), rules)]
    assert by_itself == ["LIF003", "LIF004", "LIF004", "LIF005", "LIF009"]
    by_version_2 = check(parse(talk), rules, spec="v2")
    assert {finding.code[:3] for finding in by_version_2} == {"SCH"}
    assert "`info` is missing in `params`" in [finding.text for finding in by_version_2]


def test_memory_has_a_bound():
    linter = checker(RULES)
    for record in parse(SESSION):
        linter.feed(record)
    for number in range(3000):
        lines = (PROMPT, ECHO if number % 2 else ACCEPTED)
        for record in parse("\n".join(lines).replace("m1", f"m{number}")):
            linter.feed(record)
    tables = [table for own in linter.linter._memory.values() for table in (own, *own.values())]
    assert max(len(table) for table in tables if isinstance(table, dict)) <= 1024


def test_a_state_may_be_told_again_when_the_background_work_changed():
    busy = state_line("running", ', "background": [{"type": "terminal", "terminalId": "t1"}]')
    done = state_line("running", ', "background": []')
    ended = TERMINAL.replace('"command"', '"exitStatus": {"exitCode": 0}, "command"')
    last = state_line("idle", ', "stopReason": "end_turn", "background": []')
    assert codes(TURN, TERMINAL, busy, ended, done, REPLY, last, only=["LIF222"]) == []
    (finding,) = lint(transcript(TURN, RUNNING, REPLY, IDLE), "LIF222")
    assert finding.severity is Severity.WARNING
    assert codes(TURN, state_line("requires_action"), RUNNING, IDLE, only=["LIF222"]) == []


@pytest.mark.parametrize("state", ["running", "requires_action"])
def test_work_that_never_ends_is_reported_at_the_end(state):
    (finding,) = lint(transcript(TURN, state_line(state), REPLY, "-> EOF", "== -9"), "LIF223")
    assert f"the last state is `{state}` (the agent ended with -9)" in finding.text
    assert finding.seq == 9
    assert codes(TURN, REPLY) == []  # the capture was cut off


def test_work_that_was_cancelled_or_closed_is_reported_once():
    end = ["@ 9", "-> EOF", "== 0"]
    assert codes(TURN, "@ 1", CANCEL, *end) == ["LIF207"]
    close = request_line(9, "session/close", '"sessionId": "s1"')
    assert codes(TURN, close, result_line(9), *end) == ["LIF216"]
