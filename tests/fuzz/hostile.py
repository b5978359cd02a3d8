"""
Captures that somebody has made to hurt, each as large as is asked for.

`HOSTILE` has what makes them, by what is wrong with them: a number in, the bytes of a capture out.
The number counts whatever there is too much of.
"""

import json
from collections.abc import Callable, Iterable, Sequence

from acp_spy.capture.codec import encode
from acp_spy.capture.records import MOST_SECONDS, Header, Stderr
from acp_spy.wire.frame import Frame, Peer

Said = tuple[Peer, str | bytes]
CLIENT, AGENT = Peer.CLIENT, Peer.AGENT
SECRET = "sk-ant-api03-" + "q7Zk2Vw9Xn4" * 9

OPENING: list[Said] = [
    (CLIENT, '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'),
    (AGENT, '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'),
    (CLIENT, '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}'),
    (AGENT, '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'),
    (CLIENT, '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}'),
]  # fmt: skip
CLOSING: list[Said] = [(AGENT, '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}')]


def capture(said: Iterable[Said], *, cwd: str = "/p", note: str = "") -> bytes:
    """Return a capture of what was said, as the recorder would have written it."""
    frames = [
        Frame(seq, seq / 1000, sender, (line.encode() if isinstance(line, str) else line) + b"\n")
        for seq, (sender, line) in enumerate(said, start=1)
    ]
    return encode([Header(command=("agent",), cwd=cwd, note=note), *frames])


def in_a_turn(*lines: str | bytes) -> bytes:
    """Return a capture in which the agent says `lines` in a turn."""
    return capture([*OPENING, *((AGENT, line) for line in lines), *CLOSING])


def tool_call(raw_input: str, call: str = "c") -> str:
    """Return a tool call that carries any JSON."""
    return (
        '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
        f'{{"sessionUpdate":"tool_call","toolCallId":"{call}","title":"t","rawInput":{raw_input}}}}}}}'
    )


def chunk(text: str, session: str = "s") -> str:
    """Return a piece of what the agent says; `text` is spelled as in JSON."""
    return (
        f'{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":'
        f'{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}'
    )


def _request(ident: object, method: str = "x", params: str = "{}") -> str:
    return f'{{"jsonrpc":"2.0","id":{ident},"method":"{method}","params":{params}}}'


def _answer(ident: object, result: str = "{}") -> str:
    return f'{{"jsonrpc":"2.0","id":{ident},"result":{result}}}'


def _keys(count: int) -> str:
    return ",".join(f'"k{number}":{number}' for number in range(count))


def _update(count: int, kind: str, name: str, item: str) -> bytes:
    items = ",".join(item.replace("N", str(number)) for number in range(count))
    return in_a_turn(
        '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
        f'{{"sessionUpdate":"{kind}","{name}":[{items}]}}}}}}'
    )


def sessions(count: int) -> bytes:
    """Return a capture of many sessions, all open at once, each with a folder and a turn."""
    opened: list[Said] = []
    asked: list[Said] = []
    ended: list[Said] = []
    for number in range(count):
        new, prompt, name = number + 10, number + 10 + count, f"s{number}"
        prompted = f'{{"sessionId":"{name}","prompt":[{{"type":"text","text":"hi"}}]}}'
        opened += (
            (CLIENT, _request(new, "session/new", f'{{"cwd":"/p/{number}","mcpServers":[]}}')),
            (
                AGENT,
                _answer(new, f'{{"sessionId":"{name}"}}'),
            ),
        )
        asked.append((CLIENT, _request(prompt, "session/prompt", prompted)))
        ended += (
            (AGENT, chunk("hello", name)),
            (AGENT, _answer(prompt, '{"stopReason":"end_turn"}')),
        )
    return capture([*OPENING[:2], *opened, *asked, *ended])


def long_ids(digits: int) -> bytes:
    """Return a capture whose ids, codes and numbers have so many digits."""
    number = "9" * digits
    said: list[Said] = []
    for last in range(5):
        ident = f"{number}{last}"
        said += (
            (CLIENT, _request(ident)),
            (AGENT, _answer(ident)),
            (
                CLIENT,
                f'{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{ident}}}}}',
            ),
            (AGENT, f'{{"jsonrpc":"2.0","id":{ident},"error":{{"code":{number},"message":"x"}}}}'),
            (AGENT, tool_call(f"[{number},1e{number},-{number}.5]")),
        )
    return capture([*OPENING, *said, *CLOSING])


