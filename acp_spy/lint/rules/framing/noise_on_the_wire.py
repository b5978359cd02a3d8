"""Nothing but messages goes over the wire."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Phase, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.lines import looks_like_log
from acp_spy.lint.noise import classify, quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.frame import Peer

_WHEN = {
    Phase.FRESH: "before `initialize`",
    Phase.INITIALIZING: "before `initialize` was answered",
    Phase.READY: "after the handshake",
}


@rule(
    code="FRM004",
    name="noise-on-the-wire",
    severity=Severity.ERROR,
    summary="A line on the wire is no message",
    on=("line:noise", "end"),
    covers=("FRM-04", "FRM-05"),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="""
        <- 2026-11-14 10:00:01 INFO loading config
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good="""
        !! 2026-11-14 10:00:01 INFO loading config
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def noise_on_the_wire(moment: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    The agent's stdout carries messages and nothing else, and so does its stdin. Strict clients end
    the connection at the first line that is no message; others drop it, and the message that is
    glued to it. Agents have been taken out of the registry for it.

    Logs, banners, progress and notices of updates belong on stderr. Look for `print` and
    `console.log`, for libraries that greet, for package managers that start the agent (`npx -y
    --quiet`, `uvx -q`), and for shells that read a profile. Lines that follow each other are told
    once.
    """
    for line in facts.lines:
        if line.kind != "noise" or line.goes_on:
            continue
        what = _describe(line.value, line.payload)
        from_agent = line.sender is Peer.AGENT
        place = "stdout" if from_agent else "the agent's stdin"
        when = _WHEN[moment.state.phase]
        yield Remark(
            f"{quote(line.payload)} on {place}, {when}: {what}, where only messages may be",
            on=line.seq,
            blame=line.sender,
            hint="write to stderr what is not for the client"
            if from_agent
            else "send nothing but JSON-RPC messages",
        )


def _describe(value: Any, payload: bytes) -> str:
    if looks_like_log(value):
        return "a log record in JSON"
    if isinstance(value, dict):
        return "a JSON object without `jsonrpc`"
    if value is not None or payload.strip() == b"null":
        return "a JSON value that is no message"
    return classify(payload)
