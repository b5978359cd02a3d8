"""Which findings follow from another, and which do not."""

import json

import pytest
from support.transcripts import lint

from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.causes import TABLE, causes_of
from acp_spy.lint.rule import Because, Severity
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CHUNK,
    HANDSHAKE,
    INITIALIZE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.lint.ruleset import ALL_RULES, check
from acp_spy.lint.select import select

END = "<- EOF\n== 0"
NEW = NEW_SESSION.split("\n", maxsplit=1)[0]
RESUME = """
    -> {"jsonrpc": "2.0", "id": 7, "method": "session/resume", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
"""
ALLOW = '-> {"jsonrpc": "2.0", "id": 9, "result": {"outcome": {"outcome": "selected", "optionId": "y"}}}'


def line(arrow, **message):
    return f"{arrow} " + json.dumps({"jsonrpc": "2.0", **message})


def prompt(number, session="s1"):
    content = [{"type": "text", "text": "Fix it"}]
    params = {"sessionId": session, "prompt": content}
    return line("->", id=number, method="session/prompt", params=params)


def end(number, reason="end_turn"):
    return line("<-", id=number, result={"stopReason": reason})


def update(variant, session="s1", **fields):
    params = {"sessionId": session, "update": {"sessionUpdate": variant, **fields}}
    return line("<-", method="session/update", params=params)


def permission(number, call):
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    params = {"sessionId": "s1", "toolCall": {"toolCallId": call}, "options": options}
    return line("<-", id=number, method="session/request_permission", params=params)


def announced(call, **fields):
    return update("tool_call", toolCallId=call, title="Edit", kind="edit", **fields)


def changed(call, status):
    return update("tool_call_update", toolCallId=call, status=status)


def folded(*parts, opening=HANDSHAKE):
    """Return what counts, and what follows from what; notes aside."""
    found = [
        finding
        for finding in lint(transcript(opening, *parts, END))
        if finding.severity is not Severity.NOTE
    ]
    counts = [(each.seq, each.code) for each in found if each.because is None]
    follows = {
        (each.seq, each.code): (each.because.seq, each.because.code)
        for each in found
        if each.because
    }
    return counts, follows


def test_everything_after_a_version_mismatch_follows_from_it():
    wrong = HANDSHAKE.replace('"result": {"protocolVersion": 1', '"result": {"protocolVersion": 2')
    counts, follows = folded(NEW_SESSION, PROMPT, CHUNK, end(2), opening=wrong)
    assert counts == [(2, "LIF201")]
    assert len(follows) > 3
    assert set(follows.values()) == {(2, "LIF201")}


@pytest.mark.parametrize("wrong", ["S1", "another"])
def test_a_wrong_session_id_is_one_mistake_for_as_long_as_it_is_used(wrong):
    talk = prompt(2, wrong), CHUNK, end(2), prompt(3, wrong), CHUNK, end(3)
    counts, follows = folded(NEW_SESSION, *talk)
    assert counts == [(5, "LIF029")]
    assert follows == dict.fromkeys([(6, "LIF052"), (7, "LIF032"), (10, "LIF032")], (5, "LIF029"))


def test_a_session_that_is_opened_later_has_mistakes_of_its_own():
    counts, _ = folded(
        NEW_SESSION, prompt(2, "S1"), end(2), NEW_SESSION.replace("s1", "S1").replace("1,", "5,"),
        prompt(6, "S1"), changed("a", "completed").replace("s1", "S1"), CHUNK.replace("s1", "S1"), end(6),
    )  # fmt: skip
    assert counts == [(5, "LIF029"), (10, "LIF102")]


def test_the_tool_call_of_an_update_for_another_session_is_not_unknown():
    call = update("tool_call", "another", toolCallId="a", title="Edit", kind="edit")
    counts, follows = folded(NEW_SESSION, PROMPT, call, changed("a", "completed"), CHUNK, end(2))
    assert counts == [(6, "LIF029")]
    assert follows == {(7, "LIF102"): (6, "LIF029")}


def test_a_prompt_that_is_cancelled_and_never_answered_explains_the_answers_to_the_next():
    counts, follows = folded(
        NEW_SESSION, PROMPT, CHUNK, CANCEL, prompt(3), CHUNK, end(3, "cancelled")
    )
    assert counts == [(5, "RPC022")]
    assert follows == {(10, "LIF056"): (5, "RPC022")}


