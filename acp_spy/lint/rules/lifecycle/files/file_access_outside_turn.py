"""Files are read and written during a turn."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT, SESSION
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.frame import Peer

_READ = """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/main.py"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"content": "import sys\\n"}}
"""


@rule(
    code="LIF117",
    name="file-access-outside-turn",
    severity=Severity.NOTE,
    summary="The agent accessed files of the client outside a turn",
    on=("request:fs/read_text_file", "request:fs/write_text_file"),
    covers=("FS-07",),
    spec="https://agentclientprotocol.com/protocol/file-system",
    bad=SESSION + _READ,
    good=PROMPT + _READ + END,
)
def file_access_outside_turn(
    step: Step, facts: Facts, reported: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports `fs/read_text_file` and `fs/write_text_file` while no `session/prompt` is pending. Each
    method is reported once per session.

    ## Why it matters

    A write after the turn changes a file that the user may already be editing. The client may
    reject the request.

    ## Use instead

    Access files before you answer the prompt.
    """
    session = step.session
    if step.frame.sender is not Peer.AGENT:
        return  # the wrong direction has a rule of its own
    if session is None or session.turns or session.how in ("used", "listed", "subagent"):
        return
    if session.closed or facts.is_replayed or not is_first(reported, (session.id, step.method)):
        return
    yield Remark(
        f"`{step.method}` in session `{session.id}` while no prompt was pending;"
        " expected it during a turn",
        at="/params/sessionId",
        hint="access files before the response to `session/prompt`",
    )
