"""A stream lives as long as its requests."""

from collections.abc import Iterator
from itertools import islice

from acp_spy.capture.records import Disconnect
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import CLOSE_CODES, close_hint, comes_on, plain_text, stream_name
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import END_TURN, OPENING, PROMPT, SPEC, transcript
from acp_spy.wire.frame import Peer

_MOST = 256  # requests that are looked at: more are open only if somebody means harm


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
    code of an error is reported as a warning, if nothing was pending. The codes 1003, 1007 and 1009
    say that the server could not take a message of the client, which is then the client's mistake.
    Nothing is reported after the client has ended the connection by a DELETE.

    ## Why it matters

    The response cannot arrive any more. Version 1 does not repeat what was lost while a stream was
    closed.

    ## Use instead

    Agent: end a stream after the last response. Client: open the stream again, and treat pending
    requests as failed if that does not work.
    """
    state = facts.state
    if end.by != "agent" or state is None or Peer.CLIENT in state.closed:
        return  # after a DELETE, ending the streams is what the agent is asked for
    asked = islice(state.pending.values(), _MOST)
    pending = [each for each in asked if comes_on(end, each)]
    hint = close_hint(end)
    blame = Peer.CLIENT if hint else Peer.AGENT
    if not pending:
        if end.code in CLOSE_CODES:
            said = f" `{plain_text(end.reason)}`" if end.reason else ""
            yield Remark(
                f"the agent closed the WebSocket with code {end.code}{said}:"
                f" {CLOSE_CODES[end.code]}",
                blame=blame,
                severity=Severity.WARNING,
                hint=hint or "read the log of the server",
            )
        return
    how = "lost" if end.lost else "ended by the agent"
    means = f": {CLOSE_CODES[end.code]}" if hint else ""
    code = f" (code {end.code}{means})" if end.code else ""
    more = f" and {len(pending) - 1} more were" if len(pending) > 1 else " was"
    yield Remark(
        f"the {stream_name(end)} was {how}{code} while `{pending[0].name}`{more} pending",
        on=pending[0].seq,
        blame=blame,
        hint=hint or "answer pending requests before you end a stream",
    )
