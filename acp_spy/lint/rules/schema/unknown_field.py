"""Objects have the fields that the specification defines."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_session, in_turn, update
from acp_spy.lint.rules.schema._words import EDITIONS, again, names
from acp_spy.protocol.legal import keys_of
from acp_spy.protocol.mismatch import Mismatch
from acp_spy.protocol.shapes import Null
from acp_spy.protocol.tables import spec

_MODELS = "offer a config option of category `model`; `models` was removed in June 2026"
_ID = "remove it: the client knows which session it requested"
_HINTS = {
    ("ElicitationSessionScope", "requestId"): "send `sessionId` or `requestId`, not both",
    ("LoadSessionResponse", "models"): _MODELS,
    ("LoadSessionResponse", "sessionId"): _ID,
    ("NewSessionResponse", "models"): _MODELS,
    ("PromptResponse", "content"): "send it in `session/update`, before the response",
    ("ResumeSessionResponse", "models"): _MODELS,
    ("ResumeSessionResponse", "sessionId"): _ID,
}
_BY_SHAPE = {
    "Error": "put it into `data`",
    "SessionInfoUpdate": "remove it: an update can change only `title` and `updatedAt`",
}


@rule(
    code="SCH010",
    name="unknown-field",
    severity=Severity.WARNING,
    summary="An object contains a field that the specification does not define",
    on=("mismatch",),
    covers=("EXT-02", "PRM-15", "INF-01", "SES-28", "ELI-02", "ELI-10", "AUT-05"),
    spec="https://agentclientprotocol.com/protocol/extensibility#the-meta-field",
    bad=in_session(
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "Fix the test"}]}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn", "content": [{"type": "text", "text": "Done."}]}}
        """
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}'
        )
    ),
)
def unknown_field(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports fields that the specification does not define for an object. A `sessionId` in the
    response to `session/load` or `session/resume` is harmless: a note.

    ## Why it matters
    Field names in the specification's objects are reserved. Readers ignore an unknown field, so its
    value never arrives, and a later version may give the name another meaning.

    ## Use instead
    Put custom data into `_meta`, under a name of your own.
    """
    for mistake in facts.mistakes_of("unknown-field"):
        mismatch = mistake.first
        keys = [mismatch.key for mismatch in mistake.mismatches]
        one = len(keys) == 1
        harmless = keys == ["sessionId"] and (mismatch.shape, "sessionId") in _HINTS
        yield Remark(
            f"{names(keys)} {'is not a field' if one else 'are not fields'} of `{mismatch.shape}`; "
            f"readers ignore {'it' if one else 'them'}{again(mistake)}",
            at=mismatch.path,
            severity=Severity.NOTE if harmless else None,
            hint=next(filter(None, map(_hint, mistake.mismatches)), "put custom data into `_meta`"),
        )


def _hint(mismatch: Mismatch) -> str:
    hint = _HINTS.get((mismatch.shape, mismatch.key)) or _BY_SHAPE.get(mismatch.shape, "")
    if not hint and mismatch.legal_in:
        hint = f"remove it: `{mismatch.key}` is defined only in {EDITIONS[mismatch.legal_in]}"
    tables = spec("v1")
    if not hint and mismatch.key in keys_of(tables, tables.shapes.get(mismatch.shape, Null())):
        hint = f"remove it: `{mismatch.key}` belongs to another variant of `{mismatch.shape}`"
    return hint
