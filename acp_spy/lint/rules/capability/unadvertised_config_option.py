"""Boolean config options are offered only to clients that advertised them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import (
    advert,
    entries,
    gates_of,
    has_mismatch_at,
    lack,
)
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.protocol.names import SETUPS


@rule(
    code="CAP009",
    name="unadvertised-config-option",
    severity=Severity.ERROR,
    summary="A boolean config option was offered to a client that did not advertise support for it",
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
    ## What it does
    Reports config options of type `boolean` that are offered to a client without
    `session.configOptions.boolean`. Every client supports the type `select`.

    ## Why it matters
    Older clients cannot read the entry and may lose the whole list with it: no model picker, no
    modes.

    ## Use instead
    Offer a `select` with two values to clients without the capability.
    """
    is_update = step.exchange is None
    body = step.body if isinstance(step.body, dict) else {}
    holder = body.get("update") if is_update else body
    start = "/params/update" if is_update else "/result"
    for index, kind in entries(holder, "configOptions"):
        gate = gates_of(step.state.version).config_options.get(kind)
        place = f"{start}/configOptions/{index}/type"
        if gate is None or has_mismatch_at(facts, place):
            continue
        if why := lack(step.state, gate):
            yield Remark(
                f"a config option of type `{kind}` was offered, but {why}",
                at=place,
                hint=f"offer a `select` with two values to a client without {advert(gate)}",
            )
