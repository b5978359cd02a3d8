"""Gists of the updates that have no event of their own."""

from collections.abc import Callable
from typing import Any

from acp_spy.view.gists.words import aside, content, joined, word
from acp_spy.wire.values import fields

Fields = dict[str, Any]


def _usage(told: Fields) -> str:
    used, size = told.get("used"), told.get("size")
    cost = fields(told.get("cost"))
    paid = joined(word(cost.get("amount")), word(cost.get("currency")), by=" ")
    if type(used) is not int:
        return rest(told)
    of = f" of {size:,}" if type(size) is int else ""
    return f"{used:,}{of} tokens" + aside(paid)


def _session_info(told: Fields) -> str:
    title = word(told.get("title"))
    return f"title: {title}" if title else rest(told)


def _notice(told: Fields) -> str:
    said = word(told.get("message")) or content(told.get("content"))
    return joined(word(told.get("level")) or word(told.get("severity")), said, by=": ")


def _chunk(told: Fields) -> str:
    return content(told.get("content")) or word(told.get("data")) or rest(told)


def _terminal(told: Fields) -> str:
    ended = fields(told.get("exitStatus"))
    code = word(ended.get("exitCode")) or word(ended.get("signal"))
    return joined(
        word(told.get("terminalId")),
        command(told),
        f"exit {code}" if code else "",
    )


def command(told: Fields) -> str:
    """Return a command line as a shell would be given it, roughly."""
    arguments = told.get("args")
    words = arguments if isinstance(arguments, list) else []
    return joined(word(told.get("command")), *map(word, words), by=" ")


def rest(told: Fields) -> str:
    """Return the text of an update, and its plain members as `name=value`."""
    return joined(
        content(told.get("content")),
        *(
            f"{name}={word(value)}"
            for name, value in told.items()
            if name not in ("sessionUpdate", "_meta", "content") and word(value)
        ),
    )


_UPDATES: dict[str, Callable[[Fields], str]] = {
    "usage_update": _usage,
    "session_info_update": _session_info,
    "notice": _notice,
    "compaction_summary_chunk": _chunk,
    "session_message_chunk": _chunk,
    "session_message": _chunk,
    "tool_call_content_chunk": _chunk,
    "terminal_output_chunk": _chunk,
    "terminal_update": _terminal,
}


def other_update(name: Any, told: Fields) -> str:
    """Return the gist of an update by its name."""
    read = _UPDATES.get(name) if isinstance(name, str) else None
    return read(told) if read else rest(told)
