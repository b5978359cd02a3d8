"""MCP over ACP in its three drafts: the server, the session and the tool call of each message."""

import json
from pathlib import Path

import pytest

from acp_spy import load
from acp_spy.capture.transcript import parse
from acp_spy.conversation.state import McpCall
from acp_spy.conversation.tracker import Tracker

FIXTURES = Path(__file__).parents[2] / "fixtures"
DRAFTS = ("mcp-connections", "mcp-server-ids", "mcp-messages")


def follow(records):
    tracker = Tracker(only_steps=True)
    return tracker, [tracker.follow(record) for record in records]


def line(arrow, **message):
    return f"{arrow} {json.dumps({'jsonrpc': '2.0', **message})}\n"


@pytest.mark.parametrize("name", DRAFTS)
def test_a_call_is_of_its_server_its_session_and_its_tool_call(name):
    _, steps = follow(load(FIXTURES / f"{name}.jsonl").frames)
    calls = [step for step in steps if step.mcp and step.mcp.tool]
    asked = [step for step in calls if step.exchange and step.method == "mcp/message"]
    expected = McpCall("tools/call", "docs", "search_docs", "s-1", "c-1")
    assert [step.mcp for step in asked] == [expected, expected]
    assert asked[0].exchange is asked[1].exchange
    assert asked[0].name == "mcp/message › tools/call"


def test_calls_at_the_same_time_belong_to_the_tool_calls_that_name_their_tools():
    _, steps = follow(load(FIXTURES / "mcp-recorded.jsonl").frames)
    calls = {(step.mcp.tool, step.mcp.tool_call) for step in steps if step.mcp}
    assert calls == {("", None), ("search_docs", "call-1"), ("read_page", "call-2")}


def test_a_notification_of_the_current_draft_belongs_to_its_request():
    _, steps = follow(load(FIXTURES / "mcp-messages.jsonl").frames)
    (progress,) = [
        step for step in steps if step.mcp and step.mcp.method == "notifications/progress"
    ]
    assert progress.mcp.tool_call == "c-1"


def test_a_connection_is_open_until_it_is_disconnected():
    tracker, _ = follow(load(FIXTURES / "mcp-connections.jsonl").frames)
    (connection,) = tracker.state.mcp.connections.values()
    assert (connection.id, connection.server, connection.closed_seq) == ("conn-1", "srv-1", 20)


def test_an_open_request_is_forgotten_with_its_response():
    tracker, _ = follow(load(FIXTURES / "mcp-messages.jsonl").frames)
    assert tracker.state.mcp.active == {}


def test_the_spelling_before_any_draft_is_understood():
    tracker, steps = follow(
        parse(
            line(
                "->",
                id=1,
                method="session/new",
                params={
                    "cwd": "/p",
                    "mcpServers": [{"type": "http", "name": "docs", "url": "acp:1"}],
                },
            )
            + line("<-", id=1, method="_mcp/connect", params={"connectionId": "c", "url": "acp:1"})
            + line("->", id=1, result={"connectionId": "c"})
            + line("<-", id=1, result={"sessionId": "s"})
            + line(
                "<-",
                id=2,
                method="_mcp/message",
                params={"connectionId": "c", "method": "tools/list"},
            )
            + line("<-", method="_mcp/disconnect", params={"connectionId": "c"})
        )
    )
    assert steps[4].mcp == McpCall("tools/list", "docs", session="s")
    assert tracker.state.mcp.connections["c"].closed_seq == 6


@pytest.mark.parametrize("params", [None, [], 3, {"method": 7}, {"serverId": {}, "requestId": []}])
def test_whatever_is_sent_nothing_raises(params):
    for method in ("mcp/message", "mcp/connect", "mcp/disconnect"):
        _, (step, answer) = follow(
            parse(line("<-", id=1, method=method, params=params) + line("->", id=1, result=params))
        )
        assert step.mcp.tool_call is None
        assert answer.mcp is step.mcp
