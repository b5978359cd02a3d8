"""Every agent accepts text and resource links in a prompt."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_attached
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.values import fields, items


@rule(
    code="LIF008",
    name="baseline-prompt-refused",
    severity=Severity.WARNING,
    summary="A prompt with only text and links was refused as invalid",
    on=("error:session/prompt",),
    version=1,
    covers=("INI-16", "CNT-01"),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#1-user-message",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "resource_link", "uri": "file:///home/dev/project/a.py", "name": "a.py"}]}}
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Unsupported content block"}}
        """,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN),
)
def baseline_prompt_refused(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports -32602 (invalid params) for a well-formed prompt that contains only `text` and
    `resource_link` blocks. Every agent must accept both, whatever its capabilities.

    ## Why it matters
    A user who mentions a file gets an error.

    ## Use instead
    Accept `text` and `resource_link` blocks in every prompt.
    """
    session, exchange = step.session, step.exchange
    if error_code(step) != -32602 or exchange is None:
        return
    if session is None or not is_attached(session) or len(session.turns) != 1:
        return
    blocks = items(fields(exchange.params).get("prompt"))
    if blocks and all(_is_baseline(block) for block in blocks):
        kinds = sorted({f"`{block['type']}`" for block in blocks})
        yield Remark(
            f"a prompt with only {' and '.join(kinds)} was answered with `-32602`; every agent must accept it",
            at="/error/code",
            see=exchange.seq,
            hint="accept `text` and `resource_link` blocks in every prompt",
        )


def _is_baseline(block: Any) -> bool:
    parts = fields(block)
    needed = {"text": ("text",), "resource_link": ("uri", "name")}
    kind = parts.get("type")
    if not isinstance(kind, str) or kind not in needed:
        return False
    return all(isinstance(parts.get(key), str) for key in needed[kind])
