"""Terminal logins are offered only to clients that advertised them."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import (
    advert,
    entries,
    gates_of,
    has_mismatch_at,
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
    ## What it does
    Reports `authMethods` of type `terminal` that are offered to a client without `auth.terminal`.

    ## Why it matters
    For this type, the client starts the agent again in a terminal that the user can type into. A
    client that cannot do that shows a login that does not work, or refuses the list.

    ## Use instead
    Offer such a method only to clients that advertised `auth.terminal`, and offer another method as
    well.
    """
    body = step.body if isinstance(step.body, dict) else {}
    version = body.get("protocolVersion")
    capabilities = _client_capabilities(step, version)
    for index, kind in entries(body, "authMethods"):
        gate, place = gates_of(version).auth_methods.get(kind), f"/result/authMethods/{index}/type"
        if gate is None or has_mismatch_at(facts, place):
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
