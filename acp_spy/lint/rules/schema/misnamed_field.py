"""Keys have the names that the specification gives them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, quoted, severity
from acp_spy.protocol.mismatch import MismatchKind


@rule(
    code="SCH006",
    name="misnamed-field",
    severity=Severity.ERROR,
    summary="A key has another name than the specification's",
    on=("mismatch",),
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
def misnamed_field(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    The key is not in the specification, but what it holds is wanted under another name: `id` for
    `toolCallId`, `content` for `prompt`, `label` for `name`. Nobody reads it. If the right one is
    required, the message fails; if not, the value vanishes.

    The official page on session modes shows `modeId` in a `current_mode_update`. The schema says
    `currentModeId`, and so do the SDKs: a warning, since it was copied in good faith.
    """
    for mistake in facts.mistakes_of("misnamed-field"):
        mismatch = mistake.first
        on_the_page = mismatch.shape == "CurrentModeUpdate" and mismatch.key == "modeId"
        if mismatch.kind is MismatchKind.RENAMED_KEY:
            page = ", though the page on session modes shows it" if on_the_page else ""
            text = f"{quoted(mismatch.key)} where `{mismatch.instead}` is expected{page}{loss(mismatch)}"
        else:
            text = f"{quoted(mismatch.key)} is no key of `{mismatch.shape}`, and nobody reads it"
        yield Remark(
            text + again(mistake),
            at=mismatch.path,
            severity=Severity.WARNING if on_the_page else severity(mistake),
            hint=f"rename it to `{mismatch.instead}`, if that is what it holds",
        )
