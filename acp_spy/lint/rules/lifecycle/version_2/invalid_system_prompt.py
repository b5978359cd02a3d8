"""Unstable: a system prompt is text."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import request_line, transcript, version_1
from acp_spy.protocol.names import SETUPS
from acp_spy.wire.values import fields

_OPENING = version_1('"sessionCapabilities": {"systemPrompt": {}}')


def _setup(content: str) -> str:
    prompt = f'"systemPrompt": {{"mode": "append", "content": [{content}]}}'
    return request_line(1, "session/new", f'"cwd": "/home/dev/project", "mcpServers": [], {prompt}')


@rule(
    code="LIF255",
    name="invalid-system-prompt",
    severity=Severity.ERROR,
    summary="A system prompt is empty or contains something other than text",
    on=tuple(f"request:{method}" for method in SETUPS),
    covers=("UNS-11",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-setup",
    bad=transcript(_OPENING, _setup("")),
    good=transcript(_OPENING, _setup('{"type": "text", "text": "Answer in French"}')),
)
def invalid_system_prompt(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `systemPrompt` whose `content` is empty or contains a block that is not `text`.

    ## Why it matters

    The agent must reject it, and the session is not created.

    ## Use instead

    Omit `systemPrompt` if it is empty. Send other content with the prompt.
    """
    content = fields(fields(step.body).get("systemPrompt")).get("content")
    if not isinstance(content, list):
        return
    place = "/params/systemPrompt/content"
    if not content:
        yield Remark(
            "the system prompt is empty; expected at least one `text` block",
            at=place,
            hint="omit `systemPrompt`",
        )
    for index, block in enumerate(content):
        kind = fields(block).get("type")
        if isinstance(kind, str) and kind != "text":
            yield Remark(
                f"the system prompt has a `{kind[:80]}` block; expected only `text`",
                at=f"{place}/{index}/type",
                hint="send it with `session/prompt`",
            )
            return
