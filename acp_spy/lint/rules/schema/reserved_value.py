"""Custom values of open enumerations begin with an underscore."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import after_handshake
from acp_spy.lint.rules.schema._open_values import has_open_values, strange_values
from acp_spy.lint.rules.schema._words import named, quoted
from acp_spy.protocol.events import OtherUpdate
from acp_spy.protocol.mismatch import listed
from acp_spy.protocol.shapes import Tagged
from acp_spy.protocol.spelling import nearest
from acp_spy.protocol.tables import NAMES, spec
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import text

# In version 1 only these have values that may be extended.
_VERSION_1 = ("OtherUpdate", "ConfigChanged", "SessionOpened")
_ELICITATION = ("request:elicitation/create", "result:elicitation/create")
_VERSION_2 = (
    "InitializeAnswered",
    "PermissionAnswered",
    "PermissionAsked",
    "Said",
    "SessionAsked",
    "StateChanged",
    "ToolCallChanged",
    "TurnStarted",
)
_TOPICS = (
    *_VERSION_1,
    *_ELICITATION,
    "InitializeAnswered",
    *(f"v2:{name}" for name in _VERSION_2 if name != "Said"),
    "media",
)

# Updates that have none in any version: `usage_update` comes often.
_UPDATES = [
    (name, has_open_values(edition, branch))
    for edition in map(spec, NAMES)
    if isinstance(updates := edition.shapes["SessionUpdate"], Tagged)
    for name, branch in updates.branches.items()
]
_CLOSED_UPDATES = {name for name, _ in _UPDATES} - {name for name, is_open in _UPDATES if is_open}

# The official value that is meant, where it is not spelled similarly.
_MEANT = {
    "reasoning": "thought_level",
    "reasoning_effort": "thought_level",
    "thinking": "thought_level",
}

_HINTS = {"object": "give each value its own property: a form is flat"}


@rule(
    code="SCH031",
    name="reserved-value",
    severity=Severity.WARNING,
    summary="A custom value does not begin with an underscore",
    on=_TOPICS,
    covers=("EXT-10", "CFG-04", "NTC-02", "CMP-02", "ELI-07", "V2-18"),
    spec="https://agentclientprotocol.com/protocol/extensibility",
    bad=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1", "configOptions": [{"id": "web", "name": "Web search", "category": "search", "type": "select", "currentValue": "on", "options": [{"value": "on", "name": "On"}]}]}}
        """
    ),
    good=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1", "configOptions": [{"id": "web", "name": "Web search", "category": "_search", "type": "select", "currentValue": "on", "options": [{"value": "on", "name": "On"}]}]}}
        """
    ),
)
def reserved_value(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports unknown values without a leading `_` in enumerations that may be extended: categories of
    config options (a note), severities of notices, states of a compaction, property types of a
    form, and nearly everything in version 2.

    ## Why it matters
    Names without a leading `_` are reserved for ACP, which may give them another meaning. A typo,
    such as `warn` for `warning`, silently loses its meaning.

    ## Use instead
    Begin a custom value with `_`, or send an official value.
    """
    if isinstance(step.event, OtherUpdate) and text(step.event.name) in _CLOSED_UPDATES:
        return
    tables = facts.spec
    is_draft = tables.version == 2
    if not is_draft and type(step.event).__name__ in _VERSION_2:
        return
    ways = tables.find(step.method)
    if not ways:
        return
    is_answer = isinstance(step.message, Response)
    shape, place = (ways[0].result, "/result") if is_answer else (ways[0].params, "/params")
    seen = set()
    for path, value, known in strange_values(tables, shape, step.body):
        if (value, known) in seen:
            continue
        seen.add((value, known))
        near = _MEANT.get(value, "")
        near = near if near in known else nearest(value, known)
        yield Remark(
            f"{named(path)} is {quoted(value)}, which is unknown; expected {listed(known)}; names without"
            " a leading `_` are reserved for ACP",
            at=place + path,
            severity=_severity(path, is_draft=is_draft),
            hint=f"send `{near}`"
            if near
            else _HINTS.get(value, "add a leading `_` if it is a custom value"),
        )


def _severity(path: str, *, is_draft: bool) -> Severity:
    if path.endswith("/category"):  # only for the eye: clients handle one that they do not know
        return Severity.WARNING if is_draft else Severity.NOTE
    return Severity.ERROR if is_draft else Severity.WARNING
