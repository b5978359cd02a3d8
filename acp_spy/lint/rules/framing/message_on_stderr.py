"""Messages go to stdout, logs to stderr."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Stderr
from acp_spy.conversation.state import Ending
from acp_spy.lint.pairing import answers_on_stderr
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.protocol.tables import spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Notification, Request, read_message

_AGENTS = frozenset(m.name for m in spec("v1-unstable").methods if m.senders == {Peer.AGENT})
MOST_ANSWERS = 64


@rule(
    code="FRM013",
    name="message-on-stderr",
    severity=Severity.NOTE,
    summary="The agent wrote a message to stderr",
    on=("stderr", "end"),
    covers=("FRM-06",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        !! {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        !! sent {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def message_on_stderr(moment: Stderr | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports messages that the agent wrote to stderr, once. A response on stderr to a request that
    was never answered on stdout is a warning.

    ## Why it matters

    The client reads messages from stdout only; stderr is for logs. A message that was written there
    by mistake is lost.

    A log of sent messages is legitimate. It is a note, because acp-spy cannot distinguish the two.

    ## Use instead

    Write messages to stdout. Put a word before messages that are only logged.
    """
    if isinstance(moment, Ending):
        for exchange in moment.state.pending.values():
            if exchange.sender is Peer.CLIENT and exchange.id in memory:
                yield Remark(
                    f"`{exchange.method}` was answered on stderr; the client reads only stdout",
                    on=exchange.seq,
                    blame=Peer.AGENT,
                    severity=Severity.WARNING,
                    hint="write messages to stdout",
                )
        return
    for ident in answers_on_stderr(moment.raw):
        memory[ident] = True
        if len(memory) > MOST_ANSWERS:
            del memory[next(key for key in memory if key != "reported")]
    for line in moment.raw.splitlines():
        message = read_message(line) if line.startswith(b'{"') else None
        if not isinstance(message, Request | Notification) or "reported" in memory:
            continue
        if message.method in _AGENTS:
            memory["reported"] = True
            yield Remark(
                f"`{message.method}` was written to stderr; the client reads only stdout",
                blame=Peer.AGENT,
                hint="write messages to stdout; put a word before messages that are only logged",
            )
