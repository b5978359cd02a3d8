"""A prompt contains only types of content that the agent advertised."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, entries, gates_of, lack
from acp_spy.lint.rules.capability._examples import NEW_SESSION, handshake
from acp_spy.wire.jsonrpc import Request


@rule(
    code="CAP003",
    name="unadvertised-prompt-content",
    severity=Severity.ERROR,
    summary="A prompt contains an image, audio or embedded resource that the agent did not advertise",
    on=("media",),
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
    ## What it does
    Reports prompt blocks of type `image`, `audio` or `resource` sent to an agent without `image`,
    `audio` or `embeddedContext` in its `promptCapabilities`. Every agent accepts `text` and
    `resource_link`.

    ## Why it matters
    The agent refuses the prompt or silently drops the block. The user believes that the model has
    seen the picture.

    ## Use instead
    Disable attachments that the agent does not support, or send a `resource_link` instead.
    """
    if step.method != "session/prompt" or not isinstance(step.message, Request):
        return
    gates = gates_of(step.state.version).prompt_blocks
    for index, kind in entries(step.body, "prompt"):
        gate = gates.get(kind)
        if gate is not None and (why := lack(step.state, gate)):
            yield Remark(
                f"a block of type `{kind}` was sent, but {why}",
                at=f"/params/prompt/{index}/type",
                hint=f"send text or a `resource_link` to an agent without {advert(gate)}",
            )
