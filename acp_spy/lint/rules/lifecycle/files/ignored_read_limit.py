"""A read returns no more lines than were asked for."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
from acp_spy.lint.rules.lifecycle._reading import is_number
from acp_spy.wire.values import fields


@rule(
    code="LIF109",
    name="ignored-read-limit",
    severity=Severity.WARNING,
    summary="A file was returned with more lines than were asked for",
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
def ignored_read_limit(step: Step) -> Iterator[Remark]:
    """
    `line` and `limit` name the part of a file that the agent wants. The client returns that part.

    A client that returns the whole file fills the model's context, and the agent counts lines from
    the wrong start: its next edit lands elsewhere.

    Cut the file by lines, from `line` on, at most `limit` of them.
    """
    limit = fields(step.exchange.params if step.exchange else None).get("limit")
    content = fields(step.body).get("content")
    if not is_number(limit) or limit < 1 or not isinstance(content, str):
        return
    lines = content.count("\n") + (not content.endswith("\n") and content != "")
    if lines > limit:
        yield Remark(
            f"{lines} lines of content, but `limit` was `{limit}`",
            at="/result/content",
            see=step.exchange.seq if step.exchange else None,
            hint="return at most `limit` lines, beginning with line `line`",
        )
