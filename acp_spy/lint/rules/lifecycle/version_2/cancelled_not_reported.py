"""Version 2: cancelled work ends with `cancelled`."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.races import GRACE, has_crossed, may_have_crossed
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import is_working, name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import CANCEL, TURN, state_line, transcript
from acp_spy.wire.frame import Peer


@rule(
    code="LIF207",
    name="cancelled-not-reported",
    severity=Severity.ERROR,
    summary="Cancelled work did not end with `cancelled`",
    on=("notification:session/cancel", "update:state_update", "end"),
    version=2,
    covers=("V2-10",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#cancellation",
    bad=transcript(TURN, CANCEL, "@ 2", state_line("idle", ', "stopReason": "error"')),
    good=transcript(TURN, CANCEL, "@ 2", state_line("idle", ', "stopReason": "cancelled"')),
)
def cancelled_not_reported(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a session that becomes `idle` with another stop reason after
    `session/cancel`, or that never becomes `idle`. If the work may have ended before the cancel
    arrived, this is only a note. An end within 2 ms has crossed with the cancel, and is not
    reported. Without times, only the frame right after the cancel is not reported.

    ## Why it matters

    The client shows an error for something that the user requested, or waits forever.

    ## Use instead

    Catch the exceptions that the cancel causes, and report `idle` with `cancelled`.
    """
    if isinstance(moment, Ending):
        for name, (seq, t) in memory.items():
            session = moment.state.sessions.get(name)
            is_busy = session is not None and is_working(session, moment.state)
            if is_busy and not moment.cut_off and moment.t - t > GRACE:
                yield Remark(
                    f"session `{name}` never became `idle` after `session/cancel`;"
                    " expected `cancelled`",
                    on=seq,
                    blame=Peer.AGENT,
                    hint="stop the work, then report `idle` with `cancelled`",
                )
        return
    name, update = name_of_session(moment), update_of(moment)
    if moment.method == "session/cancel":
        session = moment.session
        if session is None or name in memory:
            return
        if is_working(session, moment.state):
            remember(memory, name, (moment.frame.seq, moment.frame.t))
    elif update.get("state") == "idle" and name in memory:
        seq, t = memory.pop(name)
        reason = update.get("stopReason")
        if isinstance(reason, str) and reason != "cancelled" and not has_crossed(moment, t, seq):
            crossed = may_have_crossed(moment, t, seq)
            yield Remark(
                f"cancelled work ended with `{reason}`; expected `cancelled`"
                + (", unless the two messages crossed" if crossed else ""),
                at="/params/update/stopReason",
                see=seq,
                severity=Severity.NOTE if crossed else None,
                hint="catch the exceptions of the cancel, and report `cancelled`",
            )
