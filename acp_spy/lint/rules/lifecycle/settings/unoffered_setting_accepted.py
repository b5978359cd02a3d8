"""A mode or option that does not exist is refused."""

from collections.abc import Collection, Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._offers import known_options, mode_ids
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import options
from acp_spy.wire.values import fields

_MODES = '"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}'
_START = SESSION.replace('"sessionId": "s1"}', f'"sessionId": "s1", {_MODES}}}')
_SET = """
        -> {"jsonrpc": "2.0", "id": 5, "method": "session/set_mode", "params": {"sessionId": "s1", "modeId": "fast"}}
"""


@rule(
    code="LIF152",
    name="unoffered-setting-accepted",
    severity=Severity.WARNING,
    summary="The agent accepted a mode or config option that it does not offer",
    on=("result:session/set_mode", "result:session/set_config_option"),
    covers=("MOD-03", "CFG-09", "V2-23"),
    spec="https://agentclientprotocol.com/protocol/session-modes#setting-the-current-mode",
    since="0.2",
    bad=_START
    + _SET
    + """
        <- {"jsonrpc": "2.0", "id": 5, "result": {}}
""",
    good=_START
    + _SET
    + """
        <- {"jsonrpc": "2.0", "id": 5, "error": {"code": -32602, "message": "Unknown mode: fast"}}
""",
)
def unoffered_setting_accepted(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a successful response to `session/set_mode` or `session/set_config_option` for a mode or
    option that the session does not offer and that does not come into effect. A value that is not
    offered and not applied is reported by LIF136.

    ## Why it matters

    The client shows the new mode, and the agent works in the old one: it may edit files without
    permission while the user believes that it asks.

    ## Use instead

    Answer with error -32602, and change nothing.
    """
    session, params = step.session, fields(step.exchange.params if step.exchange else None)
    is_mode = step.method == "session/set_mode"
    name = params.get("modeId" if is_mode else "configId")
    if session is None or not isinstance(name, str):
        return
    if is_mode:
        kind = "mode"
        offered: Collection[str] = mode_ids(session)
        is_known = not offered or session.mode == name
    else:
        kind = "config option"
        offered = known_options(session)
        is_known = not offered or name in options(fields(step.body).get("configOptions"))
    if not is_known and name not in offered:
        yield Remark(
            f"{kind} {quoted(name)} was accepted, but the session does not offer it; expected error"
            " `-32602`",
            at="/result",
            see=step.exchange.seq if step.exchange else None,
            hint=f"answer with error `-32602` if there is no such {kind}",
        )
