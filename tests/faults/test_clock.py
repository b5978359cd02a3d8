"""The clock is set back while we record: the times in a capture never are."""

import sys

from support.processes import ECHO, Peer

from acp_spy import load

# The wall clock of this process goes back an hour each time that somebody looks at it.
SET_BACK = """
import time
now = [2_000_000_000.0]
def look():
    now[0] -= 3600
    return now[0]
time.time, time.time_ns = look, lambda: int(look() * 1e9)
import acp_spy.__main__ as m
m.main()
"""


def test_times_go_on_when_the_clock_is_set_back(tmp_path):
    capture = tmp_path / "x.jsonl"
    peer = Peer([sys.executable, "-c", SET_BACK, "-o", str(capture), "--", *ECHO], capture)
    for number in range(20):
        line = b'{"n":%d}\n' % number
        peer.send(line)
        assert peer.read_line() == line
    assert peer.converse() == (b"", b"", 0)
    recorded = load(capture)
    assert recorded.header.started == "2033-05-18T02:33:20.000000Z"  # by the first look
    times = [record.t for record in recorded.records if hasattr(record, "t")]
    assert times == sorted(times)
    assert 0 < times[0] < times[-1] < 3600
    assert recorded.exit.status == 0
