"""An envelope has six members at most."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.pointer import spell

_KNOWN = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))


@rule(
    code="RPC019",
    name="unknown-envelope-key",
    severity=Severity.WARNING,
    summary="A message has a member that JSON-RPC does not know",
    on=("unusual",),
    covers=("RPC-19",),
    spec="https://www.jsonrpc.org/specification#request_object",
    bad="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "sessionId": "s1", "params": {"sessionId": "s1"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}
    """,
)
def unknown_envelope_key(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    Beside `jsonrpc`, `id`, `method`, `params`, `result` and `error` a message has no members.
    Whatever else stands there is dropped by the library that reads it: the program behind never
    sees it.

    Put it into `params` or `result`, or into their `_meta` if it is your own.
    """
    extra = [name for name in facts.members if name not in _KNOWN]
    if not extra:
        return
    inside = "result" if isinstance(step.message, Response) else "params"
    names = ", ".join(quote(name.encode()) for name in extra[:5])
    yield Remark(
        f"{names} beside `{inside}`, where no reader looks",
        at=spell(extra[0]),
        hint=f"move it into `{inside}`, or into `_meta` there",
    )
