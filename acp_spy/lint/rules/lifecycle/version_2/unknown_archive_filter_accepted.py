"""Unstable: a filter that the agent does not know is refused."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    answer,
    ask,
    refuse,
    transcript,
    version_1,
)

_OPENING = transcript(
    version_1('"sessionCapabilities": {"archive": {}, "list": {}}'),
    ask(1, "session/list", '"archived": "all"'),
)


@rule(
    code="LIF242",
    name="unknown-archive-filter-accepted",
    severity=Severity.ERROR,
    summary="The agent accepted a filter for archived sessions that does not exist",
    on=("result:session/list",),
    covers=("UNS-03",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, answer(1, '"sessions": []')),
    good=transcript(_OPENING, refuse(1, '"code": -32602, "message": "Unknown filter"')),
)
def unknown_archive_filter_accepted(step: Step) -> Iterator[Remark]:
    """
    The filter `archived` of `session/list` is `exclude`, `include` or `only`. An agent refuses any
    other with -32602. If it takes an unknown one for `exclude`, the client shows a list that
    lacks sessions, and takes it for complete.

    Refuse what you do not know. As a client, send one of the three.
    """
    wanted = asked(step).get("archived")
    if not isinstance(wanted, str) or wanted in ("exclude", "include", "only"):
        return
    if not wanted.startswith("_"):
        yield Remark(
            f"the filter `archived: {wanted[:80]}` was accepted; -32602 was expected",
            see=asked_at(step),
            hint="refuse a filter that you do not know with -32602 (invalid params)",
        )
