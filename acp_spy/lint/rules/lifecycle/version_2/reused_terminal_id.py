"""Version 2: a terminal id is never reused."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import TERMINAL, TURN, transcript, update_line

_EXIT = update_line(
    '"sessionUpdate": "terminal_update", "terminalId": "t1", "exitStatus": {"exitCode": 0}'
)


@rule(
    code="LIF210",
    name="reused-terminal-id",
    severity=Severity.ERROR,
    summary="The id of an exited terminal was reused for another command",
    on=("update:terminal_update",),
    version=2,
    covers=("V2-13",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls",
    bad=transcript(TURN, TERMINAL, _EXIT, TERMINAL.replace("make watch", "make test")),
    good=transcript(
        TURN, TERMINAL, _EXIT, TERMINAL.replace("make watch", "make test").replace("t1", "t2")
    ),
)
def reused_terminal_id(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a `terminal_update` that starts another command with the id of an exited
    terminal. A `terminalId` belongs to one terminal for the whole session.

    ## Why it matters

    The new command overwrites the old one. A tool call that shows the first command then shows the
    output of the second.

    ## Use instead

    Use a new id for each command.
    """
    update = update_of(step)
    name, command = update.get("terminalId"), update.get("command")
    if not isinstance(name, str) or step.session is None:
        return
    terminal = step.session.terminals.get(name)
    if terminal is None or not terminal.exited or not isinstance(command, str):
        return
    if terminal.command is not None and terminal.command != command:
        yield Remark(
            f"terminal `{name}` exited and now runs another command; expected a new id",
            at="/params/update/terminalId",
            see=terminal.seq,
            hint="use a new `terminalId` for each command",
        )
