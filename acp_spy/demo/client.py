"""
The demo's client: starts the agent command it is given, holds one short conversation, ends.

It is as forgiving as real clients are: what it cannot read, it passes over in silence. That is
why the mistakes of the demo's agent go unnoticed without acp-spy.
"""

import json
import os
import subprocess
import sys
from typing import IO, Any


def main(command: list[str]) -> int:
    """Converse with the agent that `command` starts; return its exit status."""
    pipe = subprocess.PIPE
    try:
        agent = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    except OSError as error:
        raise SystemExit(f"demo client: cannot start the agent: {error.strerror}") from None
    assert agent.stdin is not None
    assert agent.stdout is not None
    wire = (agent.stdin, agent.stdout)
    handshake = {
        "protocolVersion": 1,
        "clientCapabilities": {
            "fs": {"readTextFile": False, "writeTextFile": False},
            "terminal": False,
            "auth": {"terminal": False},
            "elicitation": {},
            "session": {"configOptions": {}},
        },
        "clientInfo": {"name": "demo-client", "version": "0.1"},
    }
    ask(*wire, 0, "initialize", handshake)
    opened = ask(*wire, 1, "session/new", {"cwd": os.getcwd(), "mcpServers": []})
    prompt = [{"type": "text", "text": "Do the tests pass?"}]
    params = {"sessionId": opened["sessionId"], "prompt": prompt}
    ask(*wire, 2, "session/prompt", params)
    agent.stdin.close()
    return agent.wait()


def ask(
    to_agent: IO[str], from_agent: IO[str], ident: int, method: str, params: dict[str, Any]
) -> dict[str, Any]:
    """Send a request and wait for its result; allow what the agent asks for meanwhile."""
    send(to_agent, {"id": ident, "method": method, "params": params})
    for line in from_agent:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("method") == "session/request_permission":
            outcome = {"outcome": "selected", "optionId": "yes"}
            send(to_agent, {"id": message["id"], "result": {"outcome": outcome}})
        elif message.get("id") == ident and "result" in message:
            return dict(message["result"])
    raise SystemExit(f"demo client: the agent ended before it answered {method}")


def send(to_agent: IO[str], message: dict[str, Any]) -> None:
    """Send one message, one line."""
    to_agent.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    to_agent.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
