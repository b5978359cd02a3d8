"""What a person reads of each kind of message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import rows

from acp_spy.capture.transcript import parse
from acp_spy.protocol import events as ev
from acp_spy.view.gists.events import EVENTS

SESSION = """
    -> {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
    <- {"id":1,"result":{"sessionId":"s-1"}}
"""


def gist(transcript):
    return list(rows(parse(transcript)))[-1].gist


def call(method, **params):
    return gist(f"-> {json.dumps({'jsonrpc': '2.0', 'id': 9, 'method': method, 'params': params})}")


def answer(method, result, **params):
    asked = json.dumps({"jsonrpc": "2.0", "id": 9, "method": method, "params": params})
    return gist(f"-> {asked}\n<- {json.dumps({'jsonrpc': '2.0', 'id': 9, 'result': result})}")


def update(name, **fields):
    params = {"sessionId": "s-1", "update": {"sessionUpdate": name, **fields}}
    return "<- " + json.dumps({"method": "session/update", "params": params})


@pytest.mark.parametrize(
    ("method", "params", "shown"),
    [
        (
            "initialize",
            {
                "protocolVersion": 1,
                "clientInfo": {"name": "acpx", "version": "0.19.1"},
                "clientCapabilities": {
                    "fs": {"readTextFile": True, "writeTextFile": False},
                    "terminal": True,
                    "elicitation": {},
                    "_meta": {"x": 1},
                },
            },
            "acpx 0.19.1, version 1; offers fs.readTextFile, terminal, elicitation",
        ),
        ("session/new", {"cwd": "/p", "mcpServers": [{"name": "a"}, {"name": "b"}]}, "in /p, 2 MCP servers (a, b)"),
        ("session/load", {"sessionId": "s-1", "cwd": "/p", "mcpServers": []}, "s-1, in /p"),
        ("session/prompt", {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}, {"type": "image", "mimeType": "image/png", "data": ""}, {"type": "resource_link", "uri": "file:///a", "name": "a.py"}, {"type": "resource", "resource": {"uri": "file:///b"}}]}, "Hi [image image/png] [resource_link a.py] [resource file:///b]"),
        ("session/cancel", {"sessionId": "s"}, "cancels the turn"),
        ("session/set_mode", {"sessionId": "s", "modeId": "code"}, "mode code"),
        ("session/set_model", {"sessionId": "s", "modelId": "big"}, "model big"),
        ("session/set_config_option", {"sessionId": "s", "configId": "effort", "value": "high"}, "effort=high"),
        ("session/list", {}, "all"),
        ("session/list", {"cwd": "/p"}, "in /p"),
        ("session/close", {"sessionId": "s-1"}, "s-1"),
        ("authenticate", {"methodId": "api-key"}, "api-key"),
        ("fs/read_text_file", {"sessionId": "s", "path": "/p/a", "line": 3, "limit": 9}, "/p/a (from line 3, 9 lines at most)"),
        ("fs/write_text_file", {"sessionId": "s", "path": "/p/a", "content": "1\n2\n"}, "/p/a (2 lines)"),
        ("terminal/create", {"sessionId": "s", "command": "cargo", "args": ["test", "-q"], "cwd": "/p"}, "cargo test -q  in /p"),
        ("terminal/output", {"sessionId": "s", "terminalId": "t-1"}, "t-1"),
        ("elicitation/create", {"message": "Which one?"}, "Which one?"),
        ("$/cancel_request", {"requestId": 4}, "cancels the request with id 4"),
        ("_my/method", {"a": [1]}, '{"a": [1]}'),
        ("session/set_mode", {}, "mode "),
    ],
)  # fmt: skip
def test_a_call_is_told_so(method, params, shown):
    assert call(method, **params) == shown


@pytest.mark.parametrize(
    ("method", "params", "result", "shown"),
    [
        (
            "initialize",
            {},
            {
                "protocolVersion": 1,
                "agentInfo": {"name": "a", "version": "2"},
                "agentCapabilities": {"loadSession": True},
                "authMethods": [{"id": "login", "name": "Log in"}],
            },
            "a 2, version 1; offers loadSession; login by login",
        ),
        ("session/new", {}, {"sessionId": "s-1", "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask"}, {"id": "code"}]}, "configOptions": [{"id": "model", "currentValue": "big"}]}, "s-1, mode ask (of ask, code), model=big"),
        ("session/list", {}, {"sessions": [{"sessionId": "a"}, {"sessionId": "b"}]}, "2 sessions: a, b"),
        ("session/close", {"sessionId": "s-1"}, {}, "s-1 closed"),
        ("session/prompt", {"sessionId": "s-1"}, {"stopReason": "end_turn", "usage": {"totalTokens": 1234}}, "end_turn (1,234 tokens)"),
        ("session/prompt", {"sessionId": "s-1"}, {}, "end of turn"),
        ("session/prompt", {"sessionId": "s-1"}, {"messageId": "m-1"}, "accepted"),
        ("session/set_mode", {"modeId": "code"}, {}, "mode code"),
        ("fs/read_text_file", {}, {"content": "import os\nimport re\n"}, "2 lines: import os"),
        ("fs/write_text_file", {}, {}, "ok"),
        ("fs/write_text_file", {}, None, "null"),
        ("terminal/create", {}, {"terminalId": "t-1"}, "terminal t-1"),
        ("terminal/output", {}, {"output": "a\nb", "truncated": False, "exitStatus": {"exitCode": 0}}, "2 lines: a; exit 0"),
        ("terminal/wait_for_exit", {}, {"exitCode": 1}, "exit 1"),
        ("terminal/wait_for_exit", {}, {"exitCode": None, "signal": "SIGKILL"}, "killed by SIGKILL"),
        ("terminal/release", {"terminalId": "t-1"}, {}, "released t-1"),
        ("elicitation/create", {}, {"action": "decline"}, "decline"),
        ("_my/method", {}, {"a": 1}, '{"a": 1}'),
    ],
)  # fmt: skip
def test_an_answer_is_told_so(method, params, result, shown):
    assert answer(method, result, **params) == shown


PLAN = [
    {"content": "Read", "status": "completed"},
    {"content": "Think", "status": "in_progress"},
    {"content": "Write", "status": "pending"},
]


@pytest.mark.parametrize(
    ("name", "fields", "shown"),
    [
        ("agent_message_chunk", {"content": {"type": "text", "text": "Hi\n"}}, "Hi\n"),
        ("agent_thought_chunk", {"content": {"type": "text", "text": "Hm"}}, "Hm"),
        ("user_message_chunk", {"content": {"type": "image", "mimeType": "image/png"}}, "[image image/png]"),
        ("tool_call", {"toolCallId": "c", "title": "Read it", "kind": "read", "status": "pending", "locations": [{"path": "/p/a"}]}, "Read it (read) → pending, at /p/a"),
        ("tool_call_update", {"toolCallId": "c-9", "status": "failed"}, "c-9 → failed"),
        ("tool_call", {}, "a tool call without id"),
        ("plan", {"entries": PLAN}, "1/3 done, now: Think"),
        ("plan", {"entries": PLAN[2:]}, "0/1 done, ahead: Write"),
        ("plan", {"entries": PLAN[:1]}, "1/1 done"),
        ("current_mode_update", {"currentModeId": "code"}, "mode code"),
        ("config_option_update", {"configOptions": [{"id": "a", "currentValue": True}]}, "a=true"),
        ("available_commands_update", {"availableCommands": [{"name": "web"}, {"name": "test"}]}, "2 commands: web, test"),
        ("usage_update", {"used": 53000, "size": 200000, "cost": {"amount": 0.05, "currency": "USD"}}, "53,000 of 200,000 tokens (0.05 USD)"),
        ("session_info_update", {"title": "A talk"}, "title: A talk"),
        ("state_update", {"state": "idle", "stopReason": "end_turn"}, "idle (end_turn)"),
        ("notice", {"level": "warning", "message": "Slow"}, "warning: Slow"),
        ("terminal_update", {"terminalId": "t", "command": "ls", "exitStatus": {"exitCode": 2}}, "t, ls, exit 2"),
        ("made_up", {"a": 1, "b": {"c": 2}, "content": {"type": "text", "text": "Hi"}}, "Hi, a=1"),
    ],
)  # fmt: skip
def test_an_update_is_told_so(name, fields, shown):
    assert gist(SESSION + update(name, **fields)) == shown


def test_an_update_of_a_tool_call_has_the_title_and_kind_that_were_told_before():
    first = update("tool_call", toolCallId="c", title="Read it", kind="read")
    then = update("tool_call_update", toolCallId="c", status="completed")
    assert gist(f"{SESSION}\n{first}\n{then}") == "Read it (read) → completed"


ASK = {
    "sessionId": "s-1",
    "toolCall": {"toolCallId": "c", "title": "Delete it"},
    "options": [
        {"optionId": "y", "name": "Yes, once", "kind": "allow_once"},
        {"optionId": "n", "name": "No", "kind": "reject_once"},
    ],
}


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [
        ({"outcome": "selected", "optionId": "y"}, "Yes, once (allow_once)"),
        ({"outcome": "selected", "optionId": "maybe"}, "maybe"),
        ({"outcome": "cancelled"}, "cancelled"),
    ],
)
def test_a_permission_is_asked_and_the_option_that_was_chosen_is_told_by_its_name(outcome, shown):
    assert call("session/request_permission", **ASK) == "Delete it: Yes, once / No"
    assert answer("session/request_permission", {"outcome": outcome}, **ASK) == shown


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ({"code": -32602, "message": "Invalid params"}, "-32602 Invalid params"),
        ({"code": 1, "message": "No", "data": "because"}, "1 No: because"),
        ({"code": 1, "message": "No", "data": {"details": "disk full"}}, "1 No: disk full"),
        ({"code": 1}, '{"code": 1}'),
        ("no", '"no"'),
    ],
)
def test_an_error_is_told_by_code_message_and_details(error, shown):
    transcript = f'-> {{"id":1,"method":"m"}}\n<- {json.dumps({"id": 1, "error": error})}'
    assert gist(transcript) == shown


def test_long_json_is_cut():
    assert len(call("_my/method", data="x" * 100_000)) < 1100


def test_every_event_has_a_gist():
    assert set(EVENTS) == set(ev.Event.__subclasses__())


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
KEYS = ["update", "content", "entries", "options", "toolCall", "modes", "configOptions", "prompt", "locations", "agentCapabilities", "agentInfo", "authMethods", "mcpServers", "outcome", "exitStatus", "availableCommands", "cost", "data", "message"]  # fmt: skip
VARIANTS = ["agent_message_chunk", "tool_call", "plan", "usage_update", "notice", "terminal_update", "available_commands_update", "config_option_update", "state_update"]  # fmt: skip
METHODS = ["initialize", "session/new", "session/prompt", "session/update", "session/request_permission", "fs/read_text_file", "terminal/output", "session/list", "elicitation/create"]  # fmt: skip


@given(
    st.sampled_from(METHODS),
    st.sampled_from(VARIANTS),
    st.dictionaries(st.sampled_from(KEYS), anything, max_size=4),
    st.dictionaries(st.sampled_from(KEYS), anything, max_size=4) | anything,
)
def test_whatever_is_sent_has_a_gist(method, variant, params, result):
    if method == "session/update":
        params = {"sessionId": "s-1", "update": {**params, "sessionUpdate": variant}}
    asked = json.dumps({"id": 1, "method": method, "params": params})
    shown = json.dumps({"id": 1, "result": result})
    for row in rows(parse(f"-> {asked}\n<- {shown}\n<- {json.dumps({'id': 1, 'error': result})}")):
        assert isinstance(row.gist, str)


def test_a_dialect_s_history_is_read():
    from pathlib import Path

    from acp_spy import load

    path = Path(__file__).parent.parent.parent / "fixtures" / "dialect-threads.jsonl"
    shown = [row.gist for row in rows(load(path).records)]
    assert shown[-3] == (
        "history: Good morning!, /project/notes.txt (read) → completed, There is nothing in them."
    )
