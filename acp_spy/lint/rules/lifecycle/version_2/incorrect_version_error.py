"""Version 2: a version error names the supported versions."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import INITIALIZE, error_line, transcript
from acp_spy.wire.values import fields, items

_UNSUPPORTED = -32022


@rule(
    code="LIF202",
    name="incorrect-version-error",
    severity=Severity.ERROR,
    summary="A version error is unnecessary or does not name the supported versions",
    on=("error:initialize",),
    covers=("V2-04",),
    spec="https://agentclientprotocol.com/protocol/v2/initialization#version-negotiation",
    bad=transcript(INITIALIZE, error_line(0, '"code": -32022, "message": "Unsupported version"')),
    good=transcript(
        INITIALIZE,
        error_line(
            0,
            '"code": -32022, "message": "Unsupported version",'
            ' "data": {"requested": 2, "supported": [3]}',
        ),
    ),
)
def incorrect_version_error(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports error -32022 without `data.requested` and `data.supported`, and error -32022 when a
    supported version is not above the requested one.

    ## Why it matters

    The client needs both values to tell the user which program is too old. An unnecessary error
    ends a connection that would work.

    ## Use instead

    Fill in `data.requested` and `data.supported`, or return the supported version.
    """
    error, requested = fields(step.body), request_params(step).get("protocolVersion")
    if error.get("code") != _UNSUPPORTED or type(requested) is not int:
        return
    data = fields(error.get("data"))
    supported = [version for version in items(data.get("supported")) if type(version) is int]
    fitting = [version for version in supported if version <= requested]
    if not supported or data.get("requested") != requested:
        yield Remark(
            "error -32022 lacks version data; expected `requested` and `supported` in `data`",
            at="/error",
            see=request_seq(step),
            hint=f'add `"data": {{"requested": {requested}, "supported": [...]}}`',
        )
    elif fitting:
        yield Remark(
            f"version `{requested}` was rejected, but version `{max(fitting)}` is supported;"
            f" expected version `{max(fitting)}`",
            at="/error/data/supported",
            see=request_seq(step),
            hint=f'return `"protocolVersion": {max(fitting)}`',
        )