def test_if_the_cancelled_prompt_is_answered_after_all_the_other_answer_is_wrong():
    counts, follows = folded(
        NEW_SESSION, PROMPT, CANCEL, prompt(3), CHUNK, end(3, "cancelled"), end(2, "cancelled")
    )
    assert (9, "LIF056") in counts
    assert not follows


def test_a_replay_that_nobody_asked_for_is_one_mistake():
    replay = announced("a"), announced("a"), CHUNK
    counts, follows = folded(RESUME, *replay, line("<-", id=7, result={}))
    assert counts == [(4, "LIF026")]
    assert follows == {(5, "LIF101"): (4, "LIF026")}


def test_work_while_no_turn_is_open_is_one_mistake():
    background = announced("a"), permission(9, "a"), ALLOW, changed("a", "in_progress")
    counts, follows = folded(
        NEW_SESSION, PROMPT, CHUNK, end(2), *background, changed("a", "completed"), prompt(3),
        CHUNK, end(3),
    )  # fmt: skip
    assert counts == [(9, "LIF116")]
    assert follows == {(8, "LIF052"): (9, "LIF116")}


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (update("tool_call", title="Edit"), "SCH011"),
        (update("tool_call", toolCallId=1, title="Edit"), "SCH012"),
        (announced("a").replace("session/update", "session/updated"), "RPC013"),
        (announced("a")[:-20], "FRM015"),
    ],
)
def test_a_tool_call_that_was_not_understood_is_not_unknown_later(broken, code):
    counts, follows = folded(NEW_SESSION, PROMPT, broken, changed("a", "completed"), CHUNK, end(2))
    assert counts == [(6, code)]
    assert set(follows.values()) <= {(6, code)}


def test_another_tool_call_is_still_unknown():
    broken = announced("a", status=1)
    counts, _ = folded(NEW_SESSION, PROMPT, broken, changed("b", "completed"), CHUNK, end(2))
    assert (7, "LIF102") in counts


def test_a_mode_that_is_not_offered_and_accepted_is_one_mistake():
    new = NEW_SESSION.replace(
        '"sessionId": "s1"',
        '"sessionId": "s1", "modes": {"currentModeId": "ask",'
        ' "availableModes": [{"id": "ask", "name": "Ask"}]}',
    )
    asked = line("->", id=2, method="session/set_mode", params={"sessionId": "s1", "modeId": "x"})
    counts, follows = folded(new, asked, line("<-", id=2, result={}))
    assert counts == [(5, "LIF130")]
    assert follows == {(6, "LIF152"): (5, "LIF130")}


def test_a_session_that_is_never_answered_explains_that_its_id_is_unknown():
    counts, follows = folded(NEW, PROMPT, CHUNK, end(2))
    assert counts == [(3, "RPC022")]
    assert follows[4, "LIF029"] == (3, "RPC022")


def test_an_unknown_id_waits_for_the_response_that_may_explain_it_and_then_counts():
    checker, found = ALL_RULES.checker(), {}
    for record in parse(transcript(HANDSHAKE, NEW, PROMPT, NEW_SESSION.split("\n")[1])):
        found[record.seq] = [finding.code for finding in checker.feed(record)]
    assert found[4] == []
    assert found[5] == ["LIF029"]


def test_requests_after_the_first_that_is_not_answered_are_the_same_mistake():
    ask = '-> {"jsonrpc": "2.0", "id": %d, "method": "session/list", "params": {}}'
    found = check(parse(transcript(HANDSHAKE, ask % 5, ask % 6, "-> EOF", "== 0")))
    unanswered = [(each.seq, each.because) for each in found if each.code == "RPC006"]
    assert unanswered == [(3, None), (4, Because(3, "RPC006"))]


def test_a_request_that_others_after_it_were_answered_is_a_mistake_of_its_own():
    ask = '-> {"jsonrpc": "2.0", "id": %d, "method": "session/list", "params": {}}'
    answer = line("<-", id=6, result={"sessions": []})
    talk = HANDSHAKE, ask % 5, ask % 6, answer, ask % 7, "-> EOF", "== 0"
    found = check(parse(transcript(*talk)))
    assert [each.because for each in found if each.code == "RPC006"] == [None, None]


def test_a_finding_is_not_folded_into_a_milder_one():
    # The capability is only misspelled, but without it the agent must not read files.
    wrong = HANDSHAKE.replace('"readTextFile"', '"read_text_file"')
    read = line("<-", id=5, method="fs/read_text_file", params={"sessionId": "s1", "path": "/a"})
    counts, _ = folded(NEW_SESSION, PROMPT, read, opening=wrong)
    assert {(1, "SCH005"), (6, "CAP001")} <= set(counts)


