"""The agent calls only client methods that the client advertised."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, gate_of, lack
from acp_spy.lint.rules.capability._examples import NEW_SESSION, PROMPT, handshake
from acp_spy.wire.frame import Peer


@rule(
    code="CAP001",
    name="unadvertised-client-method",
    severity=Severity.ERROR,
    summary="The agent called a file or terminal method that the client did not advertise",
    on=(
        "request:fs/read_text_file",
        "request:fs/write_text_file",
        "request:terminal/create",
        "request:terminal/kill",
        "request:terminal/output",
        "request:terminal/release",
        "request:terminal/wait_for_exit",
    ),
    covers=("INI-11", "FS-01", "TRM-01"),
    spec="https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities",
    bad=handshake()
    + NEW_SESSION
    + PROMPT
    + """\
<- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/a.txt"}}
-> {"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "Method not found"}}
""",
    good=handshake({"fs": {"readTextFile": True, "writeTextFile": False}})
    + NEW_SESSION
    + PROMPT
    + """\
<- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/a.txt"}}
-> {"jsonrpc": "2.0", "id": 0, "result": {"content": "Hello"}}
""",
)
def unadvertised_client_method(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports calls of `fs/*` and `terminal/*` methods to a client that did not advertise
    `fs.readTextFile`, `fs.writeTextFile` or `terminal`. Later calls that follow from the first,
    such as `terminal/output` after `terminal/create`, are not reported again.

    ## Why it matters
    A capability that is omitted is not supported. The client answers with an error and the tool
    fails, although the agent's own file access or shell might have worked.

    ## Use instead
    Check `clientCapabilities` before the call, and use your own file access or shell if the
    capability is missing. In a client that supports the method, advertise it in `initialize`.
    """
    gate = gate_of(step.method, step.state.version)
    if gate is None or step.frame.sender is not Peer.AGENT or not (why := lack(step.state, gate)):
        return
    if memory.setdefault(gate.name, step.method) == step.method:
        yield Remark(
            f"`{step.method}` was called, but {why}",
            at="/method",
            hint=f"call it only if the client's `initialize` has {advert(gate)}",
        )
