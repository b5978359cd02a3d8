"""An agent that lists additional directories also advertises them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, gates_of, lack
from acp_spy.lint.rules.capability._examples import handshake


@rule(
    code="CAP006",
    name="unadvertised-directories-listed",
    severity=Severity.NOTE,
    summary="`session/list` returned additional directories, which the agent did not advertise",
    on=("result:session/list",),
    covers=("LST-08",),
    spec="https://agentclientprotocol.com/protocol/v1/session-list",
    bad=handshake(agent={"sessionCapabilities": {"list": {}}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s1", "cwd": "/home/dev/project", "additionalDirectories": ["/home/dev/library"]}]}}
""",
    good=handshake(agent={"sessionCapabilities": {"list": {}, "additionalDirectories": {}}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s1", "cwd": "/home/dev/project", "additionalDirectories": ["/home/dev/library"]}]}}
""",
)
def unadvertised_directories_listed(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports listed sessions with `additionalDirectories` if the agent did not advertise that
    capability.

    ## Why it matters
    A client that loads or resumes a session sends its complete list of folders again, but only to
    an agent that advertised `additionalDirectories`. Without the capability the session cannot be
    restored as it was.

    ## Use instead
    Advertise the capability, or omit the field from the list.
    """
    gate = gates_of(step.state.version).fields["SessionInfo", "additionalDirectories"]
    sessions = step.body.get("sessions") if isinstance(step.body, dict) else None
    for index, session in enumerate(sessions if isinstance(sessions, list) else ()):
        if isinstance(session, dict) and session.get("additionalDirectories"):
            if why := lack(step.state, gate):
                yield Remark(
                    f"a listed session has `additionalDirectories`, but {why}",
                    at=f"/result/sessions/{index}/additionalDirectories",
                    hint=f"advertise {advert(gate)} in the response to `initialize`",
                )
            return
