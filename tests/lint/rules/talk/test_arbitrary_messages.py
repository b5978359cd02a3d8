"""Whatever a peer sends, no rule of this part raises."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import examples
from support.rules import rules_with

from acp_spy.lint.engine import Linter
from acp_spy.wire.frame import Frame, Peer

RULES = rules_with("LIF0")

METHODS = [
    "initialize", "authenticate", "auth/login", "logout", "session/new", "session/load",
    "session/resume", "session/fork", "session/close", "session/list", "session/delete",
    "session/prompt", "session/cancel", "session/set_mode", "session/update",
    "session/request_permission", "fs/read_text_file", "$/cancel_request", "_x", "proxy/successor",
]  # fmt: skip
KEYS = [
    "sessionId", "update", "sessionUpdate", "protocolVersion", "clientCapabilities", "clientInfo",
    "agentCapabilities", "mcpCapabilities", "promptCapabilities", "_meta", "fs", "auth", "name",
    "authMethods", "id", "methodId", "type", "cwd", "additionalDirectories", "mcpServers",
    "command", "prompt", "text", "sessions", "cursor", "nextCursor", "updatedAt", "stopReason",
    "outcome", "optionId", "options", "kind", "toolCall", "toolCallId", "messageId", "content",
    "used", "size", "cost", "amount", "currency", "requestId", "code", "message", "data", "path",
]  # fmt: skip
WORDS = [
    "s1", "s2", "", "/x", "~", "C:\\x", "file:///x", "terminal", "cancelled", "end_turn", "selected",
    "agent_message_chunk", "user_message_chunk", "tool_call", "usage_update", "session_info_update",
    "available_commands_update", "request cancelled", "2026-11-15", "USD",
]  # fmt: skip

scalars = (
    st.sampled_from(WORDS)
    | st.sampled_from([0, 1, 2, -32000, -32002, -32601, -32602, -32603, 10**30, 0.5, 1e308])
    | st.booleans()
    | st.none()
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
# More often than by chance, a message is about the same session and nearly right.
bodies = values | st.builds(
    lambda more, update: {"sessionId": "s1", "update": update, **more},
    st.dictionaries(st.sampled_from(KEYS), values, max_size=4),
    st.dictionaries(st.sampled_from(KEYS), values, max_size=4),
)
ids = st.sampled_from([0, 1, 2, "1", None, 1.5])
messages = st.one_of(
    st.fixed_dictionaries({"method": st.sampled_from(METHODS), "params": bodies, "id": ids}),
    st.fixed_dictionaries({"method": st.sampled_from(METHODS), "params": bodies}),
    st.fixed_dictionaries({"id": ids, "result": bodies}),
    st.fixed_dictionaries({"id": ids, "error": bodies}),
)


@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(Peer), messages, st.floats(0, 20)), min_size=1, max_size=25)
)
def test_no_rule_crashes_whatever_the_peers_say(said):
    linter, t = Linter(RULES), 0.0
    for seq, (sender, message, pause) in enumerate(said, start=1):
        t += pause
        linter.feed(
            Frame(seq, t, sender, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        )
    linter.close()
    assert linter.crashes == []
