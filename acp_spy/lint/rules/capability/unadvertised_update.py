"""The agent sends optional kinds of updates only to clients that advertised them."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, gates_of, has_mismatch_at, lack
from acp_spy.lint.rules.capability._examples import NEW_SESSION, handshake
from acp_spy.protocol.capability_gates import V1

_INSTEAD = {"plan_update": "; send `plan` to all others"}


@rule(
    code="CAP007",
    name="unadvertised-update",
    severity=Severity.ERROR,
    summary="The agent sent an update of a kind that the client did not advertise",
    on=tuple(f"update:{name}" for name in V1.updates),
    covers=("NTC-01", "CMP-01", "UNS-01", "UNS-12"),
    spec="https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities",
    bad=handshake()
    + NEW_SESSION
    + """\
<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "notice", "severity": "warning", "title": "Model is slow today"}}}
""",
    good=handshake({"session": {"notices": {}}})
    + NEW_SESSION
    + """\
<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "notice", "severity": "warning", "title": "Model is slow today"}}}
""",
)
def unadvertised_update(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports newer kinds of `session/update` (`notice`, `compaction_update`, `plan_update`,
    `subagent_update` and others) that are sent to a client that did not advertise them. In version
    1 the kinds of updates are a closed list.

    ## Why it matters
    A strict client refuses the whole notification, and some close the connection. A lenient client
    shows nothing.

    ## Use instead
    Check `clientCapabilities` first. Without the capability, send the information as another kind
    of update, or not at all.
    """
    name = step.body["update"]["sessionUpdate"]
    gate = gates_of(step.state.version).updates.get(name)
    if gate is None or has_mismatch_at(facts, "/params/update/sessionUpdate"):
        return
    # The chunks that belong to an update are the same mistake as the update.
    if (why := lack(step.state, gate)) and memory.setdefault(gate.name, name) == name:
        yield Remark(
            f"a `{name}` update was sent, but {why}",
            at="/params/update/sessionUpdate",
            hint=f"send it only to a client with {advert(gate)}{_INSTEAD.get(name, '')}",
        )
