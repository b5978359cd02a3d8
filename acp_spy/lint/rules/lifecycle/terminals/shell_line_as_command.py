"""A command and its arguments are separate."""

import re
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._opening import END, TOOL_CALL
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.protocol.paths import is_absolute
from acp_spy.wire.values import fields

_OPERATOR = re.compile(r"[|&;<>$`*\n]")
_RELEASED = """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"terminalId": "term_1"}}
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/release", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""


@rule(
    code="LIF154",
    name="shell-line-as-command",
    severity=Severity.WARNING,
    summary="`terminal/create` has a whole shell line as `command`, without `args`",
    on=("request:terminal/create",),
    covers=("TRM-11",),
    spec="https://agentclientprotocol.com/protocol/terminals#executing-commands",
    since="0.2",
    bad=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "terminal/create", "params": {"sessionId": "s1", "command": "npm test -- --coverage"}}
"""
    + _RELEASED
    + END,
    good=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "terminal/create", "params": {"sessionId": "s1", "command": "npm", "args": ["test", "--", "--coverage"]}}
"""
    + _RELEASED
    + END,
)
def shell_line_as_command(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `terminal/create` whose `command` is a program with arguments, or a shell line, and
    that has no `args`. It is reported once per session. An absolute path may contain spaces.

    ## Why it matters

    Some clients run `command` in a shell, where this works. Others start the program of that name,
    and find none.

    ## Use instead

    Send the program as `command` and its arguments as `args`. For a shell line, send the shell:
    `"command": "sh", "args": ["-c", "npm test && npm run lint"]`.
    """
    params = fields(step.body)
    command = params.get("command")
    if not isinstance(command, str) or params.get("args"):
        return
    is_line = bool(_OPERATOR.search(command)) and not is_absolute(command)
    if not is_line and (len(command.split()) < 2 or is_absolute(command)):
        return
    if is_first(reported, str(params.get("sessionId"))):
        yield Remark(
            f"`command` is {quoted(command)}, and there are no `args`; expected a program and its"
            " arguments",
            at="/params/command",
            hint='send `"command": "sh", "args": ["-c", ...]` for a shell line',
        )
