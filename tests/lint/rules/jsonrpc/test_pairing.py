"""Requests and their answers: one finding for whatever goes wrong between them."""

import pytest
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import check
from acp_spy.wire.frame import Peer

RULES = rules_with("FRM", "RPC")
LIST = '-> {"jsonrpc":"2.0","id":%s,"method":"session/list"}\n'
LISTED = '<- {"jsonrpc":"2.0","id":%s,"result":{"sessions":[]}}\n'
FAILED = '<- {"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}\n'
END = "-> EOF\n<- EOF\n== 0\n"


def lint(transcript):
    return check(parse(transcript), RULES)


def codes(transcript):
    return [finding.code for finding in lint(transcript)]


@pytest.mark.parametrize(("asked", "answered"), [("1", '"1"'), ('"1"', "1"), ("1", "1.0")])
def test_an_id_of_another_type_is_one_finding(asked, answered):
    (finding,) = lint(LIST % asked + LISTED % answered + END)
    assert (finding.code, finding.blame, finding.see) == ("RPC005", Peer.AGENT, 1)


def test_the_same_id_in_both_directions_is_two_requests():
    other = '<- {"jsonrpc":"2.0","id":1,"method":"_x"}\n'
    answer = '-> {"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert codes(LIST % 1 + other + answer + LISTED % 1 + END) == []


def test_an_answer_to_oneself_is_told_as_that():
    found = lint(LIST % 1 + '-> {"jsonrpc":"2.0","id":1,"result":{}}\n' + LISTED % 1)
    assert [finding.code for finding in found] == ["RPC008"]
    assert "own `session/list`" in found[0].text


def test_a_second_answer_names_the_first_request():
    (finding,) = lint(LIST % 1 + LISTED % 1 + LISTED % 1)
    assert (finding.code, finding.see) == ("RPC010", 1)


def test_a_second_answer_is_one_whatever_its_sender_has_asked_under_that_id():
    asked = '<- {"jsonrpc":"2.0","id":1,"method":"_x"}\n'
    answer = '-> {"jsonrpc":"2.0","id":1,"result":{}}\n'
    (finding,) = lint(LIST % 1 + LISTED % 1 + asked + LISTED % 1 + answer + END)
    assert (finding.code, finding.seq, finding.see) == ("RPC010", 4, 1)


def test_an_id_may_be_used_again_when_it_is_free():
    assert codes((LIST % 1 + LISTED % 1) * 3 + END) == []


def test_two_requests_with_one_id_and_two_answers_are_one_mistake():
    assert codes(LIST % 1 + LIST % 1 + LISTED % 1 + LISTED % 1 + END) == ["RPC009"]


def test_an_answer_to_an_id_that_nobody_sent_is_not_told_twice():
    assert codes(LIST % 1 + LISTED % 9 + END) == ["RPC008"]


@pytest.mark.parametrize("code", [-32700, -32600])
def test_what_cannot_be_read_is_answered_with_null(code):
    assert codes(FAILED % ("null", code, "x")) == []
    assert codes(FAILED % ("-1", code, "x")) == ["RPC011"]


def test_a_parse_error_with_the_id_of_a_request_that_could_be_read():
    broken = "-> {'jsonrpc': '2.0'}\n"
    assert codes(LIST % 0 + broken + FAILED % ("0", -32700, "x")) == ["FRM015", "RPC011"]
    assert codes(LIST % 0 + FAILED % ("0", -32700, "x")) == []


@pytest.mark.parametrize("ident", ['"id":null,', ""])
def test_a_notification_that_is_answered(ident):
    cancel = '-> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n'
    (finding,) = lint(cancel + f'<- {{"jsonrpc":"2.0",{ident}"result":null}}\n')
    assert (finding.code, finding.see) == ("RPC007", 1)


@pytest.mark.parametrize(
    ("ident", "severity"),
    [
        ("1", None),
        ("-1", None),
        ('"a"', None),
        (str(2**63 - 1), None),
        (str(2**63), Severity.ERROR),
        ("1.5", Severity.ERROR),
        ("1e3", Severity.ERROR),
        ("true", Severity.ERROR),
        ("{}", Severity.ERROR),
        ("null", Severity.WARNING),
    ],
)
def test_ids_that_come_back_as_they_went(ident, severity):
    found = lint(LIST % ident + LISTED % ident)
    assert [(f.code, f.severity) for f in found if f.code != "RPC007"] == (
        [("RPC004", severity)] if severity else []
    )


def test_version_2_forbids_a_null_id():
    hello = (
        '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}\n'
        '<- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}\n'
    )
    (finding,) = lint(hello + LIST % "null" + LISTED % "null")
    assert (finding.code, finding.severity) == ("RPC004", Severity.ERROR)


def test_a_cancel_with_an_id_is_one_mistake_answered_or_not():
    cancel = '-> {"jsonrpc":"2.0","id":4,"method":"session/cancel","params":{"sessionId":"s"}}\n'
    assert codes(cancel + END) == ["RPC014"]
    assert codes(cancel + FAILED % ("4", -32601, "Method not found")) == ["RPC014"]


def test_a_permission_without_an_id_is_the_agents_mistake():
    (finding,) = lint('<- {"jsonrpc":"2.0","method":"session/request_permission","params":{}}')
    assert (finding.code, finding.blame) == ("RPC014", Peer.AGENT)


def test_an_update_of_the_client_goes_the_wrong_way():
    assert codes('-> {"jsonrpc":"2.0","method":"session/update","params":{}}') == ["RPC015"]


def test_the_agents_death_is_told_once():
    (finding,) = lint(LIST % 1 + LIST % 2 + LIST % 3 + "<- EOF\n-> EOF\n== 1")
    assert finding.code == "RPC022"
    assert (
        finding.text
        == "the agent exited with status 1 while `session/list` and 2 more were pending"
    )


