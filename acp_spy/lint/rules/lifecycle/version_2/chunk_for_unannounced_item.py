"""Version 2: output belongs to an announced tool call or terminal."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import TERMINAL, TURN, transcript, update_line

_OUTPUT = update_line(
    '"sessionUpdate": "terminal_output_chunk", "terminalId": "t1", "data": "b2sK"'
)


@rule(
    code="LIF209",
    name="chunk-for-unannounced-item",
    severity=Severity.WARNING,
    summary="Output was sent for a tool call or terminal that was not announced",
    on=("update:tool_call_content_chunk", "update:terminal_output_chunk"),
    version=2,
    covers=("V2-12", "V2-13"),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls",
    bad=transcript(TURN, _OUTPUT),
    good=transcript(TURN, TERMINAL, _OUTPUT),
)
def chunk_for_unannounced_item(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a `tool_call_content_chunk` or `terminal_output_chunk` for an id that no
    `tool_call_update` or `terminal_update` announced.

    ## Why it matters

    The client drops the output, or shows it without a title or command.

    ## Use instead

    Announce the tool call or terminal first, and use the same id.
    """
    update = update_of(step)
    is_terminal = update.get("sessionUpdate") == "terminal_output_chunk"
    key, kind = ("terminalId", "terminal") if is_terminal else ("toolCallId", "tool call")
    name = update.get(key)
    if not isinstance(name, str) or step.session is None:
        return
    known = step.session.terminals if is_terminal else step.session.tool_calls
    if name not in known:
        yield Remark(
            f"output was sent for {kind} `{name}`, which was not announced;"
            " expected its update first",
            at=f"/params/update/{key}",
            hint=f"send a `{'terminal' if is_terminal else 'tool_call'}_update` first",
        )
