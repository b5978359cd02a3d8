"""`acp-spy doctor`: real agents, well and ill, behind the real proxy."""

import json
import re

from support.in_process import acp_spy
from support.processes import is_alive, python

from acp_spy import load
from acp_spy.doctor import probe

# Speaks as it is told to: the answers by method, and Python to run at certain points.
AGENT = """
import json, os, sys, time
answers = json.loads(sys.argv[1])
exec(sys.argv[2])
for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        continue
    answer = answers.get(message["method"])
    if answer is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
exec(sys.argv[3])
"""
HELLO = {
    "result": {
        "protocolVersion": 1,
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": True},
            "mcpCapabilities": {"http": True},
        },
        "agentInfo": {"name": "some-agent", "title": "Some Agent", "version": "1.2"},
        "authMethods": [{"id": "key", "name": "API key"}],
    }
}
OPENED = {"result": {"sessionId": "s-1"}}
WELL = {"initialize": HELLO, "session/new": OPENED}


def agent(answers=WELL, at_start="", at_end=""):
    return python(AGENT, json.dumps(answers), at_start, at_end)


def doctor(command, *options):
    out, err, status = acp_spy("doctor", *options, "--", *command, env={"COLUMNS": "80"})
    assert err == ""
    return out, status


def shown(command, *options):
    """Return the report without the command and the place of the capture, times as `#`."""
    out, status = doctor(command, *options)
    body = out.partition("\n\n")[2]
    body = re.sub(r"\d+(\.\d+)? (µs|ms|s)\b", "#", body)
    return re.sub(r" The conversation: acp-spy view /.*\.jsonl\n$", "\n", body), status


def test_an_agent_that_is_well():
    assert shown(agent()) == (
        """\
ok    start     `initialize` was answered # after the start
ok    version   protocol version 1
ok    agent     some-agent 1.2
      offers    loadSession, promptCapabilities.image, mcpCapabilities.http
      login     API key
ok    session   opened in #
ok    stdout    only messages
ok    findings  none
ok    end       exited with status 0, # after its stdin was closed

The agent is well.
""",
        0,
    )


def test_noise_is_a_failure_with_the_frame_behind_it():
    out, status = shown(agent(at_start="print('\\x1b[2Jready', flush=True)"))
    assert status == 1
    assert (
        """\
FAIL  stdout    1 line with something that is no message, the first:
                `\\x1b[2Jready`
                hint: stdout is the wire: log to stderr
FAIL  findings  1 error
"""
        in out
    )
    assert out.endswith("\nNot well: stdout, findings.\n")


def test_noise_in_front_of_the_answer_does_not_hide_the_rest():
    out, status = shown(agent(at_start="sys.stdout.write('\\x1b]0;title\\x07')"))
    assert status == 1
    assert "ok    session   opened in #" in out
    assert "FRM005" in out


def test_an_agent_that_refuses_the_greeting():
    refused = {"error": {"code": -32602, "message": "no"}}
    out, status = shown(agent({"initialize": refused}))
    assert status == 1
    assert re.search(
        r"FAIL  start     `initialize` was answered with an error after #:\s+no\s+\(-32602\)", out
    )
    assert "session" not in out


def test_a_command_that_does_not_exist():
    assert shown(["nonesuch-agent"]) == (
        "FAIL  start  command not found: `nonesuch-agent`\n\nNot well: start.\n",
        1,
    )


def test_an_agent_that_dies_is_quoted():
    out, status = shown(agent(at_start="sys.exit('no configuration found')"))
    assert status == 1
    assert out.startswith(
        """\
FAIL  start     the agent exited with status 1 before it answered `initialize`
      stdout    nothing
      stderr    1 line: no configuration found
"""
    )


def test_an_agent_that_is_silent_and_never_ends_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(probe, "_EOF_PATIENCE", 0.5)
    pid = tmp_path / "pid"
    silent = ["/bin/sh", "-c", f"echo $$ > {pid}; exec sleep 600"]
    out, status = shown(silent, "--timeout", "0.5", "-o", f"{tmp_path}/x.jsonl")
    assert status == 1
    assert "FAIL  start     `initialize` was not answered within #\n" in out
    assert "FAIL  end       still running # after its stdin was closed; SIGTERM ended it" in out
    assert not is_alive(int(pid.read_text()))
    assert load(tmp_path / "x.jsonl").exit.status == -15


