"""Unstable: a proxy forwards `initialize` before it answers."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import request_line, result_line, transcript
from acp_spy.wire.values import fields

_INITIALIZE = request_line(0, "proxy/initialize", '"protocolVersion": 1, "clientCapabilities": {}')
_RESULT = (
    '"protocolVersion": 1, "agentCapabilities": {},'
    ' "agentInfo": {"name": "agent", "version": "1.0"}'
)
_FORWARD = (
    '<- {"jsonrpc": "2.0", "id": 0, "method": "proxy/successor", "params":'
    ' {"method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {},'
    ' "clientInfo": {"name": "editor", "version": "1.0"}}}}'
)


@rule(
    code="LIF254",
    name="initialize-not-forwarded",
    severity=Severity.ERROR,
    summary="A proxy did not forward `initialize`, or changed the version",
    on=("request:proxy/successor", "result:proxy/successor", "result:proxy/initialize"),
    covers=("UNS-16",),
    spec="https://agentclientprotocol.com/rfds/proxy-chains",
    bad=transcript(_INITIALIZE, result_line(0, _RESULT)),
    good=transcript(
        _INITIALIZE, _FORWARD, result_line(0, _RESULT).replace("<-", "->"), result_line(0, _RESULT)
    ),
)
def initialize_not_forwarded(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a response to `proxy/initialize` before `initialize` was forwarded in `proxy/successor`,
    or with another `protocolVersion` than the one that the successor returned.

    ## Why it matters

    The agent at the end of the chain is never initialized, or both ends use different versions.

    ## Use instead

    Forward `initialize` first. Then answer with the `protocolVersion` of the successor.
    """
    if step.method == "proxy/successor":
        if request_params(step).get("method") == "initialize":
            memory["forwarded"] = True
            if step.frame.sender is not (step.exchange and step.exchange.sender):
                memory["version"] = fields(step.body).get("protocolVersion")
        return
    version = fields(step.body).get("protocolVersion")
    if "forwarded" not in memory:
        yield Remark(
            "`proxy/initialize` was answered without asking the successor;"
            " expected `initialize` in `proxy/successor`",
            see=request_seq(step),
            hint="send `initialize` in `proxy/successor` first",
        )
    elif "version" in memory and memory["version"] != version:
        yield Remark(
            f"`protocolVersion` is `{version}`;"
            f" expected `{memory['version']}`, as the successor returned",
            at="/result/protocolVersion",
            see=request_seq(step),
            hint="return the version of the successor unchanged",
        )
