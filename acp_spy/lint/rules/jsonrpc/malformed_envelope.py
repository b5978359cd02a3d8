"""A message is a request, a notification or a response, and only one of them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Response, Unreadable


@rule(
    code="RPC002",
    name="malformed-envelope",
    severity=Severity.ERROR,
    summary="A message is neither a request nor a notification nor a response",
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
    A request has `method` and `id`, a notification `method` alone, a response `id` and either
    `result` or `error`. A message with both, or with none of them, is read in one way by one peer
    and refused by the next: a response with `error: null` is a failure to some, a success to
    others.

    Leave out the member that does not apply; do not send it as null.
    """
    if not isinstance(step, Step):
        return
    if isinstance(step.message, Unreadable):
        for line in facts.lines:
            if line.kind == "envelope":
                at = "/method" if "method" in line.value else ""
                yield Remark(
                    "`method` is not a string"
                    if at
                    else "a message without `method`, `result` or `error`; expected one of them",
                    at=at,
                    on=line.seq,
                    hint='answer with `"result": {}` where there is nothing to say'
                    if not at
                    else "",
                )
        return
    members = facts.members
    answer = [name for name in ("result", "error") if name in members]
    if isinstance(step.message, Response):
        if len(answer) == 2:
            null = next((name for name in answer if members[name] == b"null"), "error")
            yield Remark(
                "a response with both `result` and `error`; expected exactly one",
                at=f"/{null}",
                hint=f"leave out `{null}`",
            )
    elif answer:
        yield Remark(
            f"`{step.method}` has `method` and `{answer[0]}`: a call or an answer, not both",
            at=f"/{answer[0]}",
            hint=f"leave out `{answer[0]}`",
        )
