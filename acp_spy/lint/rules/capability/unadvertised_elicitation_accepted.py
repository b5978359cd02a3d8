"""A client refuses elicitations in modes that it did not advertise."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import gates_of, lack
from acp_spy.lint.rules.capability._examples import NEW_SESSION, PROMPT, handshake
from acp_spy.wire.jsonrpc import Response

_INVALID_PARAMS = -32602
_METHOD_NOT_FOUND = -32601


@rule(
    code="CAP011",
    name="unadvertised-elicitation-accepted",
    severity=Severity.WARNING,
    summary="The client did not refuse an elicitation in a mode that it never advertised",
    on=("result:elicitation/create", "error:elicitation/create"),
    covers=("ELI-03",),
    spec="https://agentclientprotocol.com/protocol/v1/elicitation",
    bad=handshake({"elicitation": {"form": {}}})
    + NEW_SESSION
    + PROMPT
    + """\
<- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "url", "message": "Sign in", "elicitationId": "e1", "url": "https://login.example/"}}
-> {"jsonrpc": "2.0", "id": 0, "result": {"action": "cancel"}}
""",
    good=handshake({"elicitation": {"form": {}}})
    + NEW_SESSION
    + PROMPT
    + """\
<- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "url", "message": "Sign in", "elicitationId": "e1", "url": "https://login.example/"}}
-> {"jsonrpc": "2.0", "id": 0, "error": {"code": -32602, "message": "Invalid params"}}
""",
)
def unadvertised_elicitation_accepted(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports a result for an elicitation in a mode that the client did not advertise, and refusals
    with a code other than -32602 (invalid params). A client without any elicitation may also answer
    "method not found".

    ## Why it matters
    A result such as `cancel` or `decline` looks like the user's decision, and the agent acts on it,
    although nobody was asked.

    ## Use instead
    Answer with error -32602, or advertise the mode if the client supports it.
    """
    asked = step.exchange.params if step.exchange else None
    mode = asked.get("mode") if isinstance(asked, dict) else None
    gates = gates_of(step.state.version)
    gate = gates.elicitation_modes.get(mode) if isinstance(mode, str) else None
    if gate is None or not lack(step.state, gate):
        return
    see = step.exchange.seq if step.exchange else None
    if isinstance(step.message, Response) and step.message.result:
        yield Remark(
            f"the client answered an elicitation in mode `{mode}`, but never advertised `{gate.name}`",
            at="/result",
            see=see,
            hint="answer with error -32602 (invalid params), or advertise the mode",
        )
        return
    code = step.body.get("code") if isinstance(step.body, dict) else None
    knows_none = bool(lack(step.state, gates.methods["elicitation/create"]))
    if code == _INVALID_PARAMS or (knows_none and code == _METHOD_NOT_FOUND):
        return
    if isinstance(code, int):
        yield Remark(
            f"an elicitation in the unadvertised mode `{mode}` was refused with {code}; expected -32602",
            at="/error/code",
            see=see,
            severity=Severity.NOTE,
            hint="answer with error -32602 (invalid params)",
        )
