"""How the rules of this part read what may be anything, and remember no more than they need."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.protocol.events import Said
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields


def entries(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects in a list, each with its place there."""
    for place, entry in enumerate(value if isinstance(value, list) else ()):
        if isinstance(entry, dict):
            yield place, entry


def names(value: Any, key: str) -> list[str]:
    """Return the strings that the objects of a list have under `key`."""
    return [entry[key] for _, entry in entries(value) if isinstance(entry.get(key), str)]


def is_number(value: Any) -> TypeGuard[int]:
    """Tell whether `value` is an integer; JSON's booleans are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_first(memory: dict[Any, Any], key: Any) -> bool:
    """Tell whether `key` comes for the first time, and remember it."""
    if key in memory:
        return False
    remember(memory, key)
    return True


def is_being_loaded(step: Step) -> bool:
    """Tell whether the session of a step is just being loaded, so that this is its history."""
    wanted = fields(step.body).get("sessionId")
    is_name = wanted is None or isinstance(wanted, str)
    return is_name and any(step.state.pending.about("session/load", wanted))


def place_of(step: Step) -> str:
    """Return the pointer to where a list of modes, options or commands stands in a step."""
    if isinstance(step.message, Response):
        return "/result"
    return "/params/update" if step.method == "session/update" else "/params"


def blocks(step: Step, facts: Facts) -> Sequence[tuple[str, dict[str, Any]]]:
    """Return each content block of a prompt, a chunk or a tool call that is more than text."""
    if isinstance(step.event, Said):  # most frames are chunks of text
        block = step.event.content
        if not isinstance(block, dict) or block.get("type") == "text":
            return ()
        found = [("/params/update/content", block)]
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


def options(config: Any) -> dict[str, dict[str, Any]]:
    """Return the options of a session by their ids."""
    return {
        option["id"]: option for _, option in entries(config) if isinstance(option.get("id"), str)
    }


def values(option: dict[str, Any]) -> list[str]:
    """Return what a select offers, in groups or not."""
    offered = option.get("options")
    grouped = [
        value for _, group in entries(offered) for value in names(group.get("options"), "value")
    ]
    return names(offered, "value") + grouped


def quoted(words: list[str]) -> str:
    """Return `words` for a sentence, a few of them if they are many."""
    shown = ", ".join(f"`{word}`" for word in words[:6])
    return f"{shown}, ..." if len(words) > 6 else shown
