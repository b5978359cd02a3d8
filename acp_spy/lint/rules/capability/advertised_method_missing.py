"""A method that was advertised works."""

import re
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import gate_of, is_version_2
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.protocol.capability_gates import V1, V2, is_advertised
from acp_spy.wire.values import error_detail

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
    summary="A method was advertised but is not implemented",
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
    ## What it does
    Reports -32601 (method not found) for a method whose capability was advertised, and internal
    errors that say that it is not implemented. This includes `session/set_config_option` and
    `session/set_mode` in a session with options or modes, and in version 2 the logins in
    `authMethods`.

    ## Why it matters
    The other peer relies on the capability: a client shows a menu entry, an agent offers a tool.
    Both fail.

    ## Use instead
    Implement the method, or remove the capability from the handshake.
    """
    error = step.body if isinstance(step.body, dict) else {}
    code = error.get("code")
    if code != _METHOD_NOT_FOUND and not _UNDONE.search(_words(error)):
        return
    if advertisement := _advertisement(step):
        yield Remark(
            f"`{step.method}` failed with {code}, but {advertisement}",
            at="/error/code",
            see=step.exchange.seq if step.exchange else None,
            severity=None if code == _METHOD_NOT_FOUND else Severity.WARNING,
            hint="implement the method, or do not advertise it",
        )


def _words(error: dict[str, Any]) -> str:
    """Return the text of an internal error, from the fields where agents put it."""
    if error.get("code") != _INTERNAL_ERROR:
        return ""
    return f"{error.get('message')} {error_detail(error)}"


def _advertisement(step: Step) -> str:
    """Return what advertised the method, as part of a sentence; empty if nothing did."""
    state = step.state
    if step.method in _OFFERED:
        session = step.session
        offered = _OFFERED[step.method]
        what = session and (session.config if offered == "configOptions" else session.modes)
        return f"the session has `{offered}`" if what else ""
    if step.method in _LOGINS:
        listed = is_version_2(state.version) and state.auth_methods
        return "the agent listed `authMethods`" if listed else ""
    gate = gate_of(step.method, state.version)
    if gate is None or not is_advertised(state.capabilities.get(gate.side), gate):
        return ""
    if gate.side is not step.frame.sender:
        return ""  # the caller advertised it, not the peer that answers
    return f"the {gate.side.value} advertised `{gate.name}`"
