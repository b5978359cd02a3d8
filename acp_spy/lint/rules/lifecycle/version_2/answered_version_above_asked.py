"""Version 2: nobody is answered with a version above the one that they asked for."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import INITIALIZE, INITIALIZED, transcript
from acp_spy.wire.values import fields


@rule(
    code="LIF201",
    name="answered-version-above-asked",
    severity=Severity.ERROR,
    summary="The agent answered with a version above the one that was asked for",
    on=("result:initialize",),
    covers=("V2-04",),
    spec="https://agentclientprotocol.com/protocol/v2/initialization#version-negotiation",
    bad=transcript(INITIALIZE.replace('"protocolVersion": 2', '"protocolVersion": 1'), INITIALIZED),
    good=transcript(INITIALIZE, INITIALIZED),
)
def answered_version_above_asked(step: Step) -> Iterator[Remark]:
    """
    A client asks for the newest version that it speaks. An agent that knows version 2 answers with
    the highest version that it supports and that is not above the one asked for. A client of
    version 1 cannot do anything with the answer 2: it has to end the conversation.

    Version 1 lets an agent answer with its own latest version: to one who asked for version 1 the
    answer 2 is a warning. Greater ones there are not.

    Answer with the client's version if you still speak it. If you speak none that old, answer with
    error -32022, and list in `data.supported` what you do speak.
    """
    wanted = asked(step).get("protocolVersion")
    given = fields(step.body).get("protocolVersion")
    if type(wanted) is int and type(given) is int and given > max(wanted, 1):
        yield Remark(
            f"version `{given}` was answered; at most `{wanted}`, as asked, was expected",
            at="/result/protocolVersion",
            see=asked_at(step),
            severity=Severity.WARNING if wanted < 2 and given == 2 else None,
            hint="answer with a version up to the one asked for, or with error -32022",
        )
