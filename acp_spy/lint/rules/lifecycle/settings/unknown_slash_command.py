"""A slash command in a prompt was advertised."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._offers import commands
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import entries, quoted
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
    name="unknown-slash-command",
    severity=Severity.NOTE,
    summary="A prompt starts with a slash command that was not advertised",
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
def unknown_slash_command(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a prompt that starts with `/name` when the agent advertised commands but not this one.
    It is a note, because text may start with a slash for other reasons. Paths with more than one
    slash are not reported.

    ## Why it matters

    The agent passes an unknown command to the model as text. The user gets a chat about the command
    instead of its result.

    ## Use instead

    Complete commands from `available_commands_update`, and warn the user about unknown names.
    """
    _, block = next(iter(entries(fields(step.body).get("prompt"))), (0, {}))
    text = block.get("text")
    found = _COMMAND.match(text) if isinstance(text, str) else None
    if not found:
        return
    known = commands(step.session)
    if known.names and found[1] not in known.words:
        yield Remark(
            f"the prompt starts with `/{found[1]}`; expected one of {quoted(known.names)}",
            at="/params/prompt/0/text",
            hint="use a command from `available_commands_update`",
        )
