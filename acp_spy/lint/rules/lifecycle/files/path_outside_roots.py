"""The agent accesses files inside the folders of the session."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_attached, quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
from acp_spy.lint.rules.lifecycle._offers import roots
from acp_spy.protocol.paths import is_absolute, is_windows
from acp_spy.wire.values import fields


@rule(
    code="LIF023",
    name="path-outside-roots",
    severity=Severity.NOTE,
    summary="The agent accessed a file outside of the session's folders",
    on=("request:fs/read_text_file", "request:fs/write_text_file"),
    covers=("SES-04", "SES-05"),
    spec="https://agentclientprotocol.com/protocol/session-setup#working-directory",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/write_text_file", "params": {"sessionId": "s1", "path": "/opt/agent/notes.txt", "content": ""}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/write_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/notes.txt", "content": ""}}
        """,
    ),
)
def path_outside_roots(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports the first read and the first write in each session outside of its `cwd` and
    `additionalDirectories`. A read is a note, a write a warning.

    ## Why it matters
    It may be intended, but often the path was resolved against the folder where the agent was
    started, or is written for another system (WSL and Windows).

    ## Use instead
    Resolve relative paths against the `cwd` of the session.
    """
    path, session = fields(step.body).get("path"), step.session
    if session is None or not is_attached(session) or not isinstance(path, str):
        return
    cwd, more = known = roots(session)
    shown = cwd.shown + more.shown
    if not shown or not is_absolute(path):
        return
    if cwd.folders.contain(path) or more.folders.contain(path):
        return
    is_write = step.method == "fs/write_text_file"
    if (session.id, session.seq, is_write) in memory:
        return
    remember(memory, (session.id, session.seq, is_write), True)
    foreign = all(is_windows(path) not in each.systems for each in known)
    yield Remark(
        f"{quoted(path)} was {'written' if is_write else 'read'}; it is outside of the session's folders: "
        + ", ".join(shown[:4])
        + ("; one is a Windows path, the other is not" if foreign else ""),
        at="/params/path",
        see=session.seq,
        severity=Severity.WARNING if foreign or is_write else None,
        hint="resolve relative paths against the `cwd` of the session",
    )
