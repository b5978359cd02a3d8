"""Version 2: the agent does not select a version above the requested one."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import INITIALIZE, INITIALIZED, transcript
from acp_spy.wire.values import fields


@rule(
    code="LIF201",
    name="version-above-requested",
    severity=Severity.ERROR,
    summary="The agent selected a version above the requested one",
    on=("result:initialize",),
    covers=("V2-04",),
    spec="https://agentclientprotocol.com/protocol/v2/initialization#version-negotiation",
    bad=transcript(INITIALIZE.replace('"protocolVersion": 2', '"protocolVersion": 1'), INITIALIZED),
    good=transcript(INITIALIZE, INITIALIZED),
)
def version_above_requested(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `protocolVersion` in the response to `initialize` that is higher than the requested
    one. The response must carry the highest supported version that is not higher. Version 1 allows
    a higher one, but an agent that selects version 2 is bound by the rules of version 2.

    ## Why it matters

    A client that requests version 1 cannot use version 2. It must close the connection.

    ## Use instead

    Return the requested version if you support it. If all your versions are higher, return error
    -32022 and list them in `data.supported`.
    """
    requested = request_params(step).get("protocolVersion")
    given = fields(step.body).get("protocolVersion")
    if type(requested) is int and type(given) is int and given > max(requested, 1):
        yield Remark(
            f"`protocolVersion` is `{given}`; expected at most `{requested}`, as requested",
            at="/result/protocolVersion",
            see=request_seq(step),
            hint="return a version that is not above the requested one, or error -32022",
        )
