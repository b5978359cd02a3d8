"""Promise 7: a client that stops reading stops the agent, and the proxy's memory stays small."""

import os
import signal

import pytest
from support.effort import some_of
from support.processes import ECHO, is_run_by_trio, memory, pause, python, read_some, until

from acp_spy import load

MIB = 1024 * 1024

# Pushes a gibibyte, and tells in shared memory how far it has come.
PUSHES = python(
    """
    import mmap, os, sys
    progress = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 8)
    line = b'{"text":"' + b"x" * 1000 + b'"}\\n'
    chunk = line * 64
    pushed = 0
    while pushed < 1 << 30:
        pushed += os.write(1, chunk[pushed % len(line):])
        progress[:8] = pushed.to_bytes(8, "little")
    """
)


def test_a_gibibyte_that_nobody_reads_stays_where_it_is(spy, tmp_path):
    progress = tmp_path / "progress"
    progress.write_bytes(bytes(8))
    peer = spy([*PUSHES, str(progress)])
    read_some(peer.stdout, 1)
    idle = memory(peer.pid)

    pushed = -1

    def stands_still():
        nonlocal pushed
        before, pushed = pushed, int.from_bytes(progress.read_bytes(), "little")
        pause(0.3)
        return before == pushed

    until(stands_still, "the agent is stopped by the full pipes")
    assert pushed < MIB
    assert memory(peer.pid, "VmHWM") - idle < 64 * MIB
    # It is the reader, and nothing else, that it waits for.
    peer.read(4 * MIB)
    assert int.from_bytes(progress.read_bytes(), "little") > pushed
    peer.process.stdout.close()
    assert peer.wait() == 1  # Python's way of dying of a broken pipe


@pytest.mark.parametrize("mib", some_of([256], 64))
def test_memory_does_not_grow_with_what_passes(spy, mib, tmp_path):
    progress = tmp_path / "progress"
    progress.write_bytes(bytes(8))
    peer = spy([*PUSHES, str(progress)], "-o", "/dev/null")
    peer.read(8 * MIB)
    until(lambda: is_run_by_trio(peer.pid), "trio is loaded, while nobody reads")
    before = memory(peer.pid, "VmHWM")
    peer.read(mib * MIB)
    assert memory(peer.pid, "VmHWM") - before < 8 * MIB
    peer.signal(signal.SIGKILL)


def test_a_client_that_writes_and_does_not_read_is_stopped_as_well(spy):
    peer = spy(ECHO)
    os.set_blocking(peer.stdin, False)
    sent = 0
    line = b"x" * 9999 + b"\n"
    stalled = 0
    while stalled < 20:
        try:
            sent += os.write(peer.stdin, line)
            stalled = 0
        except BlockingIOError:
            pause(0.02)
            stalled += 1
    assert sent < 2 * MIB
    peer.close_stdin()
    assert len(peer.read_all()) == sent
    assert peer.wait() == 0
    assert load(peer.capture).exit.undelivered == {}
