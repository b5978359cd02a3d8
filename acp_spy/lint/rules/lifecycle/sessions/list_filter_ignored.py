"""Who asks for one folder gets that one."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.protocol.paths import is_absolute, same_folder
from acp_spy.wire.values import fields, items

_ASKED = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {"cwd": "/home/dev/project"}}
"""


@rule(
    code="LIF040",
    name="list-filter-ignored",
    severity=Severity.WARNING,
    summary="`session/list` returned sessions of other folders than the one asked for",
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
    With `cwd` in the request, `session/list` returns the sessions of that folder alone. A client
    that shows the answer as it is offers its user the conversations of other projects.
    """
    wanted = fields(step.exchange.params).get("cwd") if step.exchange else None
    if not isinstance(wanted, str) or not is_absolute(wanted):
        return
    wrong = [
        (index, cwd)
        for index, session in enumerate(items(fields(step.body).get("sessions")))
        if isinstance(cwd := fields(session).get("cwd"), str)
        and is_absolute(cwd)
        and not same_folder(cwd, wanted)
        # One of them may have followed a link: /private/tmp and /tmp.
        and not cwd.endswith(wanted)
        and not wanted.endswith(cwd)
    ]
    if wrong:
        index, cwd = wrong[0]
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield Remark(
            f"a session of {quoted(cwd)}{more} is listed, but {quoted(wanted)} was asked for",
            at=f"/result/sessions/{index}/cwd",
            see=step.exchange.seq if step.exchange else None,
            hint="filter the sessions by the `cwd` of the request",
        )
