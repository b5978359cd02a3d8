"""Version 2: the `cwd` of a command is absolute."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import TERMINAL, TURN, transcript
from acp_spy.protocol.paths import is_absolute
from acp_spy.wire.values import fields


@rule(
    code="LIF211",
    name="relative-command-cwd",
    severity=Severity.ERROR,
    summary="The `cwd` of a terminal or command is not absolute",
    on=("update:terminal_update", "request:session/request_permission"),
    version=2,
    covers=("V2-13", "V2-21"),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls",
    bad=transcript(TURN, TERMINAL.replace('"cwd": "/home/dev/project"', '"cwd": "project"')),
    good=transcript(TURN, TERMINAL),
)
def relative_command_cwd(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a relative `cwd` in a `terminal_update`, or in a permission request for a
    command.

    ## Why it matters

    The client may not know the working directory of the agent. A user who is asked for permission
    must see where the command runs.

    ## Use instead

    Send the absolute path.
    """
    if step.method == "session/update":
        cwd, place = update_of(step).get("cwd"), "/params/update/cwd"
    else:
        cwd = fields(fields(step.body).get("subject")).get("cwd")
        place = "/params/subject/cwd"
    if isinstance(cwd, str) and not is_absolute(cwd):
        yield Remark(
            f"`cwd` of the command is `{cwd[:80]}`; expected an absolute path",
            at=place,
            hint="send the absolute path",
        )
