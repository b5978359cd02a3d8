"""Gists of the requests and responses that cause no event."""

from collections.abc import Callable
from typing import Any

from acp_spy.units import counted
from acp_spy.view.gists.updates import command
from acp_spy.view.gists.words import aside, content, joined, lines_of, names, word
from acp_spy.wire.values import fields, items

Fields = dict[str, Any]


def _read_file(p: Fields) -> str:
    line, limit = word(p.get("line")), word(p.get("limit"))
    return word(p.get("path")) + aside(
        f"from line {line}" if line else "", f"{limit} lines at most" if limit else ""
    )


def _write_file(p: Fields) -> str:
    return word(p.get("path")) + aside(lines_of(p.get("content")).partition(":")[0])


def _create_terminal(p: Fields) -> str:
    cwd = word(p.get("cwd"))
    return command(p) + (f"  in {cwd}" if cwd else "")


def _terminal(p: Fields) -> str:
    return word(p.get("terminalId"))


def _session(p: Fields) -> str:
    return word(p.get("sessionId"))


def _list_sessions(p: Fields) -> str:
    return joined(f"in {word(p.get('cwd'))}" if word(p.get("cwd")) else "all")


def _elicit(p: Fields) -> str:
    return joined(word(p.get("message")), word(p.get("url")))


def _set_option(p: Fields) -> str:
    return f"{word(p.get('configId'))}={word(p.get('value'))}"


CALLS: dict[str, Callable[[Fields], str]] = {
    "authenticate": lambda p: word(p.get("methodId")),
    "auth/login": lambda p: word(p.get("methodId")),
    "fs/read_text_file": _read_file,
    "fs/write_text_file": _write_file,
    "terminal/create": _create_terminal,
    "terminal/output": _terminal,
    "terminal/wait_for_exit": _terminal,
    "terminal/kill": _terminal,
    "terminal/release": _terminal,
    "session/list": _list_sessions,
    "session/close": _session,
    "session/delete": _session,
    "session/archive": _session,
    "session/unarchive": _session,
    "session/set_mode": lambda p: f"mode {word(p.get('modeId'))}",
    "session/set_model": lambda p: f"model {word(p.get('modelId'))}",
    "session/set_title": lambda p: word(p.get("title")),
    "session/set_config_option": _set_option,
    "elicitation/create": _elicit,
    "$/cancel_request": lambda p: f"cancels the request with id {word(p.get('requestId'))}",
}


def _output(r: Fields) -> str:
    ended = fields(r.get("exitStatus"))
    return joined(lines_of(r.get("output")), exit_status(ended) if ended else "", by="; ")


def exit_status(r: Fields) -> str:
    """Return how a command ended."""
    code, signal = word(r.get("exitCode")), word(r.get("signal"))
    return f"exit {code}" if code else f"killed by {signal}" if signal else "ended"


def _elicited(r: Fields) -> str:
    return joined(word(r.get("action")), content(r.get("content")), by=": ")


ANSWERS: dict[str, Callable[[Fields], str]] = {
    "session/prompt": lambda r: "accepted" if "messageId" in r else "",  # version 2
    "fs/read_text_file": lambda r: lines_of(r.get("content")),
    "terminal/output": _output,
    "terminal/wait_for_exit": exit_status,
    "elicitation/create": _elicited,
    "providers/list": lambda r: joined(
        counted(len(items(r.get("providers"))), "provider"),
        names(items(r.get("providers")), "id", "name"),
        by=": ",
    ),
}
