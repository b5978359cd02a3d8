"""Keys have the names that the specification gives them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.model import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._mistakes import mine
from acp_spy.lint.rules.schema._words import again, loss, quoted, severity
from acp_spy.protocol.breach import BreachKind


@rule(
    code="SCH006",
    name="misnamed-key",
    severity=Severity.ERROR,
    summary="A key has another name than the specification's",
    on=("breach",),
    covers=("LST-10", "MOD-04", "EXT-02"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "id": "call-1", "title": "Reading the test", "status": "completed"}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Reading the test", "status": "completed"}'
        )
    ),
)
def misnamed_key(step: Step) -> Iterator[Remark]:
    """
    The key is not in the specification, but what it holds is wanted under another name: `id` for
    `toolCallId`, `content` for `prompt`, `label` for `name`. Nobody reads it. If the right one is
    required, the message fails; if not, the value vanishes.

    The official page on session modes shows `modeId` in a `current_mode_update`. The schema says
    `currentModeId`, and so do the SDKs: a warning, since it was copied in good faith.
    """
    for mistake in mine(step, "misnamed-key"):
        breach = mistake.first
        on_the_page = breach.shape == "CurrentModeUpdate" and breach.key == "modeId"
        if breach.kind is BreachKind.RENAMED_KEY:
            page = ", though the page on session modes shows it" if on_the_page else ""
            text = f"{quoted(breach.key)} where `{breach.instead}` is expected{page}{loss(breach)}"
        else:
            text = f"{quoted(breach.key)} is no key of `{breach.shape}`, and nobody reads it"
        yield Remark(
            text + again(mistake),
            at=breach.path,
            severity=Severity.WARNING if on_the_page else severity(mistake),
            hint=f"rename it to `{breach.instead}`, if that is what it holds",
        )
