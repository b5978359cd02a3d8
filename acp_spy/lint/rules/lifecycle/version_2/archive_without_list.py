"""Unstable: sessions that can be archived can be listed."""

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
    Archiving hides a session from `session/list`, and the filter `archived` brings it back to
    sight. Both mean nothing without the list, so `archive` may be advertised only along with
    `list`. A client without a list has no place for the button.

    Advertise and implement `session/list` as well.
    """
    capabilities = fields(fields(fields(step.body).get("agentCapabilities")).get(_KEY))
    if isinstance(capabilities.get("archive"), dict) and capabilities.get("list") is None:
        yield Remark(
            "`archive` is advertised; `list` was expected with it",
            at=f"/result/agentCapabilities/{_KEY}",
            hint='add `"list": {}`, and implement `session/list`',
        )


_KEY = "sessionCapabilities"
