"""
A remote agent that does nothing but respond: over HTTP with SSE, and over a WebSocket.

Threads and plain sockets, so that it costs little. A POST gets 202, and an event on the stream that
was opened last; `GET /events/N` gets N events at once. Prints its port.
"""

import socket
import threading

_TEXT = b"x" * 220
EVENT = b'data: {"jsonrpc":"2.0","method":"session/update","params":{"text":"%b"}}\n\n' % _TEXT
CHUNK = b"%x\r\n%b\r\n" % (len(EVENT), EVENT)
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
OPENED_BODY = b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
OPENED = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nAcp-Connection-Id: c%%d\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(OPENED_BODY), OPENED_BODY)
)
SWITCH = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: x\r\n\r\n"
)
MESSAGE = b'{"jsonrpc":"2.0","id":1,"result":"%b"}' % (b"x" * 260)
FRAME = b"\x81\x7e" + len(MESSAGE).to_bytes(2, "big") + MESSAGE
ASKED = 8 + 300  # bytes of a masked message of the client's

streams = []
opened = [0]


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        held = b""
        while True:
            while b"\r\n\r\n" not in held:
                data = connection.recv(65536)
                if not data:
                    return
                held += data
            head, _, held = held.partition(b"\r\n\r\n")
            if b"websocket" in head:
                connection.sendall(SWITCH)
                echo(connection, len(held))
                return
            if head.startswith(b"GET"):
                connection.sendall(STREAM)
                streams.append(connection)
                count = int(head.split()[1].rpartition(b"/")[2] or 0) if b"/events/" in head else 0
                many = CHUNK * 100
                for _ in range(count // 100):
                    connection.sendall(many)
                continue
            size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
            while len(held) < size:
                held += connection.recv(65536)
            body, held = held[:size], held[size:]
            if b'"initialize"' in body:
                opened[0] += 1
                connection.sendall(OPENED % opened[0])
            else:
                connection.sendall(ACCEPTED)
                if streams:
                    streams[-1].sendall(CHUNK)


def echo(connection, waiting):
    while True:
        while waiting >= ASKED:
            waiting -= ASKED
            connection.sendall(FRAME)
        data = connection.recv(65536)
        if not data:
            return
        waiting += len(data)


listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    threading.Thread(target=serve, args=(client,), daemon=True).start()
