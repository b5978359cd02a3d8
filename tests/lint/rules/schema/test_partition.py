"""Every mismatch is reported by exactly one rule, whatever a peer sends, and no rule raises."""

import collections
import random

from hypothesis import given
from hypothesis import strategies as st
from support.changes import changed, examples_of, frames_of
from support.rules import checker, rules_with

from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.mismatches import find_mismatches
from acp_spy.lint.mistakes import group
from acp_spy.protocol.tables import spec
from acp_spy.wire.frame import Peer

RULES = rules_with("SCH")

BREACH_RULES = {rule.name: rule for rule in RULES if "mismatch" in rule.on}
CONVERSATIONS = examples_of(RULES)
# Words that send the walk down its odder paths.
WORDS = [
    *("type", "kind", "@type", "sessionUpdate", "session_update", "update", "outcome", "content"),
    *("toolCallId", "tool_call_id", "id", "name", "title", "env", "headers", "_meta", "optionId"),
    *("text", "message", "agent_message_chunk", "plan_update", "state_update", "selected", "stdio"),
    *("capabilities", "info", "tools", "code", "models", "usage", "protocolVersion", "0", "a/b~\n"),
]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=50),
    st.sampled_from(WORDS),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=12,
)


# Told with the answer, if it is a mistake then; told once for a key.
LATER_OR_ONCE = {"foreign-handshake-field", "unstable-field"}


def hold_to_the_partition(frames):
    """Check that the mistakes are all mismatches and each finding is one mistake."""
    tracker, linter = Tracker(), checker(RULES)
    for frame in frames:
        step = tracker.look_closely(frame)
        mismatches = find_mismatches(step)
        found = group(step.method, mismatches)
        grouped = [mismatch for one in found for mismatch in (*one.mismatches, *one.others)]
        assert collections.Counter(grouped) == collections.Counter(mismatches)
        assert {one.rule for one in found} <= BREACH_RULES.keys()
        findings = [f for f in linter.feed(frame) if f.name in BREACH_RULES]
        told = sorted(f.name for f in findings if f.name not in LATER_OR_ONCE)
        assert told == sorted(one.rule for one in found if one.rule not in LATER_OR_ONCE)
        for finding in findings:
            assert "\n" not in finding.text + finding.hint
            assert len(finding.text) < 700
        tracker.advance(step)
    linter.close()
    assert linter.crashes == []


@given(
    st.sampled_from(CONVERSATIONS),
    st.integers(0, 2**32),
    st.lists(st.tuples(values, st.sampled_from(WORDS)), min_size=1, max_size=4),
)
def test_each_breach_of_a_changed_message_is_told_once(conversation, seed, changes):
    hold_to_the_partition(frames_of(changed(conversation, random.Random(seed), changes)))


METHODS = sorted({m.name for name in ("v1", "v1-unstable", "v2") for m in spec(name).methods})


@given(st.sampled_from(METHODS), values, values, st.sampled_from([1, 2, "1", None]))
def test_no_rule_raises_whatever_the_params_and_the_result(method, params, result, version):
    hold_to_the_partition(
        frames_of(
            [
                (Peer.CLIENT, {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
                (Peer.AGENT, {"id": 0, "result": {"protocolVersion": version}}),
                (Peer.CLIENT, {"id": 1, "method": method, "params": params}),
                (Peer.AGENT, {"id": 1, "result": result}),
                (Peer.AGENT, {"id": 1, "method": method, "params": params}),
                (Peer.CLIENT, {"id": 1, "error": result}),
                (Peer.AGENT, {"method": method, "params": params}),
                (Peer.AGENT, {"method": "session/update", "params": {"update": params}}),
            ]
        )
    )


def test_a_great_many_breaches_are_told_in_few_words():
    items = [{"path": 5} for _ in range(5000)]
    update = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "locations": items}
    update |= {f"key{number}": 1 for number in range(5000)}
    params = {"sessionId": "s", "update": update}
    (frame,) = frames_of([(Peer.AGENT, {"method": "session/update", "params": params})])
    texts = [finding.text for finding in checker(RULES).feed(frame)]
    assert len(texts) == 2
    assert "(and 4999 more like it)" in texts[0] + texts[1]
    assert "and 4997 more are not fields of `ToolCall`" in texts[0] + texts[1]
