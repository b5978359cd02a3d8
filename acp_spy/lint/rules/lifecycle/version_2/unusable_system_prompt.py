"""Unstable: a system prompt is text."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import SETUPS
from acp_spy.lint.rules.lifecycle.version_2._examples import ask, transcript, version_1
from acp_spy.wire.values import fields

_OPENING = version_1('"sessionCapabilities": {"systemPrompt": {}}')


def _setup(content: str) -> str:
    prompt = f'"systemPrompt": {{"mode": "append", "content": [{content}]}}'
    return ask(1, "session/new", f'"cwd": "/home/dev/project", "mcpServers": [], {prompt}')


@rule(
    code="LIF255",
    name="unusable-system-prompt",
    severity=Severity.ERROR,
    summary="A system prompt is empty, or has other content than text",
    on=tuple(f"request:{method}" for method in SETUPS),
    covers=("UNS-11",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-setup",
    bad=transcript(_OPENING, _setup("")),
    good=transcript(_OPENING, _setup('{"type": "text", "text": "Answer in French"}')),
)
def unusable_system_prompt(step: Step) -> Iterator[Remark]:
    """
    The `content` of a system prompt has at least one block, and its blocks are `text`. An agent
    must refuse anything else, and with it the whole session.

    Leave `systemPrompt` out if there is nothing to say, and put everything else into the prompt.
    """
    content = fields(fields(step.body).get("systemPrompt")).get("content")
    if not isinstance(content, list):
        return
    place = "/params/systemPrompt/content"
    if not content:
        yield Remark(
            "the system prompt is empty; at least one `text` block was expected",
            at=place,
            hint="leave `systemPrompt` out",
        )
    for index, block in enumerate(content):
        sort = fields(block).get("type")
        if isinstance(sort, str) and sort != "text":
            yield Remark(
                f"the system prompt has a `{sort[:80]}` block; only `text` was expected",
                at=f"{place}/{index}/type",
                hint="send it with the prompt",
            )
            return
