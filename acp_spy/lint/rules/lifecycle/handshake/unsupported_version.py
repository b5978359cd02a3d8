"""A version that the client does not speak is the end of the conversation."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import (
    HANDSHAKE,
    INITIALIZE,
    NEW_SESSION,
    transcript,
)


@rule(
    code="LIF006",
    name="unsupported-version",
    severity=Severity.WARNING,
    summary="The client goes on with a version newer than the one it asked for",
    on=(
        "request:session/new",
        "request:session/load",
        "request:session/resume",
        "request:session/list",
    ),
    covers=("INI-08", "INI-10"),
    spec="https://agentclientprotocol.com/protocol/initialization#protocol-version",
    bad=transcript(
        INITIALIZE,
        """
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 2, "info": {"name": "agent", "version": "1.0"}, "capabilities": {"session": {}}}}
        """,
        NEW_SESSION,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION),
)
def unsupported_version(step: Step, memory: dict[str, Any]) -> Iterator[Remark]:
    """
    A client asks for the newest version that it speaks. An agent that cannot speak it answers with
    its own. If that is a newer one, the client cannot follow: it should close the connection and
    tell its user. A client that goes on talks past the agent.
    """
    asked, agreed = step.state.asked_version, step.state.version
    if memory or type(asked) is not int or type(agreed) is not int or agreed <= asked:
        return
    memory["reported"] = True
    yield Remark(
        f"`{step.method}` follows although the agent answered version `{agreed}` and the client"
        f" asked for `{asked}`, its newest",
        at="/method",
        hint="close the connection and tell the user that the agent is too new",
    )
