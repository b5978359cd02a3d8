"""Unstable: a proxy asks the next in the chain before it answers."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import answer, ask, transcript
from acp_spy.wire.values import fields

_INITIALIZE = ask(0, "proxy/initialize", '"protocolVersion": 1, "clientCapabilities": {}')
_RESULT = '"protocolVersion": 1, "agentCapabilities": {}'
_FORWARD = (
    '<- {"jsonrpc": "2.0", "id": 0, "method": "proxy/successor", "params":'
    ' {"method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}}}}'
)


@rule(
    code="LIF254",
    name="unforwarded-initialize",
    severity=Severity.ERROR,
    summary="A proxy answered for its successor, without asking it or with another version",
    on=("request:proxy/successor", "result:proxy/successor", "result:proxy/initialize"),
    covers=("UNS-16",),
    spec="https://agentclientprotocol.com/rfds/proxy-chains",
    bad=transcript(_INITIALIZE, answer(0, _RESULT)),
    good=transcript(
        _INITIALIZE, _FORWARD, answer(0, _RESULT).replace("<-", "->"), answer(0, _RESULT)
    ),
)
def unforwarded_initialize(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    A proxy in a chain gets `proxy/initialize`. Before it answers it sends `initialize` on to its
    successor, wrapped in `proxy/successor`, and builds its answer from the one that it gets. The
    version it hands through as it is. Otherwise the agent at the end of the chain is never
    initialized, or the two ends speak different versions.

    Forward first, then answer with the successor's `protocolVersion`.
    """
    if step.method == "proxy/successor":
        if asked(step).get("method") == "initialize":
            memory["forwarded"] = True
            if step.frame.sender is not (step.exchange and step.exchange.sender):
                memory["version"] = fields(step.body).get("protocolVersion")
        return
    version = fields(step.body).get("protocolVersion")
    if "forwarded" not in memory:
        yield Remark(
            "`proxy/initialize` was answered, but `initialize` was not forwarded to the successor",
            see=asked_at(step),
            hint="send `initialize` in a `proxy/successor` request first",
        )
    elif "version" in memory and memory["version"] != version:
        yield Remark(
            f"the proxy answered version `{version}`; `{memory['version']}`, the successor's,"
            " was expected",
            at="/result/protocolVersion",
            see=asked_at(step),
            hint="hand the successor's version through",
        )
