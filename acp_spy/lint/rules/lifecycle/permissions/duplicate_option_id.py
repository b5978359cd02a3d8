"""Every id in a list is unique, and not empty."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import PERMISSION, TOOL_CALL
from acp_spy.lint.rules.lifecycle._reading import (
    entries,
    is_first,
    names,
    option_id,
    options,
    place_of,
    values,
)
from acp_spy.wire.values import fields

_VALUE = "value of"


@rule(
    code="LIF114",
    name="duplicate-option-id",
    severity=Severity.WARNING,
    summary="Two entries in one list have the same id, or one has an empty id",
    on=(
        "InitializeAnswered",
        "request:session/request_permission",
        "SessionOpened",
        "ConfigChanged",
        "CommandsChanged",
    ),
    covers=("PER-05", "MOD-02", "CFG-12", "CMD-02"),
    spec="https://agentclientprotocol.com/protocol/tool-calls#permission-options",
    bad=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "call_1"}, "options": [{"optionId": "allow", "name": "Allow", "kind": "allow_once"}, {"optionId": "allow", "name": "Always allow", "kind": "allow_always"}]}}
""",
    good=PERMISSION,
)
def duplicate_option_id(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports duplicate ids in a list of permission options, modes, config options, values of a
    select, slash commands or login methods, and empty ids in all of them but values.

    ## Why it matters

    The response carries only the id, so the agent cannot distinguish "allow" from "always allow".
    Many clients show only one of the two entries.

    ## Use instead

    Give every entry a unique id.
    """
    for where, what, ids in _lists(step):
        name, count = _first_repeated(ids)
        if count > 1 and is_first(reported, (what, name)):
            yield Remark(
                f"{what} `{name}` is listed {count} times; expected unique ids",
                at=where,
                hint="give every entry a unique id",
            )
        elif "" in ids and not what.startswith(_VALUE) and is_first(reported, (what, "")):
            yield Remark(
                f"an entry has an empty id ({what}); expected unique ids",
                at=where,
                hint="give every entry a unique id",
            )


def _first_repeated(ids: list[str]) -> tuple[str, int]:
    """Return the first in the alphabet of the ids that are repeated, and how often it is there."""
    return min(((name, n) for name, n in Counter(ids).items() if n > 1), default=("", 0))


def _lists(step: Step) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each list of options in the frame: its JSON Pointer, the name of its ids, the ids."""
    body, place = fields(step.body), place_of(step)
    methods = body.get("authMethods")
    if methods is not None:
        ids = names(methods, "id") or names(methods, "methodId")  # the latter in version 2
        yield f"{place}/authMethods", "login method", ids
        return
    if step.method == "session/request_permission":
        yield "/params/options", "`optionId`", names(body.get("options"), "optionId")
        return
    if place == "/params/update":
        body = fields(body.get("update"))
    modes, config = fields(body.get("modes")).get("availableModes"), body.get("configOptions")
    commands = body.get("availableCommands")
    yield f"{place}/modes/availableModes", "mode", names(modes, "id")
    yield f"{place}/configOptions", "config option", list(map(option_id, _objects(config)))
    yield f"{place}/availableCommands", "command", names(commands, "name")
    for i, option in entries(config):
        if options([option]):
            where = f"{place}/configOptions/{i}/options"
            yield where, f"{_VALUE} `{option_id(option)}`", values(option)


def _objects(config: Any) -> Iterator[dict[str, Any]]:
    return (option for _, option in entries(config) if option_id(option))
