"""Fields that are only in the unstable protocol."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.dialect.known import AUTO
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import HANDSHAKE
from acp_spy.lint.rules.schema._words import EDITIONS, names


@rule(
    code="SCH008",
    name="unstable-field",
    severity=Severity.NOTE,
    summary="A field is defined only in the unstable protocol",
    on=("mismatch",),
    covers=("INI-20", "PRM-15", "UNS-18", "X-07"),
    spec="https://agentclientprotocol.com/protocol/draft/schema",
    bad=HANDSHAKE.replace('"loadSession"', '"sessionCapabilities": {"fork": {}}, "loadSession"'),
    good=HANDSHAKE,
)
def unstable_field(_step: Step, facts: Facts, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports fields that are in the unstable part of the protocol and not in the stable one, each
    once. `--spec v1-unstable` checks by the unstable protocol: then the field is legal, and its
    type is checked. `usage` in the response to a prompt is so common that it is reported only with
    `--spec v1`.

    ## Why it matters
    Peers that do not know the field ignore it. It may change or be removed without notice.

    ## Use instead
    Use the field only between peers that support it, and do not rely on it.
    """
    for mistake in facts.mistakes_of("unstable-field"):
        keys = [mismatch.key for mismatch in (*mistake.mismatches, *mistake.others)]
        keys = [key for key in dict.fromkeys(keys) if key not in reported]
        if facts.edition == AUTO:
            keys = [key for key in keys if key != "usage"]
        if not keys:
            continue
        for key in keys:
            remember(reported, key)
        one = len(keys) == 1
        yield Remark(
            f"{names(keys)} {'is' if one else 'are'} defined only in {EDITIONS[mistake.first.legal_in]}; "
            f"a stable peer ignores {'it' if one else 'them'}",
            at=mistake.first.path,
            hint="ignore this if both peers support it"
            + (
                "; `--spec v1-unstable` checks it"
                if mistake.first.legal_in == "v1-unstable"
                else ""
            ),
        )
