"""Whatever a peer sends, no rule of this part raises, and none remembers without end."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import examples
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.engine import Linter
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    ACCEPTED,
    ECHO,
    PROMPT,
    SESSION,
    transcript,
)
from acp_spy.wire.frame import Frame, Peer

RULES = rules_with("LIF2")

TOPICS = [topic for rule in RULES for topic in rule.on]
METHODS = sorted(
    {
        "session/update",
        "initialize",
        *(
            topic.partition(":")[2]
            for topic in TOPICS
            if topic.startswith(("request:", "result:", "error:", "notification:"))
        ),
    }
)
UPDATES = sorted({t.partition(":")[2] for t in TOPICS if t.startswith("update:")})
KEYS = [
    *(
        "sessionId",
        "update",
        "sessionUpdate",
        "state",
        "stopReason",
    ),
    *(
        "background",
        "type",
        "toolCallId",
        "terminalId",
        "title",
    ),
    *(
        "command",
        "cwd",
        "exitStatus",
        "capabilities",
        "cancel",
    ),
    *(
        "content",
        "changes",
        "path",
        "patch",
        "format",
    ),
    *(
        "text",
        "messageId",
        "replayFrom",
        "protocolVersion",
        "data",
    ),
    *(
        "requested",
        "supported",
        "code",
        "message",
        "sessions",
    ),
    *(
        "archived",
        "status",
        "accounts",
        "providers",
        "providerId",
    ),
    *(
        "required",
        "mcpServers",
        "serverId",
        "name",
        "method",
    ),
    *(
        "systemPrompt",
        "subject",
        "senderSessionId",
        "recipientSessionId",
        "agentCapabilities",
    ),
    *(
        "sessionCapabilities",
        "archive",
        "list",
    ),
]
WORDS = [
    *(
        "s1",
        "c1",
        "t1",
        "m1",
        "idle",
    ),
    *(
        "running",
        "requires_action",
        "cancelled",
        "end_turn",
        "tool_call",
    ),
    *(
        "terminal",
        "subagent",
        "start",
        "git_patch",
        "open",
    ),
    *(
        "acp",
        "initialize",
        "diff",
    ),
]
PATCHES = ["--- a/x\n+++ /y\n@@ -1,9 +1 @@\n-x", "@@ -99999999999999999999 +1 @@\n", "From x", ""]

values = st.recursive(
    st.none() | st.booleans() | st.integers(-32602, 3) | st.floats(allow_nan=False)
    | st.sampled_from([*WORDS, *UPDATES, *PATCHES]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=15,
)  # fmt: skip
idents = st.integers(0, 4)
updates = st.builds(
    lambda sort, more: {"sessionId": "s1", "update": {**more, "sessionUpdate": sort}},
    st.sampled_from(UPDATES),
    st.dictionaries(st.sampled_from(KEYS), values, max_size=5),
)
messages = st.one_of(
    st.fixed_dictionaries({"id": idents, "method": st.sampled_from(METHODS), "params": values}),
    st.fixed_dictionaries({"method": st.sampled_from(METHODS), "params": values}),
    st.fixed_dictionaries({"method": st.just("session/update"), "params": updates}),
    st.fixed_dictionaries({"id": idents, "result": values}),
    st.fixed_dictionaries({"id": idents, "error": values}),
)


@settings(deadline=None, max_examples=examples(40))
@given(st.lists(st.tuples(st.sampled_from(list(Peer)), messages), max_size=15))
def test_no_message_makes_a_rule_raise(sent):
    linter = Linter(RULES)
    for record in parse(transcript(SESSION, PROMPT)):
        linter.feed(record)
    for seq, (sender, message) in enumerate(sent, start=10):
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        linter.feed(Frame(seq, seq / 10, sender, raw))
    linter.close()
    assert linter.crashes == []


def test_memory_has_a_bound():
    linter = Linter(RULES)
    for record in parse(SESSION):
        linter.feed(record)
    for number in range(3000):
        lines = (PROMPT, ECHO if number % 2 else ACCEPTED)
        for record in parse("\n".join(lines).replace("m1", f"m{number}")):
            linter.feed(record)
    tables = [table for own in linter._memory.values() for table in (own, *own.values())]
    assert max(len(table) for table in tables if isinstance(table, dict)) <= 1024
