"""
What the proxy asks of the kernel: system calls for a frame, wake-ups, files at the start.

Which modules are loaded before the agent is started is told in `tests/test_house.py`.
"""

import re
import subprocess
import sys
import time

import pytest
from guard.limits import (
    FILES_BEFORE_THE_AGENT,
    FOR_A_CHUNK_OF_A_BURST,
    FOR_A_FRAME_BY_TRIO,
    FOR_A_FRAME_THERE_AND_BACK,
    FOR_A_SECOND_OF_JUDGING,
    POLLS_THERE_AND_BACK,
)
from support.processes import (
    ACP_SPY,
    ECHO,
    changed,
    children,
    is_run_by_trio,
    judge_of,
    pause,
    python,
    starter,
    until,
)
from support.work import sleep_of, strace, system_calls

from acp_spy.console.reader import Reader
from acp_spy.console.shelf import Shelf
from acp_spy.view.captures.live import LiveCaptures

METHOD = "_ping"
FRAME = b'{"jsonrpc":"2.0","method":"%b","params":{"text":"%b"}}\n' % (METHOD.encode(), b"x" * 200)
TIMES = 200

FLOOD = python(
    """
    import os, sys
    data = sys.stdin.buffer.readline() * 60_000
    while data:
        data = data[os.write(1, data):]
    """
)


def lingering(seconds):
    """Return a proxy whose carrier carries for so long before trio has its turn."""
    return changed(
        "import acp_spy.engine.carrier as c, acp_spy.proxy.run as r\n"
        f"c._AT_MOST, r.LINGER = {TIMES}, {seconds}"
    )


# What is counted must not depend on how busy the machine is, which makes silences longer.
CARRIED, CARRIED_BY_TRIO = lingering(1), lingering(0)


def traced(tmp_path, *options, program=CARRIED):
    """Return the command of a proxy whose main thread's system calls are written down, and where."""
    told = tmp_path / "strace"
    proxy = [*program, "-o", str(tmp_path / "run.jsonl"), *options, "--"]
    # Of what is read and written, enough to see that there is a frame in it.
    return [strace(), "-s", str(2 * len(FRAME)), "-o", str(told), *proxy], told


class Viewer:
    """Looks at what is recorded, as the console does, but after each frame, which is more often."""

    def __init__(self, path):
        self._list = LiveCaptures(str(path.parent))
        self._shelf = Shelf.create()
        self._reader = Reader(str(path), self._shelf)

    def look(self):
        self._list.refresh()
        while self._list.advance():
            pass
        assert self._list.listed(time.time())[0].is_running
        self._reader.advance()
        assert self._reader.status(time.time()).running

    def close(self):
        self._list.close()
        self._reader.close()
        self._shelf.close()


class Nobody:
    """Looks at nothing."""

    def __init__(self, path):
        pass

    def look(self):
        pass

    def close(self):
        pass


def there_and_back(tmp_path, *options, program=CARRIED, watcher=Nobody):
    """Return the system calls for a frame there and back, and the seconds of all of them."""
    command, told = traced(tmp_path, *options, program=program)
    with subprocess.Popen(
        [*command, *ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as proxy:
        until(lambda: any(map(is_run_by_trio, children(proxy.pid))), "trio is loaded")
        watching = watcher(tmp_path / "run.jsonl")
        before = time.monotonic()
        for _ in range(TIMES):
            proxy.stdin.write(FRAME)
            assert proxy.stdout.read(len(FRAME)) == FRAME
            watching.look()
        seconds = time.monotonic() - before
        watching.close()
        proxy.stdin.close()
        proxy.wait()
    calls = system_calls(told, between=METHOD)
    return {name: count / TIMES for name, count in calls.items()}, seconds


def test_a_frame_there_and_back_takes_eight_system_calls(tmp_path):
    calls, _ = there_and_back(tmp_path, "--no-check")
    assert sum(calls.values()) <= FOR_A_FRAME_THERE_AND_BACK.at_most, calls
    polls = calls.get("epoll_wait", 0) + calls.get("epoll_pwait", 0)
    assert 1 <= polls <= POLLS_THERE_AND_BACK.at_most, calls


@pytest.mark.long  # it reads a capture again and again
def test_who_looks_at_the_recording_costs_the_proxy_no_system_call(tmp_path):
    calls, _ = there_and_back(tmp_path, "--no-check", watcher=Viewer)
    assert sum(calls.values()) <= FOR_A_FRAME_THERE_AND_BACK.at_most, calls


def test_a_frame_that_comes_after_a_silence_takes_a_few_more_by_trio(tmp_path):
    calls, _ = there_and_back(tmp_path, "--no-check", program=CARRIED_BY_TRIO)
    assert sum(calls.values()) <= FOR_A_FRAME_BY_TRIO.at_most, calls


def test_being_judged_costs_the_proxy_no_system_call_a_frame(tmp_path):
    calls, seconds = there_and_back(tmp_path)
    in_between = FOR_A_SECOND_OF_JUDGING.at_most * seconds / TIMES
    assert sum(calls.values()) <= FOR_A_FRAME_THERE_AND_BACK.at_most + in_between, calls


def test_a_chunk_of_a_burst_takes_four_system_calls_however_many_frames_are_in_it(tmp_path):
    command, told = traced(tmp_path, "--no-check")
    with (
        (tmp_path / "taken").open("wb") as taken,  # a file: it always takes everything
        subprocess.Popen([*command, *FLOOD], stdin=subprocess.PIPE, stdout=taken) as tracer,
    ):
        until(lambda: any(map(is_run_by_trio, children(tracer.pid))), "trio is loaded")
        tracer.communicate(FRAME)
    calls = system_calls(told, between=METHOD)
    assert 100 < calls["read"] < 20_000, "there was no burst"
    assert sum(calls.values()) / calls["read"] <= FOR_A_CHUNK_OF_A_BURST.at_most, calls


@pytest.mark.long
def test_an_idle_proxy_and_its_judge_are_not_woken(tmp_path):
    with starter(tmp_path, proxied=True) as start:
        peer = start(ECHO)
        peer.send(b"{}\n")
        assert peer.read_line() == b"{}\n"
        both = peer.pid, judge_of(peer)

        def sleep_on(seconds):
            before = [sleep_of(pid) for pid in both]
            pause(seconds)
            return None not in before and [sleep_of(pid) for pid in both] == before

        until(lambda: is_run_by_trio(peer.pid), "trio is loaded")
        until(lambda: b'"finding"' in peer.capture.read_bytes(), "all is judged")
        until(lambda: sleep_on(0.3), "both sleep")
        assert sleep_on(2)  # who looks now and then looks in that time


def test_few_files_are_opened_before_the_agent_is_started(tmp_path):
    """The baseline is any Python: what an installation loads at every start is not ours."""

    def opened(*command):
        told = tmp_path / "opened"
        trace = [strace(), "-o", str(told), "-e", "trace=openat,clone,clone3,fork,vfork"]
        subprocess.run([*trace, *command], input=b"", capture_output=True, check=True)
        before = re.split(r"^(?:clone3?|v?fork)\(", told.read_text(), flags=re.MULTILINE)[0]
        return sum("= -1" not in line for line in before.splitlines() if "openat(" in line)

    proxy = [*ACP_SPY, "-o", str(tmp_path / "run.jsonl"), "--no-check", "--", "true"]
    subprocess.run(proxy, input=b"", capture_output=True, check=True)  # now all is compiled
    ours = opened(*proxy) - opened(sys.executable, "-c", "pass")
    assert 0 < ours <= FILES_BEFORE_THE_AGENT.at_most, ours
