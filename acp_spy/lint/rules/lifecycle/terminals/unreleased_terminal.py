"""The agent releases every terminal that it created."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import named
from acp_spy.lint.rules.lifecycle._opening import END, TERMINAL
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Unreadable
from acp_spy.wire.values import fields

_WAIT = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/wait_for_exit", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {"exitCode": 0}}
"""
_DONE = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""


@rule(
    code="LIF121",
    name="unreleased-terminal",
    severity=Severity.ERROR,
    summary="A terminal was never released",
    on=("request:terminal/release", "lost", "end"),
    covers=("TRM-03",),
    spec="https://agentclientprotocol.com/protocol/terminals#releasing-terminals",
    bad=TERMINAL + _WAIT + _DONE + END,
    good=TERMINAL
    + _WAIT
    + """
        <- {"jsonrpc": "2.0", "id": 2, "method": "terminal/release", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 2, "result": {}}
"""
    + _DONE
    + END,
)
def unreleased_terminal(moment: Step | Ending, released: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports terminals that the agent created and did not release before the end of the conversation.
    Terminals whose command exited or was killed must be released too. A terminal is not reported if
    its turn is still open at the end, if a broken frame names it, or if a release with an unknown
    id, which LIF122 reports, was probably meant for it: each such release is meant for one terminal
    that the session had at that time.

    ## Why it matters

    The client keeps the process and its output until the release. Commands keep running, and the
    editor uses more memory with every tool call.

    ## Use instead

    Call `terminal/release` in a `finally` block, so that errors and cancellation do not skip it.
    """
    if isinstance(moment, Step) and isinstance(moment.message, Unreadable):
        for lost in named(moment, "terminalId"):
            remember(released, ("lost", lost))
        return
    if isinstance(moment, Step):
        if isinstance(name := fields(moment.body).get("terminalId"), str):
            if name not in moment.state.terminals and ("lost", name) not in released:
                remember(released, ("unknown", name), (moment.session_id, moment.frame.seq))
            remember(released, name)
        return
    left = [
        each
        for each in moment.state.terminals.values()
        if not each.released and each.id not in released and ("lost", each.id) not in released
    ]
    for session_id, seq in [where for where in released.values() if isinstance(where, tuple)]:
        meant = [each for each in left if each.session == session_id and each.seq < seq]
        if meant:
            left.remove(meant[-1])
    for terminal in left:
        session = moment.state.sessions.get(terminal.session or "")
        if session and session.turns:
            continue
        yield Remark(
            f"terminal `{terminal.id}` was never released; expected `terminal/release`",
            on=terminal.seq,
            at="/result/terminalId",
            blame=Peer.AGENT,
            severity=Severity.NOTE if moment.cut_off else None,
            hint="call `terminal/release` when the command is done, in a `finally` block",
        )
