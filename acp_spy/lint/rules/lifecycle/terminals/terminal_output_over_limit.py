"""Terminal output respects `outputByteLimit`."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import TERMINAL
from acp_spy.lint.rules.lifecycle._reading import is_first, is_number
from acp_spy.wire.values import fields

_OUTPUT = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/output", "params": {"sessionId": "s1", "terminalId": "term_1"}}
"""


@rule(
    code="LIF125",
    name="terminal-output-over-limit",
    severity=Severity.WARNING,
    summary="A terminal returned more bytes than `outputByteLimit`",
    on=("result:terminal/create", "result:terminal/output"),
    covers=("TRM-06",),
    spec="https://agentclientprotocol.com/protocol/terminals#executing-commands",
    bad=TERMINAL
    + _OUTPUT
    + """
        -> {"jsonrpc": "2.0", "id": 1, "result": {"output": "collected 2 items, 2 passed", "truncated": false}}
""",
    good=TERMINAL
    + _OUTPUT
    + """
        -> {"jsonrpc": "2.0", "id": 1, "result": {"output": "items, 2 passed", "truncated": true}}
""",
)
def terminal_output_over_limit(step: Step, limits: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports terminal output that is longer than the `outputByteLimit` of its terminal. The limit
    counts bytes, not characters. The client must drop the beginning and set `truncated: true`.

    ## Why it matters

    The agent sets the limit to what its model can read. A command with much output fills the
    context, so the turn fails or becomes expensive.

    ## Use instead

    Remove characters from the beginning until the UTF-8 encoding fits.
    """
    params = fields(step.exchange.params if step.exchange else None)
    if step.method == "terminal/create":
        limit, name = params.get("outputByteLimit"), fields(step.body).get("terminalId")
        if is_number(limit) and isinstance(name, str):
            remember(limits, name, limit)
        return
    name, output = params.get("terminalId"), fields(step.body).get("output")
    limit = limits.get(name) if isinstance(name, str) else None
    if limit is None or not isinstance(output, str) or len(output) * 4 <= limit:
        return
    size = len(output.encode("utf-8", "surrogatepass"))
    if size > limit and is_first(limits, ("reported", name)):
        yield Remark(
            f"`output` has {size} bytes; expected at most {limit} (`outputByteLimit`)",
            at="/result/output",
            see=step.state.terminals[name].seq if name in step.state.terminals else None,
            hint="drop the beginning of the output, and set `truncated: true`",
        )
