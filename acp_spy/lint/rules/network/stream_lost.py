"""A stream lives as long as its requests."""

from collections.abc import Iterator

from acp_spy.capture.records import Disconnect
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import comes_on, plain_text, stream_name
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import END_TURN, OPENING, PROMPT, SPEC, transcript
from acp_spy.wire.frame import Peer

_ERRORS = {  # as RFC 6455 has them
    1002: "a protocol error",
    1003: "a message of a kind that it does not accept",
    1007: "a message that it cannot decode",
    1008: "a message or a connection that it does not allow",
    1009: "a message that is too large",
    1011: "an error in the server",
}


@rule(
    code="NET010",
    name="stream-lost",
    severity=Severity.ERROR,
    summary="The agent ended a stream while requests were pending",
    on=("disconnect",),
    covers=("NET-06", "NET-10"),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, PROMPT, '<> END 4 agent {"lost": true}'),
    good=transcript(OPENING, PROMPT, END_TURN, "<> END 4 agent"),
)
def stream_lost(end: Disconnect, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports an SSE stream or a WebSocket that the agent ended, or that was lost on its side, while a
    request was pending whose response should come on it. A WebSocket that the agent closed with the
    code of an error is reported as a warning, if nothing was pending.

    ## Why it matters

    The response cannot arrive any more. Version 1 does not repeat what was lost while a stream was
    closed.

    ## Use instead

    Agent: end a stream after the last response. Client: open the stream again, and treat pending
    requests as failed if that does not work.
    """
    state = facts.state
    if end.by != "agent" or state is None:
        return
    pending = [each for each in state.pending.values() if comes_on(end, each)]
    if not pending:
        if end.code in _ERRORS:
            said = f" `{plain_text(end.reason)}`" if end.reason else ""
            yield Remark(
                f"the agent closed the WebSocket with code {end.code}{said}: {_ERRORS[end.code]}",
                blame=Peer.AGENT,
                severity=Severity.WARNING,
                hint="read the log of the server",
            )
        return
    how = "lost" if end.lost else "ended by the agent"
    code = f" (code {end.code})" if end.code else ""
    more = f" and {len(pending) - 1} more were" if len(pending) > 1 else " was"
    yield Remark(
        f"the {stream_name(end)} was {how}{code} while `{pending[0].name}`{more} pending",
        on=pending[0].seq,
        blame=Peer.AGENT,
        hint="answer pending requests before you end a stream",
    )
