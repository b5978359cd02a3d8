"""`acp-spy -- COMMAND`: start the agent, then everything else."""

import os
import time

from acp_spy.cli.console import BUG, keep_voice, note
from acp_spy.runtime import process, signals, stdio

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from acp_spy.runtime.tap import Tap


def run_proxy(command: list[str], output: str = "", dir: str = "", verbose: str = "") -> int:  # noqa: A002
    """Run `command` behind the proxy. Returns only if the agent or the proxy failed to run."""
    stdio.secure()
    heard, mask = signals.block()
    wall, started_ns = time.time(), time.monotonic_ns()
    try:
        agent = process.start(command, mask)
    except OSError as error:
        note(f"`{command[0]}` cannot be started: {error.strerror}")
        return process.NOT_RUNNABLE
    try:
        # The agent is coming up by now: what is imported from here on delays nobody.
        from acp_spy.runtime.proxy import Proxy
        from acp_spy.runtime.tap import Tap

        stdio.make_sink(1)
        stdio.make_sink(2)
        if verbose:
            keep_voice()
        tap = Tap(started_ns, complain=note)
        _begin(tap, output, dir, wall, command)
        if verbose and tap.path:
            note(f"recording to {tap.path}")
        failure = agent.start_failure()
        if failure is not None:
            status = _explain(command, failure)
            tap.exit(status, {})
            return status
        status = Proxy(agent, tap).run(heard)
        stdio.restore()
        if verbose:
            note(_summary(tap, status, time.monotonic_ns() - started_ns))
    except Exception as error:  # noqa: BLE001 - stdout is the wire: no traceback may go there
        note(f"a bug in acp-spy, please report it: {error!r}")
        return BUG
    return process.exit_like(status)


def _begin(tap: "Tap", output: str, folder: str, wall: float, command: list[str]) -> None:
    """Open the capture. A failure of ours to do so is told, and stops nothing."""
    try:
        from acp_spy.cli.capture_folder import capture_path, header_for

        path = output or capture_path(folder, wall, command)
        tap.open(path, header_for(wall, command))
    except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
        note(f"nothing is recorded: a bug in acp-spy, please report it: {error!r}")


def _explain(command: list[str], failure: OSError) -> int:
    """Say why the command could not be run; return the status that a shell would."""
    if isinstance(failure, FileNotFoundError | NotADirectoryError):
        if os.path.isfile(command[0]):
            note(f"`{command[0]}` cannot be run: the interpreter in its first line does not exist")
        else:
            note(f"command not found: `{command[0]}`")
        return process.NOT_FOUND
    note(f"`{command[0]}` cannot be run: {failure.strerror}")
    return process.NOT_RUNNABLE


def _summary(tap: "Tap", status: int, elapsed_ns: int) -> str:
    from acp_spy.wire.frame import Peer

    counts = tap.recorder.counts
    end = f"exited with status {status}" if status >= 0 else f"was killed by signal {-status}"
    where = tap.path or "not recorded to the end"
    return (
        f"frames: {counts[Peer.CLIENT]} from the client, {counts[Peer.AGENT]} from the agent;"
        f" {elapsed_ns / 1e9:.1f} s; the agent {end}; {where}"
    )
