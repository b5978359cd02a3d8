"""Helpers to read values of any type, and to remember what was already reported."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any, TypeGuard

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rules.lifecycle._common import backquoted
from acp_spy.protocol.events import Said
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields, items


def entries(value: Any) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects in a list, each with its index."""
    if type(value) is not list:
        return []
    return [(place, entry) for place, entry in enumerate(value) if type(entry) is dict]


def names(value: Any, key: str) -> list[str]:
    """Return the strings under `key` in the objects of a list."""
    return [
        entry[key] for entry in items(value) if type(entry) is dict and type(entry.get(key)) is str
    ]


def is_number(value: Any) -> TypeGuard[int]:
    """Return whether `value` is an integer; JSON booleans are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_first(memory: dict[Any, Any], key: Any) -> bool:
    """Return whether `key` is seen for the first time, and remember it."""
    if key in memory:
        return False
    remember(memory, key)
    return True


def place_of(step: Step) -> str:
    """Return the JSON Pointer to the list of modes, options or commands in a step."""
    if isinstance(step.message, Response):
        return "/result"
    return "/params/update" if step.method == "session/update" else "/params"


def blocks(step: Step, facts: Facts) -> Sequence[tuple[str, dict[str, Any]]]:
    """Return each content block of a prompt, a chunk or a tool call that is more than text."""
    if isinstance(step.event, Said):  # most frames are chunks of text
        content = step.event.content
        if isinstance(content, list):  # a whole message of version 2
            found = [(f"/params/update/content/{i}", block) for i, block in entries(content)]
        elif not isinstance(content, dict) or content.get("type") == "text":
            return ()
        else:
            found = [("/params/update/content", content)]
    elif step.method == "session/prompt":
        prompt = fields(step.body).get("prompt")
        found = [(f"/params/prompt/{i}", block) for i, block in entries(prompt)]
    else:
        place, sent = facts.tool_call
        found = [
            (f"{place}/content/{i}/content", fields(wrapper.get("content")))
            for i, wrapper in entries(sent.get("content"))
        ]
    return [(place, block) for place, block in found if block.get("type") not in ("text", None)]


def option_id(option: dict[str, Any]) -> str:
    """Return the id of a config option, which has another name in version 2; empty if none."""
    name = option.get("id", option.get("configId"))
    return name if isinstance(name, str) else ""


def options(config: Any) -> dict[str, dict[str, Any]]:
    """Return the options of a session by their ids."""
    return {name: option for _, option in entries(config) if (name := option_id(option))}


def values(option: dict[str, Any]) -> list[str]:
    """Return the values that a select offers, grouped or not."""
    offered = option.get("options")
    grouped = [
        value for _, group in entries(offered) for value in names(group.get("options"), "value")
    ]
    return names(offered, "value") + grouped


def quoted(words: Collection[str]) -> str:
    """Return `words` in backquotes for a sentence, cut if long; only the first six of many."""
    shown = ", ".join(backquoted(word) for word in islice(words, 6))
    return f"{shown}, ..." if len(words) > 6 else shown
