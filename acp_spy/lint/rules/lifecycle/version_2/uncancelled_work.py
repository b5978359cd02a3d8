"""Version 2: cancelled work ends as cancelled."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.races import may_have_crossed
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import BUSY, name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import CANCEL, TURN, be, transcript
from acp_spy.wire.frame import Peer

_PATIENCE = 5.0  # seconds after which a session that is still busy will not end any more


@rule(
    code="LIF207",
    name="uncancelled-work",
    severity=Severity.ERROR,
    summary="Work that was cancelled did not end with `cancelled`",
    on=("notification:session/cancel", "update:state_update", "end"),
    version=2,
    covers=("V2-10",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#cancellation",
    bad=transcript(TURN, CANCEL, "@ 2", be("idle", ', "stopReason": "error"')),
    good=transcript(TURN, CANCEL, "@ 2", be("idle", ', "stopReason": "cancelled"')),
)
def uncancelled_work(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    After `session/cancel` an agent stops, sends what is still to be told, and reports `idle` with
    the stop reason `cancelled`. What its model or tools throw because they were aborted is no
    `error`. A client that gets one shows a failure for what its user asked for; one that gets no
    `idle` waits for ever.

    Catch the abort and report `cancelled`. Work that ended by itself while the cancellation was on
    its way is no fault, and not told.
    """
    if isinstance(moment, Ending):
        for name, (seq, t) in memory.items():
            session = moment.state.sessions.get(name)
            is_busy = session is not None and session.state in BUSY
            if is_busy and not moment.cut_off and moment.t - t >= _PATIENCE:
                yield Remark(
                    f"session `{name}` never became `idle` after `session/cancel`",
                    on=seq,
                    blame=Peer.AGENT,
                    hint="stop, then report `idle` with the stop reason `cancelled`",
                )
        return
    name, update = name_of_session(moment), update_of(moment)
    if moment.method == "session/cancel":
        session = moment.session
        if session is not None and session.state in BUSY and name not in memory:
            remember(memory, name, (moment.frame.seq, moment.frame.t))
    elif update.get("state") == "idle" and name in memory:
        seq, t = memory.pop(name)
        reason = update.get("stopReason")
        if (
            isinstance(reason, str)
            and reason != "cancelled"
            and not may_have_crossed(moment, t, seq)
        ):
            yield Remark(
                f"cancelled work ended with `{reason}`; `cancelled` was expected",
                at="/params/update/stopReason",
                see=seq,
                hint="catch the abort, and report `cancelled`",
            )
