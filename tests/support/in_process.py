"""
`acp-spy WORDS` in this process, with streams, folder and environment as a process of its own has.

For what a command reads, prints and returns: it takes a fiftieth of a process's time. Whatever is
about processes, pipes or signals needs a real one (`processes.ACP_SPY`).
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import IO, NamedTuple

import pytest
import typer.rich_utils  # noqa: F401 - now, for it reads the environment when it is loaded

from acp_spy.cli.capture_input import _spool_stdin
from acp_spy.cli.entry import run


class Done(NamedTuple):
    """What came on stdout and stderr, and the exit status."""

    out: str
    err: str
    status: int


def acp_spy(
    *words, stdin: bytes | IO[bytes] = b"", cwd=".", env: Mapping[str, str] | None = None
) -> Done:
    """
    Run a command.

    `stdin` is what comes through a pipe, or an open file; `env` is set besides what is in the
    test's own environment.
    """
    out, err, status = acp_spy_bytes(*words, stdin=stdin, cwd=cwd, env=env)
    return Done(out.decode(), err.decode(), status)


def acp_spy_bytes(
    *words, stdin: bytes | IO[bytes] = b"", cwd=".", env: Mapping[str, str] | None = None
) -> tuple[bytes, bytes, int]:
    """Run a command whose output need not be text."""
    _spool_stdin.cache_clear()  # a process has one stdin, we have many
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.chdir(cwd)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        stream = _pipe_with(stdin) if isinstance(stdin, bytes) else nullcontext(stdin)
        with stream as given, _standard_streams(given, out, err, patch):
            status = run(list(map(str, words)))
        out.seek(0)
        err.seek(0)
        return out.read(), err.read(), status


@contextmanager
def _pipe_with(data: bytes) -> Iterator[IO[bytes]]:
    reader, writer = os.pipe()
    with open(reader, "rb") as file:
        os.set_blocking(writer, False)
        assert not data or os.write(writer, data) == len(data), "more than a pipe holds"
        os.close(writer)
        yield file


@contextmanager
def _standard_streams(
    stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes], patch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Put these in place of descriptors 0, 1 and 2, and Python's own streams upon them."""
    ours = [os.dup(number) for number in range(3)]
    try:
        for number, file in enumerate((stdin, stdout, stderr)):
            os.dup2(file.fileno(), number)
        with (
            open(0, encoding="utf-8", closefd=False) as stdin_text,
            open(1, "w", encoding="utf-8", closefd=False) as stdout_text,
            open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as stderr_text,
        ):
            patch.setattr(sys, "stdin", stdin_text)
            patch.setattr(sys, "stdout", stdout_text)
            patch.setattr(sys, "stderr", stderr_text)
            yield
    finally:
        for number, saved in enumerate(ours):
            os.dup2(saved, number)
            os.close(saved)
