"""Budgets: what a project expects, from the command line and from its settings file."""

import json

import pytest
from support.in_process import acp_spy

from acp_spy.capture.files import save
from acp_spy.capture.records import Capture, Header
from acp_spy.capture.transcript import parse
from acp_spy.errors import AcpSpyError
from acp_spy.lint.budgets import Budgets, budgets_from, durations_from
from acp_spy.lint.rules.budgets._examples import turn
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    ACCEPTED,
    ECHO,
    IDLE,
    PROMPT,
    REPLY,
    RUNNING,
    SESSION,
    transcript,
)
from acp_spy.lint.ruleset import check
from acp_spy.wire.frame import Peer


def found(transcript, **budgets):
    findings = check(parse(transcript), budgets=Budgets(**budgets))
    return [finding for finding in findings if finding.code.startswith("BUD")]


def codes(transcript, **budgets):
    return [finding.code for finding in found(transcript, **budgets)]


def test_without_a_budget_nothing_is_expected():
    assert codes(turn(update_at=900, end_at=1000, tool="execute", stop="refusal")) == []


def test_a_request_that_is_pending_at_the_end_takes_until_then():
    cut = turn().rpartition("@ 3")[0] + "@ 9\n!! still at it"
    (finding,) = found(cut, max_duration={"session/prompt": 5.0, "initialize": 0.5})
    assert (finding.code, finding.seq, finding.blame) == ("BUD001", 5, Peer.AGENT)
    assert finding.text == "`session/prompt` was pending for 8 s; expected at most 5 s"
    assert codes(cut, max_turn=5.0, max_first_update=0.5) == ["BUD002", "BUD003"]
    assert codes(cut, max_turn=8.5, max_first_update=1.5) == []


def test_a_turn_without_any_update_has_its_first_never():
    silent = "\n".join(line for line in turn(end_at=9).splitlines() if "tool_call" not in line)
    (finding,) = found(silent, max_first_update=2.0)
    assert finding.text == "no update came in 8 s; expected one in at most 2 s"


def test_a_plain_chunk_of_text_is_a_first_update():
    chunk = (
        '<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":'
        '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hm"}}}}'
    )
    assert (
        codes(
            turn(update_at=5, end_at=9).replace("@ 5", f"@ 2\n{chunk}\n@ 5"), max_first_update=2.0
        )
        == []
    )


def test_a_turn_of_version_2_ends_when_the_agent_is_idle():
    talk = transcript(SESSION, "@ 1", PROMPT, ACCEPTED, ECHO, RUNNING, "@ 4", REPLY, "@ 8", IDLE)
    assert codes(talk, max_turn=5.0) == ["BUD002"]
    assert codes(talk, max_turn=7.5) == []
    assert codes(talk, expect_stop=("cancelled",)) == ["BUD006"]
    assert codes(talk, expect_stop=("cancelled", "end_turn")) == []


@pytest.mark.parametrize("name", ["edit", "EDIT", "ed*", "Edit test.py", "edit test.*"])
def test_a_tool_has_a_name_a_kind_and_a_title(name):
    assert codes(turn(tool="edit"), expect_tool=(name,)) == []
    assert codes(turn(tool="edit"), forbid_tool=(name,)) == ["BUD005"]


def test_a_tool_that_is_not_there_is_missed_and_may_be_forbidden():
    assert codes(turn(tool="edit"), expect_tool=("read", "edit", "test.py")) == ["BUD004", "BUD004"]
    assert codes(turn(tool="edit"), forbid_tool=("read",)) == []


def test_agents_name_tools_in_meta_too():
    named = turn().replace('"kind": "edit"', '"_meta": {"claudeCode": {"toolName": "Bash"}}')
    assert codes(named, forbid_tool=("bash",)) == ["BUD005"]


ODD = ["1", "null", "true", "[]", '["x"]', "{}", '{"rm": 1}']


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("field", ["name", "title", "_meta", "rawInput", "content"])
def test_no_field_of_another_type_hides_a_tool(field, value):
    odd = turn(tool="execute").replace('"kind":', f'"{field}": {value}, "kind":')
    assert odd != turn(tool="execute")
    assert codes(odd, forbid_tool=("execute",)) == ["BUD005"]
    assert codes(odd, expect_tool=("execute",)) == []
    assert codes(odd, expect_tool=("read",)) == ["BUD004"]


@pytest.mark.parametrize("value", ODD)
def test_nor_does_an_id_of_another_type(value):
    odd = turn(tool="execute").replace('"toolCallId": "c1"', f'"toolCallId": {value}')
    assert odd != turn(tool="execute")
    (finding,) = found(odd, forbid_tool=("execute",))
    assert finding.text == "a tool call is `execute`; expected no such tool call"


def test_nor_does_a_field_beside_the_update():
    odd = turn(tool="execute").replace('"update":', '"toolCall": {"toolCallId": "c2"}, "update":')
    (finding,) = found(odd, forbid_tool=("execute",))
    assert (finding.text.split(";")[0], finding.path) == (
        *("tool call `c1` is `execute`", "/params/update/toolCallId"),
    )


def test_an_error_is_no_stop_reason():
    failed = turn().replace(
        '"result": {"stopReason": "end_turn"}', '"error": {"code": -32603, "message": "x"}'
    )
    (finding,) = found(failed, expect_stop=("end_turn",))
    assert finding.text == "the turn ended with an error, code `-32603`; expected `end_turn`"
    (finding,) = found(failed.replace("-32603", "[null]"), expect_stop=("end_turn",))
    assert finding.text == "the turn ended with an error; expected `end_turn`"


