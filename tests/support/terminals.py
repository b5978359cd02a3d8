"""A program in a real terminal."""

import fcntl
import os
import select
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from support.processes import DEADLINE, until


class Terminal:
    """What a program shows, and what is typed; `before` is how keys were read before it began."""

    before: list[Any]

    def __init__(self, descriptor: int, program: subprocess.Popen[bytes]) -> None:
        self.descriptor = descriptor
        self.program = program
        self.shown = b""

    def read_until(self, wanted: bytes) -> None:
        while wanted not in self.shown:
            assert select.select([self.descriptor], [], [], DEADLINE)[0], self.shown
            self.shown += os.read(self.descriptor, 65536)

    def press(self, keys: bytes) -> None:
        os.write(self.descriptor, keys)

    def read_to_the_end(self) -> int:
        """Read on, for the program may wait for that, until it has ended; return its status."""
        until(self._has_ended, "the program has ended")
        return self.program.wait()

    def _has_ended(self) -> bool:
        while select.select([self.descriptor], [], [], 0)[0]:
            self.shown += os.read(self.descriptor, 65536)
        return self.program.poll() is not None


@contextmanager
def terminal(command: Sequence[str], env: Mapping[str, str]) -> Iterator[Terminal]:
    """Run a program in a terminal of 80x24, with keys as before once it has ended."""
    theirs, ours = os.openpty()
    try:
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        before = termios.tcgetattr(theirs)
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), ours)
        env = {**env, "TERM": "xterm-256color"}
        with subprocess.Popen(command, env=env, **streams) as program:
            opened = Terminal(theirs, program)
            opened.before = before
            yield opened
            assert opened.read_to_the_end() == 0
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(theirs)
        os.close(ours)
