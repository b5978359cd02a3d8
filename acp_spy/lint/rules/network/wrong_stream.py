"""Messages come on the stream of their session."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle import _examples as stdio
from acp_spy.lint.rules.network._examples import END_TURN, OPENING, PROMPT, SPEC, over, transcript
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response, Unreadable

_CONNECTION = "the stream of the connection"
_OF_CONNECTION = frozenset(("initialize", "session/new", "session/list", "session/delete"))
_EITHER = frozenset(("session/load", "session/resume", "session/fork", "session/close"))


@rule(
    code="NET007",
    name="wrong-stream",
    severity=Severity.WARNING,
    summary="A message came on the wrong stream",
    on=("http",),
    covers=("NET-06",),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, PROMPT, over("connection c1", stdio.END_TURN)),
    good=transcript(OPENING, PROMPT, END_TURN),
)
def wrong_stream(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports messages of the agent about a session that come on the stream of the connection or of
    another session, and messages about no session that come on the stream of one. Responses to
    `session/load`, `session/resume` and `session/fork` are accepted on both: SDKs differ.

    ## Why it matters

    A client that has a reader for each session does not expect the message there. It may drop it,
    and a response that is dropped is a request that never ends.

    ## Use instead

    Send updates, requests and responses of a session on the stream with its `Acp-Session-Id`, and
    everything else (such as the response to `session/new`) on the stream without one.
    """
    frame, via = step.frame, step.frame.via
    if via is None or frame.sender is Peer.CLIENT or via.stream == "post":
        return
    session = step.session_id
    if isinstance(step.message, Response):
        if step.exchange is None or step.method in _EITHER:
            return
        session = None if step.method in _OF_CONNECTION else step.exchange.session
        name = f"the response to `{step.method}`"
    elif isinstance(step.message, Unreadable) or step.method.startswith("$/"):
        return
    else:
        name = f"`{step.method}`"
    if session is not None and via.session != session:
        came = f"the stream of session `{via.session}`" if via.session else _CONNECTION
        expected = f"that of session `{session}`"
    elif session is None and via.session:
        came, expected = f"the stream of session `{via.session}`", _CONNECTION
    else:
        return
    yield Remark(
        f"{name} came on {came}; expected {expected}",
        hint="choose the stream by the session of the message, or of the request that it answers",
    )
