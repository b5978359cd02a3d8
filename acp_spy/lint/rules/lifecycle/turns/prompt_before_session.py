"""A session is loaded or resumed before it gets a prompt."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, PROMPT, transcript
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.wire.values import fields

_LOAD = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
"""
_LOADED = """
    <- {"jsonrpc": "2.0", "id": 1, "result": {}}
"""


@rule(
    code="LIF050",
    name="prompt-before-session",
    severity=Severity.ERROR,
    summary="A prompt was sent before its session was ready",
    on=("request:session/prompt",),
    covers=("PRM-01", "UNS-06"),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, _LOAD, PROMPT, _LOADED),
    good=transcript(HANDSHAKE, _LOAD, _LOADED, PROMPT),
)
def prompt_before_session(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports a prompt for a session while `session/load` or `session/resume` is pending, or for a
    session that was only listed.

    ## Why it matters
    The agent may refuse the prompt, or mix its output with the replay.

    ## Use instead
    Wait for the result of `session/load` or `session/resume`.
    """
    name = fields(step.body).get("sessionId")
    if not isinstance(name, str):
        return
    opening = pending(step.state, "session/load", name)
    opening = opening or pending(step.state, "session/resume", name)
    if opening is not None and (step.session is None or step.session.how in ("listed", "used")):
        yield Remark(
            f"a prompt was sent to session {quoted(name)} while `{opening.method}` was pending; expected its result first",
            at="/params/sessionId",
            see=opening.seq,
            hint=f"wait for the result of `{opening.method}`",
        )
    elif step.session is not None and step.session.how == "listed" and not step.session.closed:
        yield Remark(
            f"a prompt was sent to session {quoted(name)}, which was only listed; expected"
            " `session/load` or `session/resume` first",
            at="/params/sessionId",
            see=step.session.seq,
            hint="send `session/load` or `session/resume` first",
        )
