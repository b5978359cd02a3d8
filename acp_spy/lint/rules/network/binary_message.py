"""WebSocket messages are text."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.lines import message_name
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import SOCKET, SPEC, over, transcript

_LIST = '-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}'
_LISTED = '<- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}'


@rule(
    code="NET012",
    name="binary-message",
    severity=Severity.ERROR,
    summary="A WebSocket message is binary",
    on=("binary",),
    covers=("NET-07",),
    spec=SPEC,
    since="0.2",
    bad=transcript(SOCKET, over("ws c1 binary", _LIST)),
    good=transcript(SOCKET, over("ws c1", _LIST), over("ws c1", _LISTED)),
)
def binary_message(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports binary WebSocket messages.

    ## Why it matters

    ACP uses text messages, and peers ignore binary ones: a request that is sent so is never
    answered.

    ## Use instead

    Send each JSON-RPC message as one text message. In JavaScript, send a string, not a buffer.
    """
    yield Remark(
        f"{message_name(step)} is a binary WebSocket message; expected text",
        hint="send JSON as a text message",
    )
