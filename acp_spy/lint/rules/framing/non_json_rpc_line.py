"""Every line is a message."""

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
    name="non-json-rpc-line",
    severity=Severity.ERROR,
    summary="A line is not a JSON-RPC message",
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
def non_json_rpc_line(moment: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports lines on the agent's stdout or stdin that are not messages: log lines, banners, stack
    traces, JSON without `jsonrpc`. Consecutive lines are reported once.

    ## Why it matters

    Stdout carries messages and nothing else. Strict clients close the connection at the first other
    line; some drop it together with the message that is on the same line. Agents were removed from
    the registry for this.

    Look for `print` and `console.log`, for libraries that print a banner, for package managers that
    start the agent (`npx -y --quiet`, `uvx -q`), and for shells that read a profile.

    ## Use instead

    Write logs, banners, progress and update notices to stderr.
    """
    for line in facts.lines:
        if line.kind != "noise" or line.goes_on:
            continue
        what = _describe(line.value, line.payload)
        from_agent = line.sender is Peer.AGENT
        place = "stdout" if from_agent else "the agent's stdin"
        is_line = not isinstance(moment, Step) or moment.frame.via is None
        if not is_line:
            place = "an ACP connection"
        when = _WHEN[moment.state.phase]
        yield Remark(
            f"{quote(line.payload)} is {what} ({when});"
            f" only JSON-RPC messages are allowed on {place}",
            on=line.seq,
            blame=line.sender,
            hint="write everything except messages to stderr"
            if from_agent and is_line
            else "send only JSON-RPC messages",
        )


def _describe(value: Any, payload: bytes) -> str:
    if looks_like_log(value):
        return "a JSON log record"
    if isinstance(value, dict):
        return "a JSON object without `jsonrpc`"
    if value is not None or payload.strip() == b"null":
        return "a JSON value, not an object"
    return classify(payload)
