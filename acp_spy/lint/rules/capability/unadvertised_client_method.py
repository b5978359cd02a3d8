"""The agent asks only for what the client said that it can do."""

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
    A client says in `clientCapabilities` whether it reads files (`fs.readTextFile`), writes them
    (`fs.writeTextFile`) and runs commands (`terminal`). What it leaves out it does not do. An agent
    that calls such a method all the same gets an error, and its tool fails where the agent's own
    file access or shell would have worked.

    Look the capability up before the call, and do the work yourself where the client does not. A
    client that does support the method has to say so in `initialize`.

    What follows from the first such call, as `terminal/output` from `terminal/create`, is not told
    again.
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
