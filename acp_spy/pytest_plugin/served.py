"""An agent that is offered by URL while a test runs, for mocks with a `transport`."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack

import pytest

from acp_spy.doctor.after_death import after_our_death
from acp_spy.pytest_plugin.mock import ACP_SPY, masked
from acp_spy.pytest_plugin.options import with_transport
from acp_spy.relative_paths import is_url


class Served:
    """Offers a command, or a remote agent, at a URL of ours, and records it to `output`."""

    def __init__(self, command: Sequence[str], transport: str, output: str = os.devnull) -> None:
        words = ["serve", "--no-check", "-o", output, "--", *command]
        if is_url(command[0]):
            words = ["http", "--no-check", "-o", output, "--target", command[0]]
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - as long as we live
        self._process = subprocess.Popen(
            [*ACP_SPY, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )
        # A signal may end pytest at once: no fixture is torn down then.
        self._watched = ExitStack()
        self._watched.enter_context(after_our_death('kill "$1"', str(self._process.pid)))
        assert self._process.stdout is not None
        url = self._process.stdout.readline().strip()
        if not url:
            text = masked(self.stop())
            pytest.fail(f"cannot serve the mock by {transport}: {text}", pytrace=False)
        self.url = with_transport(url, transport)

    def stop(self) -> str:
        """End it, and the agents that it has started; return what it has to say."""
        with self._watched:
            self._process.terminate()
        self._process.communicate()
        with self._stderr:
            self._stderr.seek(0)
            return self._stderr.read().decode(errors="replace").strip()
