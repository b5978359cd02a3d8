"""Whatever a peer sends, no rule of this family raises."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import examples
from support.rules import rules_with

from acp_spy.lint.engine import Linter
from acp_spy.protocol.gates import V1, V2
from acp_spy.wire.frame import Frame, Peer

RULES = rules_with("CAP")

METHODS = sorted(
    {
        *V1.methods,
        *V2.methods,
        "initialize",
        "session/new",
        "session/prompt",
        "session/update",
        "session/set_config_option",
        "session/set_mode",
        "auth/login",
        "auth/logout",
    }
)
KEYS = sorted(
    {
        *(part for gates in (V1, V2) for gate in gates.methods.values() for part in gate.path),
        *("protocolVersion", "clientCapabilities", "agentCapabilities", "capabilities", "update"),
        *("sessionUpdate", "prompt", "mcpServers", "type", "mode", "authMethods", "methodId"),
        *("configOptions", "sessions", "additionalDirectories", "systemPrompt", "archived"),
        *("sessionId", "code", "message", "data", "details", "modes"),
    }
)
WORDS = sorted({*V1.updates, *V1.prompt_blocks, *V1.mcp_servers, "form", "url", "terminal", "s1"})

values = st.recursive(
    st.none() | st.booleans() | st.integers(-32603, 3) | st.floats(allow_nan=False)
    | st.sampled_from([*WORDS, "override", "not implemented", ""]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
idents = st.integers(0, 3)
messages = st.one_of(
    st.fixed_dictionaries({"id": idents, "method": st.sampled_from(METHODS), "params": values}),
    st.fixed_dictionaries({"method": st.sampled_from(METHODS), "params": values}),
    st.fixed_dictionaries({"id": idents, "result": values}),
    st.fixed_dictionaries({"id": idents, "error": values}),
)


@settings(deadline=None, max_examples=examples(40))
@given(
    st.integers(1, 2),
    values,
    values,
    st.lists(st.tuples(st.sampled_from(list(Peer)), messages), max_size=12),
)
def test_no_message_makes_a_rule_raise(version, client, agent, sent):
    key = "capabilities" if version == 2 else "clientCapabilities"
    other = "capabilities" if version == 2 else "agentCapabilities"
    asked = {"protocolVersion": version, key: client}
    answered = {"protocolVersion": version, other: agent, "authMethods": client}
    opening = [
        (Peer.CLIENT, {"id": 9, "method": "initialize", "params": asked}),
        (Peer.AGENT, {"id": 9, "result": answered}),
    ]
    linter = Linter(RULES)
    for seq, (sender, message) in enumerate([*opening, *sent], start=1):
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        linter.feed(Frame(seq, seq / 10, sender, raw))
    linter.close()
    assert linter.crashes == []
