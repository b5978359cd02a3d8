"""A client closes the connection if it does not support the agent's version."""

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
    summary="The client continued with a newer version than it requested",
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
    ## What it does
    Reports session requests after the agent answered `initialize` with a newer version than the
    client requested.

    ## Why it matters
    A client requests the newest version that it supports, so it cannot use a newer one. The peers
    misunderstand each other.

    ## Use instead
    Close the connection and inform the user that the agent is too new.
    """
    asked, agreed = step.state.asked_version, step.state.version
    if memory or type(asked) is not int or type(agreed) is not int or agreed <= asked:
        return
    memory["reported"] = True
    yield Remark(
        f"`{step.method}` was sent although the agent answered with version `{agreed}` and the client"
        f" supports at most `{asked}`; expected the client to close the connection",
        at="/method",
        hint="close the connection and inform the user that the agent is too new",
    )
