"""`acp-spy doctor`: real agents, well and ill, behind the real proxy."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
import trio
from support import effort
from support.in_process import acp_spy
from support.keys import spelled_out
from support.processes import ACP_SPY, DEADLINE, is_alive, python, starter, until

from acp_spy import load
from acp_spy.doctor import probe
from acp_spy.doctor.examination import new_capture
from acp_spy.wire.frame import Peer

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
    return re.sub(r"To see the conversation: acp-spy view /.*\.jsonl\n$", "", body), status


TRIED = "Tried: `initialize`, `session/new`. Not tried: `session/prompt` (add `--prompt TEXT`)."
ONLY_GREETED = "Tried: `initialize`. Not tried: `session/new`, `session/prompt`."


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

All checks passed. Tried: `initialize`, `session/new`. Not tried: `session/prompt` (add `--prompt TEXT`).
""",
        0,
    )


def test_ctrl_c_says_what_was_waited_for_and_where_the_capture_is(tmp_path):
    path = tmp_path / "run.jsonl"
    with starter(tmp_path, proxied=False) as start:
        silent = agent({"initialize": HELLO})
        peer = start([*ACP_SPY, "doctor", "-o", str(path), "--", *silent])
        until(
            lambda: path.exists() and b"session/new" in path.read_bytes(), "a session is asked for"
        )
        peer.signal(signal.SIGINT)
        assert peer.read_all(peer.stderr).decode() == (
            "stopped while waiting for the response to `session/new`\n"
            f"To see the conversation: acp-spy view {path}\n"
        )
        assert peer.wait() == 130


@pytest.mark.parametrize(
    "number", effort.some_of((signal.SIGTERM, signal.SIGHUP, signal.SIGKILL), signal.SIGKILL)
)
def test_who_kills_it_leaves_no_agent_no_proxy_and_no_folder(tmp_path, number):
    """Even if the agent ignores the end of its stdin, and all that can be ignored."""
    temporary, pids = tmp_path / "temporary", tmp_path / "pids"
    temporary.mkdir()
    stays = (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"with open({str(pids)!r}, 'w') as file: print(os.getpid(), os.getppid(), file=file)\n"
        "time.sleep(600)"
    )
    with starter(tmp_path, proxied=False) as start:
        command = [*ACP_SPY, "doctor", "--empty-folder", "--", *agent(at_start=stays)]
        env = {**os.environ, "TMPDIR": str(temporary), "ACP_SPY_DIR": str(tmp_path / "captures")}
        peer = start(command, env=env)
        until(lambda: pids.exists() and pids.read_text().endswith("\n"), "the agent runs")
        (folder,) = temporary.glob("acp-spy-doctor-*")
        (folder / "left.txt").touch()
        peer.signal(number)
        assert peer.process.wait(DEADLINE) == -number
        for pid in map(int, pids.read_text().split()):
            until(lambda pid=pid: not is_alive(pid), "the agent and the proxy are gone")
        until(lambda: not folder.exists(), "the folder is removed")


# Answers a prompt with two pieces of text, a tool call and a permission request.
TURN = """
import json, sys
def send(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def update(**update): send(method="session/update", params={"sessionId": "s-1", "update": update})
def say(text): update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})
greetings = json.loads(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if answer := greetings.get(message.get("method")):
        send(id=message["id"], **answer)
    elif message.get("method") == "session/prompt":
        prompt = message["id"]
        say("You said: ")
        update(sessionUpdate="tool_call", toolCallId="t", title="Edit", kind="edit")
        send(
            id="may-i",
            method="session/request_permission",
            params={
                "sessionId": "s-1",
                "toolCall": {"toolCallId": "t"},
                "options": [
                    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"},
                ],
            },
        )
    elif message.get("id") == "may-i":
        update(sessionUpdate="tool_call_update", toolCallId="t", status="failed")
        say(message["result"]["outcome"]["optionId"])
        send(id=prompt, result={"stopReason": "end_turn"})
"""