def test_without_the_rule_of_the_cause_the_consequence_counts():
    talk = transcript(HANDSHAKE, NEW_SESSION, prompt(2, "S1"), CHUNK, end(2), END)
    rules = select(CATALOGUE.values(), ignore=["LIF029"])
    found = [finding for finding in check(parse(talk), rules) if finding.code == "LIF052"]
    assert [finding.because for finding in found] == [None]


def test_the_table_names_rules_that_there_are():
    families = {rule.family for rule in CATALOGUE.values()}
    for row in TABLE:
        named = {code.removeprefix("-") for code in row.then | row.because}
        assert named <= CATALOGUE.keys() | families
    assert causes_of("LIF034") != causes_of("LIF033")  # excluded from its family


def test_a_response_that_is_a_request_too_is_one_mistake():
    both = line("<-", id=2, method="session/prompt", result={"stopReason": "end_turn"})
    counts, follows = folded(NEW_SESSION, PROMPT, CHUNK, both, permission(2, "c1"))
    assert [code for _, code in counts if code.startswith("RPC")] == ["RPC002"]
    assert {code for _, code in follows} >= {"RPC009", "RPC015", "RPC022"}


def test_an_update_with_an_id_that_is_null_is_one_mistake():
    wrong = CHUNK.replace('"method"', '"id": null, "method"')
    counts, follows = folded(NEW_SESSION, PROMPT, CHUNK, wrong, end(2))
    assert counts == [(7, "RPC014")]
    assert (7, "RPC004") in follows


def test_an_initialize_that_the_agent_sends_is_not_a_method_that_it_lacks():
    sent = line("<-", id=5, method="initialize", params={"protocolVersion": 1})
    refused = line("->", id=5, error={"code": -32601, "message": "Method not found"})
    counts, _ = folded(NEW_SESSION, sent, refused)
    assert counts == [(5, "RPC015")]


def test_a_status_under_another_name_is_one_mistake():
    last = update("tool_call_update", toolCallId="a", state="completed")
    counts, follows = folded(
        NEW_SESSION, PROMPT, announced("a", status="pending"), last, CHUNK, end(2)
    )
    assert counts == [(7, "SCH006")]
    assert follows == {(9, "LIF054"): (7, "SCH006")}


def test_a_permission_that_is_cancelled_and_has_an_option_is_one_mistake():
    both = ALLOW.replace("selected", "cancelled")
    work = announced("a", status="pending"), permission(9, "a"), both, changed("a", "completed")
    counts, follows = folded(NEW_SESSION, PROMPT, *work, CHUNK, end(2))
    assert counts == [(8, "SCH015")]
    assert set(follows.values()) <= {(8, "SCH015")}


def test_a_tool_call_that_returns_to_pending_is_not_left_open_besides():
    calls = announced("a", status="in_progress"), changed("a", "pending")
    counts, follows = folded(NEW_SESSION, PROMPT, *calls, CHUNK, end(2))
    assert counts == [(7, "LIF103")]
    assert follows == {(9, "LIF054"): (7, "LIF103")}


def test_a_turn_that_is_answered_at_once_is_one_mistake():
    counts, follows = folded(NEW_SESSION, PROMPT, end(2), CHUNK)
    assert counts == [(6, "LIF055")]
    assert follows == {(7, "LIF052"): (6, "LIF055")}


def test_an_error_that_is_null_is_one_mistake():
    null = line("<-", id=1, error=None)
    counts, _ = folded(NEW, null, PROMPT, CHUNK, end(2))
    assert counts == [(4, "SCH030")]
    counts, _ = folded(line("<-", id=0, error=None), NEW_SESSION, opening=INITIALIZE)
    assert counts[0] == (2, "SCH030")
    assert (3, "LIF001") not in counts


def test_params_under_another_name_are_one_mistake():
    wrong = PROMPT.replace('"params"', '"args"')
    counts, follows = folded(NEW_SESSION, wrong)
    assert (5, "SCH011") in counts
    assert follows[5, "RPC019"] == (5, "SCH011")


def test_a_response_that_is_the_request_again_is_one_mistake():
    back = line("<-", id=2, method="session/prompt", params={"stopReason": "end_turn"})
    found = lint(
        transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, back, "-> EOF", "<- EOF", "== 0")
    )
    counts = [each.code for each in found if not each.because and each.severity is Severity.ERROR]
    assert counts == ["RPC015"]


