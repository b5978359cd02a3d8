"""A read returns at most `limit` lines."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
from acp_spy.lint.rules.lifecycle._reading import is_number
from acp_spy.wire.values import fields


@rule(
    code="LIF109",
    name="read-limit-exceeded",
    severity=Severity.WARNING,
    summary="The client returned more lines than requested",
    on=("result:fs/read_text_file",),
    covers=("FS-05",),
    spec="https://agentclientprotocol.com/protocol/file-system#reading-files",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/main.py", "limit": 2}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"content": "import sys\\n\\nprint(sys.argv)\\n"}}
"""
    + END,
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/main.py", "limit": 3}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"content": "import sys\\n\\nprint(sys.argv)\\n"}}
"""
    + END,
)
def read_limit_exceeded(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a result of `fs/read_text_file` with more lines than the `limit` of the request.

    ## Why it matters

    The extra lines fill the context of the model. The agent assumes other line numbers, and its
    next edit changes the wrong place.

    ## Use instead

    Start at `line` and return at most `limit` lines.
    """
    limit = fields(step.exchange.params if step.exchange else None).get("limit")
    content = fields(step.body).get("content")
    if not is_number(limit) or limit < 1 or not isinstance(content, str):
        return
    lines = content.count("\n") + (not content.endswith("\n") and content != "")
    if lines > limit:
        yield Remark(
            f"`content` has {lines} lines; expected at most {limit} (`limit`)",
            at="/result/content",
            see=step.exchange.seq if step.exchange else None,
            hint="return at most `limit` lines, starting at `line`",
        )
