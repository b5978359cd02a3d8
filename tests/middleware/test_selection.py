"""A filter selects the frames on their way that it selects as rows of `view`."""

import pytest

from acp_spy.capture.transcript import parse
from acp_spy.middleware.context import Context
from acp_spy.middleware.selection import Selection
from acp_spy.view.filters import TOKENS_ON_THE_WAY, row_filter
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Frame

OPENING = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
"""
END = """
    <- noise
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
"""
SAID = (
    ("s1", "agent_message_chunk", ("a", "b", "c", "per", "mission", "d" * 99, "e", "f")),
    ("s1", "agent_thought_chunk", ("a", "b", "per", "mission", "c", "per", "", "mission")),
    ("other", "agent_message_chunk", ("a", "b", "c", "d", "permission")),
    ("s1", "agent_message_chunk", ("a", "b", "c")),
)
FILTERS = (
    [],
    ["from:agent"],
    ["-from:agent"],
    ["kind:notification"],
    ["-kind:notification"],
    ["method:agent_thought_chunk"],
    ["method:session/prompt"],
    ["session:other", "from:agent"],
    ["hop:successor"],
    ["tool:*"],
    ["text:permission"],
    ["-text:permission", "session:s1"],
    ["seq:9-14"],
    ["larger:200B"],
    ["after:20ms"],
    ["before:30ms", "kind:notification"],
    ["slower:1us"],
)


def talk():
    texts = []
    for session, name, words in SAID:
        for word in words:
            update = f'{{"sessionUpdate":"{name}","content":{{"type":"text","text":"{word}"}}}}'
            params = f'{{"sessionId":"{session}","update":{update}}}'
            texts.append(f'    <- {{"jsonrpc":"2.0","method":"session/update","params":{params}}}')
    lines = "\n".join(texts)
    return [each for each in parse(OPENING + lines + END + lines) if isinstance(each, Frame)]


def test_every_token_is_tried():
    tried = {token.lstrip("-").partition(":")[0] for tokens in FILTERS for token in tokens}
    assert tried == {token.name for token in TOKENS_ON_THE_WAY}


@pytest.mark.parametrize("tokens", FILTERS, ids=lambda tokens: " ".join(tokens) or "all")
def test_a_frame_is_selected_if_its_row_is(tokens):
    context, timeline = Context(pytest.fail, needs_rows=True), Timeline(ruleset=None)
    selection, selects = Selection(tokens), row_filter(tokens)
    for frame in talk():
        context.follow(frame)
        (row,) = timeline.feed(frame)
        assert selection.has(frame, context) == selects(row), frame
        assert selection.has(frame, context) == selection.has(frame, context)