def test_a_request_with_the_id_null_is_one_mistake_though_its_response_has_another():
    wrong = PROMPT.replace('"id": 2', '"id": null')
    counts, _ = folded(NEW_SESSION, wrong, CHUNK, end(2))
    assert counts == [(5, "RPC004")]


def test_a_mode_or_option_or_login_that_cannot_be_read_is_not_one_that_is_missing():
    modes = {"currentModeId": "a", "availableModes": [{"name": "A"}, {"id": "b", "name": "B"}]}
    opened = line("<-", id=1, result={"sessionId": "s1", "modes": modes})
    sets = line("->", id=3, method="session/set_mode", params={"sessionId": "s1", "modeId": "a"})
    counts, _ = folded(NEW, opened, sets, line("<-", id=3, result={}))
    assert counts == [(4, "SCH011")]
    methods = HANDSHAKE.replace(
        '"authMethods": []', '"authMethods": [null, {"id": "k", "name": "K"}]'
    )
    login = line("->", id=1, method="authenticate", params={"methodId": "x"})
    counts, _ = folded(login, line("<-", id=1, result={}), opening=methods)
    assert counts == [(2, "SCH012")]


def test_a_lost_release_explains_a_terminal_that_is_never_released():
    opening = HANDSHAKE.replace('"terminal": false', '"terminal": true')
    made = line("<-", id=5, method="terminal/create", params={"sessionId": "s1", "command": "ls"})
    terminal = line("->", id=5, result={"terminalId": "t"})
    for wrong in ({"method": "terminal/release"}, {"method": "", "params": {"terminalId": "t"}}):
        lost = line("<-", id=6, **wrong)
        counts, follows = folded(NEW_SESSION, PROMPT, made, terminal, lost, line("->", id=6, result={}), CHUNK, end(2), opening=opening)  # fmt: skip
        assert [code for _, code in counts if code.startswith("LIF12")] == []
        assert "LIF121" in {code for _, code in follows}


def test_a_prompt_that_is_lost_explains_its_text_though_another_session_has_a_turn_since():
    lost = line("->", id=2, method="session/prompt", params=[{"sessionId": "s1"}])
    other = NEW_SESSION.replace('"id": 1', '"id": 5').replace("s1", "s2")
    counts, follows = folded(
        NEW_SESSION, lost, CHUNK, end(2), other, prompt(6, "s2"), CHUNK.replace("s1", "s2"), end(6)
    )
    assert counts == [(5, "SCH012")]
    assert follows == {(6, "LIF052"): (5, "SCH012")}


def test_what_comes_before_a_late_handshake_follows_from_that():
    opening = INITIALIZE.replace('"protocolVersion": 1', '"protocolVersion": 2')
    late = line("<-", id=0, result={"protocolVersion": 2})
    opened = line("<-", id=1, result={"sessionId": "s1"})
    state = update("state_update", state="running")
    counts, follows = folded(NEW, opened, PROMPT, state, late, opening=opening)
    assert (2, "LIF001") in counts
    assert follows[5, "SCH003"] == (2, "LIF001")


def test_a_terminal_whose_creation_was_never_answered_is_one_mistake():
    opening = HANDSHAKE.replace('"terminal": false', '"terminal": true')
    made = line("<-", id=5, method="terminal/create", params={"sessionId": "s1", "command": "ls"})
    used = line("<-", id=6, method="terminal/output", params={"sessionId": "s1", "terminalId": "t"})
    output = line("->", id=6, result={"output": "", "truncated": False})
    talk = transcript(opening, NEW_SESSION, PROMPT, made, used, output, CHUNK, end(2), "-> EOF", "<- EOF", "== 0")  # fmt: skip
    found = {each.code: each.because for each in lint(talk) if each.code in ("RPC006", "LIF122")}
    assert found == {"RPC006": None, "LIF122": Because(6, "RPC006")}


