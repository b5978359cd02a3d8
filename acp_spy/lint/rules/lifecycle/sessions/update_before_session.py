"""A new session is named before it gets updates."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.wire.values import fields

_ASKED = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
"""
_ANSWERED = """
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
"""
_COMMANDS = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "plan", "description": "Make a plan"}]}}}
"""


@rule(
    code="LIF031",
    name="update-before-session",
    severity=Severity.WARNING,
    summary="An update came before the response that names its session",
    on=("result:session/new", "result:session/fork"),
    version=1,
    covers=("SES-26",),
    spec="https://agentclientprotocol.com/protocol/session-setup#creating-a-session",
    bad=transcript(HANDSHAKE, _ASKED, _COMMANDS, _ANSWERED),
    good=transcript(HANDSHAKE, _ASKED, _ANSWERED, _COMMANDS),
)
def update_before_session(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports updates with the id of a new session before `session/new` was answered with that id.
    Version 2 allows either order.

    ## Why it matters
    The client does not know the session yet. Some clients drop such updates, and slash commands,
    modes or a greeting are missing.

    ## Use instead
    Send the response first, then the updates.
    """
    name = fields(step.body).get("sessionId")
    early = step.state.sessions.get(name) if isinstance(name, str) else None
    if early is None or early.how != "used" or step.exchange is None:
        return
    if early.turn_count:
        return  # the client did not wait for the id either, which LIF029 reports
    if early.seq > step.exchange.seq:
        yield Remark(
            f"an update for session {quoted(name)} came before `{step.method}` was answered with"
            " that id; some clients drop it",
            at="/params/sessionId",
            on=early.seq,
            see=step.frame.seq,
            hint=f"send the response to `{step.method}` first, then the updates",
        )
