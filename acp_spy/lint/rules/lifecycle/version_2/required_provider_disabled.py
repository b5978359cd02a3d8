"""Unstable: a required provider cannot be disabled."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    request_line,
    result_line,
    transcript,
    version_1,
)
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields, items


def _opening(required: str) -> str:
    provider = f'"providerId": "main", "supported": ["openai"], "required": {required}'
    return transcript(
        version_1('"providers": {}'),
        request_line(1, "providers/list", ""),
        result_line(1, f'"providers": [{{{provider}}}]'),
        request_line(2, "providers/disable", '"providerId": "main"'),
    )


@rule(
    code="LIF251",
    name="required-provider-disabled",
    severity=Severity.ERROR,
    summary="A required provider was disabled",
    on=("result:providers/list", "request:providers/disable", "result:providers/disable"),
    covers=("UNS-13",),
    spec="https://agentclientprotocol.com/rfds/custom-llm-endpoint",
    bad=_opening("true"),
    good=_opening("false"),
)
def required_provider_disabled(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports `providers/disable` for a provider that `providers/list` marks with `"required": true`,
    and an agent that accepts it.

    ## Why it matters

    The agent cannot work without a required provider.

    ## Use instead

    As a client, do not offer to disable a required provider. As an agent, return -32602.
    """
    if step.method == "providers/list":
        entries = [fields(entry) for entry in items(fields(step.body).get("providers"))[:1024]]
        memory["required"] = {
            entry["providerId"]
            for entry in entries
            if entry.get("required") is True and isinstance(entry.get("providerId"), str)
        }
        return
    name = request_params(step).get("providerId")
    if not isinstance(name, str) or name not in memory.get("required", ()):
        return
    if isinstance(step.message, Request):
        yield Remark(
            f"`providers/disable` for provider `{name}`, which is `required`;"
            " expected it to stay enabled",
            at="/params/providerId",
            hint="do not offer to disable a provider with `required: true`",
        )
    else:
        yield Remark(
            f"required provider `{name}` was disabled; expected error -32602",
            see=request_seq(step),
            hint="reject the request with -32602 (invalid params)",
        )
