"""Version 2: a command runs in an absolute folder."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import TERMINAL, TURN, transcript
from acp_spy.protocol.paths import is_absolute
from acp_spy.wire.values import fields


@rule(
    code="LIF211",
    name="relative-command-directory",
    severity=Severity.ERROR,
    summary="The `cwd` of a terminal or of a command is not absolute",
    on=("update:terminal_update", "request:session/request_permission"),
    version=2,
    covers=("V2-13", "V2-21"),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls",
    bad=transcript(TURN, TERMINAL.replace('"cwd": "/home/dev/project"', '"cwd": "project"')),
    good=transcript(TURN, TERMINAL),
)
def relative_command_directory(step: Step) -> Iterator[Remark]:
    """
    In version 2 an agent tells in which folder a command runs: as `cwd` of a `terminal_update`, and
    when it asks for leave to run one. The client may not know the agent's own folder, so that a
    relative path tells it nothing. A user who is asked for permission has to see where.

    Send the whole path, from the root on.
    """
    if step.method == "session/update":
        cwd, place = update_of(step).get("cwd"), "/params/update/cwd"
    else:
        cwd = fields(fields(step.body).get("subject")).get("cwd")
        place = "/params/subject/cwd"
    if isinstance(cwd, str) and not is_absolute(cwd):
        yield Remark(
            f"a command's `cwd` is `{cwd[:80]}`; an absolute path was expected",
            at=place,
            hint="send the path from the root on",
        )
