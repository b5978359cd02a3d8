"""
Which sessions each frame of a capture concerns: its lanes.

Frames of different sessions do not wait for each other. A frame that concerns no session, such as
`initialize`, concerns all of them. A request that opens a session is in the lane of the session
that its answer names. What cannot be read is in the lane of the frame before it.
"""

from collections.abc import Iterable

import msgspec

from acp_spy.capture.records import Capture
from acp_spy.conversation.tracker import Tracker
from acp_spy.replay.line import REQUEST, UNREADABLE, Line, read_line
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.values import fields

Lanes = frozenset[str]
EVERYWHERE: Lanes = frozenset()


def touch(one: Lanes, other: Lanes) -> bool:
    """Whether two frames have a session in common; what is everywhere has one with all."""
    return not one or not other or bool(one & other)


def read_lines(capture: Capture) -> list[tuple[Peer, Line]]:
    """Return every frame as the tracker understands it, with its sender."""
    tracker = Tracker()
    lines: list[tuple[Peer, Line]] = []
    for record in capture.records:
        if isinstance(record, Frame):
            step = tracker.look_closely(record)
            lines.append((record.sender, read_line(step)))
            tracker.advance(step)
    return lines


def find_lanes(lines: Iterable[tuple[Peer, Line]]) -> dict[int, Lanes]:
    """Return the lanes of each frame, by its number; none is every lane."""
    lanes: dict[int, Lanes] = {}
    requests: dict[tuple[Peer, bytes], int] = {}
    last = EVERYWHERE
    for sender, line in lines:
        mine = {line.session} if line.session is not None else set()
        if line.id and line.kind == REQUEST:
            requests[sender, line.id] = line.seq
        if line.asked is not None:
            mine |= lanes.get(line.asked, EVERYWHERE)
            lanes[line.asked] = frozenset(mine)
        elif line.method == "$/cancel_request":
            mine |= lanes.get(_withdrawn(sender, line, requests), EVERYWHERE)
        lanes[line.seq] = last if line.kind == UNREADABLE else frozenset(mine)
        last = lanes[line.seq]
    return lanes


def _withdrawn(sender: Peer, line: Line, requests: dict[tuple[Peer, bytes], int]) -> int:
    try:
        ident = msgspec.json.encode(fields(line.body).get("requestId"))
    except (OverflowError, RecursionError):
        return 0
    return requests.get((sender, ident), 0)
