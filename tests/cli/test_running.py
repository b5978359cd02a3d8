"""What the commands say of a capture while it is being recorded: what is true so far."""

import json
import os
import re
from datetime import UTC, datetime, timedelta

import pytest
from support.in_process import acp_spy
from support.pages import Blocks

from acp_spy import assert_clean, check, diff, load, save
from acp_spy import stats as stats_of
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse

TALK = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"c","version":"1"}}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":false},"agentInfo":{"name":"a","version":"1"},"authMethods":[]}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Hi"}]}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call","toolCallId":"c-1","title":"Edit","kind":"edit","status":"pending"}}}
    <- {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c-1"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}
"""
WAITING = (
    r"waiting for client: `session/request_permission` \d m \d\d s;"
    r" agent's `session/prompt` waits for it"
)


@pytest.fixture
def capture(tmp_path, monkeypatch):
    """Give a capture that was begun two minutes ago, and whose writer lives; `cut` ends it."""
    monkeypatch.setenv("COLUMNS", "200")
    begun = datetime.now(UTC) - timedelta(minutes=2)
    file = CaptureFile(str(tmp_path / "run.jsonl"), Header(started=begun.isoformat()))
    file.append(parse(TALK))
    yield file
    if file._fd >= 0:
        os.close(file._fd)


def cut(capture):
    os.close(capture._fd)
    capture._fd = -1


def test_view_says_that_it_runs_and_what_is_pending(capture):
    shown = acp_spy("view", capture.path, "--select", "RPC").out
    assert re.search(
        r"^7 frames in 2 m \d\d s so far; nothing found; recording still runs", shown, re.MULTILINE
    )
    assert re.search(rf"^{WAITING}$", shown, re.MULTILINE)
    assert "never answered" not in shown
    assert "no response yet" in acp_spy("view", capture.path, "--frame", "7").out
    cut(capture)
    shown = acp_spy("view", capture.path, "--select", "RPC").out
    assert "cut off: the agent's exit was not recorded" in shown
    assert "had no response when the capture ended (client must fix" in " ".join(shown.split())
    assert "waiting" not in shown


def test_check_leaves_out_what_may_still_be_answered(capture):
    out, err, status = acp_spy("check", capture.path, "--select", "RPC", "--fail-on", "note")
    assert out.startswith(
        f"{capture.path}: permission pending\n  The agent asked for a permission,"
    )
    assert out.endswith(".\n7 frames, no findings\n")
    assert status == 0
    assert re.fullmatch(rf"note: `{capture.path}`: recording still runs; {WAITING}\n", err)
    cut(capture)
    out, err, status = acp_spy("check", capture.path, "--select", "RPC", "--fail-on", "note")
    assert "`session/request_permission` had no response when the capture ended" in out
    assert "`session/prompt` had no response" not in out
    assert (err, status) == ("", 1)


def test_stats_and_list_give_the_time_so_far(capture, tmp_path):
    stats = json.loads(acp_spy("stats", capture.path, "--format", "json").out)
    assert (stats["state"], stats["running"]) == ("running", True)
    assert stats["seconds"] >= 120
    assert [(each["method"], each["seq"]) for each in stats["pending"]] == [
        ("session/request_permission", 7),
        ("session/prompt", 5),
    ]
    assert all(each["seconds"] > 110 for each in stats["pending"])
    assert stats["turns"]["longest"][0]["permission_wait"] > 110
    (listed,) = json.loads(acp_spy("list", "--dir", tmp_path, "--format", "json").out)["captures"]
    assert listed["seconds"] >= 120
    cut(capture)
    stats = json.loads(acp_spy("stats", capture.path, "--format", "json").out)
    assert (stats["state"], stats["running"], stats["seconds"]) == ("cut off", False, 0.007)
    assert {each["seconds"] for each in stats["pending"]} == {None}
    (listed,) = json.loads(acp_spy("list", "--dir", tmp_path, "--format", "json").out)["captures"]
    assert listed["seconds"] == 0.007


def test_the_page_says_that_the_recording_still_ran(capture, tmp_path):
    page = tmp_path / "page.html"
    assert acp_spy("view", capture.path, "--select", "RPC", "-o", page).status == 0
    about = json.loads(Blocks(page.read_text()).data["acp-spy-about"])
    assert (about["running"], about["findings"]) == (True, [])
    cut(capture)
    assert acp_spy("view", capture.path, "--select", "RPC", "-o", page).status == 0
    about = json.loads(Blocks(page.read_text()).data["acp-spy-about"])
    assert about["running"] is False
    assert [(found["code"], found["seq"]) for found in about["findings"]] == [("RPC006", 7)]


def test_the_python_api_does_not_judge_the_end_either(capture, tmp_path):
    ended = tmp_path / "ended.jsonl"
    save(load(capture.path), ended)  # the same frames, and nobody writes it
    assert "RPC006" not in {finding.code for finding in check(capture.path)}
    assert_clean(capture.path, select="RPC", fail_on="note")
    compared = diff(ended, capture.path)
    assert [mistake.first.code for mistake in compared.went] == ["RPC006"]
    assert (compared.one.stats.running, compared.other.stats.running) == (False, True)
    assert stats_of(capture.path).running
    cut(capture)
    assert "RPC006" in {finding.code for finding in check(capture.path)}
    with pytest.raises(AssertionError, match="RPC006"):
        assert_clean(capture.path, select="RPC", fail_on="note")
    assert diff(ended, capture.path).went == ()
    assert not stats_of(capture.path).running
