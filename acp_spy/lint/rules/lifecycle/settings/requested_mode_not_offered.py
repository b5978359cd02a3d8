"""The client sets one of the available modes."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._offers import mode_ids
from acp_spy.lint.rules.lifecycle._reading import quoted
from acp_spy.wire.values import fields, items

_START = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1", "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}}}
"""


@rule(
    code="LIF130",
    name="requested-mode-not-offered",
    severity=Severity.ERROR,
    summary="The client set a mode that was not offered",
    on=("request:session/set_mode",),
    version=1,
    covers=("MOD-03",),
    spec="https://agentclientprotocol.com/protocol/session-modes#setting-the-current-mode",
    bad=_START
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_mode", "params": {"sessionId": "s1", "modeId": "Code"}}
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Invalid params"}}
""",
    good=_START
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_mode", "params": {"sessionId": "s1", "modeId": "code"}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {}}
""",
)
def requested_mode_not_offered(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports `session/set_mode` with a `modeId` that is not in the `availableModes` of the session,
    or for a session without modes.

    ## Why it matters

    Each agent defines its own mode ids, and the displayed name is not the id. The agent returns an
    error, or stays in the old mode.

    ## Use instead

    Send an `id` from `availableModes`. If the session has no modes, use a config option of the
    category `mode`.
    """
    mode, session = fields(step.body).get("modeId"), step.session
    if session is None or not isinstance(mode, str):
        return
    offered = mode_ids(session)
    if len(offered) < len(items(fields(session.modes).get("availableModes"))):
        return  # one that cannot be read may be meant: SCH rules report it
    if offered and mode not in offered:
        text = f"`modeId` is `{mode}`; expected one of {quoted(offered)}"
    elif session.how == "new" and session.modes is None:
        text = (
            f"`modeId` is `{mode}`, but the session has no `modes`; expected no `session/set_mode`"
        )
    else:
        return
    yield Remark(
        text,
        at="/params/modeId",
        see=session.seq,
        hint="send an `id` from the `availableModes` of the session",
    )
