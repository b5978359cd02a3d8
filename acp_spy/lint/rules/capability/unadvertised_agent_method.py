"""The client calls only agent methods that the agent advertised."""

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
    ## What it does
    Reports calls of optional methods that the agent did not advertise: `session/load` needs
    `loadSession: true`; list, resume, close and delete each need an object in
    `sessionCapabilities`; `logout` needs `auth.logout`. In version 2, `capabilities.session` covers
    all basic session methods.

    ## Why it matters
    A capability that is omitted is not supported, and most agents answer with "method not found".
    The user sees an error for a button that should not have been there.

    ## Use instead
    Check the agent's capabilities and hide features that it does not have. In an agent that has the
    method, advertise it.
    """
    gate = gate_of(step.method, step.state.version)
    if gate is None or step.frame.sender is not Peer.CLIENT or not (why := lack(step.state, gate)):
        return
    if memory.setdefault(gate.name, step.method) == step.method:
        yield Remark(
            f"`{step.method}` was called, but {why}",
            at="/method",
            hint=f"call it only if the agent's response to `initialize` has {advert(gate)}",
        )