def two_strings(text: str) -> bytes:
    """Return a capture in which one long string is a session, an id, a method and a tool's name."""
    prompted = f'{{"sessionId":"{text}","prompt":[]}}'
    return capture(
        [
            *OPENING[:3],
            (AGENT, _answer(1, f'{{"sessionId":"{text}"}}')),
            (CLIENT, _request(2, "session/prompt", prompted)),
            (AGENT, tool_call("1", text)),
            (AGENT, _request(f'"{text}"', text)),
            (CLIENT, _answer(f'"{text}"')),
            *CLOSING,
        ]
    )


def _many(count: int, line: Callable[[int], str], sender: Peer = AGENT) -> bytes:
    return capture([*OPENING, *((sender, line(number)) for number in range(count)), *CLOSING])


def _diff(old: str, new: str) -> str:
    diff = f'{{"type":"diff","path":"/p/a","oldText":"{old}","newText":"{new}"}}'
    return tool_call("1").replace('"rawInput":1', f'"content":[{diff}]')


def _times(count: int, most: float) -> bytes:
    """Return a capture in which the time goes from one end to the other, and back."""
    said = [*OPENING, *[(AGENT, tool_call("1")), (AGENT, chunk("x"))] * count, *CLOSING]
    frames = [
        Frame(seq, -most if seq % 2 else most, sender, f"{line}\n".encode())
        for seq, (sender, line) in enumerate(said, start=1)
    ]
    return encode([Header(started="2026-01-05T09:30:00Z"), *frames])


def _asked_about(
    count: int,
    item: str,
    line: tuple[Peer, str, str],
    *,
    handshake: str = "",
    params: str = "",
    result: str = "",
    update: str = "",
) -> bytes:
    """
    Return a capture in which a list of `item` is announced, and then there are requests about it.

    It is in the result of `initialize`, in the params or the result of `session/new`, or in an
    update, where `LIST` is.
    """
    entries = ",".join(item.replace("N", str(number)) for number in range(20 * count))
    sender, method, asked = line
    said: list[Said] = [
        OPENING[0],
        (AGENT, _answer(0, f'{{"protocolVersion":1{handshake}}}')),
        (CLIENT, _request(1, "session/new", f'{{"cwd":"/p","mcpServers":[]{params}}}')),
        (AGENT, _answer(1, f'{{"sessionId":"s"{result}}}')),
    ]
    if update:
        sent = f'{{"sessionId":"s","update":{{{update}}}}}'
        said.append((AGENT, f'{{"jsonrpc":"2.0","method":"session/update","params":{sent}}}'))
    announced = [(peer, str(text).replace("LIST", f"[{entries}]")) for peer, text in said]
    params_of = [asked.replace("N", str(number)) for number in range(count)]
    requests = (
        (sender, _request(number, method, f'{{"sessionId":"s",{each}}}'))
        for number, each in enumerate(params_of, start=10)
    )
    return capture([*announced, *requests])


