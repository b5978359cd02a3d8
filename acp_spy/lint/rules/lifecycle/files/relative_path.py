"""Paths in the protocol are absolute."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
from acp_spy.lint.rules.lifecycle._reading import (
    entries,
    is_first,
)
from acp_spy.protocol.paths import is_absolute
from acp_spy.wire.values import fields


@rule(
    code="LIF106",
    name="relative-path",
    severity=Severity.ERROR,
    summary="A path in a tool call, a file request or a terminal is not absolute",
    on=(
        "locations:relative",
        "content:diff",
        "request:fs/read_text_file",
        "request:fs/write_text_file",
        "request:terminal/create",
    ),
    covers=("TLC-10", "FS-02", "TRM-04"),
    spec="https://agentclientprotocol.com/protocol/overview#argument-requirements",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "src/main.py"}}
        -> {"jsonrpc": "2.0", "id": 0, "error": {"code": -32602, "message": "Invalid params"}}
"""
    + END,
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/src/main.py"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"content": "print('hello')\\n"}}
"""
    + END,
)
def relative_path(step: Step, facts: Facts, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports relative paths in `locations` and `diff` of a tool call, in `fs/*` requests, and in the
    `cwd` of a terminal. `~` is not expanded, and `file://` is a URI, not a path.

    ## Why it matters

    Client and agent are separate processes and may have different working directories. The editor
    opens nothing, or another file with the same name.

    ## Use instead

    Join the path with the `cwd` of the session before you send it.
    """
    owner, wrong = _relative_paths(step, facts)
    if not wrong or not is_first(reported, (owner, wrong[0][1])):
        return
    place, path = wrong[0]
    more = f" (and {len(wrong) - 1} more in this frame)" if len(wrong) > 1 else ""
    yield Remark(
        f"path is `{path}`{more}; expected an absolute path",
        at=place,
        hint="join it with the `cwd` of the session",
    )


def _relative_paths(step: Step, facts: Facts) -> tuple[Any, list[tuple[str, str]]]:
    """Return a key that identifies repetitions, and every relative path in the frame."""
    body = fields(step.body)
    if step.method not in ("session/update", "session/request_permission"):
        key = "cwd" if step.method == "terminal/create" else "path"
        found = [(f"/params/{key}", body[key])] if _is_relative(body.get(key)) else []
        owner: Any = step.method
    else:
        place, call = facts.tool_call
        found = [
            (f"{place}/locations/{i}/path", entry["path"])
            for i, entry in entries(call.get("locations"))
            if _is_relative(entry.get("path"))
        ]
        found += [
            (f"{place}/content/{i}/path", entry["path"])
            for i, entry in entries(call.get("content"))
            if entry.get("type") == "diff" and _is_relative(entry.get("path"))
        ]
        owner = str(body.get("sessionId")), str(call.get("toolCallId"))
    return owner, found


def _is_relative(path: Any) -> bool:
    return isinstance(path, str) and not is_absolute(path)