def test_a_prompt_is_sent_when_one_is_given(tmp_path):
    command = python(TURN, json.dumps(WELL))
    out, status = shown(command, "--prompt", "Hello, agent", "-o", f"{tmp_path}/x.jsonl")
    assert status == 0
    assert (
        "ok prompt answered in #, stop reason `end_turn`; first update after #; 4 updates;"
        " 1 tool call; 1 permission request, rejected; text: `You said: no` "
    ) in " ".join(out.split())
    assert out.endswith(
        "\nAll checks passed. Tried: `initialize`, `session/new`, `session/prompt`.\n"
    )
    (prompt,) = [f for f in load(tmp_path / "x.jsonl").frames if b'"session/prompt"' in f.raw]
    assert json.loads(prompt.raw)["params"] == {
        "sessionId": "s-1",
        "prompt": [{"type": "text", "text": "Hello, agent"}],
    }


def test_a_prompt_that_is_refused_is_a_failure():
    refused = {"error": {"code": -32603, "message": "no model"}}
    out, status = shown(agent({**WELL, "session/prompt": refused}), "--prompt", "Hello")
    assert status == 1
    assert "FAIL  prompt    `session/prompt` was answered with an error: no model" in out


def test_a_prompt_that_brings_no_text_is_a_note():
    empty = {"result": {"stopReason": "end_turn"}}
    out, _ = shown(agent({**WELL, "session/prompt": empty}), "--prompt", "Hello")
    assert "note  prompt    answered in #, stop reason `end_turn`; 0 updates; no text\n" in out


def test_an_agent_with_a_relative_path_is_noted(tmp_path):
    script = tmp_path / "agent.py"
    script.write_text("import acp_spy.demo.agent as demo; demo.main()")
    words = ["doctor", "--format", "json", "--", sys.executable, "agent.py"]
    first, *others = json.loads(acp_spy(*words, cwd=tmp_path).out)["checks"]
    assert (first["name"], first["verdict"], first["hint"]) == (
        "command",
        "note",
        f"use `{script}`",
    )
    assert (others[0]["name"], others[0]["verdict"]) == ("start", "ok")


def test_in_an_empty_folder_a_session_is_opened_there_and_the_folder_is_removed(tmp_path):
    doctor(agent(), "--empty-folder", "-o", f"{tmp_path}/x.jsonl")
    (new,) = [f for f in load(tmp_path / "x.jsonl").frames if b'"session/new"' in f.raw]
    folder = json.loads(new.raw)["params"]["cwd"]
    assert folder != os.getcwd()
    assert not os.path.exists(folder)


def test_noise_is_a_failure_with_the_frame_behind_it():
    out, status = shown(agent(at_start="print('\\x1b[2Jready', flush=True)"))
    assert status == 1
    assert (
        """\
FAIL  stdout    1 line that is not a message: `\\x1b[2Jready`
                hint: write logs to stderr; stdout is for messages only
FAIL  findings  1 error
"""
        in out
    )
    assert out.endswith(f"\nFailed: stdout, findings. {TRIED}\n")


def test_a_response_that_nobody_has_asked_for_is_not_the_one_that_is_waited_for(tmp_path):
    """A session takes longer to open than the agent is given to settle."""
    capture = tmp_path / "run.jsonl"
    at_start = """
print('{"jsonrpc":"2.0","id":1,"result":{"sessionId":"of nobody"}}', flush=True)
class Slow(dict):
    def get(self, method):
        time.sleep(2 * (method == "session/new"))
        return super().get(method)
answers = Slow(answers)
"""
    out, status = shown(agent(at_start=at_start), "-o", str(capture))
    assert status == 1
    assert "ok    session   opened in #" in out
    assert "RPC008" in out
    assert f"\nFailed: findings. {TRIED}\n" in out
    *_, response, end_of_client, _, _ = load(capture).records
    assert b'"s-1"' in response.raw
    assert end_of_client.sender is Peer.CLIENT


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
    assert "\nFAIL  session" not in out
    assert out.endswith(f" {ONLY_GREETED}\n")


