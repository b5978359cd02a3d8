"""A message is a request, a notification or a response, and only one of them."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.envelope import odd_members
from acp_spy.lint.lines import read_line
from acp_spy.lint.model import Remark, Severity, rule
from acp_spy.lint.oddity import ODD
from acp_spy.wire.jsonrpc import Response, Unreadable


@rule(
    code="RPC002",
    name="malformed-envelope",
    severity=Severity.ERROR,
    summary="A message is neither a request nor a notification nor a response",
    on=(ODD,),
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
def malformed_envelope(step: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
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
        for odd in read_line(step, memory):
            if odd.kind == "envelope":
                at = "/method" if "method" in odd.value else ""
                yield Remark(
                    "`method` is not a string"
                    if at
                    else "a message without `method`, `result` or `error`; expected one of them",
                    at=at,
                    on=odd.seq,
                    hint='answer with `"result": {}` where there is nothing to say'
                    if not at
                    else "",
                )
        return
    members = odd_members(step)
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
