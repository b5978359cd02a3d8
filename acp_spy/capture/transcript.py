r"""
A conversation as people write it down, and the records for it.

    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize"}     the client sends a line
    <- {"jsonrpc": "2.0", "id": 0, "result": {}}               the agent sends a line
    <~ \x1b[1mBanner\x1b[0m\r\n                                 bytes, as Python spells them
    !! a line on stderr
    @ 2.5                                                      from here on it is 2.5 s
    -> EOF                                                     the client ends its stream
    == 0                                                       the agent exits, with this status
    == 127 no such command                                     it could not be started, and why

Each line takes a millisecond. What is empty or begins with `#` is passed over.
"""

import codecs

from acp_spy.capture.records import Closed, Exit, Record, Stderr
from acp_spy.wire.frame import Frame, Peer

_SENDERS = {"->": Peer.CLIENT, "<-": Peer.AGENT, "~>": Peer.CLIENT, "<~": Peer.AGENT}


def parse(transcript: str) -> list[Record]:
    """Return the records of `transcript`; a mistake in it is a `ValueError`."""
    records: list[Record] = []
    seq, t = 0, 0.0
    for number, line in enumerate(transcript.splitlines(), start=1):
        mark, _, rest = line.strip().partition(" ")
        if not mark or mark.startswith("#"):
            continue
        t = round(t + 0.001, 6)
        if mark == "@":
            t = float(rest)
        elif mark == "!!":
            records.append(Stderr(t, rest.encode() + b"\n"))
        elif mark == "==":
            status, _, reason = rest.partition(" ")
            records.append(Exit(t, int(status), reason=reason))
        elif mark not in _SENDERS:
            raise ValueError(f"line {number} of the transcript begins with `{mark}`")
        elif rest == "EOF":
            records.append(Closed(t, _SENDERS[mark]))
        else:
            seq += 1
            raw = codecs.escape_decode(rest)[0] if "~" in mark else rest.encode() + b"\n"
            records.append(Frame(seq, t, _SENDERS[mark], raw))
    return records