def test_a_command_that_does_not_exist():
    assert shown(["nonesuch-agent"]) == (
        "FAIL  start  command not found: `nonesuch-agent`\n\nFailed: start.\n",
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
    pid, written = tmp_path / "pid", tmp_path / "written"
    listen, asked = probe.Probe._listen, []

    async def listen_when_it_runs(self, seconds, *until):
        """Start to count the time when it runs: on a busy machine that may take long."""
        while not pid.exists():  # noqa: ASYNC110 - it is another process
            await trio.sleep(0.01)
        asked.append((seconds, *until))
        await listen(self, seconds, *until)

    monkeypatch.setattr(probe.Probe, "_listen", listen_when_it_runs)
    monkeypatch.setattr(probe, "_EOF_PATIENCE", 0)
    monkeypatch.setattr(probe, "_TERM_PATIENCE", DEADLINE)
    silent = ["/bin/sh", "-c", f"echo $$ > {written}; mv {written} {pid}; exec sleep 600"]
    out, status = shown(silent, "--timeout", "0.1", "-o", f"{tmp_path}/x.jsonl")
    assert status == 1
    assert "FAIL  start     `initialize` was not answered within #\n" in out
    assert "FAIL  end       still running # after its stdin was closed; SIGTERM ended it" in out
    assert asked == [(0.1, probe.INITIALIZE)]
    assert not is_alive(int(pid.read_text()))
    assert load(tmp_path / "x.jsonl").exit.status == -15


def test_an_agent_that_writes_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr(probe, "_MOST_LINES", 500)
    out, status = shown(["/usr/bin/yes", "x" * 500])
    assert status == 1
    assert "`initialize` was not answered: the agent does not stop writing\n" in out
    assert "      end       was killed because it did not stop writing\n" in out


def test_a_flood_without_an_end_of_line_is_no_message_either():
    flood = python("import os\nwhile True: os.write(1, b'x' * 65536)")
    out, status = shown(flood)
    assert status == 1
    assert "FAIL  stdout    17 MB without an end of line\n" in out
    assert out.endswith(f"\nFailed: start, stdout. {ONLY_GREETED}\n")


def test_an_agent_that_sends_back_what_it_is_sent():
    assert shown(["/bin/cat"]) == (
        """\
FAIL  start     the agent sends back what it is sent
                hint: start the agent in ACP mode; many need an option such as
                `--acp`
ok    stdout    only messages
FAIL  findings  2 errors
                frame 2: error RPC015 the agent sent `initialize`; only the
                client sends it
                frame 4: error LIF007 `initialize` was answered with `-32601`
                (method not found); every agent must implement it
ok    end       exited with status 0, # after its stdin was closed

Failed: start, findings. Tried: `initialize`. Not tried: `session/new`, `session/prompt`.
""",
        1,
    )


def test_an_agent_that_ends_at_once_without_a_word():
    # Not before it was asked: it could be gone by then, and nothing would have been sent to it.
    assert shown(["/bin/sh", "-c", "read -r _"]) == (
        """\
FAIL  start     the agent exited with status 0 before it answered `initialize`,
                and wrote nothing to stderr
                hint: start the agent in ACP mode; many need an option such as
                `--acp`
      stdout    nothing
FAIL  findings  1 error
                frame 1: error RPC022 the agent exited with status 0 while
                `initialize` was pending
      end       exited with status 0 before its stdin was closed

Failed: start, findings. Tried: `initialize`. Not tried: `session/new`, `session/prompt`.
""",
        1,
    )


@pytest.mark.parametrize("form", effort.some_of(["json"], "text"))
def test_no_secret_of_the_command_or_the_agent_is_reported(tmp_path, form):
    """Wherever a line of the report is broken: secrets are masked before."""
    key, other = spelled_out("sk-ant-api03-<95>"), spelled_out("ghp_<36>")
    says = f"print('{key} is ready'); sys.exit('cannot log in with ' + 'x ' * 20 + '{other}')"
    command = [*agent(at_start=says), "--api-key", key]
    out, status = doctor(command, "--format", form, "-o", f"{tmp_path}/x.jsonl")
    assert status == 1
    assert "cannot log in with" in out
    plain = re.sub(r"\s", "", out)
    for secret in (key, other):
        assert secret[:20] not in plain
        assert secret.encode() in (tmp_path / "x.jsonl").read_bytes()


def test_an_agent_that_cannot_be_started_is_named_without_its_secrets():
    key = spelled_out("sk-ant-api03-<95>")
    out, status = doctor([f"./{key}"])
    assert status == 1
    assert key[:20] not in re.sub(r"\s", "", out)


@pytest.mark.parametrize("form", effort.some_of(["json"], "text"))
def test_the_capture_is_not_named_after_a_secret(tmp_path, form):
    program = tmp_path / f"agent-{spelled_out('ghp_<36>')}"
    program.write_text("#!/bin/sh\nread -r _\n")
    program.chmod(0o755)
    out, status = doctor([str(program)], "--format", form)
    assert status == 1
    assert "-agent-redacted-github-token-1-" in out
    assert program.name[:18] not in re.sub(r"\s", "", out)


def test_an_agent_that_only_writes_to_stderr_is_quoted():
    talks = python(
        "import sys\nfor n in range(9): print('log', n, file=sys.stderr)\nsys.stdin.read()"
    )
    out, status = shown(talks, "--timeout", "0.5")
    assert status == 1
    assert (
        "      stderr    9 lines, the last:\n"
        "                log 6\n"
        "                log 7\n"
        "                log 8\n"
    ) in out


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
        ("error: missing agent command\nhint: run `acp-spy doctor -- COMMAND [ARG]...`\n"),
        2,
    )


