"""`initialize` gets 200, everything else that is accepted 202."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import name_of
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle import _examples as stdio
from acp_spy.lint.rules.network._examples import END_TURN, OPENING, PROMPT, SPEC, over, transcript
from acp_spy.wire.frame import Peer

PROMPT_SENT = PROMPT.splitlines()[0]


@rule(
    code="NET014",
    name="unexpected-status",
    severity=Severity.WARNING,
    summary="The status of an accepted POST or DELETE is not the expected one",
    on=("exchange",),
    covers=("NET-06", "NET-08"),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, PROMPT_SENT, "<> 200", over("post c1 s1", stdio.END_TURN)),
    good=transcript(OPENING, PROMPT, END_TURN),
)
def unexpected_status(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a POST that was accepted with another status than 200 for `initialize` and 202 for
    everything else. Another status than 202 for a DELETE is a note.

    ## Why it matters

    202 and an empty body mean that the response comes on a stream. With 200, the response is
    expected in the body: a client that reads only the streams never sees it. Older versions of
    goose answered so.

    ## Use instead

    Answer `initialize` with 200 and its JSON-RPC response. Answer every other POST with 202 and no
    body, and send the response on the stream.
    """
    posted = facts.posted
    if exchange.method == "DELETE" and 200 <= exchange.status < 300 and exchange.status != 202:
        yield Remark(
            f"the status for the DELETE of the connection is {exchange.status}; expected 202",
            blame=Peer.AGENT,
            severity=Severity.NOTE,
            hint="answer with 202",
        )
    if posted is None or not 200 <= exchange.status < 300 or exchange.transport != "http":
        return
    expected = 200 if posted.method == "initialize" else 202
    if exchange.status == expected:
        return
    where = "in the body" if expected == 200 else "on the stream"
    yield Remark(
        f"the status for {name_of(posted)} is {exchange.status}; expected {expected}, and the"
        f" response {where}",
        on=exchange.request,
        blame=Peer.AGENT,
        hint=f"answer with {expected}",
    )
