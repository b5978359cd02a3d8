"""There is no version 0."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE
from acp_spy.wire.values import fields


@rule(
    code="LIF015",
    name="version-zero-accepted",
    severity=Severity.ERROR,
    summary="The agent selected protocol version 0",
    on=("result:initialize",),
    covers=("INI-07", "INI-08"),
    spec="https://agentclientprotocol.com/protocol/initialization#protocol-version",
    since="0.2",
    bad=HANDSHAKE.replace('"protocolVersion": 1', '"protocolVersion": 0'),
    good=HANDSHAKE,
)
def version_zero_accepted(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports an agent that answers `initialize` with protocol version 0.

    ## Why it matters
    The versions of ACP begin with 1. Drafts before the first release had the number 0, and no client
    supports them.

    ## Use instead
    Answer with the latest version that the agent supports, whatever the client requested.
    """
    version = fields(step.body).get("protocolVersion")
    if version == 0 and not isinstance(version, bool):
        yield Remark(
            "the agent selected version 0, which does not exist; expected 1 or later",
            at="/result/protocolVersion",
            see=step.exchange.seq if step.exchange else None,
            hint="answer with the latest version that the agent supports",
        )
