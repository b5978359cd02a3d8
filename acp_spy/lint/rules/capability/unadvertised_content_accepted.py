"""Version 2: an agent refuses content that it did not advertise."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import entries, gates_of, is_version_2, lack
from acp_spy.lint.rules.capability._examples import NEW_SESSION, handshake_2


@rule(
    code="CAP016",
    name="unadvertised-content-accepted",
    severity=Severity.ERROR,
    summary="The agent accepted content or an MCP transport that it did not advertise",
    on=("result:session/prompt", "result:session/new", "result:session/resume"),
    covers=("V2-19",),
    spec="https://agentclientprotocol.com/protocol/v2/initialization#session-prompt-capabilities",
    bad=handshake_2({})
    + NEW_SESSION
    + """\
-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "image/png", "data": "aGk="}]}}
<- {"jsonrpc": "2.0", "id": 2, "result": {"messageId": "m1"}}
""",
    good=handshake_2({})
    + NEW_SESSION
    + """\
-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "image/png", "data": "aGk="}]}}
<- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Images are not supported"}}
""",
)
def unadvertised_content_accepted(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports prompts and session requests that an agent accepted although they contain a block or an
    MCP server of a type that it did not advertise. Version 2 requires error -32602 (invalid
    params).

    ## Why it matters
    Either the content was dropped, and the user believes that it was read, or the agent supports
    more than it advertises.

    ## Use instead
    Refuse the request, or advertise what works.
    """
    if not is_version_2(step.state.version) or step.exchange is None:
        return
    gates = gates_of(step.state.version)
    is_prompt = step.method == "session/prompt"
    table = gates.prompt_blocks if is_prompt else gates.mcp_servers
    for _, kind in entries(step.exchange.params, "prompt" if is_prompt else "mcpServers"):
        gate = table.get(kind)
        if gate is not None and lack(step.state, gate):
            what = "a block" if is_prompt else "an MCP server"
            yield Remark(
                f"{what} of type `{kind}` was accepted, but `{gate.name}` was not advertised",
                at="/result",
                see=step.exchange.seq,
                hint="answer with -32602 (invalid params), or advertise the capability",
            )
