"""What is thought of an agent, from the capture of a probe."""

import pytest

from acp_spy import Severity
from acp_spy.capture.records import Capture, Header
from acp_spy.capture.transcript import parse
from acp_spy.doctor.diagnosis import Diagnosis, as_json, as_text
from acp_spy.doctor.health_checks import examine
from acp_spy.doctor.observation import observe
from acp_spy.doctor.probe import Outcome
from acp_spy.lint.rule import Finding
from acp_spy.wire.frame import Peer

ASKED = '-> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}'
HELLO = """<- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentInfo": {"name": "a"},
    "authMethods": [{"id": "key", "name": "API key"}]}}""".replace("\n   ", "")
ASKED_AGAIN = '-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {}}'
END = "-> EOF\n@ 3.5\n== 0"


def diagnosis(*lines, findings=(), **outcome):
    records = tuple(parse("@ 1.5\n" + "\n".join(lines)))
    seen = observe(Capture(Header(), records), Outcome(**outcome))
    return Diagnosis(("agent",), "x.jsonl", seen, examine(seen, findings, 30.0), findings)


def check_of(name, *lines, **outcome):
    """Return the verdict, the text and the hint of one check."""
    checks = diagnosis(*lines, **outcome).checks
    (found,) = [(c.verdict, c.text, c.hint) for c in checks if c.name == name]
    return found


def refused(error):
    return '<- {"jsonrpc": "2.0", "id": 1, "error": ' + error + "}"


def test_a_login_that_is_wanted_is_no_failure():
    error = refused('{"code": -32000, "message": "Authentication required"}')
    assert check_of("session", ASKED, HELLO, ASKED_AGAIN, error, END) == (
        "note",
        "`session/new` requires a login: Authentication required (-32000)",
        "log in with the agent's own program, or in your editor: API key",
    )
    assert diagnosis(ASKED, HELLO, ASKED_AGAIN, error, END).healthy


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ('{"code": -32603, "message": "no such folder"}', "no such folder (-32603)"),
        ('{"code": "x"}', "without a message"),
        ("null", "without a message"),
        ("7", "without a message"),
    ],
)
def test_another_error_is_a_failure(error, said):
    told = f"`session/new` was answered with an error: {said}"
    assert check_of("session", ASKED, HELLO, ASKED_AGAIN, refused(error), END) == (
        "fail",
        told,
        "",
    )


def test_an_agent_that_closes_its_stdout_and_lives_on_has_not_ended():
    verdict, text, _ = check_of("start", ASKED, "-> EOF", "== -15", forced="SIGTERM")
    assert verdict == "fail"
    assert text == "the agent closed its stdout before it answered `initialize`, but still runs"


def test_a_session_without_an_id_is_a_failure():
    answer = '<- {"jsonrpc": "2.0", "id": 1, "result": {}}'
    assert check_of("session", ASKED, HELLO, ASKED_AGAIN, answer, END)[:2] == (
        "fail",
        "`session/new` was answered without a `sessionId`",
    )


OPENED = '<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}'
PROMPTED = (
    '-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s"}}'
)
ANSWERED = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "refusal"}}'
TURN = (ASKED, HELLO, ASKED_AGAIN, OPENED, PROMPTED)


def test_a_prompt_that_is_not_answered_is_a_failure():
    assert check_of("prompt", *TURN, END, given_up="timeout")[:2] == (
        "fail",
        "`session/prompt` was not answered within 30.0 s",
    )


def test_a_turn_that_does_not_end_as_expected_is_noted():
    assert check_of("prompt", *TURN, "@ 2.0", ANSWERED, END)[:2] == (
        "note",
        "answered in 496 ms, stop reason `refusal`; 0 updates; no text",
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("start", (ASKED, "@ 40", HELLO)),
        ("session", (ASKED, HELLO, ASKED_AGAIN, "@ 40", OPENED)),
        ("prompt", (*TURN, "@ 40", ANSWERED)),
    ],
)
def test_an_answer_after_the_timeout_is_a_failure(name, lines):
    late = diagnosis(*lines, "-> EOF", "== 0", given_up="timeout")
    assert [check.name for check in late.checks if check.verdict == "fail"] == [name]


def test_another_version_is_a_failure():
    answer = '<- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 7}}'
    assert check_of("version", ASKED, answer, END) == (
        "fail",
        "protocol version 7; requested 1, so no session was tried",
        "",
    )
    assert [c.name for c in diagnosis(ASKED, answer, END).checks if c.name == "session"] == []


def test_a_slow_start_is_told_and_no_failure():
    verdict, text, _ = check_of("start", ASKED, "@ 12.0", HELLO, "-> EOF", "@ 12.1", "== 0")
    assert (verdict, text) == ("note", "`initialize` was answered 12.0 s after the start")


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("-> EOF\n@ 3.5\n== 0", ("ok", "exited with status 0, 2.0 s after its stdin was closed")),
        ("-> EOF\n@ 3.5\n== 3", ("note", "exited with status 3, 2.0 s after its stdin was closed")),
        (
            "-> EOF\n@ 3.5\n== -11",
            ("fail", "was killed by signal 11, 2.0 s after its stdin was closed"),
        ),
        ("== 0", ("fail", "exited with status 0 before its stdin was closed")),
    ],
)
def test_the_end(ends, said):
    assert check_of("end", ASKED, HELLO, ends)[:2] == said


