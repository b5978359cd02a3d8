"""A command name is one word without a slash."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import entries, is_first
from acp_spy.wire.values import fields


@rule(
    code="LIF137",
    name="invalid-command-name",
    severity=Severity.WARNING,
    summary="The name of a slash command contains a slash or a space",
    on=("update:available_commands_update",),
    covers=("CMD-02",),
    spec="https://agentclientprotocol.com/protocol/slash-commands#advertising-commands",
    bad=SESSION
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "/plan", "description": "Make a plan"}]}}}
""",
    good=SESSION
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "plan", "description": "Make a plan"}]}}}
""",
)
def invalid_command_name(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a command whose `name` starts with a slash, and, as a note, a name of several words. A
    command is advertised as `plan` and used as `/plan`. Only the first name in a list is reported.

    ## Why it matters

    Clients add the slash, so `/plan` becomes `//plan`, which the agent does not know. Some clients
    treat the text after a space as an argument, and version 2 forbids spaces.

    ## Use instead

    Send the name as one word without a slash.
    """
    listed = fields(fields(step.body).get("update")).get("availableCommands")
    wrong = [
        (i, command["name"])
        for i, command in entries(listed)
        if isinstance(command.get("name"), str) and _is_invalid(command["name"])
    ]
    slashed = [(i, name) for i, name in wrong if name.startswith("/")]
    for i, name in (slashed or wrong)[:1]:
        more = f" (and {len(wrong) - 1} more in this frame)" if len(wrong) > 1 else ""
        if is_first(reported, name):
            yield Remark(
                f"command name is `{name}`{more}; expected one word without a leading slash",
                at=f"/params/update/availableCommands/{i}/name",
                severity=None if slashed else Severity.NOTE,
                hint="remove the slash, and join words with `-` or `_`",
            )


def _is_invalid(name: str) -> bool:
    return name.startswith("/") or len(name.split()) > 1
