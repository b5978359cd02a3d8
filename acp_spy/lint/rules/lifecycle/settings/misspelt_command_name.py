"""The name of a command is one word, without its slash."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import entries, is_first
from acp_spy.wire.values import fields


@rule(
    code="LIF137",
    name="misspelt-command-name",
    severity=Severity.WARNING,
    summary="A slash command's name has a slash or a space in it",
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
def misspelt_command_name(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    A command is advertised by its bare name, `plan`, and used as `/plan` at the beginning of a prompt.

    Clients put the slash in front themselves, so that `/plan` becomes `//plan`, which the agent does
    not know. A name of several words is a note: some clients end the name at the first space and
    take the rest for an argument, and version 2 forbids it.

    Send the name without the slash, as one word. The first of a list is told.
    """
    listed = fields(fields(step.body).get("update")).get("availableCommands")
    wrong = [
        (i, command["name"])
        for i, command in entries(listed)
        if isinstance(command.get("name"), str) and _is_misspelt(command["name"])
    ]
    slashed = [(i, name) for i, name in wrong if name.startswith("/")]
    for i, name in (slashed or wrong)[:1]:
        more = f" (and {len(wrong) - 1} more here)" if len(wrong) > 1 else ""
        if is_first(reported, name):
            yield Remark(
                f"command `{name}`{more}; expected one word without a slash in front",
                at=f"/params/update/availableCommands/{i}/name",
                severity=None if slashed else Severity.NOTE,
                hint="leave out the slash, and join words with `-` or `_`",
            )


def _is_misspelt(name: str) -> bool:
    return name.startswith("/") or len(name.split()) > 1
