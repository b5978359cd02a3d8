"""A message is either a request, a notification or a response."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Response, Unreadable


@rule(
    code="RPC002",
    name="malformed-envelope",
    severity=Severity.ERROR,
    summary="A message is not a valid request, notification or response",
    on=("unusual", "line:envelope"),
    covers=("RPC-02", "RPC-03"),
    spec="https://www.jsonrpc.org/specification#response_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}, "error": null}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
    """,
)
def malformed_envelope(step: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports messages whose fields do not fit together: `result` and `error` in one response,
    `method` together with `result` or `error`, or none of the three.

    ## Why it matters

    A request has `method` and `id`, a notification has `method`, and a response has `id` and either
    `result` or `error`. Peers disagree about anything else: a response with `error: null` is a
    failure to some and a success to others.

    ## Use instead

    Omit the field that does not apply. Do not send it as null.
    """
    if not isinstance(step, Step):
        return
    if isinstance(step.message, Unreadable):
        for line in facts.lines:
            if line.kind == "envelope":
                at = "/method" if "method" in line.value else ""
                yield Remark(
                    "`method` is not a string; expected the name of a method"
                    if at
                    else "the message has no `method`, `result` or `error`; expected one of them",
                    at=at,
                    on=line.seq,
                    hint="send the name of the method as a string"
                    if at
                    else 'send `"result": {}` if there is nothing to return',
                )
        return
    members = facts.members
    answer = [name for name in ("result", "error") if name in members]
    if isinstance(step.message, Response):
        if len(answer) == 2:
            null = next((name for name in answer if bytes(members[name]) == b"null"), "error")
            yield Remark(
                "the response has both `result` and `error`; expected exactly one",
                at=f"/{null}",
                hint=f"remove `{null}`",
            )
    elif answer:
        yield Remark(
            f"`{step.method}` has `method` and `{answer[0]}`; expected only one of them",
            at=f"/{answer[0]}",
            hint=f"remove `{answer[0]}`",
        )
