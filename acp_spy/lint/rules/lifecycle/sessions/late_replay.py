"""The history comes before the answer."""

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
    The answer to `session/load` says that the replay is complete. Clients open the window for input
    when it comes, and take what follows for news: old messages then appear below the user's next
    prompt, or are dropped because no turn is open.

    Await the last notification before you answer.
    """
    for session, stray in strays(moment, memory, Sign.REPLAY):
        yield Remark(
            f"{named(stray)} came after `session/load` was answered; the replay should be complete"
            " by then",
            at="/params/update",
            on=stray.seq,
            see=session.seq,
            blame=Peer.AGENT,
            hint="answer `session/load` after the last update of the replay was written",
        )
