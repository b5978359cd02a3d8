"""The agent uses only elicitation modes that the client advertised."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, gates_of, lack
from acp_spy.lint.rules.capability._examples import NEW_SESSION, PROMPT, handshake
from acp_spy.wire.frame import Peer


@rule(
    code="CAP010",
    name="unadvertised-elicitation",
    severity=Severity.ERROR,
    summary="The agent sent an elicitation in a mode that the client did not advertise",
    on=("request:elicitation/create",),
    covers=("ELI-01",),
    spec="https://agentclientprotocol.com/protocol/v1/elicitation",
    bad=handshake({"elicitation": {}})
    + NEW_SESSION
    + PROMPT
    + """\
<- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "form", "message": "Which branch?", "requestedSchema": {"type": "object", "properties": {"branch": {"type": "string"}}}}}
-> {"jsonrpc": "2.0", "id": 0, "error": {"code": -32602, "message": "Invalid params"}}
""",
    good=handshake({"elicitation": {"form": {}}})
    + NEW_SESSION
    + PROMPT
    + """\
<- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "form", "message": "Which branch?", "requestedSchema": {"type": "object", "properties": {"branch": {"type": "string"}}}}}
-> {"jsonrpc": "2.0", "id": 0, "result": {"action": "accept", "content": {"branch": "main"}}}
""",
)
def unadvertised_elicitation(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports `elicitation/create` in a mode that the client did not advertise with `elicitation.form`
    or `elicitation.url`. An empty `elicitation: {}` advertises no mode; in MCP it would mean forms.

    ## Why it matters
    The client refuses the request, and the user never sees it.

    ## Use instead
    Use only an advertised mode, and provide a default for clients without elicitation.
    """
    mode = step.body.get("mode") if isinstance(step.body, dict) else None
    gates = gates_of(step.state.version).elicitation_modes
    gate = gates.get(mode) if isinstance(mode, str) else None
    if gate is None or step.frame.sender is not Peer.AGENT:
        return
    if why := lack(step.state, gate):
        yield Remark(
            f"an elicitation in mode `{mode}` was sent, but {why}",
            at="/params/mode",
            hint=f"use this mode only if the client has {advert(gate)}",
        )
