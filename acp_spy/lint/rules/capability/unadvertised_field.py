"""A session request contains only optional fields that the agent advertised."""

from collections.abc import Iterator
from typing import Any

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import (
    advert,
    gates_of,
    has_mismatch_at,
    lack,
)
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.protocol.capability_gates import Gate
from acp_spy.protocol.names import SETUPS


@rule(
    code="CAP005",
    name="unadvertised-field",
    severity=Severity.ERROR,
    summary="A session request contains a field that the agent did not advertise",
    on=(*(f"request:{method}" for method in SETUPS), "request:session/list"),
    covers=("SES-17", "UNS-03", "UNS-11"),
    spec="https://agentclientprotocol.com/protocol/v1/session-setup#additional-workspace-roots",
    bad=handshake()
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [], "additionalDirectories": ["/home/dev/library"]}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
""",
    good=handshake(agent={"sessionCapabilities": {"additionalDirectories": {}}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [], "additionalDirectories": ["/home/dev/library"]}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
""",
)
def unadvertised_field(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports `additionalDirectories`, `systemPrompt` (unstable) and the `archived` filter of
    `session/list` (unstable) if the agent did not advertise them. A system prompt in mode
    `override` also needs `systemPrompt.mode.override`.

    ## Why it matters
    The agent ignores the field. The session starts without the additional folders or instructions,
    and nobody gets an error.

    ## Use instead
    Send the field only if the agent advertised the capability.
    """
    body = step.body if isinstance(step.body, dict) else {}
    gates = gates_of(step.state.version)
    directories = gates.fields["NewSessionRequest", "additionalDirectories"]
    system_prompt = gates.fields["NewSessionRequest", "systemPrompt"]
    gated: list[tuple[str, Gate]] = []
    if step.method == "session/list":
        if body.get("archived") is not None:
            gated.append(("archived", gates.methods["session/archive"]))
    else:
        if body.get("additionalDirectories"):
            gated.append(("additionalDirectories", directories))
        if (prompt := body.get("systemPrompt")) is not None:
            gated.append(("systemPrompt", _for_mode(system_prompt, prompt, step)))
    for key, gate in gated:
        place = f"/params/{key}"
        if not has_mismatch_at(facts, place) and (why := lack(step.state, gate)):
            yield Remark(
                f"`{step.method}` contains `{key}`, but {why}",
                at=place,
                hint=f"send it only to an agent with {advert(gate)}",
            )


def _for_mode(gate: Gate, prompt: Any, step: Step) -> Gate:
    """Return the gate of the prompt's mode, if the general one is open."""
    if isinstance(prompt, dict) and prompt.get("mode") == "override" and not lack(step.state, gate):
        return msgspec.structs.replace(gate, path=(*gate.path, "mode", "override"))
    return gate
