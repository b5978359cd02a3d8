"""An error has a numeric code and a message."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import after_handshake
from acp_spy.lint.rules.schema._words import names, quoted, sort_of, subject
from acp_spy.protocol.mismatch import MismatchKind


@rule(
    code="SCH030",
    name="malformed-error",
    severity=Severity.ERROR,
    summary="An error object does not conform to JSON-RPC",
    on=("mismatch",),
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
def malformed_error(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports error objects without an integer `code` (32 bits) or a string `message`. Everything else
    belongs in `data`.

    ## Why it matters
    Peers that cannot read the error know only that something failed. Some do not recognize the
    response and wait forever.

    ## Use instead
    Send `code` and `message`, and put details into `data`.
    """
    for mistake in facts.mistakes_of("malformed-error"):
        mismatch = mistake.first
        if mismatch.kind is MismatchKind.MISSING_KEY:
            lacks = [b.key for b in mistake.mismatches if b.kind is MismatchKind.MISSING_KEY]
            text = (
                f"{names(lacks)} {'is' if len(lacks) == 1 else 'are'} missing in the error object"
            )
        elif mismatch.kind is MismatchKind.RENAMED_KEY:
            text = f"{quoted(mismatch.key)} where `{mismatch.instead}` is expected"
        elif mismatch.kind is MismatchKind.OUT_OF_RANGE:
            text = f"{subject(mismatch)} is {mismatch.got}; expected {mismatch.expected}"
        else:
            text = f"{subject(mismatch)} is {sort_of(mismatch)}; expected {mismatch.expected}"
        yield Remark(
            text,
            at=mismatch.path,
            hint='send `{"code": -32603, "message": …}` and put details into `data`',
        )
