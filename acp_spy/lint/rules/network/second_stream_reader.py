"""A stream has one reader."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.conversation.memory import remember
from acp_spy.lint.posts import refusal, stream_of
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import OPENING, SPEC, transcript
from acp_spy.units import span
from acp_spy.wire.frame import Peer


@rule(
    code="NET008",
    name="second-stream-reader",
    severity=Severity.WARNING,
    summary="A stream was opened twice",
    on=("exchange", "disconnect"),
    covers=("NET-08",),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, '<> GET c1 s1 409 {"body": "Stream already open"}'),
    good=transcript(OPENING, "<> END 4 client", "<> GET c1 s1 200"),
)
def second_stream_reader(
    record: HttpExchange | Disconnect, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports a GET for a stream that is open already, whether it was refused with 409 or accepted:
    the Python SDK accepts it.

    ## Why it matters

    A reader that is refused gets nothing. If the client believes that its first stream is lost, it
    now waits for messages that nobody reads. If a second reader is accepted, it is not defined
    which of them gets a message.

    ## Use instead

    Open each stream once. After a lost connection, close the old one first, and try again when 409
    comes: the server may notice the loss later.
    """
    if isinstance(record, Disconnect):
        if record.stream != "post":
            memory.pop((record.connection, record.session), None)
        return
    if record.transport != "http" or record.method != "GET":
        return
    stream = record.connection, record.session
    name, _ = stream_of(record.session)
    since = memory.get(stream)
    opened = f"; it has been open since {span(since)}" if since is not None else ""
    if record.status == 200 and record.stream:
        remember(memory, stream, record.t)
        what = "accepted" if opened else ""
    else:
        what = refusal(record) if record.status == 409 else ""
    if what:
        yield Remark(
            f"a second GET for the {name} was {what}{opened}",
            blame=Peer.CLIENT,
            hint="open each stream once; close the old one before you open it again",
        )
