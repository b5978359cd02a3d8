import os
from datetime import datetime
from pathlib import Path

import pytest

from acp_spy.capture.codec import encode, encode_finding
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.folder import look_at
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.diagnosis.diagnosing_checker import DiagnosingChecker
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.secrets.redactor import Redactor
from acp_spy.view.captures.summary import PeerName, State, summarize

NOW = datetime.fromisoformat("2026-01-05T09:31:30Z").timestamp()
FIXTURES = Path(__file__).parents[3] / "fixtures"
HEADER = Header(started="2026-01-05T09:30:00Z", command=("npx", "some-agent@1"))
HANDSHAKE = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientInfo": {"name": "ed", "version": "2"}}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentInfo": {"name": "bot", "version": "1.0"}}}
"""


@pytest.fixture
def summary(tmp_path):
    def summary(transcript, header=HEADER, more=b""):
        path = tmp_path / "run.jsonl"
        path.write_bytes(encode([header, *parse(transcript)]) + more)
        return summarize(look_at(str(path)), NOW)

    return summary


def test_peers_are_called_what_they_call_themselves(summary):
    shown = summary(HANDSHAKE + "== 0")
    assert (shown.agent, shown.client) == (PeerName("bot", "1.0"), PeerName("ed", "2"))
    assert (shown.state, shown.frames, shown.status, shown.seconds) == (State.ENDED, 2, 0, 0.003)


def test_what_another_tool_recorded_without_its_end_is_not_cut_off(summary):
    shown = summary("@ 0\n" + HANDSHAKE, Header(note="imported from somewhere; lost: times, exit"))
    assert shown.state is State.IMPORTED
    assert summary(HANDSHAKE + "== 0", Header(note="imported from x")).state is State.ENDED


def test_a_log_in_front_of_the_handshake_is_no_obstacle(summary):
    assert summary("!! warming up\n" * 400 + HANDSHAKE).agent == PeerName("bot", "1.0")


def test_an_agent_without_a_name_is_called_by_its_command(summary):
    silent = '-> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}'
    shown = summary(silent)
    assert (shown.agent, shown.client) == (PeerName("some-agent"), PeerName(""))
    assert shown.state is State.CUT_OFF
    assert summary(silent, Header()).agent == PeerName("")


@pytest.mark.parametrize("info", ["7", "[]", '{"name": 7}', '{"name": ""}', "null", '{"name": {}}'])
def test_a_name_that_is_none_is_not_taken(summary, info):
    shown = summary(HANDSHAKE.replace('{"name": "bot", "version": "1.0"}', info))
    assert shown.agent == PeerName("some-agent")


def test_a_version_that_is_none_is_left_out(summary):
    assert summary(HANDSHAKE.replace('"1.0"', "1.0")).agent == PeerName("bot")


def test_a_damaged_capture_is_told_as_far_as_it_goes(summary):
    shown = summary(HANDSHAKE, more=b"damaged\n" + encode(parse("@ 9\n== 3")))
    assert (shown.agent, shown.state, shown.status) == (PeerName("bot", "1.0"), State.ENDED, 3)


def test_a_dialect_has_names_too():
    shown = summarize(look_at(str(FIXTURES / "dialect-acpex.jsonl")), NOW)
    assert (shown.agent, shown.client) == (PeerName("Potion", "3.0.0"), PeerName("Still", "1.2.0"))


def test_the_diagnosis_is_that_of_why_if_the_findings_are_recorded(summary):
    prompt = """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}
        <- {"jsonrpc": "1.0", "method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": []}}}
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
        <- {"jsonrpc": "2.0", "id": 3, "method": "fs/read_text_file", "params": {"sessionId": "s"}}
        -> {"jsonrpc": "1.0", "id": 3, "result": {"content": ""}}
        @ 60
        == -15
    """
    checker = DiagnosingChecker(ALL_RULES.checker())
    records = [HEADER, *parse(HANDSHAKE + prompt)]
    findings = [finding for record in records for finding in checker.feed(record)]
    findings += checker.close()
    shown = summary(HANDSHAKE + prompt, more=b"".join(map(encode_finding, findings)))
    assert "RPC001" in shown.diagnosis.text
    assert shown.diagnosis == checker.diagnosis()
    assert summary(HANDSHAKE + prompt).diagnosis != checker.diagnosis()


def test_one_that_is_being_written_is_running(tmp_path):
    file = CaptureFile(str(tmp_path / "run.jsonl"), HEADER)
    assert summarize(look_at(file.path), NOW).state is State.RUNNING
    os.close(file._fd)


def test_one_that_is_running_is_as_long_as_it_has_been_so_far(tmp_path):
    file = CaptureFile(str(tmp_path / "run.jsonl"), HEADER)
    file.append(parse(HANDSHAKE))
    entry = look_at(file.path)
    assert summarize(entry, NOW).seconds == 90
    os.close(file._fd)
    assert summarize(look_at(file.path), NOW).seconds == 0.002  # cut off: the last frame's


def test_one_that_has_gone_meanwhile_is_no_reason_to_fail(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([HEADER]))
    entry = look_at(str(path))
    path.unlink()
    assert summarize(entry, NOW).frames is None


def test_a_recorded_error_does_not_show_a_secret_that_its_record_does(tmp_path):
    """The error quotes a line that is cut, so that nothing shows the password in it."""
    line = "connecting to postgres://app:sunshine42@db-primary.internal.example.com:5432/shop"
    records = [HEADER, *parse(f"{HANDSHAKE}<- {line}")]
    checker = DiagnosingChecker(ALL_RULES.checker())
    found = [each for record in records for each in checker.feed(record)]
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode(records) + b"".join(map(encode_finding, found)))
    redactor = Redactor()
    for masked in (None, redactor.record):
        shown = summarize(look_at(str(path)), NOW, masked=masked)
        assert "FRM004" in str(shown.diagnosis)
        assert ("sunshine42" in str(shown.diagnosis)) == (masked is None)
