"""A prompt holds only the kinds of content that the agent said it can read."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, entries, gates_of, lack
from acp_spy.lint.rules.capability._examples import NEW_SESSION, handshake


@rule(
    code="CAP003",
    name="unadvertised-prompt-content",
    severity=Severity.ERROR,
    summary="A prompt has an image, audio or embedded resource that the agent did not advertise",
    on=("request:session/prompt",),
    covers=("PRM-02",),
    spec="https://agentclientprotocol.com/protocol/v1/initialization#prompt-capabilities",
    bad=handshake()
    + NEW_SESSION
    + """\
-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "image/png", "data": "aGk="}]}}
""",
    good=handshake(agent={"promptCapabilities": {"image": True}})
    + NEW_SESSION
    + """\
-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "image/png", "data": "aGk="}]}}
""",
)
def unadvertised_prompt_content(step: Step) -> Iterator[Remark]:
    """
    Every agent reads `text` and `resource_link`. An `image`, `audio` or embedded `resource` may be
    sent only to an agent that has `image`, `audio` or `embeddedContext` in its
    `promptCapabilities`. Others refuse the prompt, or drop the block without a word: the user
    believes that the model has seen the picture.

    Disable attachments that the agent cannot take, or send a `resource_link` in their place.
    """
    gates = gates_of(step.state.version).prompt_blocks
    for index, kind in entries(step.body, "prompt"):
        gate = gates.get(kind)
        if gate is not None and (why := lack(step.state, gate)):
            yield Remark(
                f"a block of type `{kind}` was sent, but {why}",
                at=f"/params/prompt/{index}/type",
                hint=f"without {advert(gate)} send text, or a `resource_link`",
            )
