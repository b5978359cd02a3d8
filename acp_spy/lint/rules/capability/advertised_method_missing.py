"""What was advertised is there."""

import re
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import gate_of, is_version_2
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.protocol.capability_gates import V1, V2, is_advertised

_METHOD_NOT_FOUND = -32601
_INTERNAL_ERROR = -32603
_UNDONE = re.compile(
    r"not (?:yet )?implemented|unimplemented|not supported|unsupported", re.IGNORECASE
)
_OFFERED = {"session/set_config_option": "configOptions", "session/set_mode": "modes"}
_LOGINS = ("auth/login", "auth/logout")
_METHODS = sorted(
    {*V1.methods, *V2.methods, *_OFFERED, *_LOGINS, "session/new", "session/prompt"}
    - {"auth/status_update", "elicitation/complete"}
)


@rule(
    code="CAP013",
    name="advertised-method-missing",
    severity=Severity.ERROR,
    summary="A method was advertised, but is not there",
    on=tuple(f"error:{method}" for method in _METHODS),
    covers=("X-08", "V2-02", "V2-03", "V2-23"),
    spec="https://agentclientprotocol.com/protocol/v1/initialization",
    bad=handshake(agent={"sessionCapabilities": {"list": {}}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
""",
    good=handshake(agent={"sessionCapabilities": {"list": {}}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
""",
)
def advertised_method_missing(step: Step) -> Iterator[Remark]:
    """
    Who advertises a capability promises that the method works. Answering it with -32601 (method
    not found) breaks the promise: the other peer has built on it, a client with a menu entry, an
    agent with a tool. The same holds for `session/set_config_option` and `session/set_mode` in a
    session that came with options or modes, and in version 2 for the logins in `authMethods`.

    Implement the method, or take the capability out of the handshake. An error of another kind
    counts only if it says in words that the method is not implemented.
    """
    error = step.body if isinstance(step.body, dict) else {}
    code = error.get("code")
    if code != _METHOD_NOT_FOUND and not _UNDONE.search(_words(error)):
        return
    if promise := _promise(step):
        yield Remark(
            f"`{step.method}` failed with {code}, but {promise}",
            at="/error/code",
            see=step.exchange.seq if step.exchange else None,
            severity=None if code == _METHOD_NOT_FOUND else Severity.WARNING,
            hint="implement the method, or do not advertise it",
        )


def _words(error: dict[str, Any]) -> str:
    """Return what an internal error says, where people write it."""
    data = error.get("data")
    details = data.get("details") if isinstance(data, dict) else data
    return f"{error.get('message')} {details}" if error.get("code") == _INTERNAL_ERROR else ""


def _promise(step: Step) -> str:
    """Say what promised that the method would work; nothing if nothing did."""
    state = step.state
    if step.method in _OFFERED:
        session = step.session
        offered = _OFFERED[step.method]
        what = session and (session.config if offered == "configOptions" else session.modes)
        return f"the session came with `{offered}`" if what else ""
    if step.method in _LOGINS:
        listed = is_version_2(state.version) and state.auth_methods
        return "the agent listed `authMethods`" if listed else ""
    gate = gate_of(step.method, state.version)
    if gate is None or not is_advertised(state.capabilities.get(gate.side), gate):
        return ""
    if gate.side is not step.frame.sender:
        return ""  # a feature that the asker advertised is no promise of the other
    return f"the {gate.side.value} advertised `{gate.name}`"
