"""The client calls only what the agent said that it can do."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, gate_of, lack
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.wire.frame import Peer


@rule(
    code="CAP002",
    name="unadvertised-agent-method",
    severity=Severity.ERROR,
    summary="The client called a method that the agent did not advertise",
    on=(
        "request:auth/status",
        "request:logout",
        "request:providers/disable",
        "request:providers/list",
        "request:providers/set",
        "request:session/archive",
        "request:session/close",
        "request:session/delete",
        "request:session/fork",
        "request:session/list",
        "request:session/load",
        "request:session/new",
        "request:session/prompt",
        "request:session/resume",
        "request:session/set_title",
        "request:session/status",
        "request:session/unarchive",
    ),
    covers=(
        "INI-11",
        "AUT-07",
        "SES-06",
        "SES-10",
        "SES-14",
        "LST-01",
        "DEL-01",
        "UNS-02",
        "UNS-07",
        "UNS-08",
        "UNS-13",
        "V2-02",
    ),
    spec="https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities",
    bad=handshake()
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
<- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
""",
    good=handshake(agent={"loadSession": True})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
<- {"jsonrpc": "2.0", "id": 1, "result": {}}
""",
)
def unadvertised_agent_method(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    Beyond the few methods that every agent has, a method is there only if the agent said so in
    its answer to `initialize`: `session/load` needs `loadSession: true`; list, resume, close and
    delete each need their object in `sessionCapabilities`; `logout` needs `auth.logout`. What is
    left out is not supported, and most agents answer with "method not found". A user then sees an
    error for a button that should not have been there.

    Look the capability up and hide the feature where it is missing. An agent that does have the
    method has to advertise it. In version 2 `capabilities.session` stands for all of the basic
    session methods.
    """
    gate = gate_of(step.method, step.state.version)
    if gate is None or step.frame.sender is not Peer.CLIENT or not (why := lack(step.state, gate)):
        return
    if memory.setdefault(gate.name, step.method) == step.method:
        yield Remark(
            f"`{step.method}` was called, but {why}",
            at="/method",
            hint=f"call it only if the agent's answer to `initialize` has {advert(gate)}",
        )
