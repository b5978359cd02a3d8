"""Conversations for tests that want something of everything."""

import json

from acp_spy.capture.records import Header, Record
from acp_spy.capture.transcript import parse
from acp_spy.wire.frame import Frame


def update(variant, **fields):
    """Return a line of arrow notation: an update of session `s-1`."""
    message = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": "s-1", "update": {"sessionUpdate": variant, **fields}},
    }
    return f"<- {json.dumps(message)}"


def says(text, variant="agent_message_chunk"):
    return update(variant, content={"type": "text", "text": text})


# Frame by frame: 1-4 handshake, 5 prompt, 6-8 thought, 9 tool call, 10-11 permission, 12-13 updates,
# 14-18 text, 19 wrong enum, 20 end, 21 noise, 22 a request that nobody answers.
TALK = "\n".join(
    [
        '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"editor","version":"1.2"}}}',
        "!! warming up",
        "@ 0.4",
        '<- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":{},"mcpCapabilities":{"http":true}},"authMethods":[],"agentInfo":{"name":"helper","version":"3.4"}}}',
        "@ 1",
        '-> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}',
        '<- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}',
        "@ 2",
        '-> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Mend the tests"}]}}',
        "@ 2.5",
        says("Let me ", "agent_thought_chunk"),
        says("look at ", "agent_thought_chunk"),
        says("that", "agent_thought_chunk"),
        update("tool_call", toolCallId="c-1", title="Run pytest", kind="execute", status="pending"),
        '<- {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c-1"},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"}]}}',
        "@ 4",
        '-> {"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}',
        update("tool_call_update", toolCallId="c-1", status="in_progress"),
        "@ 5",
        update("tool_call_update", toolCallId="c-1", status="completed"),
        *[says(word) for word in ("All ", "twelve ", "tests ", "pass ", "now.")],
        update("plan", entries=[{"content": "rest", "priority": "high", "status": "dancing"}]),
        "@ 6",
        '<- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}',
        "<~ [info] bye\\n",
        '-> {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Still there?"}]}}',
        "@ 7",
        "-> EOF",
        "== 0",
    ]
)


def talk():
    """Return the records of `TALK`, with a header."""
    header = Header(started="2026-01-05T09:30:00.250000Z", command=("helper", "--acp"))
    return [header, *parse(TALK)]


def long_talk(frames):
    """Return a conversation of so many frames, turn after turn as `TALK` has them."""
    records: list[Record] = parse(TALK)[:5]
    turn = [record for record in parse(TALK)[5:22] if isinstance(record, Frame)]
    number, seq, t = 0, 4, 2.0
    while seq < frames:
        number += 1
        for frame in turn:
            # Forty pieces of text for each one, as agents stream them.
            for _ in range(40 if b"agent_message_chunk" in frame.raw else 1):
                seq, t = seq + 1, t + 0.01
                raw = frame.raw.replace(b"c-1", b"c-%d" % number)
                raw = raw.replace(b'"id":2', b'"id":%d' % (number + 100))
                raw = raw.replace(b'"id":0', b'"id":%d' % number)
                records.append(Frame(seq, round(t, 6), frame.sender, raw))
    return records[: frames + 1]  # and one line on stderr
