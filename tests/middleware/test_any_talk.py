"""
Whatever two peers say, in whatever order: a translation has no bug, and each answer comes once.

Requests of both, at once and about the same things; answers that are errors, come twice, or that
nobody has asked for; fields that lack or are of another kind.
"""

import json
import re
from random import Random

import pytest
from support import effort

from acp_spy.middleware.dialects.known import TRANSLATIONS
from acp_spy.middleware.options import make_stages
from acp_spy.middleware.pipeline import Pipeline
from acp_spy.wire.frame import Frame, Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT
NAMES = ["x1", "x2"]
TEXT = {"type": "text", "text": "x"}
ODD = [None, 5, -1, 1.5, True, "", "x", [], {}, [None], [[]], {"x": 1}, ["x1"], [{}], 10**20]
STATES = ["idle", "running", "pending", "in_progress", "completed", "failed", "cancelled", "paused"]
REASONS = ["end_turn", "cancelled", "refusal", "error", "max_tokens", "done", "odd"]
UPDATES = [
    *("agent_message_chunk", "user_message_chunk", "agent_thought_chunk", "tool_call", "plan"),
    *("tool_call_update", "tool_call_content_chunk", "state_update", "available_commands_update"),
    *(
        "current_mode_update",
        "agent_message",
        "user_message",
        "plan_update",
        "config_option_update",
    ),
    *("agentMessageChunk", "toolCall", "toolCallUpdate", "usage_update", "session_info_update"),
]
BY_AGENTS = re.compile(
    "session/(update|request)|fs/|terminal|stream|push|update|request|read|write"
)
SAID = [TEXT, [TEXT], "x", {"role": "user", "chunks": [TEXT]}]
LISTS = [[TEXT], [], [TEXT, TEXT]]
FIELDS = {
    **dict.fromkeys(("sessionId", "threadId", "toolCallId", "id", "messageId", "terminalId"), NAMES),
    **dict.fromkeys(("session_id", "tool_call_id", "methodId", "modeId", "optionId"), NAMES),
    **dict.fromkeys(("status", "state"), STATES),
    **dict.fromkeys(("stopReason", "stop_reason", "outcome", "reason"), REASONS),
    **dict.fromkeys(("content", "chunk", "message"), SAID),
    **dict.fromkeys(("prompt", "chunks", "entries", "messages"), LISTS),
    "options": [[{"optionId": "o", "name": "Yes", "kind": "allow_once"}], []],
    "toolCall": [{"toolCallId": "x1", "title": "Look"}, {"toolCallId": "x2"}],
    "agentCapabilities": [{"loadSession": True, "sessionCapabilities": {"list": {}}}, {}],
    "clientCapabilities": [{"fs": {"readTextFile": True}, "terminal": True}, {}],
    "sessions": [[{"sessionId": "x1"}, {"sessionId": "x2", "updatedAt": "2026"}]],
    "protocolVersion": [1, 2, "1"],
    "cwd": ["/", "/p"],
    "path": ["/p/a"],
    "mcpServers": [[], [{"name": "m", "command": "/m", "args": [], "env": []}]],
    "title": ["Look"],
    "kind": ["read", "execute"],
    "name": ["x"],
    "subject": [{"type": "tool_call", "toolCall": {"toolCallId": "x1"}}, {"type": "command"}],
}  # fmt: skip


class Talk:
    """Two peers of one pipeline, which know what they were asked."""

    def __init__(self, name, side, random):
        option = f"{side.value}_dialect"
        self.random = random
        self.complaints = []
        self.asked = {CLIENT: [], AGENT: []}
        self.pipeline = Pipeline(make_stages({option: name}), complain=self.complaints.append)
        translation = self.pipeline.stages[0]._translation
        official = [*translation.writes, *translation.calls]
        own = [*translation.reads, *(each.name for each in translation.calls.values())]
        # Each talk is about a few things, so that they come together.
        few = {side: self._of(side, own), side.other: self._of(side.other, official)}
        self.methods = {
            peer: random.sample(names, min(3, len(names))) for peer, names in few.items()
        }
        self.odd = random.choice([0.0, 0.02, 0.2])
        self.errors = random.choice([0.0, 0.3, 1.0])
        self.count = 0

    def _of(self, peer, methods):
        """Return what this peer asks for, mostly: all, now and then."""
        names = sorted(set(methods))
        if self.random.random() < 0.1:
            return names
        return [name for name in names if bool(BY_AGENTS.match(name)) is (peer is AGENT)] or names

    def say(self, sender, message):
        """Send a message; take note of what is asked."""
        self.count += 1
        raw = json.dumps(message).encode() + b"\n"
        self.pipeline.take(Frame(self.count, 0.0, sender, raw))
        _, lines = self.pipeline.collect()
        for to, line in lines:
            said = json.loads(line)
            if isinstance(said, dict) and "method" in said and "id" in said:
                self.asked[to].append(said["id"])

    def step(self):
        random = self.random
        sender = random.choice((CLIENT, AGENT))
        if self.asked[sender] and random.random() < 0.5:
            ident = random.choice(self.asked[sender])
            if random.random() < 0.95:
                self.asked[sender].remove(ident)  # else it is answered again
            self.say(sender, {"jsonrpc": "2.0", "id": ident, **self.answer()})
            return
        method = random.choice(self.methods[sender])
        message = {"jsonrpc": "2.0", "method": method, "params": self.params()}
        if random.random() < 0.7:
            message["id"] = random.choice([self.count, self.count, "a", 1, None])
        if random.random() < self.odd:
            message.pop(random.choice([*message]))
        self.say(sender, message)

    def answer(self):
        if self.count > 2 and self.random.random() < self.errors:
            return {"error": self.random.choice([{"code": -32000, "message": "no"}, {}, "x", 5])}
        return {"result": self.params()}

    def params(self):
        random = self.random
        if random.random() < self.odd:
            return random.choice(ODD)
        made = {
            name: random.choice(ODD if random.random() < self.odd else values)
            for name, values in FIELDS.items()
            if random.random() < 0.9
        }
        for tag in ("sessionUpdate", "type", "update_type"):
            update = {**made, tag: random.choice(UPDATES)}
            if random.random() < 0.5:
                made["update"] = update
        return made


@pytest.mark.parametrize("side", Peer)
@pytest.mark.parametrize("name", TRANSLATIONS)
def test_no_order_of_messages_is_a_bug(name, side):
    for seed in range(effort.examples(4)):
        talk = Talk(name, side, Random(f"{name} {side} {seed}"))
        for _ in range(60):
            talk.step()
        assert not [each for each in talk.complaints if "bug" in each], seed
