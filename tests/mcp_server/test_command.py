"""`acp-spy mcp`: what it refuses, and a real process with the official client."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from interop.peers import AGENTS
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header

RECORDINGS = str(Path(__file__).parents[2] / "recordings")


class _NotInstalled:
    """Finds nothing for the package, as Python does where it is not installed."""

    def find_spec(self, name, *_):
        if name == "mcp":
            raise ModuleNotFoundError("No module named 'mcp'", name="mcp")


def test_without_the_package_it_says_how_to_install_it(monkeypatch):
    loaded = [name for name in sys.modules if name.partition(".")[0] == "mcp"]
    for name in ("acp_spy.mcp_server.serve", *loaded):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [_NotInstalled(), *sys.meta_path])
    message = "error: cannot start the MCP server: the package `mcp` is not installed\n"
    hint = "hint: install it with `pip install 'acp-spy[mcp]'`\n"
    assert acp_spy("mcp") == ("", message + hint, 2)


def test_another_version_of_the_package_is_refused_as_well(monkeypatch):
    monkeypatch.delitem(sys.modules, "acp_spy.mcp_server.serve", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server.context", None)  # since version 2
    done = acp_spy("mcp")
    assert (done.out, done.status) == ("", 2)
    assert done.err.startswith("error: cannot start the MCP server: import of mcp.server.context")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--dir", "nowhere"], "cannot read `nowhere`: it does not exist"),
        (["nowhere.jsonl"], "cannot read `nowhere.jsonl`: No such file or directory"),
    ],
)
def test_what_does_not_exist_cannot_be_offered(words, why, tmp_path):
    done = acp_spy("mcp", *words, cwd=tmp_path)
    assert (done.out, done.status) == ("", 2)
    assert done.err.startswith(f"error: {why}\nhint: ")


def test_it_answers_nonsense_as_json_rpc_does_and_ends_with_its_stdin(tmp_path):
    lines = b'\xff nonsense\n[]\n{"a":1}\n{"jsonrpc":"2.0","id":7,"method":"no/such"}\n'
    answered = answers_to(lines, tmp_path)
    assert (answered[0]["id"], answered[0]["error"]["code"]) == (7, -32601)


def test_a_request_with_half_a_character_is_answered(tmp_path):
    """JavaScript cuts texts between the halves."""
    names = [r"\ud83d\ude00", r"\ud83d", r"\\ud83d"]
    asked = "".join(
        f'{{"jsonrpc":"2.0","id":{number},"method":"{name}"}}\n'
        for number, name in enumerate(names)
    )
    answered = answers_to(asked.encode(), tmp_path)
    assert sorted(each["id"] for each in answered) == [0, 1, 2]
    assert {each["error"]["code"] for each in answered} == {-32601}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a name is Unicode")
@pytest.mark.parametrize("escaped", [True, False])
def test_a_path_that_is_not_utf8_is_taken_as_it_was_listed(escaped, tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / os.fsdecode(b"bad\xff.jsonl")).write_bytes(encode([Header()]))
    tmp_path.joinpath("outside\ufffd.jsonl").write_bytes(encode([Header()]))

    def call(ident, name, **arguments):
        params = {"name": name, "arguments": arguments}
        asked = {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}
        return json.dumps(asked, ensure_ascii=escaped) + "\n"

    def results(*asked):
        params = {"protocolVersion": "2025-06-18", "capabilities": {}}
        params["clientInfo"] = {"name": "c", "version": "1"}
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        lines = f"{json.dumps(hello)}\n{json.dumps(ready)}\n" + "".join(asked)
        answered = answers_to(lines.encode(errors="surrogatepass"), folder)
        return {each["id"]: each["result"] for each in answered}

    (shown,) = results(call(1, "list_captures"))[1]["content"]
    (listed,) = json.loads(shown["text"])["captures"]
    assert listed["path"] == str(folder / os.fsdecode(b"bad\xff.jsonl"))
    for name in (listed["path"], os.fsdecode(b"bad\xff.jsonl"), os.fsdecode(b"bad\xff")):
        assert results(call(1, "diagnosis", capture=name))[1]["isError"] is False
    outside = str(tmp_path / "outside\ufffd.jsonl")
    for name in (outside, f"{folder}/../outside\ufffd.jsonl", os.fsdecode(b"other\xff.jsonl")):
        assert results(call(1, "diagnosis", capture=name))[1]["isError"] is True
    (folder / os.fsdecode(b"bad\xfe.jsonl")).write_bytes(encode([Header()]))
    refused = results(call(1, "diagnosis", capture=listed["path"]))[1]
    assert "matches 2 captures whose names are not UTF-8" in refused["content"][0]["text"]


HELLO = b'{"jsonrpc":"2.0","id":7,"method":"no/such"}\n'


def test_a_client_that_closes_its_socket_unread_ends_it(tmp_path):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        server = subprocess.Popen(
            [*ACP_SPY, "mcp"], cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE
        )
        theirs.close()
        ours.sendall(HELLO)
        assert ours.recv(1)  # the rest is left unread
        ours.close()
    with server:
        assert server.communicate(timeout=DEADLINE)[1] == b""
    assert server.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has it")
def test_a_stdout_that_takes_nothing_is_reported(tmp_path):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*ACP_SPY, "mcp"],
            cwd=tmp_path,
            input=HELLO,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=DEADLINE,
            check=False,
        )
    assert done.stderr == b"error: cannot serve on stdin and stdout: No space left on device\n"
    assert done.returncode == 2


def answers_to(asked, folder):
    """Return the answers to what is `asked` of a server that reads `folder`; then its stdin ends."""
    done = acp_spy("mcp", "--dir", folder, stdin=asked)
    assert (done.err, done.status) == ("", 0)
    return [json.loads(line) for line in done.out.splitlines()]


NESTED = "[" * 3000 + "]" * 3000


@pytest.mark.parametrize(
    ("name", "value", "answered_as"),
    [
        ("5", "9" * 10_000, 5),
        ('"x"', NESTED, "x"),
        ("6", "[" * 250 + "]" * 250, 6),
        ("9" * 10_000, "1", None),
    ],
)
def test_a_request_that_cannot_be_read_is_answered(name, value, answered_as, tmp_path):
    asked = f'{{"jsonrpc":"2.0","params":{{"a":{value}}},"method":"ping","id":{name}}}\n'
    asked += f'{{"jsonrpc":"2.0","params":{{"a":{NESTED}}},"method":"notifications/x"}}\n'
    asked += '{"jsonrpc":"2.0","id":7,"method":"no/such"}\n'
    answered = answers_to(asked.encode(), tmp_path)
    codes = {each["id"]: each["error"]["code"] for each in answered}
    assert codes == {answered_as: -32700, 7: -32601}


@pytest.mark.long
def test_a_request_that_is_none_of_json_rpc_is_answered(tmp_path):
    asked = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":5}\n'
        '{"jsonrpc":"1.0","id":2,"method":"ping"}\n'
        '{"jsonrpc":"2.0",\r"id":3,"method":"no/such"}\n'
    )
    answered = answers_to(asked.encode(), tmp_path)
    codes = {each["id"]: each["error"]["code"] for each in answered}
    assert codes == {1: -32700, 2: -32700, 3: -32601}


def test_a_real_process_and_a_real_agent(tmp_path):
    """The agent on the Python SDK is examined, and what was recorded of it is asked about."""
    import trio
    from mcp import Client, StdioServerParameters, stdio_client

    command = [*ACP_SPY, "mcp", "--dir", str(tmp_path), "--allow-run", RECORDINGS]
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=str(tmp_path))

    log = tmp_path / "log"

    async def ask(client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        return json.loads(result.content[0].text)

    async def main():
        with trio.fail_after(DEADLINE), log.open("w") as stderr:
            async with Client(stdio_client(server, errlog=stderr), mode="legacy") as client:
                agent = AGENTS["python-sdk"]
                found = await ask(client, "doctor", command=agent, timeout=DEADLINE)
                failed = {each["name"] for each in found["checks"] if each["verdict"] == "fail"}
                assert failed <= {"end"}  # it may take long to exit, on a busy machine
                assert found["initialize"]["protocolVersion"] == 1
                name = Path(found["capture"]).name
                seen = await ask(client, "diagnosis", capture=name)
                assert seen["frames"] == 4
                rows = await ask(client, "rows", capture=name, filter="kind:request")
                assert [row["what"] for row in rows["rows"]] == ["initialize", "session/new"]
                listed = await ask(client, "list_captures")
                assert len(listed["captures"]) == 7
                assert (await ask(client, "diagnosis", capture="claude.jsonl"))["frames"] == 57

    trio.run(main)
    assert log.read_text() == ""