def test_a_file_that_is_written_after_a_permission_that_cannot_be_read_is_no_other_mistake():
    diff = {"type": "diff", "path": "/home/dev/project/a", "newText": ""}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    params = {"sessionId": "s1", "toolCall": {"toolCallId": "c", "content": [diff]}}
    asks = line("<-", id=9, method="session/request_permission", params={**params, "options": options})  # fmt: skip
    both = ALLOW.replace("selected", "cancelled")
    path = {"sessionId": "s1", "path": "/home/dev/project/a", "content": ""}
    writes = line("<-", id=8, method="fs/write_text_file", params=path)
    opening = HANDSHAKE.replace('"writeTextFile": false', '"writeTextFile": true')
    talk = announced("c", status="pending"), asks, both, writes, line("->", id=8, result={})
    counts, follows = folded(NEW_SESSION, PROMPT, *talk, changed("c", "failed"), end(2), opening=opening)  # fmt: skip
    assert counts == [(8, "SCH015")]
    assert follows[9, "LIF115"] == (8, "SCH015")


def test_late_text_is_a_mistake_of_its_own_after_a_prompt_for_another_session():
    refused = line("<-", id=9, error={"code": -32002, "message": "Resource not found"})
    counts, _ = folded(prompt(9, "none"), refused, NEW_SESSION, PROMPT, CHUNK, end(2), "@ 5", CHUNK)
    assert counts == [(3, "LIF029"), (10, "LIF052")]


def test_a_request_before_the_handshake_names_no_session_that_it_could_know():
    read = line("<-", id=5, method="fs/read_text_file", params={"sessionId": "s1", "path": "/a"})
    asked, answered = HANDSHAKE.strip().split("\n")
    counts, follows = folded(read, answered, opening=asked)
    assert counts[0] == (2, "LIF001")
    assert follows == {(2, "LIF029"): (2, "LIF001")}


def test_a_message_inside_a_string_is_one_mistake():
    wrong = "<- " + json.dumps(announced("a").removeprefix("<- "))
    counts, follows = folded(NEW_SESSION, PROMPT, wrong, changed("a", "completed"), CHUNK, end(2))
    assert counts == [(6, "FRM015")]
    assert set(follows.values()) <= {(6, "FRM015")}
    counts, follows = folded(NEW_SESSION, PROMPT, CHUNK, "<- " + json.dumps(end(2)[3:]))
    assert (7, "FRM015") in counts


def test_a_response_with_another_id_is_not_also_an_agent_that_died():
    counts, _ = folded(NEW_SESSION, PROMPT, CHUNK, end("2"))
    assert counts == [(7, "RPC005")]


@pytest.mark.parametrize("stray", [1, 77])
def test_a_stray_response_does_not_hide_a_crash(stray):
    talk = HANDSHAKE, NEW_SESSION, PROMPT, line("<-", id=stray, result={"sessionId": "s1"}), CHUNK
    found = [each.code for each in lint(transcript(*talk, "<- EOF", "== 1")) if not each.because]
    assert "RPC022" in found
    assert found[0] in ("RPC008", "RPC010")


def test_a_response_that_was_sent_twice_explains_no_request_without_one():
    again = NEW_SESSION.splitlines()[-1]
    counts, _ = folded(NEW_SESSION, PROMPT, again, CHUNK)
    assert counts == [(6, "RPC010"), (5, "RPC022")]


def test_a_response_to_one_of_two_requests_with_the_same_id_is_not_judged():
    again = NEW.replace('"id": 1', '"id": 2')
    counts, follows = folded(NEW_SESSION, PROMPT, CHUNK, again, end(2))
    assert (7, "RPC009") in counts
    assert follows[8, "SCH011"] == (7, "RPC009")


def test_an_update_that_this_version_does_not_have_is_one_mistake():
    entry = {"content": "Fix it", "priority": "high", "status": "pending"}
    wrong = update("plan_update", entries=[entry])
    counts, follows = folded(NEW_SESSION, PROMPT, wrong, CHUNK, end(2))
    assert counts == [(6, "SCH003")]
    assert set(follows.values()) == {(6, "SCH003")}


def test_a_permission_that_is_pending_at_the_end_of_the_turn_is_one_mistake():
    work = announced("a", status="pending"), permission(9, "a"), changed("a", "failed")
    counts, follows = folded(NEW_SESSION, PROMPT, *work, CHUNK, end(2), ALLOW)
    assert counts == [(10, "LIF116")]
    assert not follows
    # If the client never answers it, that is the mistake.
    talk = transcript(HANDSHAKE, NEW_SESSION, PROMPT, *work, CHUNK, end(2), "-> EOF", "== 0")
    found = {each.code: each.because for each in lint(talk)}
    assert found["RPC006"] is None
    assert found["LIF116"] == Because(7, "RPC006")


