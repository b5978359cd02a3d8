"""
How much work may be done: the one place of all limits of the guard.

Each with what was counted when it was set, on Python 3.11. A limit is a little above that, for
other versions of Python, and below what any mistake would make of it. Who makes something do less
lowers the limit with it; who must raise one says why in the commit.
"""

from typing import NamedTuple


class Limit(NamedTuple):
    counted: float
    at_most: float


# System calls of the proxy's main thread: epoll, read, write to the capture, write to the receiver.
FOR_A_FRAME_THERE_AND_BACK = Limit(8.0, 8.1)
# The same if each of the two comes after a silence: trio waits for it, which takes two calls more.
FOR_A_FRAME_BY_TRIO = Limit(12.0, 12.1)
# What comes to them while it is judged: at most twenty times a second the bell is rung, and what
# the judge tells is polled for, read and written.
FOR_A_SECOND_OF_JUDGING = Limit(20, 80)
FOR_A_CHUNK_OF_A_BURST = Limit(4.0, 4.1)
POLLS_THERE_AND_BACK = Limit(2.0, 2.05)

# Files that the proxy opens before the agent is started, besides those that any Python opens.
FILES_BEFORE_THE_AGENT = Limit(43, 46)

# Function calls, of Python and of C together, and decodings of JSON, for a frame more.
CALLS = {
    "recording, a frame at a time": Limit(22.17, 23),
    "recording, many at a time": Limit(2.17, 2.3),
    "check": Limit(43.2, 45),  # 0.66 of them are the diagnosis
    "view": Limit(161.0, 168),
    "stats": Limit(51.35, 54),
    # Masked: a third is to find secrets that are cut in pieces, and 34 more are to redact pointers
    # and to look for secrets that are split over lists and terminal output.
    "html": Limit(397.3, 415),
    "diff": Limit(293.9, 308),
    "replay": Limit(247.3, 260),
}
DECODINGS = {
    "recording, a frame at a time": Limit(1, 1),  # once, and never again
    "recording, many at a time": Limit(1 / 22, 1 / 22),  # once for all of a chunk
    "check": Limit(2.44, 2.5),
    "view": Limit(4.87, 5.0),
    "stats": Limit(2.28, 2.4),
    "html": Limit(6.87, 7.0),
    "diff": Limit(5.18, 5.3),
    "replay": Limit(5.25, 5.4),
}
# A frame more in a capture twice as long, against one in the shorter.
GROWTH = Limit(1.0, 1.02)

# Peak memory for ten times the frames.
MEMORY = {
    "check": Limit(1.03, 1.1),
    "view": Limit(1.03, 1.1),
    "stats": Limit(1.03, 1.1),
}
