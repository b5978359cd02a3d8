"""Version 2: a patch and its list of changes name the same files."""

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
    name="patch-differs-from-changes",
    severity=Severity.ERROR,
    summary="A patch does not name the same files as its `changes`",
    on=("update:tool_call_update", "update:tool_call_content_chunk"),
    version=2,
    covers=("V2-20",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls#content",
    bad=transcript(TURN, TOOL_CALL, _DIFF.replace("--- /home/dev/a", "--- a/home/dev/a")),
    good=transcript(TURN, TOOL_CALL, _DIFF),
)
def patch_differs_from_changes(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a `git_patch` with relative paths, with the prefixes `a/` and `b/`, with a
    mail envelope, or with files that are not in `changes`. Both must name the same absolute paths.

    ## Why it matters

    The output of Git has prefixes and relative paths. A client that matches the patch with
    `changes` finds nothing to show.

    ## Use instead

    Create the patch with absolute paths and without prefixes, from the same list of files.
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
                    hint="use the paths of `changes`: absolute, without `a/` and `b/`",
                )


def _paths(changes: Any) -> set[str]:
    found = (fields(change).get(key) for change in items(changes) for key in ("path", "oldPath"))
    return {path for path in found if isinstance(path, str)}


def _problem(text: str, changed: set[str]) -> str:
    """Return the first problem of a patch; empty if there is none."""
    if text.startswith("From "):
        return "the patch starts with a mail envelope; expected only the patch"
    for name in names(text):
        if name == "/dev/null":
            continue
        if not is_absolute(name):
            return f"the patch names `{name[:80]}`; expected an absolute path"
        if name not in changed:
            return f"the patch names `{name[:80]}`; expected only files in `changes`"
    return ""