def test_an_outcome_that_the_agent_ignores_is_a_mistake_of_each_peer():
    cancelled = line("->", id=9, result={"outcome": {"outcome": "cancelled"}})
    work = announced("a", status="pending"), permission(9, "a"), cancelled
    counts, follows = folded(NEW_SESSION, PROMPT, *work, changed("a", "completed"), CHUNK, end(2))
    assert counts == [(9, "LIF115"), (8, "LIF118")]
    assert not follows


def test_a_tool_call_that_does_not_wait_explains_its_own_permission_only():
    work = announced("a", status="pending"), permission(9, "a"), changed("a", "completed")
    counts, follows = folded(NEW_SESSION, PROMPT, *work, CHUNK, end(2), ALLOW)
    assert counts == [(8, "LIF115")]
    assert follows == {(10, "LIF116"): (8, "LIF115")}
    other = announced("b", status="pending"), permission(8, "b"), changed("b", "failed")
    allowed = ALLOW.replace('"id": 9', '"id": 8')
    counts, follows = folded(NEW_SESSION, PROMPT, *work, ALLOW, *other, CHUNK, end(2), allowed)
    assert counts == [(8, "LIF115"), (14, "LIF116")]
    assert not follows


def test_a_request_with_the_id_of_another_has_mistakes_of_its_own():
    bad = prompt(2).replace('[{"type": "text", "text": "Fix it"}]', '"hi"')
    counts, _ = folded(NEW_SESSION, prompt(2), CHUNK, bad, end(2))
    assert {(7, "RPC009"), (7, "SCH018")} <= set(counts)
    counts, _ = folded(NEW_SESSION, prompt(2), CHUNK, prompt(2, "other"), end(2))
    assert {(7, "RPC009"), (7, "LIF029")} <= set(counts)


def test_an_unknown_update_explains_nothing_beside_it():
    wrong = update("plan_update", entries=[]).replace('"sessionId": "s1"', '"sessionId": 5')
    counts, _ = folded(NEW_SESSION, PROMPT, wrong, CHUNK, end(2))
    assert (6, "SCH003") in counts
    assert [code for seq, code in counts if seq == 6 and code.startswith("SCH")] != ["SCH003"]


def test_a_terminal_that_is_shown_and_used_without_being_created_is_one_mistake():
    shown = announced("a", content=[{"type": "terminal", "terminalId": "t1"}])

    def uses(name):
        params = {"sessionId": "s1", "terminalId": name}
        asked = line("<-", id=9, method="terminal/output", params=params)
        return asked, line("->", id=9, error={"code": -32602, "message": "no such terminal"})

    opening = HANDSHAKE.replace(
        '"clientCapabilities": {', '"clientCapabilities": {"terminal": true, '
    )
    done = changed("a", "completed"), CHUNK, end(2)
    counts, follows = folded(NEW_SESSION, PROMPT, shown, *uses("t1"), *done, opening=opening)
    assert (6, "LIF120") in counts
    assert follows[7, "LIF122"] == (6, "LIF120")
    counts, _ = folded(NEW_SESSION, PROMPT, shown, *uses("t2"), *done, opening=opening)
    assert {(6, "LIF120"), (7, "LIF122")} <= set(counts)


def load(*parts, session="s1"):
    params = {"sessionId": session, "cwd": "/home/dev/project", "mcpServers": []}
    asked = line("->", id=7, method="session/load", params=params)
    return asked, *parts, line("<-", id=7, result={})


def test_a_replay_for_another_session_is_one_mistake():
    said = update("user_message_chunk", "other", content={"type": "text", "text": "Fix it"})
    turn = NEW_SESSION, prompt(2), CHUNK, end(2)
    counts, follows = folded(*turn, *load(said, CHUNK.replace("s1", "other")))
    assert counts == [(9, "LIF029")]
    assert follows[11, "LIF024"] == (9, "LIF029")


def test_a_replay_with_a_broken_frame_may_be_whole():
    said = update("user_message_chunk", content={"type": "text", "text": "Fix it"})
    turn = NEW_SESSION, prompt(2), CHUNK, end(2)
    counts, _ = folded(*turn, *load(said, CHUNK[:-3]))
    assert counts == [(10, "FRM015")]
    counts, _ = folded(*turn, *load(said))
    assert counts == [(10, "LIF033")]


def test_a_turn_whose_updates_came_before_its_prompt_is_one_mistake():
    counts, follows = folded(NEW_SESSION, CHUNK, PROMPT, end(2))
    assert counts == [(5, "LIF052")]
    assert follows == {(7, "LIF055"): (5, "LIF052")}
