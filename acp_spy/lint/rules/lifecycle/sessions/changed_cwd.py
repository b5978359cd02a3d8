"""A session keeps its folder."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.protocol.paths import is_absolute, normalized
from acp_spy.wire.values import fields


@rule(
    code="LIF028",
    name="changed-cwd",
    severity=Severity.WARNING,
    summary="A session was loaded or resumed with another folder",
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
    ## What it does
    Reports `session/load` and `session/resume` with another `cwd` than that of `session/new` or
    `session/list`.

    ## Why it matters
    A session belongs to the folder that it was created in. With another one, relative paths in the
    history lead to other files, and many agents do not find the session.

    ## Use instead
    Send the `cwd` that the session was created with.
    """
    cwd, session = fields(step.body).get("cwd"), step.session
    known = session.cwd if session else None
    if session is None or not isinstance(cwd, str) or not isinstance(known, str):
        return
    if not is_absolute(cwd) or not is_absolute(known):
        return
    read = session.readings.of  # it may be long, and be loaded often
    if normalized(cwd) == read(normalized, known):
        return
    if cwd.endswith(known) or known.endswith(cwd):
        return  # one of them may be a symbolic link: /private/tmp and /tmp
    yield Remark(
        f"`cwd` is {quoted(cwd)}; expected {read(quoted, known)}, the folder of the session",
        at="/params/cwd",
        see=session.seq,
        hint="send the `cwd` that the session was created with",
    )
