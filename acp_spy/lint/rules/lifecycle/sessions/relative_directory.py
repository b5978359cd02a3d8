"""The folders of a session are absolute paths."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.protocol.paths import is_absolute, why_relative
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items

_HINT = "resolve the path before sending it: no `~`, no `.`, no `file://`"


@rule(
    code="LIF021",
    name="relative-directory",
    severity=Severity.ERROR,
    summary="A session's folder is not an absolute path",
    on=(
        "request:session/new",
        "request:session/load",
        "request:session/resume",
        "request:session/fork",
        "request:session/list",
        "result:session/list",
    ),
    covers=("SES-03", "SES-18", "LST-03", "LST-08"),
    spec="https://agentclientprotocol.com/protocol/session-setup#working-directory",
    bad=transcript(
        HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "~/project", "mcpServers": []}}
        """,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION),
)
def relative_directory(step: Step) -> Iterator[Remark]:
    r"""
    ## What it does
    Reports a `cwd` or an entry of `additionalDirectories` that is not absolute. Absolute paths are
    `/home/dev/project`, `C:\project` and `\\server\share`.

    ## Why it matters
    The agent may run in another folder, as another user or on another machine. For the agent `.`
    and `~` mean something else, and it reads and writes the wrong files.

    ## Use instead
    Resolve the path before sending it.
    """
    body = fields(step.body)
    if step.frame.sender is Peer.CLIENT:
        yield from _judge(body, "/params", None)
        return
    for index, session in enumerate(items(body.get("sessions"))):
        found = list(_judge(fields(session), f"/result/sessions/{index}", Severity.WARNING))
        if found:
            yield found[0]  # the others are probably the same
            return


def _judge(holder: dict[str, Any], place: str, severity: Severity | None) -> Iterator[Remark]:
    folders = [(holder.get("cwd"), "/cwd")]
    folders += [
        (folder, f"/additionalDirectories/{index}")
        for index, folder in enumerate(items(holder.get("additionalDirectories")))
    ]
    for folder, pointer in folders:
        if isinstance(folder, str) and not is_absolute(folder):
            yield Remark(
                f"{quoted(folder)} is {why_relative(folder)}; expected an absolute path",
                at=place + pointer,
                severity=severity,
                hint=_HINT,
            )
