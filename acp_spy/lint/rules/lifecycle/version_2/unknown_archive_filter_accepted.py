"""Unstable: an unknown filter is rejected."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    error_line,
    request_line,
    result_line,
    transcript,
    version_1,
)

_OPENING = transcript(
    version_1('"sessionCapabilities": {"archive": {}, "list": {}}'),
    request_line(1, "session/list", '"archived": "all"'),
)


@rule(
    code="LIF242",
    name="unknown-archive-filter-accepted",
    severity=Severity.ERROR,
    summary="The agent accepted an unknown filter for archived sessions",
    on=("result:session/list",),
    covers=("UNS-03",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, result_line(1, '"sessions": []')),
    good=transcript(_OPENING, error_line(1, '"code": -32602, "message": "Unknown filter"')),
)
def unknown_archive_filter_accepted(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a successful `session/list` with a filter `archived` other than `exclude`, `include` or
    `only`. Custom filters start with `_`. The agent must reject unknown filters with -32602.

    ## Why it matters

    An agent that treats an unknown filter as `exclude` returns a list without archived sessions,
    and the client assumes that it is complete.

    ## Use instead

    Reject an unknown filter with -32602. As a client, send one of the three values.
    """
    requested = request_params(step).get("archived")
    if not isinstance(requested, str) or requested in ("exclude", "include", "only"):
        return
    if not requested.startswith("_"):
        yield Remark(
            f"filter `archived: {requested[:80]}` was accepted; expected error -32602",
            see=request_seq(step),
            hint="reject an unknown filter with -32602 (invalid params)",
        )
