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
    "recording, many at a time": Limit(2.07, 2.2),
    # With a pipeline; nearly all frames are pieces of text.
    "a script that does nothing": Limit(37.6, 39.5),
    "intercept, without a viewer": Limit(46.8, 49.2),
    "a fault in a turn that never comes": Limit(49.7, 52.2),
    "a fault of a method that is never called": Limit(55.8, 57.9),
    "check": Limit(
        29.6, 31.2
    ),  # 0.66 of them are the diagnosis, 0.1 that huge lines are not copied
    "view": Limit(137.1, 143),
    "stats": Limit(34.5, 36.5),
    # Masked: a third is to find secrets. Of lines that differ in their text only, the text is
    # searched; before that, these were 369. Some 2 of them know what dialects call a message, and 5
    # notice that another file was put in the place of the one that was searched.
    "html": Limit(269.3, 272),
    "diff": Limit(270.7, 283),
    "replay": Limit(208.2, 218),
}
DECODINGS = {
    "recording, a frame at a time": Limit(1, 1),  # once, and never again
    "recording, many at a time": Limit(1 / 22, 1 / 22),  # once for all of a chunk
    "a script that does nothing": Limit(1.42, 1.47),
    "intercept, without a viewer": Limit(1.09, 1.14),
    "a fault in a turn that never comes": Limit(1.11, 1.16),
    "a fault of a method that is never called": Limit(1.11, 1.16),
    "check": Limit(2.16, 2.2),
    "view": Limit(4.31, 4.4),
    "stats": Limit(2.0, 2.1),
    "html": Limit(4.22, 4.3),
    "diff": Limit(4.62, 4.7),
    "replay": Limit(3.0, 3.1),
}
# A frame more in a capture twice as long, against one in the shorter.
GROWTH = Limit(1.0, 1.02)

# Peak memory for ten times the frames.
MEMORY = {
    "check": Limit(1.03, 1.1),
    "view": Limit(1.03, 1.1),
    "stats": Limit(1.03, 1.1),
}
