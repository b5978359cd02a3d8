"""Each peer sends its name and version."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_by_version_1, is_handshake
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, INITIALIZED, transcript
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields


@rule(
    code="LIF004",
    name="missing-peer-info",
    severity=Severity.WARNING,
    summary="The handshake does not contain the name and version of a peer",
    on=("request:initialize", "result:initialize"),
    covers=("INI-04", "INI-06"),
    spec="https://agentclientprotocol.com/protocol/initialization",
    bad=transcript(
        """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}}}
        """,
        INITIALIZED,
    ),
    good=HANDSHAKE,
)
def missing_peer_info(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports an `initialize` request without `clientInfo`, a result without `agentInfo`, and an empty
    `name` or `version` in them. The SDKs do not send them by default.

    ## Why it matters
    Logs, bug reports and workarounds need them, and some agents pass them on to a service that
    refuses an empty name. Version 2 requires them.

    ## Use instead
    Send `name` and `version`: as `clientInfo` in the request, as `agentInfo` in the result.
    """
    body = fields(step.body)
    if not body or not is_by_version_1(facts) or not is_handshake(step):
        return
    is_request = step.frame.sender is Peer.CLIENT
    place, key = ("/params", "clientInfo") if is_request else ("/result", "agentInfo")
    hint = f"send `{key}` with `name` and `version`"
    info = body.get(key)
    if info is None:
        if getattr(step.event, "info", None) is not None:
            return  # sent under another name, which another rule reports
        if not any(other.lower().endswith("info") for other in body if other != key):
            yield Remark(f"`{key}` is missing; expected name and version", at=place, hint=hint)
        return
    for part in ("name", "version"):
        text = fields(info).get(part)
        if isinstance(text, str) and not text.strip():
            yield Remark(
                f"`{part}` of `{key}` is empty; expected the {part} of the {step.frame.sender.value}",
                at=f"{place}/{key}/{part}",
                hint=hint,
            )
            return