def _long_folder(size: int) -> bytes:
    """Return a capture of a session in a folder with a long path, and requests about files in it."""
    opened = _request(1, "session/new", f'{{"cwd":"{"/a/." * (size // 4)}","mcpServers":[]}}')
    said: list[Said] = [*OPENING[:2], (CLIENT, opened), *OPENING[3:]]
    for number in range(10, 10 + size // 1000):
        read, load = f'{{"sessionId":"s","path":"/z/{number}"}}', '{"sessionId":"s","cwd":"/q"}'
        said.append((AGENT, _request(number, "fs/read_text_file", read)))
        said.append((CLIENT, _request(number, "session/load", load)))
    return capture(said)


_SELECT = '"name":"x","category":"mode","type":"select","currentValue":"v0"'


def _stderr(pieces: Sequence[bytes]) -> bytes:
    return capture(OPENING) + encode([Stderr(0.1, piece) for piece in pieces])


def _word(number: int) -> str:
    """Return a word without a digit, another for each number."""
    return f"x{number:05}".translate(str.maketrans("0123456789", "abcdefghij"))


_PROMPT = '{"method":"session/prompt","params":{"prompt":[{"text":"abcd"}]}}'


def _deep_answer(size: int) -> bytes:
    """Return a capture of a form, and of an answer that no form has asked for."""
    form = '{"sessionId":"s","message":"Your name","requestedSchema":{}}'
    texts = ",".join(['""'] * (size // 3))
    content = '{"a":' * 800 + f"[{texts}]" + "}" * 800  # more is not decoded
    asked = (AGENT, _request(5, "elicitation/create", form))
    return capture([*OPENING, asked, (CLIENT, _answer(5, f'{{"content":{content}}}'))])


def _ids_beside_texts(count: int) -> str:
    beside = '"threadId":"t",' * count + '"text":"x",' * count
    return chunk("x").replace('"sessionUpdate"', f'{beside}"sessionUpdate"')


HOSTILE: dict[str, Callable[[int], bytes]] = {
    # nesting
    "deep lists": lambda n: in_a_turn(tool_call("[" * n + "]" * n)),
    "deep objects": lambda n: in_a_turn(tool_call('{"a":' * n + "1" + "}" * n)),
    "deep secrets": lambda n: in_a_turn(tool_call('{"token":["q7Zk2Vw9Xn4Rb8Tm3Yc6",' * n + "1" + "]}" * n)),
    "deep lists of texts": lambda n: in_a_turn(tool_call("[" * (n // 4) + ",".join(['""'] * (n // 6)) + "]" * (n // 4))),
    "deep answers to a form": _deep_answer,
    "never closed": lambda n: in_a_turn("[" * n, "{" * n, '{"a":' * n),
    # too many
    "keys": lambda n: in_a_turn(tool_call(f"{{{_keys(n)}}}")),
    "keys of params": lambda n: in_a_turn(f'{{"jsonrpc":"2.0","method":"session/update","params":{{{_keys(n)}}}}}'),
    "keys of the envelope": lambda n: in_a_turn(f'{{"jsonrpc":"2.0",{_keys(n)}}}'),
    "capabilities": lambda n: capture([(CLIENT, _request(0, "initialize", f'{{"clientCapabilities":{{{_keys(n)}}}}}')), *OPENING[1:]]),
    "one key again": lambda n: in_a_turn(tool_call("{" + ",".join(['"k":1'] * n) + "}")),
    "a batch": lambda n: in_a_turn("[" + ",".join(_request(number) for number in range(n)) + "]"),
    "commands": lambda n: _update(n, "available_commands_update", "availableCommands", '{"name":"cN","description":"d"}'),
    "one command again": lambda n: _update(n, "available_commands_update", "availableCommands", '{"name":"c","description":"d"}'),
    "a plan": lambda n: _update(n, "plan", "entries", '{"content":"N","priority":"high","status":"pending"}'),
    "options": lambda n: _update(n, "config_option_update", "configOptions", '{"id":"oN","name":"N","type":"select","currentValue":"x","options":[]}'),
    "contents": lambda n: _update(n, "tool_call", "content", '{"type":"content","content":{"type":"text","text":"N"}}'),
    "ids beside texts": lambda n: in_a_turn(_ids_beside_texts(n)),
    "answers in batches": lambda n: capture([*OPENING, *[(CLIENT, f"[{','.join([_PROMPT] * 100)}]")] * (n // 100)]),
    "misspelt contents": lambda n: _update(n, "tool_call", "content", '{"typ":"content","Content":{"text_":N}}'),
    "sessions": sessions,
    "tool calls": lambda n: _many(n, lambda number: tool_call("1", f"c{number}")),
    "requests": lambda n: _many(n, lambda number: _request(number + 10, f"m{number}"), CLIENT),
    "prompts": lambda n: _many(n, lambda number: _request(number + 10, "session/prompt", '{"sessionId":"s","prompt":[]}'), CLIENT),
    "requests about sessions that are unknown": lambda n: _many(n, lambda number: _request(number + 10, "fs/read_text_file", f'{{"sessionId":"u{number}","path":"/p/a"}}')),
    "the same request": lambda n: _many(n, lambda _: _request(10), CLIENT),
    "notifications": lambda n: _many(n, lambda number: f'{{"jsonrpc":"2.0","method":"m{number}"}}'),
    "mistakes that follow": lambda n: capture([OPENING[0], (AGENT, _answer(0, '{"protocolVersion":7}')), *OPENING[2:], *[(AGENT, f'{{"jsonrpc":"2.0","method":"{_word(number)}"}}') for number in range(n)]]),
    "answers to nobody": lambda n: _many(n, lambda number: _answer(number + 10)),
    "noise": lambda n: _many(n, lambda number: f"line {number}"),
    "one word a chunk": lambda n: _many(n, lambda number: chunk(f"w{number} ")),
    # small requests about a long list
    "folders and reads": lambda n: _asked_about(n, '"/dN"', (AGENT, "fs/read_text_file", '"path":"/z/N"'), params=',"additionalDirectories":LIST'),
    "auth methods and requests": lambda n: _asked_about(n, '{"id":"mN","name":"x"}', (CLIENT, "authenticate", '"methodId":"zN"'), handshake=',"authMethods":LIST'),
    "modes and requests": lambda n: _asked_about(n, '{"id":"mN","name":"x"}', (CLIENT, "session/set_mode", '"modeId":"zN"'), result=',"modes":{"currentModeId":"m0","availableModes":LIST}'),
    "config options and requests": lambda n: _asked_about(n, f'{{"id":"cN",{_SELECT},"options":[]}}', (CLIENT, "session/set_config_option", '"configId":"zN","value":"v0"'), result=',"configOptions":LIST'),
    "config options and modes": lambda n: _asked_about(n, f'{{"id":"cN",{_SELECT},"options":[]}}', (CLIENT, "session/set_mode", '"modeId":"zN"'), result=',"modes":{},"configOptions":LIST'),
    "values and requests": lambda n: _asked_about(n, '{"value":"vN","name":"V"}', (CLIENT, "session/set_config_option", '"configId":"c","value":"zN"'), result=f',"configOptions":[{{"id":"c",{_SELECT},"options":LIST}}]'),
    "commands and prompts": lambda n: _asked_about(n, '{"name":"cN","description":"d"}', (CLIENT, "session/prompt", '"prompt":[{"type":"text","text":"/zN a"}]'), update='"sessionUpdate":"available_commands_update","availableCommands":LIST'),
    "a long folder and reads": _long_folder,
    # too long
    "a long text": lambda n: in_a_turn(chunk("x" * n)),
    "a text of lines": lambda n: in_a_turn(chunk("a\\n" * (n // 3))),
    "a text of marks": lambda n: in_a_turn(chunk("e\u0301\u200d\ufe0f" * (n // 9))),
    "a text of escapes": lambda n: in_a_turn(chunk("\\u0065\\n" * (n // 8))),
    "a text of ticks": lambda n: in_a_turn(chunk("`" * n)),
    "a text of secrets": lambda n: in_a_turn(chunk(f"{SECRET} " * (n // 113))),
    "a text of homes": lambda n: in_a_turn(chunk("".join(f"/home/u{number}/x " for number in range(n // 14)))),
    "a long string": lambda n: in_a_turn(tool_call(f'"{"x" * n}"')),
    "long names": lambda n: two_strings("x" * n),
    "long ids": long_ids,
    "a diff": lambda n: in_a_turn(_diff("a\\n" * (n // 6), "b\\n" * (n // 6))),
    # lines that are not messages
    "long noise": lambda n: in_a_turn("x" * n),
    "noise of words": lambda n: in_a_turn("x " * (n // 2)),
    "glued beginnings": lambda n: in_a_turn("x" + '{"id"' * (n // 5)),
    "glued nesting": lambda n: in_a_turn('x{"jsonrpc":"2.0","id":1,"a":' * (n // 28)),
    "quotes": lambda n: in_a_turn('"' * n),
    "backslashes": lambda n: in_a_turn('"' + "\\" * n),
    "blanks": lambda n: in_a_turn(" " * n),
    "commas": lambda n: in_a_turn("," * n, "[" + "," * n),
    "colons": lambda n: in_a_turn(":" * n),
    "escape sequences": lambda n: in_a_turn("\x1b[" * (n // 2), "\x1b]0;" * (n // 4)),
    "bytes": lambda n: in_a_turn(b"\xff" * n, b"\xc3" * n),
    "headers of HTTP": lambda n: in_a_turn(*["Content-Length: 5\r"] * (n // 20)),
    "addresses": lambda n: in_a_turn("https://a:b@" * (n // 12), "a@" * (n // 2), "a." * (n // 2)),
    "half secrets": lambda n: in_a_turn("sk-ant-" * (n // 7), "Bearer " * (n // 7), "ghp_" * (n // 4), "eyJ" * (n // 3), "-----BEGIN " * (n // 11)),
    "names of secrets": lambda n: in_a_turn(tool_call("{" + ",".join(f'"apiKey{number}":"q7Zk2Vw9Xn4{number}"' for number in range(n // 36)) + "}")),
    # beside the wire
    "stderr": lambda n: _stderr([b"x" * n]),
    "stderr of lines": lambda n: _stderr([b"x\n"] * (n // 40)),
    "a header": lambda n: capture(OPENING, cwd="/" + "y" * n, note="n" * n),
    "times that are far apart": lambda n: _times(n // 4, MOST_SECONDS),
    "times beyond all numbers": lambda n: _times(n // 4, 1e308),
}  # fmt: skip


def spelled_by_hand(*lines: str) -> bytes:
    """Return a capture with these lines behind its header, which no recorder would have written."""
    return encode([Header()]) + "".join(f"{line}\n" for line in lines).encode()


def as_message(text: str) -> bytes:
    """Return a capture whose one frame claims to be a message, whatever it is."""
    head = json.dumps({"type": "frame", "seq": 1, "t": 0.1, "sender": "agent"})[:-1]
    return spelled_by_hand(f'{head},"message":{text}}}')
