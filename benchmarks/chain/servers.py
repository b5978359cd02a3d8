"""The programs between: `acp-spy serve`, and `acp-spy http` before it."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

import trio

AGENT = Path(__file__).with_name("agent.py")
ACP_SPY = (sys.executable, "-m", "acp_spy")
LAST = 25.0  # seconds for the end of a program
_BROKEN = re.compile(r"Traceback|a bug|Error:|Exception")
_ADDRESS = re.compile(rb"127\.0\.0\.1:(\d+)")


def broken(text: str) -> str:
    """Return what of stderr nobody should see, if there is something."""
    found = _BROKEN.search(text)
    return text[max(0, found.start() - 300) : found.end() + 3000] if found else ""


class Server:
    """Runs one of them, which writes `NAME.log` and `NAME.jsonl`; afterwards has its problems."""

    def __init__(self, path: Path, *arguments: str) -> None:
        self._log = path.with_name(f"{path.name}.log")
        command, *options = arguments
        self._name = command
        self._arguments = [*ACP_SPY, command, "-o", f"{path}.jsonl", *options]
        self.port = 0
        self.problems: list[str] = []

    async def __aenter__(self) -> Self:
        async with await trio.open_file(self._log, "wb") as log:
            self._program = await trio.lowlevel.open_process(
                self._arguments, stdout=subprocess.PIPE, stderr=log.fileno()
            )
        assert self._program.stdout is not None
        said = b""
        while not (found := _ADDRESS.search(said)) or b"\n" not in said:
            some = await self._program.stdout.receive_some()
            assert some, f"{self._name} has ended"
            said += bytes(some)
        self.port = int(found[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._program.returncode is not None:
            self.problems.append(f"{self._name} has ended with {self._program.returncode}")
        self._program.send_signal(signal.SIGTERM)
        with trio.CancelScope(shield=True), trio.move_on_after(LAST):
            await self._program.wait()
        if self._program.returncode is None:
            self.problems.append(f"{self._name} does not end in {LAST:g} s")
            self._program.kill()
        elif self._program.returncode not in (0, 130, 143, -signal.SIGTERM):
            self.problems.append(f"{self._name} ended with {self._program.returncode}")
        if found := broken(self._log.read_text(errors="replace")):
            self.problems.append(f"{self._name}: {found}")


def serving(folder: Path) -> Server:
    """Return the server of all conversations, with an agent for each."""
    agent = (sys.executable, "-S", str(AGENT), str(folder))
    return Server(
        folder / "serve", "serve", "--idle", "20", "--max-connections", "200", "--", *agent
    )


def relaying(path: Path, port: int) -> Server:
    """Return a relay of one conversation to a port."""
    return Server(path, "http", "--target", f"http://127.0.0.1:{port}/acp")
