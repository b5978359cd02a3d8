"""Fields have the names that the specification defines."""

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
    summary="A field has another name than in the specification",
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
    ## What it does
    Reports unknown fields whose value the specification expects under another name: `id` for
    `toolCallId`, `content` for `prompt`, `label` for `name`. `modeId` in a `current_mode_update` is
    a warning, because the official page on session modes shows it; the schema and the SDKs use
    `currentModeId`.

    ## Why it matters
    Nobody reads the field. If the official one is required, the message fails; if not, the value is
    lost.

    ## Use instead
    Rename the field to its official name.
    """
    for mistake in facts.mistakes_of("misnamed-field"):
        mismatch = mistake.first
        on_the_page = mismatch.shape == "CurrentModeUpdate" and mismatch.key == "modeId"
        if mismatch.kind is MismatchKind.RENAMED_KEY:
            page = ", although the page on session modes shows it" if on_the_page else ""
            text = f"{quoted(mismatch.key)} where `{mismatch.instead}` is expected{page}{loss(mismatch)}"
        else:
            text = f"{quoted(mismatch.key)} is not a field of `{mismatch.shape}`; readers ignore it"
        yield Remark(
            text + again(mistake),
            at=mismatch.path,
            severity=Severity.WARNING if on_the_page else severity(mistake),
            hint=f"rename it to `{mismatch.instead}` if that is what it contains",
        )
