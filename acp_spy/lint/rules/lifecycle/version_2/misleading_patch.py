"""Version 2: a patch and its list of changes speak of the same files."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    TOOL_CALL,
    TURN,
    transcript,
    update_line,
)
from acp_spy.lint.rules.lifecycle.version_2._patch import names
from acp_spy.protocol.paths import is_absolute
from acp_spy.wire.values import fields, items

_DIFF = update_line(
    '"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c1", "content": {"type": "diff",'
    ' "changes": [{"operation": "modify", "path": "/home/dev/a"}], "patch": {"format":'
    ' "git_patch", "text": "--- /home/dev/a\\n+++ /home/dev/a\\n@@ -1 +1 @@\\n-x\\n+y\\n"}}'
)


@rule(
    code="LIF219",
    name="misleading-patch",
    severity=Severity.ERROR,
    summary="A patch names other files than its list of changes, or names them in another way",
    on=("update:tool_call_update", "update:tool_call_content_chunk"),
    version=2,
    covers=("V2-20",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls#content",
    bad=transcript(TURN, TOOL_CALL, _DIFF.replace("--- /home/dev/a", "--- a/home/dev/a")),
    good=transcript(TURN, TOOL_CALL, _DIFF),
)
def misleading_patch(step: Step) -> Iterator[Remark]:
    """
    In version 2 a diff lists its `changes`, and may carry a `patch` to show. Both speak of the same
    files, in absolute paths. Git's own output does not: it has `a/` and `b/` before relative paths,
    and as a mail it has an envelope. A client that matches the two finds nothing to show.

    Make the patch with absolute paths and without prefixes, and from the same list of files.
    """
    content = update_of(step).get("content")
    blocks = list(enumerate(content)) if isinstance(content, list) else [(None, content)]
    for index, block in blocks:
        patch = fields(fields(block).get("patch"))
        text = patch.get("text")
        if patch.get("format") == "git_patch" and isinstance(text, str):
            place = "/params/update/content" + (f"/{index}" if index is not None else "")
            if problem := _problem(text, _paths(fields(block).get("changes"))):
                yield Remark(
                    problem,
                    at=f"{place}/patch/text",
                    hint="spell files as `changes` does: absolute, without `a/` and `b/`",
                )


def _paths(changes: Any) -> set[str]:
    found = (fields(change).get(key) for change in items(changes) for key in ("path", "oldPath"))
    return {path for path in found if isinstance(path, str)}


def _problem(text: str, changed: set[str]) -> str:
    """Say the first thing that is wrong with a patch."""
    if text.startswith("From "):
        return "the patch begins with a mail envelope; only the patch itself was expected"
    for name in names(text):
        if name == "/dev/null":
            continue
        if not is_absolute(name):
            return f"the patch names `{name[:80]}`; an absolute path was expected"
        if name not in changed:
            return f"the patch names `{name[:80]}`, which is not among the `changes`"
    return ""