@pytest.mark.parametrize(
    ("given", "seconds"), [("500ms", 0.5), ("30s", 30), ("2m", 120), ("1.5", 1.5), (3, 3.0)]
)
def test_a_time_is_a_number_of_seconds_or_has_a_unit(given, seconds):
    assert budgets_from({"max-turn": given}) == {"max_turn": seconds}
    assert budgets_from({"max-duration": {"initialize": given}}) == {
        "max_duration": {"initialize": seconds}
    }


@pytest.mark.parametrize(
    "given",
    [
        {"max-turn": "soon"},
        {"max-turn": True},
        {"max-turn": []},
        {"max-duration": "2s"},
        {"max-duration": {"initialize": None}},
        {"expect-tool": 3},
        {"expect-stop": [3]},
    ],
)
def test_what_cannot_be_meant_is_refused(given):
    with pytest.raises(AcpSpyError):
        budgets_from(given)


def test_a_method_and_its_time_are_parted_by_the_last_equals_sign():
    assert durations_from(["session/new=5s", "_x=y=1s"]) == {"session/new": "5s", "_x=y": "1s"}
    for word in ("session/new", "=5s"):
        with pytest.raises(AcpSpyError, match="not a method and a time"):
            durations_from([word])


@pytest.fixture
def capture(tmp_path):
    path = tmp_path / "run.jsonl"
    save(Capture(Header(), tuple(parse(turn(end_at=9, tool="execute", stop="max_tokens")))), path)
    return path


OPTIONS = [
    *("--max-duration", "session/prompt=5s", "--max-duration", "initialize=1s"),
    *("--max-turn", "5s", "--max-first-update", "500ms", "--expect-stop", "end_turn"),
    *("--expect-tool", "edit", "--forbid-tool", "execute"),
]
SETTINGS = """
max-turn = "5s"
max-first-update = 0.5
expect-tool = "edit"
forbid-tool = ["execute"]
expect-stop = ["end_turn"]
max-duration = {"session/prompt" = "5s", initialize = 1}
"""


def reported(*words, cwd):
    done = acp_spy("check", *words, "--format", "json", cwd=cwd)
    findings = [f for f in json.loads(done.out)["captures"][0]["findings"] if f["code"] < "CAP"]
    return sorted(f["code"] for f in findings), done.status


EVERYTHING = ["BUD001", "BUD002", "BUD003", "BUD004", "BUD005", "BUD006"]


def test_budgets_can_be_options(capture, tmp_path):
    assert reported(capture, cwd=tmp_path) == ([], 0)
    assert reported(capture, *OPTIONS, cwd=tmp_path) == (EVERYTHING, 1)


def test_budgets_can_be_settings_and_options_replace_them(capture, tmp_path):
    (tmp_path / "acp-spy.toml").write_text(SETTINGS)
    assert reported(capture, cwd=tmp_path) == (EVERYTHING, 1)
    longer = ["--max-turn", "1m", "--max-duration", "initialize=2s"]
    assert reported(capture, *longer, cwd=tmp_path) == (EVERYTHING[2:], 1)


def test_a_wrong_budget_names_its_file(capture, tmp_path):
    (tmp_path / "acp-spy.toml").write_text('max-turn = "soon"')
    done = acp_spy("check", capture, cwd=tmp_path)
    assert done.status == 2
    assert "acp-spy.toml: `max-turn` is `soon`" in done.err
    assert "hint: expected a time" in done.err


def test_a_budget_is_explained_like_a_rule():
    done = acp_spy("rule", "BUD001")
    assert done.status == 0
    assert "slow-request" in done.out
    assert "--max-duration session/prompt=2s" in done.out


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ"
SHARED = ("github", "sarif", "junit")


@pytest.mark.parametrize("form", ["full", "concise", "json", *SHARED])
def test_names_with_secrets_are_compared_as_they_were_sent_and_masked_where_they_are_shared(
    tmp_path, form
):
    talk = turn(tool="edit").replace("Edit test.py", f"Push with {SECRET}")
    talk = talk.replace("end_turn", f"stop {SECRET}")
    save(Capture(Header(), tuple(parse(talk))), path := tmp_path / "run.jsonl")
    chosen = ("--select", "BUD", "--format", form)
    for name in (f"Push with {SECRET}", f"*{SECRET[4:]}", f"*{SECRET[:20]}*"):
        fine = acp_spy("check", path, *chosen, "--expect-tool", name, cwd=tmp_path)
        assert fine.status == 0, fine.out
        failed = acp_spy("check", path, *chosen, "--forbid-tool", name, cwd=tmp_path)
        assert failed.status == 1
        assert SECRET not in failed.out or form not in SHARED
    stop = ("--expect-stop", f"stop {SECRET}")
    assert acp_spy("check", path, *chosen, *stop, cwd=tmp_path).status == 0
    other = ("--expect-tool", f"other {SECRET}", "--expect-stop", f"not {SECRET}")
    failed = acp_spy("check", path, *chosen, *other, cwd=tmp_path)
    assert failed.status == 1
    assert (SECRET in failed.out + failed.err) is (form not in SHARED)
    assert "BUD004" in failed.out
    assert "BUD006" in failed.out
