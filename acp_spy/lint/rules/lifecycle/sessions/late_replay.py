"""The history is complete before `session/load` is answered."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.lint.rules.lifecycle._strays import MOMENTS, Sign, named, strays
from acp_spy.wire.frame import Peer

_LOAD = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
"""
_LOADED = """
    <- {"jsonrpc": "2.0", "id": 1, "result": {}}
"""
_HISTORY = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "Fix the test"}}}}
"""


@rule(
    code="LIF025",
    name="late-replay",
    severity=Severity.ERROR,
    summary="`session/load` was answered before its history was complete",
    on=MOMENTS,
    version=1,
    covers=("SES-09",),
    spec="https://agentclientprotocol.com/protocol/session-setup#loading-sessions",
    bad=transcript(HANDSHAKE, _LOAD, _LOADED, _HISTORY),
    good=transcript(HANDSHAKE, _LOAD, _HISTORY, _LOADED),
)
def late_replay(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports history that is sent after `session/load` was answered. Over HTTP, what comes within
    five seconds of the response is not reported, because it may have been overtaken: the response
    and the updates have different streams.

    ## Why it matters
    The response means that the replay is complete. Clients then enable input and treat later
    updates as new: old messages appear below the next prompt, or are dropped because no turn is
    open.

    ## Use instead
    Send the last update of the replay before the response.
    """
    for session, stray in strays(moment, memory, Sign.REPLAY):
        yield Remark(
            f"{named(stray)} came after `session/load` was answered; expected the replay"
            " before the response",
            at="/params/update",
            on=stray.seq,
            see=session.seq,
            blame=Peer.AGENT,
            hint="answer `session/load` after the last update of the replay",
        )
