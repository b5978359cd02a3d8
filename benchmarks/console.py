"""
What the console costs: a large capture opened in a pseudo-terminal, keys, memory, and a burst.

Opening is from the start of the process until a row is on the screen. A key is answered when
something is drawn after it. In the burst a capture grows by 5,000 frames a second, and keys are
pressed meanwhile.
"""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header
from acp_spy.wire.frame import Frame, Peer
from benchmarks.conversation import messages, write_capture
from benchmarks.measuring import median
from benchmarks.outcome import Limit, Outcome

FRAMES, SMALL = 4_000_000, 40_000  # about 1 GB
PER_SECOND, SECONDS, SMALL_SECONDS = 5_000, 10, 2
MOVED = rb"\x1b\[\d+;\d+H"  # something is drawn
KEYS = (b"j", b"j", b"G", b"k", b"g", b"\x06", b"\x06", b"G", b"\x02", b"g")
DEADLINE = 30


def measure(effort):
    with tempfile.TemporaryDirectory() as folder:
        large = f"{folder}/large.jsonl"
        write_capture(large, effort.size(FRAMES, SMALL))
        size = os.path.getsize(large)
        opened, answered, memory = [], [], []
        for _ in range(effort.rounds):
            with Console(large) as console:
                opened.append(console.wait_for(rb"initialize"))
                console.read_for(1.0)
                answered += [console.press(key) for key in KEYS]
                memory.append(console.memory())
        burst = in_a_burst(folder, effort.size(SECONDS, SMALL_SECONDS))
    opening, used = median(opened), max(memory)
    return Outcome(
        limits=[
            Limit(f"seconds until a capture of {size / 1e9:.1f} GB is open", opening, 1.5),
            Limit("MB of memory with it, both processes", used, 200),
            Limit("milliseconds until a key is answered, 95 of 100", most(answered), 100),
            Limit("the same in a burst of 5,000 frames a second", most(burst), 100),
        ],
        note=(
            f"{size / 1e6:.0f} MB: open after {opening:.2f} s, {used:.0f} MB of memory. A key is"
            f" answered after {median(answered):.0f} ms, in a burst after {median(burst):.0f} ms."
        ),
        figures={"opened": opened, "answered": answered, "burst": burst, "memory": memory},
    )


def most(times):
    return sorted(times)[len(times) * 95 // 100]


def in_a_burst(folder, seconds):
    """Return how long keys took, in milliseconds, while a capture grew."""
    capture = CaptureFile(f"{folder}/burst.jsonl", Header(started="2026-01-05T09:30:00Z"))
    ended = threading.Event()
    writer = threading.Thread(target=grow, args=(capture, ended))
    capture.append([Frame(1, 0.0, Peer.CLIENT, b'{"jsonrpc":"2.0","method":"initialize"}\n')])
    with Console(capture.path) as console:
        console.wait_for(rb"initialize")
        console.read_for(1.0)
        writer.start()
        console.read_for(0.5)
        until = time.monotonic() + seconds
        answered = []
        while time.monotonic() < until:
            # It draws by itself, too, so this key is one whose answer can be told from that.
            answered.append(console.press(b"m", rb"%d marked" % (len(answered) + 1)))
            console.press(b"kk")  # to a row above that has no mark
        ended.set()
        writer.join()
    capture.close()
    return answered


def grow(capture, ended):
    """Write 5,000 frames a second, in pieces as they come from a pipe."""
    started, seq = time.monotonic(), 1
    for sender, message in messages(10**9):
        line = b'{"jsonrpc":"2.0",' + encode(message)[1:] + b"\n"
        seq += 1
        capture.append([Frame(seq, seq / PER_SECOND, Peer(sender), line)])
        ahead = seq / PER_SECOND - (time.monotonic() - started)
        if ahead > 0.01:
            time.sleep(ahead)
        if ended.is_set():
            return


def encode(message):
    import msgspec

    return msgspec.json.encode(message)


class Console:
    """The console in a pseudo-terminal."""

    def __init__(self, capture):
        self._terminal, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._shown = b""
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "acp_spy", "live", capture],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color"},
        )
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.write(self._terminal, b":")
        self.read_for(0.2)
        os.write(self._terminal, b"q\r")
        self.read_for(1.0)
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    def wait_for(self, pattern, since=None, start=0):
        """Return the seconds until something is shown."""
        since = self._started if since is None else since
        while not re.search(pattern, self._shown[start:]):
            if time.perf_counter() - since > DEADLINE:
                raise TimeoutError(self._shown[-2000:])
            self._read(DEADLINE)
        return time.perf_counter() - since

    def press(self, key, pattern=MOVED):
        """Press a key; return the milliseconds until it is answered."""
        self.read_for(0.15)
        start = len(self._shown)
        os.write(self._terminal, key)
        return 1000 * self.wait_for(pattern, time.perf_counter(), start)

    def read_for(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._read(left)

    def _read(self, seconds):
        if select.select([self._terminal], [], [], seconds)[0]:
            try:
                self._shown += os.read(self._terminal, 65536)
            except OSError:  # it has ended
                time.sleep(0.01)

    def memory(self):
        """Return the memory of both processes, in MB."""
        own = self._process.pid
        with open(f"/proc/{own}/task/{own}/children") as file:
            pids = [own, *map(int, file.read().split())]
        total = 0
        for pid in pids:
            with open(f"/proc/{pid}/status") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        return total / 1000
