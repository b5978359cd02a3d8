"""An agent that makes the mistakes which clients have met: noise, and updates in wrong shapes."""

import json
import sys


def send(message):
    print(json.dumps(message, indent=message.pop("indent", None)), flush=True)


def main():
    print("Loading plugins...\n\n  ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        match request["method"]:
            case "initialize":
                result = {"protocol_version": 1}
            case "session/new":
                result = {"session_id": "s-1"}
            case _:
                take_turn()
                result = {"stop_reason": "end_turn"}
        send({"id": str(request["id"]), "result": result})


def take_turn():
    chunk = {"type": "agent_message_chunk", "content": {"type": "text", "text": "one "}}
    send({"method": "session/update", "params": {"sessionId": "s-1", **chunk}})
    flat = {"sessionUpdate": "agent_message_chunk", "text": "two "}
    send({"method": "session/update", "params": {"sessionId": "s-1", "update": flat}})
    bare = {"sessionUpdate": "agent_message_chunk", "content": "and more"}
    params = {"sessionId": "s-1", "update": bare}
    send({"method": "session/update", "params": params, "indent": 2})
    call = {"sessionUpdate": "tool_call", "id": "c-1", "title": "Read", "status": "completed"}
    print("DEBUG", end=" ")
    send(
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"session_id": "s-1", "update": call},
        }
    )


if __name__ == "__main__":
    main()