def test_a_capture_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    out, err, status = acp_spy("doctor", "-o", f"{tmp_path}/file/x.jsonl", "--", *agent())
    assert (out, status) == ("", 2)
    assert err == (
        f"error: cannot record the conversation: cannot write `{tmp_path}/file/x.jsonl`:"
        " Not a directory\n"
    )


def test_what_is_no_file_gets_no_capture_beside_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/null", "/dev/stdout"):
        out, err, status = acp_spy("doctor", "-o", path, "--", *agent())
        assert (out, status) == ("", 2)
        assert err.startswith(
            f"error: cannot record the conversation in `{path}`: it is not a regular file\n"
        )
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_folder_and_a_prompt_that_no_message_can_have_are_errors(tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(folder)
    assert acp_spy("doctor", "-o", f"{tmp_path}/x.jsonl", "--", *agent(), cwd=folder) == (
        "",
        (
            f"error: cannot use the folder `{tmp_path}/\\udcff`: it is not UTF-8\n"
            "hint: change to another, or add `--empty-folder`\n"
        ),
        2,
    )
    assert acp_spy("doctor", "--prompt", "\udcff", "--", *agent()) == (
        "",
        "error: cannot use the prompt `\\udcff`: it is not UTF-8\nhint: give it in UTF-8\n",
        2,
    )


def test_a_capture_whose_name_is_not_utf_8_is_named_in_json(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/d\xff.jsonl")
    out, _, status = acp_spy("doctor", "--format", "json", "-o", path, "--", "true")
    assert (json.loads(out)["capture"], status) == (f"{tmp_path}/d\\udcff.jsonl", 1)


def test_what_is_put_in_the_place_of_the_capture_is_not_judged(tmp_path):
    """It is exchanged by the agent here; another user of the folder can do the same."""
    path = tmp_path / "x.jsonl"
    forged = '{"type":"header","format":1,"command":["forged"]}\n'
    exchange = f"os.rename({str(path)!r}, {str(path) + '.old'!r}); open({str(path)!r}, 'w').write({forged!r})"
    out, status = doctor(agent(at_end=exchange), "--format", "json", "-o", str(path))
    assert (json.loads(out)["command"], status) == (agent(at_end=exchange), 0)
    assert path.read_text() == forged


def test_two_at_once_have_a_capture_each(tmp_path):
    wanted = str(tmp_path / "x.jsonl")
    with new_capture(wanted) as (path, one), new_capture(wanted) as (second, other):
        assert (path, second) == (wanted, str(tmp_path / "x-2.jsonl"))
        assert not os.path.samestat(os.fstat(one), os.fstat(other))
    assert list(tmp_path.iterdir()) == []  # nothing was recorded


def test_the_agent_does_not_inherit_the_capture_and_it_is_seen_to_be_recorded(tmp_path):
    path = tmp_path / "x.jsonl"
    look = (
        "import fcntl\n"
        "numbers = [n for n in os.listdir('/dev/fd') if os.path.exists('/dev/fd/' + n)]\n"
        f"capture = open({str(path)!r})\n"
        "given = any(os.path.sameopenfile(int(n), capture.fileno()) for n in numbers)\n"
        "try: fcntl.flock(capture, fcntl.LOCK_SH | fcntl.LOCK_NB)\n"
        f"except OSError: open({str(tmp_path / 'seen')!r}, 'w').write(f'{{given}}, locked')"
    )
    doctor(agent(at_end=look), "-o", str(path))
    assert (tmp_path / "seen").read_text() == "False, locked"


def test_it_works_without_a_stdin(tmp_path):
    words = [*ACP_SPY, "doctor", "-o", f"{tmp_path}/x.jsonl", "--", *agent()]
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *words],
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.stderr, done.returncode) == (b"", 0)
    assert load(tmp_path / "x.jsonl").exit.status == 0
