"""Version 2: a refused version is refused with what there is instead."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import INITIALIZE, refuse, transcript
from acp_spy.wire.values import fields, items

_UNSUPPORTED = -32022


@rule(
    code="LIF202",
    name="unexplained-version-error",
    severity=Severity.ERROR,
    summary="A version was refused without need, or without saying which ones are supported",
    on=("error:initialize",),
    covers=("V2-04",),
    spec="https://agentclientprotocol.com/protocol/v2/initialization#version-negotiation",
    bad=transcript(INITIALIZE, refuse(0, '"code": -32022, "message": "Unsupported version"')),
    good=transcript(
        INITIALIZE,
        refuse(
            0,
            '"code": -32022, "message": "Unsupported version",'
            ' "data": {"requested": 2, "supported": [3]}',
        ),
    ),
)
def unexplained_version_error(step: Step) -> Iterator[Remark]:
    """
    Error -32022 means that the agent speaks no version up to the one that was asked for. Its
    `data` says which was `requested` and which are `supported`. A client needs both to tell its
    user which of the two programs is too old. If one of the supported versions is not above the
    requested one, there was no need to refuse: that version is the answer.

    Fill in `data.requested` and `data.supported`, or answer with the version that fits.
    """
    error, wanted = fields(step.body), asked(step).get("protocolVersion")
    if error.get("code") != _UNSUPPORTED or type(wanted) is not int:
        return
    data = fields(error.get("data"))
    supported = [version for version in items(data.get("supported")) if type(version) is int]
    fitting = [version for version in supported if version <= wanted]
    if not supported or data.get("requested") != wanted:
        yield Remark(
            "error -32022 came without `data` that says which version was `requested`,"
            " and which are `supported`",
            at="/error",
            see=asked_at(step),
            hint=f'add `"data": {{"requested": {wanted}, "supported": [...]}}`',
        )
    elif fitting:
        yield Remark(
            f"version {wanted} was refused, though version {max(fitting)} is supported;"
            " that was the answer to give",
            at="/error/data/supported",
            see=asked_at(step),
            hint=f'answer with `"protocolVersion": {max(fitting)}`',
        )
