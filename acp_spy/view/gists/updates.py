"""Gists of the updates that have no event of their own."""

from collections.abc import Callable
from typing import Any

from acp_spy.view.gists.words import aside, content, joined, word
from acp_spy.wire.values import fields

Fields = dict[str, Any]


def _usage(update: Fields) -> str:
    used, size = update.get("used"), update.get("size")
    cost = fields(update.get("cost"))
    paid = joined(word(cost.get("amount")), word(cost.get("currency")), by=" ")
    if type(used) is not int:
        return rest(update)
    of = f" of {size:,}" if type(size) is int else ""
    return f"{used:,}{of} tokens" + aside(paid)


def _session_info(update: Fields) -> str:
    title = word(update.get("title"))
    return f"title: {title}" if title else rest(update)


def _notice(update: Fields) -> str:
    said = word(update.get("message")) or content(update.get("content"))
    return joined(word(update.get("level")) or word(update.get("severity")), said, by=": ")


def _chunk(update: Fields) -> str:
    return content(update.get("content")) or word(update.get("data")) or rest(update)


def _terminal(update: Fields) -> str:
    ended = fields(update.get("exitStatus"))
    code = word(ended.get("exitCode")) or word(ended.get("signal"))
    return joined(
        word(update.get("terminalId")),
        command(update),
        f"exit {code}" if code else "",
    )


def command(update: Fields) -> str:
    """Return a command line as a shell would be given it, roughly."""
    arguments = update.get("args")
    words = arguments if isinstance(arguments, list) else []
    return joined(word(update.get("command")), *map(word, words), by=" ")


def rest(update: Fields) -> str:
    """Return the text of an update, and its plain members as `name=value`."""
    return joined(
        content(update.get("content")),
        *(
            f"{name}={word(value)}"
            for name, value in update.items()
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


def other_update(name: Any, update: Fields) -> str:
    """Return the gist of an update by its name."""
    read = _UPDATES.get(name) if isinstance(name, str) else None
    return read(update) if read else rest(update)
