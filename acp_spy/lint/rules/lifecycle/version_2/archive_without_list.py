"""Unstable: an agent that archives sessions can list them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import version_1
from acp_spy.wire.values import fields


@rule(
    code="LIF240",
    name="archive-without-list",
    severity=Severity.ERROR,
    summary="The agent advertises `archive` but not `list`",
    on=("result:initialize",),
    covers=("UNS-03",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/initialization#session-capabilities",
    bad=version_1('"sessionCapabilities": {"archive": {}}'),
    good=version_1('"sessionCapabilities": {"archive": {}, "list": {}}'),
)
def archive_without_list(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports the capability `archive` without the capability `list`. Archiving hides a session from
    `session/list`, so it requires the list.

    ## Why it matters

    A client without a list of sessions has no place for an archive button.

    ## Use instead

    Advertise and implement `session/list`.
    """
    capabilities = fields(fields(fields(step.body).get("agentCapabilities")).get(_KEY))
    if isinstance(capabilities.get("archive"), dict) and capabilities.get("list") is None:
        yield Remark(
            "`archive` is advertised without `list`; expected both",
            at=f"/result/agentCapabilities/{_KEY}",
            hint='add `"list": {}`, and implement `session/list`',
        )


_KEY = "sessionCapabilities"
