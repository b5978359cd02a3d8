"""Files are read and written while somebody waits for the work."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT, SESSION
from acp_spy.lint.rules.lifecycle._reading import is_being_loaded, is_first
from acp_spy.wire.frame import Peer

_READ = """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/main.py"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"content": "import sys\\n"}}
"""


@rule(
    code="LIF117",
    name="file-access-outside-turn",
    severity=Severity.NOTE,
    summary="The agent used the client's files while no prompt was open",
    on=("request:fs/read_text_file", "request:fs/write_text_file"),
    covers=("FS-07",),
    spec="https://agentclientprotocol.com/protocol/file-system",
    bad=SESSION + _READ,
    good=PROMPT + _READ + END,
)
def file_access_outside_turn(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    `fs/read_text_file` and `fs/write_text_file` serve the tools of a turn. Outside a turn nobody has
    asked for anything.

    A write after the end of a turn changes a file under the user's hands, when the editor has
    already shown the result. A client may refuse it.

    Do the work before you answer the prompt. It is told once for each session and method.
    """
    session = step.session
    if step.frame.sender is not Peer.AGENT:
        return  # a wrong direction, which is told as that
    if session is None or session.turns or session.how in ("used", "listed", "subagent"):
        return
    if session.closed or is_being_loaded(step) or not is_first(reported, (session.id, step.method)):
        return
    yield Remark(
        f"`{step.method}` in `{session.id}` while no prompt was open there",
        at="/params/sessionId",
        hint="use the client's files within a turn",
    )
