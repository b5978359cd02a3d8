"""Two days of one conversation, for what compares captures: what is said, and what changed."""

from support.conversations import TALK, says, update

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse

# The second day: other ids, another folder, a newer agent; a tool call more, no permission, the
# same text in other pieces; the wrong word is mended, and the agent crashes at the end.
NEXT_DAY = "\n".join(
    [
        '-> {"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"editor","version":"1.2"}}}',
        "@ 0.1",
        '<- {"jsonrpc":"2.0","id":"a","result":{"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":{},"mcpCapabilities":{"http":true}},"authMethods":[],"agentInfo":{"name":"helper","version":"3.5"}}}',
        "@ 1",
        '-> {"jsonrpc":"2.0","id":"b","method":"session/new","params":{"cwd":"/srv/work","mcpServers":[]}}',
        '<- {"jsonrpc":"2.0","id":"b","result":{"sessionId":"s-1"}}',
        "@ 2",
        '-> {"jsonrpc":"2.0","id":"c","method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Mend the tests"}]}}',
        "@ 2.5",
        says("Let me look", "agent_thought_chunk"),
        says(" at that", "agent_thought_chunk"),
        update("tool_call", toolCallId="x-1", title="Read a.py", kind="read", status="pending"),
        update("tool_call_update", toolCallId="x-1", status="in_progress"),
        update("tool_call_update", toolCallId="x-1", status="completed"),
        update("tool_call", toolCallId="x-2", title="Run pytest", kind="execute", status="pending"),
        update("tool_call_update", toolCallId="x-2", status="in_progress"),
        "@ 5",
        update("tool_call_update", toolCallId="x-2", status="failed"),
        *[says(word) for word in ("All twelve ", "tests pass now.")],
        update("plan", entries=[{"content": "rest", "priority": "high", "status": "pending"}]),
        "@ 5.5",
        '<- {"jsonrpc":"2.0","id":"c","result":{"stopReason":"end_turn"}}',
        "<~ [info] bye\\n",
        '-> {"jsonrpc":"2.0","id":"d","method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Still there?"}]}}',
        "@ 6",
        "-> EOF",
        "== 1",
    ]
).replace("s-1", "sess-81")


def write_two_days(folder):
    """Write `monday.jsonl` and `tuesday.jsonl`."""
    for name, talk, cwd in (("monday", TALK, "/project"), ("tuesday", NEXT_DAY, "/srv/work")):
        header = Header(started="2026-01-05T09:30:00.250000Z", command=("helper",), cwd=cwd)
        (folder / f"{name}.jsonl").write_bytes(encode([header, *parse(talk)]))
