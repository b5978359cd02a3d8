"""A read asks for at least one line."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
from acp_spy.lint.rules.lifecycle._reading import is_number
from acp_spy.wire.values import fields


@rule(
    code="LIF108",
    name="zero-read-limit",
    severity=Severity.WARNING,
    summary="A file was read with a limit of 0 lines",
    on=("request:fs/read_text_file",),
    covers=("FS-03",),
    spec="https://agentclientprotocol.com/protocol/file-system#reading-files",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/main.py", "limit": 0}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"content": ""}}
"""
    + END,
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/main.py", "limit": 1}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"content": "import sys\\n"}}
"""
    + END,
)
def zero_read_limit(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports `fs/read_text_file` with `limit: 0`. `limit` is the maximum number of lines to return.

    ## Why it matters

    Some clients return an empty text, and the agent assumes that the file is empty. Other clients
    treat 0 as "no limit" and return the whole file.

    ## Use instead

    Omit `limit` to read to the end of the file.
    """
    limit = fields(step.body).get("limit")
    if is_number(limit) and limit == 0:
        yield Remark(
            "`limit` is `0`; expected at least `1`, or no `limit`",
            at="/params/limit",
            hint="omit `limit` to read the whole file",
        )