def test_an_agent_that_writes_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr(probe, "_MOST_LINES", 500)
    out, status = shown(["/usr/bin/yes", "x" * 500])
    assert status == 1
    assert "`initialize` was not answered: the agent writes without end\n" in out
    assert "      end       was killed, because it writes without end\n" in out


def test_a_flood_without_an_end_of_line_is_no_message_either():
    flood = python("import os\nwhile True: os.write(1, b'x' * 65536)")
    out, status = shown(flood)
    assert status == 1
    assert "FAIL  stdout    17 MB without an end of line, which begin:\n" in out
    assert out.endswith("\nNot well: start, stdout.\n")


def test_an_agent_that_sends_back_what_it_is_sent():
    assert shown(["/bin/cat"]) == (
        """\
FAIL  start     what the agent is sent comes back unchanged
                hint: a terminal or a plain `cat` does so; is this the agent's
                ACP mode? Many need an option such as `--acp`
ok    stdout    only messages
FAIL  findings  2 errors
                frame 2: error RPC015 the agent sent `initialize`, which is for
                the client to send
                frame 4: error LIF007 `initialize` was answered with `-32601`
                (method not found); every agent must implement it
ok    end       exited with status 0, # after its stdin was closed

Not well: start, findings.
""",
        1,
    )


def test_an_agent_that_ends_at_once_without_a_word():
    assert shown(["/bin/true"]) == (
        """\
FAIL  start     the agent exited with status 0 before it answered `initialize`
                hint: it said nothing on stderr; is this the agent's ACP mode?
                Many need an option such as `--acp`
      stdout    nothing
FAIL  findings  1 error
                frame 1: error RPC022 the agent exited with status 0 while
                `initialize` was pending
      end       exited with status 0 before its stdin was closed

Not well: start, findings.
""",
        1,
    )


def test_an_agent_that_only_writes_to_stderr_is_quoted():
    talks = python(
        "import sys\nfor n in range(9): print('log', n, file=sys.stderr)\nsys.stdin.read()"
    )
    out, status = shown(talks, "--timeout", "0.5")
    assert status == 1
    assert "      stderr    9 lines, the last: log 6; log 7; log 8\n" in out


def test_requests_of_the_agent_are_answered_with_an_error(tmp_path):
    asks = "print(json.dumps({'jsonrpc': '2.0', 'id': 'q', 'method': 'fs/read_text_file'}))"
    doctor(agent(at_start=asks), "-o", f"{tmp_path}/x.jsonl")
    client = [f.raw for f in load(tmp_path / "x.jsonl").frames if f.sender.value == "client"]
    (answer,) = [json.loads(raw) for raw in client if b'"error"' in raw]
    assert (answer["id"], answer["error"]["code"]) == ("q", -32601)


def test_the_report_for_programs(tmp_path):
    out, status = doctor(agent(), "--format", "json", "-o", f"{tmp_path}/x.jsonl")
    output = json.loads(out)
    assert status == 0
    assert output["healthy"] is True
    assert output["capture"] == f"{tmp_path}/x.jsonl"
    assert output["command"] == agent()
    assert output["initialize"]["agentInfo"] == HELLO["result"]["agentInfo"]
    assert output["initialize"]["seconds"] > 0
    assert output["session"]["needsLogin"] is False
    assert output["end"]["status"] == 0
    assert output["findings"] == []
    assert [check["name"] for check in output["checks"] if check["verdict"] == "ok"] == [
        "start",
        "version",
        "agent",
        "session",
        "stdout",
        "findings",
        "end",
    ]


def test_without_a_command_it_says_how():
    assert acp_spy("doctor") == (
        "",
        (
            "error: no command: which agent shall be started?\n"
            "hint: acp-spy doctor -- COMMAND [ARG]...\n"
        ),
        2,
    )


def test_a_capture_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    out, err, status = acp_spy("doctor", "-o", f"{tmp_path}/file/x.jsonl", "--", *agent())
    assert (out, status) == ("", 2)
    assert err.startswith("error: nothing could be recorded: acp-spy: ")
