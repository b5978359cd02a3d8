"""A switch is offered only to a client that can show one."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import (
    SETUPS,
    advert,
    entries,
    gates_of,
    is_spoken_for,
    lack,
)
from acp_spy.lint.rules.capability._examples import handshake


@rule(
    code="CAP009",
    name="unadvertised-config-option",
    severity=Severity.ERROR,
    summary="A boolean config option was offered to a client that did not advertise them",
    on=(
        *(f"result:{method}" for method in SETUPS),
        "result:session/set_config_option",
        "update:config_option_update",
    ),
    covers=("CFG-02",),
    spec="https://agentclientprotocol.com/protocol/v1/session-config-options",
    bad=handshake()
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1", "configOptions": [{"type": "boolean", "id": "fast", "name": "Fast", "currentValue": false}]}}
""",
    good=handshake({"session": {"configOptions": {"boolean": {}}}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1", "configOptions": [{"type": "boolean", "id": "fast", "name": "Fast", "currentValue": false}]}}
""",
)
def unadvertised_config_option(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    Config options of type `select` go to every client. Those of type `boolean` came later, and go
    only to a client with `session.configOptions.boolean`. An older client cannot read the entry,
    and may lose the whole list with it: no model picker, no modes.

    Offer the same choice as a `select` with two values to clients without the capability.
    """
    is_update = step.exchange is None
    body = step.body if isinstance(step.body, dict) else {}
    holder = body.get("update") if is_update else body
    start = "/params/update" if is_update else "/result"
    for index, kind in entries(holder, "configOptions"):
        gate = gates_of(step.state.version).config_options.get(kind)
        place = f"{start}/configOptions/{index}/type"
        if gate is None or is_spoken_for(facts, place):
            continue
        if why := lack(step.state, gate):
            yield Remark(
                f"a config option of type `{kind}` was offered, but {why}",
                at=place,
                hint=f"without {advert(gate)} offer a `select` with two values",
            )
