"""Required fields are present."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import after_handshake
from acp_spy.lint.rules.schema._words import again, loss, names, subject
from acp_spy.protocol.mismatch import Mismatch, MismatchKind

_HINTS = {
    ("ContentChunk", "content"): 'add `content`: `{"type": "text", "text": …}`',
    ("ImageContent", "data"): "put `data` (base64) and `mimeType` into the block itself",
    ("PromptRequest", "prompt"): "put the message into `prompt`, a list of content blocks",
    ("ElicitationSessionScope", "sessionId"): "add `sessionId` or `requestId`",
    ("PromptResponse", "stopReason"): "add why the turn ended: `end_turn` if the agent is done",
    ("SetSessionConfigOptionResponse", "configOptions"): "add all options with their values",
    ("TextResourceContents", "text"): "add `text`, or a `blob` in base64",
}


@rule(
    code="SCH011",
    name="missing-field",
    severity=Severity.ERROR,
    summary="A required field is missing",
    on=("mismatch",),
    covers=(
        "AUT-01",
        "SES-07",
        "SES-11",
        "LST-02",
        "PRM-03",
        "USG-01",
        "CNT-04",
        "CNT-05",
        "TLC-04",
        "TLC-13",
        "PER-05",
        "FS-05",
        "PLN-04",
        "MOD-01",
        "CFG-05",
        "CFG-07",
        "CMD-02",
        "ELI-02",
        "SES-23",
        "V2-01",
        "V2-09",
        "UNS-18",
        "X-06",
    ),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project"}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        """
    ),
    good=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        """
    ),
)
def missing_field(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports missing required fields. An empty list must still be sent, and null is allowed only
    where the specification says so.

    ## Why it matters
    A strict reader refuses the whole message: it answers a request with -32602, drops a
    notification, or fails on a response. Where readers are lenient, the finding says what is lost.

    ## Use instead
    Send every required field.
    """
    for mistake in facts.mistakes_of("missing-field"):
        first = mistake.first
        lacks = [b for b in mistake.mismatches if b.kind is MismatchKind.MISSING_KEY]
        strange = [b.key for b in mistake.mismatches if b.kind is not MismatchKind.MISSING_KEY]
        instead = (
            f"; {names(strange)} {'is' if len(strange) == 1 else 'are'} ignored" if strange else ""
        )
        yield Remark(
            f"{names(b.key for b in lacks)} {'is' if len(lacks) == 1 else 'are'} missing in "
            f"{subject(first)}{instead}{loss(first)}{again(mistake)}",
            at=first.path,
            severity=Severity.WARNING if first.lenient else None,
            hint=_HINTS.get((first.shape, first.key)) or _hint(lacks),
        )


def _hint(lacks: list[Mismatch]) -> str:
    keys = names(mismatch.key for mismatch in lacks)
    if all(mismatch.expected == "a list" for mismatch in lacks):
        return f"add {keys}; send an empty list if there are no entries"
    return f"add {keys}: {lacks[0].expected}" if len(lacks) == 1 else f"add {keys}"
