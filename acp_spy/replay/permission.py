"""The recorded answer to a permission request, given to a live one whose options may differ."""

from acp_spy.protocol.events import PermissionAnswered
from acp_spy.replay.line import Line
from acp_spy.replay.matchers import choice
from acp_spy.wire.values import fields, items


def options_of(question: object) -> dict[str, str]:
    """Return the kind of each option that is offered, by its id."""
    offered = [fields(option) for option in items(fields(question).get("options"))]
    return {
        option["optionId"]: str(option.get("kind", ""))
        for option in offered
        if isinstance(option.get("optionId"), str)
    }


def live_option(answer: Line, question: Line) -> str | None:
    """
    Return the id of the live option for the recorded choice; `None` if none does.

    It is the one of the same id and kind, else the first of the same kind: ids may be mere numbers,
    and what was refused must not be allowed because the options come in another order today. Where
    the recording does not have the kind, the id has to do.
    """
    event = answer.event
    assert isinstance(event, PermissionAnswered)
    offered = options_of(question.body)
    wanted = choice(answer)
    if event.option in offered and wanted in (offered[event.option], event.option):
        return str(event.option)
    return next((ident for ident, kind in offered.items() if kind == wanted), None)
