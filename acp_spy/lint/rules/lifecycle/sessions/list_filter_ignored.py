"""`session/list` applies the `cwd` filter."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.protocol.paths import is_absolute, normalized
from acp_spy.wire.values import fields, items

_ASKED = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {"cwd": "/home/dev/project"}}
"""


@rule(
    code="LIF040",
    name="list-filter-ignored",
    severity=Severity.WARNING,
    summary="`session/list` returned sessions of other folders than requested",
    on=("result:session/list",),
    covers=("LST-03",),
    spec="https://agentclientprotocol.com/protocol/session-list",
    bad=transcript(
        HANDSHAKE,
        _ASKED,
        """
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s7", "cwd": "/home/dev/other"}]}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        _ASKED,
        """
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s7", "cwd": "/home/dev/project"}]}}
        """,
    ),
)
def list_filter_ignored(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports listed sessions of another folder than the `cwd` in the request.

    ## Why it matters
    The client shows the user conversations of other projects.

    ## Use instead
    Filter the sessions by the `cwd` of the request.
    """
    requested = fields(step.exchange.params).get("cwd") if step.exchange else None
    if not isinstance(requested, str) or not is_absolute(requested):
        return
    folder = normalized(requested)
    wrong = [
        (index, cwd)
        for index, session in enumerate(items(fields(step.body).get("sessions")))
        if isinstance(cwd := fields(session).get("cwd"), str)
        and is_absolute(cwd)
        and normalized(cwd) != folder
        # One of them may be a symbolic link: /private/tmp and /tmp.
        and not cwd.endswith(requested)
        and not requested.endswith(cwd)
    ]
    if wrong:
        index, cwd = wrong[0]
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield Remark(
            f"a session of {quoted(cwd)}{more} was listed; expected only sessions of {quoted(requested)}",
            at=f"/result/sessions/{index}/cwd",
            see=step.exchange.seq if step.exchange else None,
            hint="filter the sessions by the `cwd` of the request",
        )
