"""
The agent of the benchmarks: answers fast and parses nothing, so that the proxy is what is timed.

A line that begins with `B` asks for that many updates and an end; any other line is sent back.
`--boot S` makes it take S seconds to come up, as real agents do.
"""

import os
import sys
import time

UPDATE = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":'
    b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'
)
UPDATE += b"x" * (311 - len(UPDATE) - 6) + b'"}}}}\n'
END = b'{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}\n'


def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def main():
    if sys.argv[1:2] == ["--boot"]:
        time.sleep(float(sys.argv[2]))
    parts = []
    while chunk := os.read(0, 1 << 20):
        parts.append(chunk)
        if chunk[-1:] != b"\n":
            continue
        line = b"".join(parts)
        parts.clear()
        if line[:1] == b"B":
            for _ in range(int(line[1:])):
                os.write(1, UPDATE)
            os.write(1, END)
        else:
            send(line)


main()
