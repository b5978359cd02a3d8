"""Line numbers start at 1."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
from acp_spy.lint.rules.lifecycle._reading import (
    entries,
    is_first,
    is_number,
)
from acp_spy.wire.values import fields


@rule(
    code="LIF107",
    name="line-number-zero",
    severity=Severity.WARNING,
    summary="A line number is 0, but line numbers start at 1",
    on=("locations:0", "request:fs/read_text_file"),
    covers=("TLC-11", "FS-03"),
    spec="https://agentclientprotocol.com/protocol/overview#argument-requirements",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "Read main.py", "status": "completed", "locations": [{"path": "/home/dev/project/main.py", "line": 0}]}}}
"""
    + END,
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "Read main.py", "status": "completed", "locations": [{"path": "/home/dev/project/main.py", "line": 1}]}}}
"""
    + END,
)
def line_number_zero(step: Step, facts: Facts, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports `line: 0` in `locations` and in `fs/read_text_file`. The first line of a file is line 1.

    ## Why it matters

    A peer that counts from 0 is off by one everywhere. The editor jumps to the wrong line, and a
    read starts one line early or fails.

    ## Use instead

    Add 1 to zero-based line numbers. Omit `line` if it is unknown.
    """
    place, call = facts.tool_call
    if step.method == "fs/read_text_file":
        found = [("/params/line", fields(step.body).get("line"))]
        owner: Any = step.method
    else:
        found = [
            (f"{place}/locations/{i}/line", entry.get("line"))
            for i, entry in entries(call.get("locations"))
        ]
        owner = str(fields(step.body).get("sessionId")), str(call.get("toolCallId"))
    for where, line in found:
        if is_number(line) and line == 0 and is_first(reported, owner):
            yield Remark(
                "`line` is `0`; expected `1` for the first line",
                at=where,
                hint="count lines from 1, or omit `line`",
            )
            return
