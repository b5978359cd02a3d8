"""A client that does as little as it can, so that what stands between it and the agent is timed."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measuring import memory_of

AGENT = [sys.executable, "-I", "-S", str(Path(__file__).parent / "agent.py")]
END = b'"end_turn"}}\n'
PING = b'{"jsonrpc":"2.0","id":1,"method":"_bench/ping","params":{"text":"'
PING += b"x" * (300 - len(PING) - 4) + b'"}}\n'


class Client:
    """Starts the agent behind `prefix`, the command of a relay."""

    def __init__(self, prefix, *agent_options):
        self.process = subprocess.Popen(
            [*prefix, *AGENT, *agent_options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()

    def ask(self, line):
        """Send a line and read one of the same length. Return the seconds it took."""
        before = time.perf_counter()
        os.write(self.stdin, line)
        self._read(len(line))
        return time.perf_counter() - before

    def ask_big(self, line):
        """Do the same when neither fits into a pipe."""
        before = time.perf_counter()
        writer = os.fork()
        if not writer:
            view = memoryview(line)
            while view:
                view = view[os.write(self.stdin, view) :]
            os._exit(0)
        self._read(len(line))
        os.waitpid(writer, 0)
        return time.perf_counter() - before

    def _read(self, left):
        while left:
            chunk = os.read(self.stdout, 1 << 20)
            assert chunk, "the agent ended too early"
            left -= len(chunk)

    def burst(self, count):
        """Ask for `count` updates and the end of the turn. Return the seconds it took."""
        before = time.perf_counter()
        os.write(self.stdin, b"B%d\n" % count)
        while not (chunk := os.read(self.stdout, 1 << 20)).endswith(END):
            assert chunk, "the agent ended too early"
        return time.perf_counter() - before

    def children(self):
        """Return the processes that the relay has started, the agent first."""
        pid = self.process.pid
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def peak_memory(self):
        return memory_of(self.process.pid)

    def end(self):
        """Go away as editors do. Return the seconds until the process has exited."""
        others = self.children()[1:]
        before = time.perf_counter()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)
        took = time.perf_counter() - before
        for judge in others:  # the next contender shall have the machine for itself
            with contextlib.suppress(ProcessLookupError):
                os.kill(judge, signal.SIGKILL)
        return took

    def kill(self):
        """End it and what it has started, whatever they are doing."""
        for pid in [*self.children(), self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
