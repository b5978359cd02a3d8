"""A session stays in its folder."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.protocol.paths import is_absolute, same_folder
from acp_spy.wire.values import fields


@rule(
    code="LIF028",
    name="changed-cwd",
    severity=Severity.WARNING,
    summary="A session is opened again with another folder than its own",
    on=("request:session/load", "request:session/resume"),
    covers=("SES-19",),
    spec="https://agentclientprotocol.com/protocol/session-setup#working-directory",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/resume", "params": {"sessionId": "s1", "cwd": "/home/dev", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/resume", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {}}
        """,
    ),
)
def changed_cwd(step: Step) -> Iterator[Remark]:
    """
    A session belongs to the folder that it was created in. Who loads or resumes it sends the same
    `cwd` again, as `session/new` had it or `session/list` tells it. With another one, relative
    paths in the history point to other files, and many agents do not find the session at all.
    """
    cwd, session = fields(step.body).get("cwd"), step.session
    known = session.cwd if session else None
    if session is None or not isinstance(cwd, str) or not isinstance(known, str):
        return
    if not is_absolute(cwd) or not is_absolute(known) or same_folder(cwd, known):
        return
    if cwd.endswith(known) or known.endswith(cwd):
        return  # one of them may have followed a link: /private/tmp and /tmp
    yield Remark(
        f"{quoted(cwd)} is not the session's folder, which is {quoted(known)}",
        at="/params/cwd",
        see=session.seq,
        hint="send the `cwd` that the session was created with",
    )
