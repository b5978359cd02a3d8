"""A login that needs a terminal is offered only to a client that has one."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import (
    advert,
    entries,
    gates_of,
    is_spoken_for,
    is_version_2,
    lack_in,
)
from acp_spy.lint.rules.capability._examples import handshake

_LOGIN = {"type": "terminal", "id": "login", "name": "Log in", "args": ["login"]}


@rule(
    code="CAP008",
    name="unadvertised-auth-method",
    severity=Severity.ERROR,
    summary="A terminal login was offered to a client that did not advertise it",
    on=("result:initialize",),
    covers=("AUT-02",),
    spec="https://agentclientprotocol.com/protocol/v1/authentication",
    bad=handshake(methods=[_LOGIN]),
    good=handshake({"auth": {"terminal": True}}, methods=[_LOGIN]),
)
def unadvertised_auth_method(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    For a method of type `terminal` the client starts the agent once more, in a terminal that the
    user can type into. Only a client with `auth.terminal` can do that. Any other shows a login
    that does not work, or refuses the list.

    List such a method only if the client asked for it, and offer another one besides.
    """
    body = step.body if isinstance(step.body, dict) else {}
    version = body.get("protocolVersion")
    capabilities = _client_capabilities(step, version)
    for index, kind in entries(body, "authMethods"):
        gate, place = gates_of(version).auth_methods.get(kind), f"/result/authMethods/{index}/type"
        if gate is None or is_spoken_for(facts, place):
            continue
        if why := lack_in(capabilities, gate):
            yield Remark(
                f"a login of type `{kind}` was offered, but {why}",
                at=place,
                see=step.exchange.seq if step.exchange else None,
                hint=f"offer it only to a client with {advert(gate)}",
            )


def _client_capabilities(step: Step, version: Any) -> Any:
    asked = step.exchange.params if step.exchange else None
    if not isinstance(asked, dict):
        return None
    names = ("clientCapabilities", "capabilities")
    first, second = reversed(names) if is_version_2(version) else names
    return asked.get(first, asked.get(second))
