"""A long conversation, mixed as real ones of ten agents are: nearly all is updates of a turn."""

import shutil

import msgspec


def messages(count):
    """Give (sender, message) of one long conversation: turns with text, thoughts and tool calls."""
    capabilities = {"fs": {"readTextFile": True, "writeTextFile": False}, "terminal": False}
    client = {"auth": {"terminal": False}, "elicitation": {}, "session": {"configOptions": {}}}
    info = {"name": "bench", "version": "1"}
    yield (
        "client",
        {
            "id": 0,
            "method": "initialize",
            "params": {
                "protocolVersion": 1,
                "clientCapabilities": {**capabilities, **client},
                "clientInfo": info,
            },
        },
    )
    agent = {"loadSession": False, "promptCapabilities": {}, "mcpCapabilities": {"http": True}}
    answer = {"protocolVersion": 1, "agentCapabilities": {**agent, "auth": {}}, "agentInfo": info}
    yield "agent", {"id": 0, "result": {**answer, "authMethods": []}}
    yield "client", {"id": 1, "method": "session/new", "params": {"cwd": "/p", "mcpServers": []}}
    yield "agent", {"id": 1, "result": {"sessionId": "0b1f-4c8e-9d1a"}}
    ident, sent = 2, 4
    while sent < count:
        for sender, message in turn(ident):
            yield sender, message
            sent += 1
        ident += 1


def turn(ident):
    session = "0b1f-4c8e-9d1a"
    prompt = [{"type": "text", "text": "Please look at the tests and mend what fails."}]
    params = {"sessionId": session, "prompt": prompt}
    yield "client", {"id": ident, "method": "session/prompt", "params": params}

    def update(variant, **fields):
        params = {"sessionId": session, "update": {"sessionUpdate": variant, **fields}}
        return "agent", {"method": "session/update", "params": params}

    def text(words):
        return {"type": "text", "text": words}

    # As counted in real conversations of ten agents: a turn has 55 chunks of text, 4 of thought, 2
    # tool calls with 3 updates, 2 notes on usage; every second a permission, every third a file.
    for number in range(4):
        yield update("agent_thought_chunk", content=text(f"thinking about step {number} "))
    for call in range(2):
        yield from tool_call(session, ident, call, update, text)
    for number in range(55):
        yield update(
            "agent_message_chunk", content=text(f" and word number {number}"), messageId=f"m{ident}"
        )
    for used in (53_000, 54_000):
        yield update("usage_update", used=used, size=200_000)
    yield "agent", {"id": ident, "result": {"stopReason": "end_turn"}}


def tool_call(session, ident, call, update, text):
    name, path = f"call-{ident}-{call}", f"/p/src/module_{call}.py"
    yield update(
        "tool_call",
        toolCallId=name,
        title=f"Read {path}",
        kind="read",
        status="pending",
        locations=[{"path": path, "line": 1}],
    )
    if call == 0 and ident % 2:
        options = [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        ask = {"sessionId": session, "toolCall": {"toolCallId": name}, "options": options}
        yield "agent", {"id": 3 * ident, "method": "session/request_permission", "params": ask}
        chosen = {"outcome": {"outcome": "selected", "optionId": "yes"}}
        yield "client", {"id": 3 * ident, "result": chosen}
    if call == 1 and ident % 3 == 0:
        read = {"sessionId": session, "path": path}
        yield "agent", {"id": 3 * ident + 1, "method": "fs/read_text_file", "params": read}
        yield "client", {"id": 3 * ident + 1, "result": {"content": "import os\n" * 30}}
    if call == 0:
        yield update("tool_call_update", toolCallId=name, status="in_progress")
    done = [{"type": "content", "content": text("def f():\n    return 1\n" * 10)}]
    yield update("tool_call_update", toolCallId=name, status="completed", content=done)


def write_capture(path, count):
    with open(path, "wb") as file:
        file.write(b'{"type":"header","format":1,"tool":"benchmark"}\n')
        for seq, (sender, message) in enumerate(messages(count), 1):
            spelled = msgspec.json.encode({"jsonrpc": "2.0", **message})
            file.write(
                b'{"type":"frame","seq":%d,"t":%a,"sender":"%b","message":%b}\n'
                % (seq, seq / 1000, sender.encode(), spelled)
            )


def grow(path, source, size):
    """Make a capture of `size` bytes by telling the conversation in `source` again and again."""
    with open(path, "wb") as file:
        while file.tell() < size:
            with open(source, "rb") as piece:
                if file.tell():
                    piece.readline()  # one header is enough
                shutil.copyfileobj(piece, file, 1 << 20)
