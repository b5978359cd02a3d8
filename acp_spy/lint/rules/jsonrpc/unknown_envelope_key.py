"""A message has at most six fields."""

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
    summary="A message has a field that JSON-RPC does not define",
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
    ## What it does

    Reports fields next to `jsonrpc`, `id`, `method`, `params`, `result` and `error`.

    ## Why it matters

    The library that reads the message drops them: the program never sees them.

    ## Use instead

    Move them into `params` or `result`; move custom fields into `_meta` there.
    """
    extra = [name for name in facts.members if name not in _KNOWN]
    if not extra:
        return
    inside = "result" if isinstance(step.message, Response) else "params"
    names = ", ".join(quote(name.encode()) for name in extra[:5])
    yield Remark(
        f"{names} is outside `{inside}`; readers ignore it"
        if len(extra) == 1
        else f"{names} are outside `{inside}`; readers ignore them",
        at=spell(extra[0]),
        hint=f"move it into `{inside}`, or into `_meta` there",
    )
