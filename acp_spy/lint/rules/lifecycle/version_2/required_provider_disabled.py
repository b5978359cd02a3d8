"""Unstable: a provider that is required stays."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import answer, ask, transcript, version_1
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields, items


def _opening(required: str) -> str:
    provider = f'"providerId": "main", "supported": ["openai"], "required": {required}'
    return transcript(
        version_1('"providers": {}'),
        ask(1, "providers/list", ""),
        answer(1, f'"providers": [{{{provider}}}]'),
        ask(2, "providers/disable", '"providerId": "main"'),
    )


@rule(
    code="LIF251",
    name="required-provider-disabled",
    severity=Severity.ERROR,
    summary="A provider was to be disabled that the agent requires",
    on=("result:providers/list", "request:providers/disable", "result:providers/disable"),
    covers=("UNS-13",),
    spec="https://agentclientprotocol.com/rfds/custom-llm-endpoint",
    bad=_opening("true"),
    good=_opening("false"),
)
def required_provider_disabled(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    `providers/list` marks those without which the agent cannot work: `"required": true`. A client
    must not disable one of them. An agent that is asked to must refuse with -32602; one that
    agrees has no model left.

    Show no switch for a required provider.
    """
    if step.method == "providers/list":
        entries = [fields(entry) for entry in items(fields(step.body).get("providers"))[:1024]]
        memory["required"] = {
            entry["providerId"]
            for entry in entries
            if entry.get("required") is True and isinstance(entry.get("providerId"), str)
        }
        return
    name = asked(step).get("providerId")
    if not isinstance(name, str) or name not in memory.get("required", ()):
        return
    if isinstance(step.message, Request):
        yield Remark(
            f"provider `{name}` was to be disabled, but the agent listed it as `required`",
            at="/params/providerId",
            hint="offer no switch for a provider with `required: true`",
        )
    else:
        yield Remark(
            f"the required provider `{name}` was disabled; -32602 was expected",
            see=asked_at(step),
            hint="refuse to disable what is required with -32602 (invalid params)",
        )
