"""A stream is kept alive."""

from collections.abc import Iterator

from acp_spy.capture.records import Disconnect
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import OPENING, SPEC, transcript
from acp_spy.wire.frame import Peer

PATIENCE = 45.0  # three comments that did not come


@rule(
    code="NET009",
    name="missing-keep-alive",
    severity=Severity.NOTE,
    summary="Nothing was sent on a stream for a long time",
    on=("disconnect",),
    covers=("NET-06",),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, "@ 75.0", '<> END 4 agent {"lost": true, "silence": 61.5}'),
    good=transcript(OPENING, "@ 75.0", '<> END 4 client {"comments": 4, "silence": 15.1}'),
)
def missing_keep_alive(end: Disconnect) -> Iterator[Remark]:
    """
    ## What it does

    Reports an SSE stream on which the agent sent nothing for more than 45 s, not even a comment. If
    the connection was then lost, it is a warning.

    ## Why it matters

    Proxies and load balancers close connections that are silent for a minute, often without a
    trace. The SDKs send a comment every 15 s.

    ## Use instead

    Send a comment, such as `:` and an empty line, every 15 s.
    """
    if end.transport != "http" or end.silence <= PATIENCE:
        return
    stream = f"session `{end.session}`" if end.session else "the connection"
    lost = " until it was lost" if end.lost else ""
    yield Remark(
        f"nothing came on the stream of {stream} for {end.silence:.0f} s{lost}; expected a comment"
        " every 15 s",
        blame=Peer.AGENT,
        severity=Severity.WARNING if end.lost else None,
        hint="send an SSE comment every 15 s while there is nothing else to send",
    )
