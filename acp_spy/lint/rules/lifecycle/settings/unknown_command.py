"""A slash command is one of those that the agent has told."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import entries, names, quoted
from acp_spy.wire.values import fields

_COMMAND = re.compile(r"/([\w:.-]+)(?:\s|\Z)")
_ADVERTISED = (
    SESSION
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "plan", "description": "Make a plan"}]}}}
"""
)


@rule(
    code="LIF138",
    name="unknown-command",
    severity=Severity.NOTE,
    summary="A prompt begins with a slash command that was not advertised",
    on=("request:session/prompt",),
    covers=("CMD-03",),
    spec="https://agentclientprotocol.com/protocol/slash-commands#running-commands",
    bad=_ADVERTISED
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "/plam the release"}]}}
""",
    good=_ADVERTISED
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "/plan the release"}]}}
""",
)
def unknown_command(step: Step) -> Iterator[Remark]:
    """
    A prompt that begins with `/name` runs the command of that name, if the agent has advertised it.

    An unknown command is passed to the model as it stands. The user meant to run something and gets
    a chat about it instead.

    Offer the advertised commands for completion, and say so when a name is none of them. A text may
    begin with a slash for other reasons, so this is only a note; paths with more than one slash are
    passed over.
    """
    commands = names(step.session.commands if step.session else None, "name")
    _, block = next(entries(fields(step.body).get("prompt")), (0, {}))
    text = block.get("text")
    found = _COMMAND.match(text) if isinstance(text, str) and commands else None
    if found and found[1] not in [name.lstrip("/").split(" ")[0] for name in commands]:
        yield Remark(
            f"the prompt begins with `/{found[1]}`, but the commands are {quoted(commands)}",
            at="/params/prompt/0/text",
            hint="use a command from `available_commands_update`",
        )
