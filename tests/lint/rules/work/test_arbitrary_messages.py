"""Whatever a peer sends, no rule of this part raises."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import examples
from support.rules import rules_with

from acp_spy.lint.engine import Linter
from acp_spy.wire.frame import Frame, Peer

RULES = rules_with("LIF1")

NAMES = st.sampled_from(["s1", "call_1", "term_1", "e1", "c1", "model", "yes", "", "/x", "a b"])
KEYS = st.sampled_from(
    [
        "sessionId",
        "update",
        "sessionUpdate",
        "toolCallId",
        "toolCall",
        "title",
        "name",
        "status",
        "kind",
        "content",
        "locations",
        "path",
        "line",
        "limit",
        "type",
        "options",
        "optionId",
        "outcome",
        "terminalId",
        "outputByteLimit",
        "output",
        "truncated",
        "exitStatus",
        "exitCode",
        "signal",
        "cwd",
        "entries",
        "modes",
        "availableModes",
        "currentModeId",
        "modeId",
        "id",
        "configOptions",
        "configId",
        "value",
        "currentValue",
        "category",
        "availableCommands",
        "prompt",
        "text",
        "data",
        "mimeType",
        "uri",
        "resource",
        "blob",
        "compactionId",
        "elicitationId",
        "mode",
        "url",
        "requestedSchema",
        "properties",
        "required",
        "enum",
        "minimum",
        "maxLength",
        "action",
        "_meta",
        "traceparent",
        "tracestate",
        "baggage",
    ]
)
WORDS = st.sampled_from(
    [
        "tool_call",
        "tool_call_update",
        "plan",
        "current_mode_update",
        "config_option_update",
        "notice",
        "terminal",
        "diff",
        "available_commands_update",
        "compaction_update",
        "compaction_summary_chunk",
        "agent_message_chunk",
        "image",
        "pending",
        "in_progress",
        "completed",
        "failed",
        "selected",
        "cancelled",
        "allow_once",
        "reject_once",
        "select",
        "boolean",
        "form",
        "url",
        "accept",
        "resource",
        "resource_link",
        "audio",
        "string",
        "integer",
        "array",
        "mode",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 70000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES
    | WORDS
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=12,
)
METHODS = st.sampled_from(
    [
        "session/update",
        "session/update",
        "session/update",
        "session/request_permission",
        "session/prompt",
        "session/new",
        "session/load",
        "session/cancel",
        "session/close",
        "session/set_mode",
        "session/set_config_option",
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/release",
        "elicitation/create",
        "elicitation/complete",
        "$/cancel_request",
        "_example/extension",
    ]
)
UPDATES = st.fixed_dictionaries(
    {"sessionUpdate": WORDS},
    optional={
        "toolCallId": NAMES | VALUES,
        "status": WORDS | VALUES,
        "content": VALUES,
        "locations": VALUES,
        "entries": VALUES,
        "configOptions": VALUES,
        "availableCommands": VALUES,
        "compactionId": NAMES | VALUES,
        "name": VALUES,
    },
)
PARAMS = VALUES | st.fixed_dictionaries(
    {"sessionId": NAMES | VALUES},
    optional={
        "update": UPDATES | VALUES,
        "toolCall": UPDATES | VALUES,
        "options": VALUES,
        "terminalId": NAMES | VALUES,
        "elicitationId": NAMES | VALUES,
        "mode": st.sampled_from(["form", "url"]),
        "requestedSchema": st.fixed_dictionaries({"properties": VALUES, "required": VALUES}),
        "url": VALUES,
        "prompt": VALUES,
        "configId": NAMES | VALUES,
        "value": VALUES,
        "limit": VALUES,
        "_meta": VALUES,
    },
)
RESULTS = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "sessionId": NAMES,
        "modes": VALUES,
        "configOptions": VALUES,
        "outcome": VALUES,
        "terminalId": NAMES | VALUES,
        "output": VALUES,
        "exitStatus": VALUES,
        "action": WORDS,
        "content": VALUES,
        "_meta": VALUES,
    },
)
IDS = st.integers(0, 3)
MESSAGES = st.one_of(
    st.fixed_dictionaries({"id": IDS, "method": METHODS, "params": PARAMS}),
    st.fixed_dictionaries({"method": METHODS, "params": PARAMS}),
    st.fixed_dictionaries({"id": IDS, "result": RESULTS}),
    st.fixed_dictionaries({"id": IDS, "error": VALUES}),
)
OPENING = [
    (Peer.CLIENT, {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
    (Peer.AGENT, {"id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}}),
    (Peer.CLIENT, {"id": 0, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}}),
    (Peer.AGENT, {"id": 0, "result": {"sessionId": "s1"}}),
]


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.tuples(st.sampled_from(list(Peer)), MESSAGES), max_size=12))
def test_no_message_makes_a_rule_raise(messages):
    linter = Linter(RULES)
    for seq, (sender, message) in enumerate(OPENING + messages, start=1):
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        linter.feed(Frame(seq, seq / 1000, sender, raw + b"\n"))
    linter.close()
    assert linter.crashes == []
