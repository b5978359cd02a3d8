"""
`acp-spy WORDS` in this process, with streams, folder and environment as a process of its own has.

For what a command reads, prints and returns: it takes a fiftieth of a process's time. Whatever is
about processes, pipes or signals needs a real one (`processes.ACP_SPY`).
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import IO, NamedTuple

import pytest
import typer.rich_utils  # noqa: F401 - now, for it reads the environment when it is loaded

from acp_spy.cli import console
from acp_spy.cli.capture_input import spool_stdin
from acp_spy.cli.entry import run


class Done(NamedTuple):
    """What came on stdout and stderr, and the exit status."""

    out: str
    err: str
    status: int


def acp_spy(*words, **how) -> Done:
    """Run a command that prints text; how, `acp_spy_bytes` says."""
    out, err, status = acp_spy_bytes(*words, **how)
    return Done(out.decode(), err.decode(), status)


def acp_spy_bytes(
    *words,
    stdin: bytes | IO[bytes] = b"",
    stdout: IO[bytes] | None = None,
    cwd=None,
    env: Mapping[str, str] | None = None,
) -> tuple[bytes, bytes, int]:
    """
    Run a command; return what came on stdout and stderr, and the exit status.

    `stdin` is what comes through a pipe, or an open file; `stdout` is where to write instead. `env` is set besides what is in the
    test's own environment.
    """
    spool_stdin.cache_clear()  # a process has one stdin, we have many
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(console, "_mask", None)  # as it is when a process starts
        if cwd:
            patch.chdir(cwd)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        given = stack.enter_context(_pipe_with(stdin)) if isinstance(stdin, bytes) else stdin
        out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        with _standard_streams(patch, given, stdout or out, err):
            status = run(list(map(str, words)))
        out.seek(0)
        err.seek(0)
        return out.read(), err.read(), status


def _pipe_with(data: bytes) -> IO[bytes]:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    assert not data or os.write(writer, data) == len(data), "more than a pipe holds"
    os.close(writer)
    return open(reader, "rb")


@contextmanager
def _standard_streams(patch: pytest.MonkeyPatch, *files: IO[bytes]) -> Iterator[None]:
    """Put these in place of descriptors 0, 1 and 2, and Python's own streams upon them."""
    names = (("stdin", "r", None), ("stdout", "w", None), ("stderr", "w", "backslashreplace"))
    with ExitStack() as stack:
        for number, (name, mode, errors) in enumerate(names):
            saved = os.dup(number)
            stack.callback(os.close, saved)
            stack.callback(os.dup2, saved, number)
            os.dup2(files[number].fileno(), number)
            text = stack.enter_context(
                open(number, mode, encoding="utf-8", errors=errors, closefd=False)
            )
            patch.setattr(sys, name, text)
        yield