@pytest.mark.parametrize(
    "result",
    [
        "null",
        "[]",
        '"x"',
        '{"protocolVersion": []}',
        '{"protocolVersion": true, "authMethods": {"a": 1}, "agentInfo": "x"}',
        '{"agentCapabilities": [1], "authMethods": [1, null, {"id": 7}]}',
        '{"agentInfo": {"name": "\\ud800"}}',
    ],
)
def test_an_answer_of_any_shape_can_be_told(result):
    told = diagnosis(ASKED, '<- {"jsonrpc": "2.0", "id": 0, "result": ' + result + "}", END)
    assert as_json(told)
    assert list(as_text(told, 80, colour=False))


@pytest.mark.parametrize(
    ("name", "lines"),
    [("session", [ASKED, HELLO, ASKED_AGAIN]), ("prompt", TURN)],
)
@pytest.mark.parametrize("given_up", ["timeout", "flood"])
def test_an_agent_that_has_answered_once_is_in_acp_mode(name, lines, given_up):
    verdict, _, hint = check_of(name, *lines, END, given_up=given_up)
    assert verdict == "fail"
    slow = "if it is only slow, use a longer `--timeout`"
    assert hint == (slow if given_up == "timeout" else "")


def test_a_traceback_is_quoted_line_by_line_and_a_path_stays_whole():
    path = "/home/dev/projects/a-folder-with-a-rather-long-name/agent.py"
    stderr = (
        "!! Traceback (most recent call last):",
        f'!!   File "{path}", line 2, in main',
        "!!     print(nothing.at_all)",
        "!!           ^^^^^^^^~~~~~~~",
        "!! NameError: name 'nothing' is not defined",
    )
    told = diagnosis(ASKED, *stderr, "== 1")
    lines = "\n".join(as_text(told, 80, colour=False)).splitlines()
    at = lines.index("      stderr    5 lines, the last:")
    assert [line.strip() for line in lines[at + 1 : at + 6]] == [
        "File",
        f'"{path}",',
        "line 2, in main",
        "print(nothing.at_all)",
        "NameError: name 'nothing' is not defined",
    ]


def test_what_the_agent_writes_to_stderr_is_not_taken_for_the_word_of_the_proxy():
    stderr = b"acp-spy: I am the agent\n"
    told = diagnosis("!! acp-spy: I am the agent", ASKED, "== 1", stderr=stderr)
    assert told.seen.complaint == ""
    (said,) = [check.text for check in told.checks if check.name == "stderr"]
    assert said == "1 line: acp-spy: I am the agent"


def finding(seq, text, severity=Severity.WARNING):
    return Finding(seq, "XXX001", "x", severity, Peer.AGENT, text)


def lines_of_findings(*found):
    lines = list(as_text(diagnosis(ASKED, HELLO, END, findings=found), 80, colour=False))
    (at,) = [number for number, line in enumerate(lines) if line[6:14] == "findings"]
    return lines[at:-1]


def test_a_finding_that_comes_again_is_told_once_with_its_count_and_the_worst_is_first():
    again = [finding(seq, f"odd `{seq}`") for seq in range(1, 13)]
    assert lines_of_findings(*again, finding(13, "bad", Severity.ERROR)) == [
        "FAIL  findings  1 error, 1 warning",
        "                frame 13: error XXX001 bad",
        "                frame 1: warning XXX001 odd `1`; 12 times",
    ]


def test_only_the_first_findings_are_listed():
    lines = lines_of_findings(*(finding(1, f"odd {letter}") for letter in "abcdefghijkl"))
    assert lines[0] == "note  findings  12 warnings"
    assert lines[1] == "                frame 1: warning XXX001 odd a"
    assert lines[11:] == ["                and 2 more"]


def test_a_line_without_end_is_noise_though_the_capture_has_none_of_it():
    told = diagnosis(ASKED, given_up="flood", forced="SIGKILL", unfinished=b"x " * 8_500_000)
    (said,) = [check for check in told.checks if check.name == "stdout"]
    first = "x " * 50
    assert (said.verdict, said.text) == (
        "fail",
        f"17 MB without an end of line; they begin: `{first}...`",
    )
    assert told.seen.noise.unfinished == 17_000_000


def test_a_word_without_end_is_not_quoted_as_it_may_be_half_a_secret():
    told = diagnosis(ASKED, forced="SIGKILL", unfinished=b"x" * 2000)
    (said,) = [check for check in told.checks if check.name == "stdout"]
    assert said.text == "2.0 kB without an end of line"


def test_no_version_at_all_is_told_as_such():
    answer = '<- {"jsonrpc": "2.0", "id": 0, "result": {}}'
    said = "no protocol version; requested 1, so no session was tried"
    assert check_of("version", ASKED, answer, END)[1] == said


def test_an_agent_that_never_wrote_is_not_praised_for_its_messages():
    assert check_of("stdout", ASKED, "== 0") == ("info", "nothing", "")


def test_colour_is_for_the_mark_and_the_hints():
    lines = list(as_text(diagnosis(ASKED, HELLO, END), 80, colour=True))
    assert lines[0].startswith("\x1b[32mok    \x1b[0mstart")
