"""An error has a numeric code and a message."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.model import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import after_handshake
from acp_spy.lint.rules.schema._mistakes import mine
from acp_spy.lint.rules.schema._words import names, quoted, sort_of, subject
from acp_spy.protocol.breach import BreachKind


@rule(
    code="SCH030",
    name="malformed-error",
    severity=Severity.ERROR,
    summary="An error object is not in the shape of JSON-RPC",
    on=("breach",),
    covers=("RPC-10", "RPC-17"),
    spec="https://www.jsonrpc.org/specification#error_object",
    bad=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "s-0", "cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": "ENOENT", "message": "Resource not found"}}
        """
    ),
    good=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "s-0", "cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32002, "message": "Resource not found"}}
        """
    ),
)
def malformed_error(step: Step) -> Iterator[Remark]:
    """
    An error is an object with `code`, an integer of 32 bits, and `message`, a string; everything
    else goes into `data`. Peers that cannot read the error see only that something failed, and some
    take the answer for none at all and go on waiting.
    """
    for mistake in mine(step, "malformed-error"):
        breach = mistake.first
        if breach.kind is BreachKind.MISSING_KEY:
            lacks = [b.key for b in mistake.breaches if b.kind is BreachKind.MISSING_KEY]
            text = (
                f"{names(lacks)} {'is' if len(lacks) == 1 else 'are'} missing in the error object"
            )
        elif breach.kind is BreachKind.RENAMED_KEY:
            text = f"{quoted(breach.key)} where `{breach.instead}` is expected"
        elif breach.kind is BreachKind.OUT_OF_RANGE:
            text = f"{subject(breach)} is {breach.got}; expected {breach.expected}"
        else:
            text = f"{subject(breach)} is {sort_of(breach)}; expected {breach.expected}"
        yield Remark(
            text,
            at=breach.path,
            hint='send `{"code": -32603, "message": …}`, and the rest in `data`',
        )