@pytest.mark.parametrize(
    ("status", "how", "hint"),
    [
        (0, "exited with status 0", "answer pending requests before you exit"),
        (1, "exited with status 1", "read stderr for the cause"),
        (-9, "was ended by signal 9", "find out who killed the agent"),
        (-11, "was ended by signal 11", "read stderr for the cause"),
        (-15, "was ended by signal 15", "the agent was ended from outside"),
    ],
)
def test_the_hint_for_an_agent_that_died_depends_on_how_it_died(status, how, hint):
    (finding,) = lint(LIST % 1 + f"<- EOF\n-> EOF\n== {status}")
    assert finding.text == f"the agent {how} while `session/list` was pending"
    assert hint in finding.hint


def test_an_agent_that_could_not_be_started_is_for_the_client_to_fix():
    (finding,) = lint("== 126 `agent` cannot be run: Permission denied")
    assert (finding.code, finding.blame, finding.seq) == ("RPC023", Peer.CLIENT, 0)
    assert finding.text == (
        "the agent could not be started: `agent` cannot be run: Permission denied"
    )
    assert lint("== 127") == []  # an agent may exit so, too


@pytest.mark.parametrize("signal", [1, 2, 9, 15])
def test_an_agent_that_was_ended_from_outside_is_a_warning_and_not_the_agents(signal):
    (finding,) = lint(LIST % 1 + f"<- EOF\n== -{signal}")
    assert (finding.code, finding.severity) == ("RPC022", Severity.WARNING)
    assert finding.blame is Peer.CLIENT


@pytest.mark.parametrize(
    ("models", "session", "severity"),
    [
        ('"models":{"currentModelId":"m","availableModels":[]}', '"s1"', Severity.WARNING),
        ('"models":{"currentModelId":"m","availableModels":[]}', '"s2"', Severity.ERROR),
        ('"models":{"currentModelId":"m","availableModels":[]}', "[]", Severity.ERROR),
        ('"modes":null', '"s1"', Severity.ERROR),
    ],
)
def test_a_model_may_be_set_where_models_were_offered(models, session, severity):
    new = '-> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}'
    opened = f'<- {{"jsonrpc":"2.0","id":1,"result":{{"sessionId":"s1",{models}}}}}'
    params = f'{{"sessionId":{session},"modelId":"m"}}'
    ask = f'-> {{"jsonrpc":"2.0","id":2,"method":"session/set_model","params":{params}}}'
    done = '<- {"jsonrpc":"2.0","id":2,"result":{}}'
    (finding,) = lint(f"{new}\n{opened}\n{ask}\n{done}")
    assert (finding.code, finding.severity) == ("RPC013", severity)


def test_a_notification_that_every_peer_may_ignore_is_a_note():
    (finding,) = lint('-> {"jsonrpc":"2.0","method":"$/progress","params":{}}')
    assert (finding.code, finding.severity) == ("RPC013", Severity.NOTE)


def test_a_permission_that_is_open_when_the_agent_dies_is_nobodys_debt():
    ask = '<- {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{}}\n'
    assert codes(ask + "<- EOF\n== -9") == []


def test_an_answer_that_is_missing_when_the_client_leaves_is_the_agents():
    (finding,) = lint(LIST % 1 + END)
    assert (finding.code, finding.blame, finding.severity) == (
        "RPC006",
        Peer.AGENT,
        Severity.ERROR,
    )


def test_a_capture_that_was_cut_off_is_given_the_benefit_of_the_doubt():
    (finding,) = lint(LIST % 1)
    assert (finding.code, finding.severity) == ("RPC006", Severity.NOTE)
    assert finding.text == "`session/list` had no response when the capture ended"


def test_a_cancelled_prompt_without_a_response_names_the_cancel():
    cancel = '-> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n'
    (finding,) = lint(PROMPT % 1 + cancel + END)
    assert (finding.code, finding.seq) == ("RPC006", 1)
    assert finding.text == (
        "`session/prompt` was cancelled at frame 2 and never answered;"
        " expected `stopReason: cancelled`"
    )


def test_a_response_to_a_notification_names_it():
    cancel = '-> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n'
    answer = '<- {"jsonrpc":"2.0","id":null,"result":null}\n'
    (finding,) = lint(cancel + answer)
    assert (finding.code, finding.see) == ("RPC007", 1)
    assert finding.text == (
        "the agent answered the notification `session/cancel` (frame 1);"
        " notifications get no response"
    )
    (finding,) = lint(answer)
    assert finding.text == ("the agent sent a response without an id; expected the id of a request")


def test_a_silence_at_the_end_of_a_capture_that_was_cut_off_is_a_warning():
    (finding,) = lint(LIST % 1 + "@ 60\n!! still there\n")
    assert (finding.code, finding.severity) == ("RPC021", Severity.WARNING)


PROMPT = '-> {"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s"}}\n'
DONE = '<- {"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}\n'


def test_a_turn_may_be_silent_for_longer_than_a_handshake():
    assert codes(PROMPT % 1 + "@ 119\n" + DONE % 1) == []
    (finding,) = lint(PROMPT % 1 + "@ 121\n" + DONE % 1)
    assert (finding.code, finding.seq, finding.blame) == ("RPC021", 1, Peer.AGENT)


def test_the_time_that_a_person_takes_is_not_counted():
    ask = '<- {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{}}\n'
    given = '-> {"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}\n'
    assert codes(PROMPT % 1 + ask + "@ 900\n" + given + DONE % 1) == []


def test_silence_when_nobody_waits_is_peace():
    assert codes(PROMPT % 1 + DONE % 1 + "@ 900\n" + PROMPT % 2 + DONE % 2) == []
