"""Lines to stdout; through the pager if that is a terminal and there are more than fit."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import IO

from rich.console import Console

from acp_spy.cli.quiet_pipe import quiet_pipe


def write_lines(lines: Iterable[str]) -> None:
    """Write `lines` as they come, and end quietly when the reader has seen enough."""
    rest = iter(lines)
    if sys.stdout.isatty() and (command := _pager()):
        height = shutil.get_terminal_size().lines
        first = list(islice(rest, height))
        rest = chain(first, rest)
        if len(first) >= height and _page(command, rest):
            return
    with quiet_pipe():
        for line in rest:
            sys.stdout.buffer.write(_encoded(line))
        sys.stdout.buffer.flush()


def show(render: Callable[[Console], None]) -> None:
    """Write what `render` prints, likewise: rich itself would exit with 1 at a closed pipe."""
    console = Console(highlight=False)
    with console.capture() as told:
        render(console)
    write_lines(told.get().splitlines())


def _pager() -> list[str]:
    """Return the pager's command; none when `$PAGER` is empty, `cat`, or not there."""
    named = os.environ.get("PAGER")
    try:
        command = shlex.split("less" if named is None else named)
    except ValueError:
        return []
    return command if command and command != ["cat"] and shutil.which(command[0]) else []


def _page(command: list[str], lines: Iterator[str]) -> bool:
    """Feed `lines` to the pager until the person has seen enough; false if it cannot start."""
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}  # as git does: colours, and no clearing
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    assert pager.stdin is not None
    try:
        # The pager may be left early, and has its own idea of Ctrl-C.
        with suppress(BrokenPipeError, KeyboardInterrupt):
            for line in lines:
                pager.stdin.write(_encoded(line))
    finally:  # an error is told when the person has left the pager: else they would share a screen
        _wait_for(pager, pager.stdin)
    return True


def _wait_for(pager: subprocess.Popen[bytes], stdin: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        stdin.close()
    while True:
        try:
            pager.wait()
        except KeyboardInterrupt:
            continue
        return


def _encoded(line: str) -> bytes:
    return line.encode(errors="backslashreplace") + b"\n"
