"""The main capabilities are stated, even if they are not supported."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_by_version_1, is_handshake
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, INITIALIZED, transcript
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

# Without the capabilities that are objects: omitting them is the only way to say no.
_CLIENT = ("fs.readTextFile", "fs.writeTextFile", "terminal", "auth.terminal")
_AGENT = ("loadSession", "promptCapabilities", "mcpCapabilities")


@rule(
    code="LIF005",
    name="unstated-capability",
    severity=Severity.NOTE,
    summary="The handshake does not state whether a capability is supported",
    on=("request:initialize", "result:initialize"),
    by_default=False,
    covers=("INI-13", "INI-14"),
    spec="https://agentclientprotocol.com/protocol/initialization",
    bad=transcript(
        """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        """,
        INITIALIZED,
    ),
    good=HANDSHAKE,
)
def unstated_capability(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports main capabilities that are omitted from the handshake. The Python SDK always omits
    `false`, so its peers get this note for everything that they do not support.

    ## Why it matters
    An omitted capability counts as not supported. This is legal, but a reader cannot know whether
    it was forgotten.

    ## Use instead
    State the main capabilities, including those that are `false`.
    """
    body = fields(step.body)
    if not is_by_version_1(facts) or not is_handshake(step):
        return
    is_request = step.frame.sender is Peer.CLIENT
    key, names = ("clientCapabilities", _CLIENT) if is_request else ("agentCapabilities", _AGENT)
    capabilities = getattr(step.event, "capabilities", None)  # in a dialect, too
    if not isinstance(body.get(key), dict) or not isinstance(capabilities, dict):
        return
    missing = [f"`{name}`" for name in names if not _is_stated(capabilities, name)]
    if missing:
        yield Remark(
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not stated; expected a value, even if not supported",
            at=f"/{'params' if is_request else 'result'}/{key}",
            hint="send `false` or an empty object for what is not supported",
        )


def _is_stated(capabilities: dict[str, Any], name: str) -> bool:
    value: Any = capabilities
    for part in name.split("."):
        if not isinstance(value, dict):
            return True  # it has the wrong type, which SCH014 reports
        if part not in value:
            return False
        value = value[part]
    return True
