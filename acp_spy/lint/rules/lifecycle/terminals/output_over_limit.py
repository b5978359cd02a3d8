"""The output of a terminal keeps to its limit."""

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
    name="output-over-limit",
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
def output_over_limit(step: Step, limits: dict[Any, Any]) -> Iterator[Remark]:
    """
    `outputByteLimit` says how many bytes of output the client keeps. When there is more it drops the
    beginning, keeps the end, and says `truncated: true`.

    An agent sets the limit to what its model can read. A client that ignores it sends megabytes for
    one noisy command: the turn fails or becomes dear. Bytes count, not characters.

    Cut the output from the front, at a character, until its UTF-8 form fits.
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
            f"{size} bytes of output, but `outputByteLimit` was `{limit}`",
            at="/result/output",
            see=step.state.terminals[name].seq if name in step.state.terminals else None,
            hint="drop the beginning of the output, and say `truncated: true`",
        )
