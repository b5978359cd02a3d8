"""`session/resume` does not replay history."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import CHUNK, HANDSHAKE, transcript
from acp_spy.wire.jsonrpc import Request

_RESUME = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/resume", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
"""
_RESUMED = """
    <- {"jsonrpc": "2.0", "id": 1, "result": {}}
"""


@rule(
    code="LIF026",
    name="replay-on-resume",
    severity=Severity.ERROR,
    summary="`session/resume` replayed the conversation",
    on=("request:session/resume", "result:session/resume"),
    version=1,
    covers=("SES-12",),
    spec="https://agentclientprotocol.com/protocol/session-setup#resuming-sessions",
    bad=transcript(HANDSHAKE, _RESUME, CHUNK, _RESUMED),
    good=transcript(HANDSHAKE, _RESUME, _RESUMED),
)
def replay_on_resume(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports history updates before the response to `session/resume`. Commands, modes and options may
    be sent.

    ## Why it matters
    `session/resume` is for clients that kept the conversation. With a replay every message appears
    twice.

    ## Use instead
    Send no history during `session/resume`; only `session/load` replays history.
    """
    session, exchange = step.session, step.exchange
    if exchange is None or exchange.session is None:
        return
    stray = session.stray if session else None
    if isinstance(step.message, Request):
        if stray is not None:
            remember(memory, exchange.seq, stray.count)
        return
    before = memory.pop(exchange.seq, 0)
    if session is not None and stray is not None and stray.count > before and not session.turns:
        count = stray.count - before
        yield Remark(
            f"the agent replayed {count} history update{'s' if count > 1 else ''} during"
            " `session/resume`; only `session/load` replays history",
            on=stray.seq if before == 0 else None,
            at="/params/update" if before == 0 else "",
            see=exchange.seq,
            hint="send no history before the response to `session/resume`",
        )
