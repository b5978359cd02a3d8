"""The bytes that the client of the remote benchmark sends, and what it waits for."""

UPGRADE = (
    b"GET /acp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
_MESSAGE = b'{"jsonrpc":"2.0","id":1,"method":"m","params":"%b"}'
_TEXT = _MESSAGE % (b"x" * (300 - len(_MESSAGE) + 2))
# A mask of zeros changes nothing, and costs the reader the same.
MASKED = b"\x81\xfe" + len(_TEXT).to_bytes(2, "big") + bytes(4) + _TEXT
ANSWER_SIZE = 4 + len(b'{"jsonrpc":"2.0","id":1,"result":""}') + 260
_EVENT = b'data: {"jsonrpc":"2.0","method":"session/update","params":{"text":""}}\n\n'
EVENT_SIZE = len(_EVENT) + 220 + len(b"%x\r\n\r\n" % (len(_EVENT) + 220))
_HEAD = "{} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def _post(body, ident=""):
    headers = f"Acp-Connection-Id: {ident}\r\n" if ident else ""
    head = _HEAD.format("POST /acp") + f"{headers}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


INITIALIZE = _post(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}')


def post(ident):
    return _post(_TEXT, ident)


def events(ident, path="/acp"):
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
    return f"{head}Acp-Connection-Id: {ident}\r\n\r\n".encode()


def delete(ident):
    head = "DELETE /acp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
    return f"{head}Acp-Connection-Id: {ident}\r\n\r\n".encode()


def connection_id(head):
    return head.lower().partition(b"acp-connection-id: ")[2].partition(b"\r\n")[0].decode()
