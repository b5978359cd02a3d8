"""`acp-spy -- COMMAND`: start the agent, then everything else."""

import os
import time

from acp_spy.cli.commands import PROGRAM
from acp_spy.cli.console import BUG, mask_secrets, note, write_by
from acp_spy.engine import process, signals, stdio
from acp_spy.errors import AcpSpyError

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_spy.capture.records import Header
    from acp_spy.engine.no_tap import NoTap
    from acp_spy.engine.tap import Tap
    from acp_spy.live_check.checker import CheckerProcess
    from acp_spy.middleware.pipeline import Stage
    from acp_spy.proxy.handling import Handling

_TO_CHANGE_TRAFFIC = 16  # open files at once, those of the agent's start and of the checker too
_ENOUGH_FILES = 64


def run_proxy(
    command: list[str],
    output: str = "",
    dir: str = "",  # noqa: A002 - as the option is called
    redact: str = "",
    verbose: str = "",
    no_check: str = "",
    **changes: "str | list[str]",
) -> int:
    """
    Run `command` behind the proxy. Returns only if the agent or the proxy failed to run.

    `changes` are the options that may change the traffic, see `middleware/options.py`. Raises
    `AcpSpyError` if one of them is wrong, before the agent is started.
    """
    if redact:
        mask_secrets()
    output, refusal = take_output(output, is_wire=True)  # as long as the wire has its numbers
    of_agent = process.for_agent_alone()
    client, stages = _make_stages(changes) if changes else (stdio.Endpoint(0, 1), [])
    blocked, mask = signals.block()
    wall, started_ns = time.time(), time.monotonic_ns()
    try:
        agent = process.start(command, mask, of_agent)
    except OSError as error:
        note(f"cannot start `{command[0]}`: {error.strerror}")
        return process.NOT_RUNNABLE
    try:
        # The agent is starting by now: imports from here on do not delay it.
        process.make_room()
        from acp_spy.engine.carrier import Carrier
        from acp_spy.engine.stderr_queue import StderrQueue
        from acp_spy.proxy.conversation import Conversation
        from acp_spy.proxy.run import PATIENCE, finish, follow

        carrier = Carrier()
        queue = StderrQueue(carrier, os.dup(2) if verbose else 2)
        write_by(queue.put)
        tap = _open_capture(
            started_ns,
            wall,
            output,
            dir,
            command,
            refusal,
            redact=bool(redact),
            stages=stages,
        )
        if verbose and tap.path:
            note(f"recording to {os.path.abspath(tap.path)}")
        checker, findings = (None, None) if no_check else _begin_checking(tap, verbose)
        failure = agent.start_failure()
        if failure is not None:
            status, reason = explain_start_failure(command, failure)
            note(reason)
            tap.exit(status, {}, reason)
            signals.unblock(mask)
            finish(queue, checker, -1, PATIENCE if verbose else 0, lambda: None)
            return status
        wake, waker = os.pipe()
        signals.forward(blocked, agent, lambda number: _ask_for_end(number, waker))
        conversation = Conversation(
            carrier,
            client,
            agent,
            2,
            tap,
            wake,
            queue,
            _handle(stages, tap, queue.put) if stages else None,
        )
        follow(conversation, checker, note)
        status = conversation.end()
        elapsed_ns = time.monotonic_ns() - started_ns

        def sum_up() -> None:
            if verbose:
                note(_summary(tap, status, elapsed_ns))
            if checker and findings and tap.path:
                note(findings.sum_up(tap.path, judged_all=checker.has_checked_all))

        patience = process.SILENCE_AFTER_EXIT if conversation.asked_to_end else PATIENCE
        finish(queue, checker, wake, patience if verbose else 0, sum_up)
    except Exception as error:  # noqa: BLE001 - stdout is the wire: no traceback may go there
        note(f"a bug in acp-spy, please report it: {error!r}")
        return BUG
    finally:
        stdio.restore()
    return process.exit_like(status)


def _away_from_children() -> stdio.Endpoint:
    """Return the wire under other numbers: a program that a script runs has 0 and 1, too."""
    wire = stdio.Endpoint(os.dup(0), os.dup(1))
    stdio.discard(0)
    os.set_inheritable(0, True)
    os.dup2(2, 1)
    return wire


def _make_stages(
    changes: "dict[str, str | list[str]]",
) -> "tuple[stdio.Endpoint, list[Stage]]":
    """Return the wire, and what may change the traffic on it."""
    import sys

    if not process.has_room(_TO_CHANGE_TRAFFIC):
        raise AcpSpyError(
            "cannot change the traffic: too few files can be open at once",
            hint=f"raise the limit: `ulimit -n {_ENOUGH_FILES}`",
        )
    wire = _away_from_children()
    from acp_spy.middleware.options import make_stages

    # What a script prints must not get on the wire, and is read also after the agent's stderr.
    sys.stdout = open(os.dup(2), "w", buffering=1, encoding="utf-8", errors="replace")  # noqa: SIM115
    return wire, make_stages(changes)


def take_output(output: str, *, is_wire: bool = False) -> tuple[str, str]:
    """
    Take 0, 1 and 2, and that of `-o /dev/fd/N`, which no agent gets.

    Return the output, which has this spelling then, and why it is not recorded to, if so. To be
    called before we open anything: its number may be that of a pipe of ours, then. `is_wire` if the
    messages go through the streams of this process.
    """
    stdio.secure()
    number = _descriptor_in(output)
    taken = f"/dev/fd/{number}" if number else output
    if _leads_to_closed_descriptor(taken):
        return taken, f"`{output}` is not open"
    if is_wire and _is_own_stream(taken):
        return taken, f"`{output}` is a stream of this process"
    if number and int(number) > 2:
        os.set_inheritable(int(number), False)
    return taken, ""


def _descriptor_in(path: str) -> str:
    """Return the number of the descriptor that a path spells; empty if it spells none."""
    if not path.startswith("/"):
        return ""
    *folder, name = [name for name in path.split("/") if name not in ("", ".")] or [""]
    if folder == ["dev"]:
        return {"stdin": "0", "stdout": "1", "stderr": "2"}.get(name, "")
    is_of_descriptors = folder in (["dev", "fd"], ["proc", "self", "fd"])
    return name if is_of_descriptors and name.isdecimal() else ""


def record_to(tap: "Tap", path: str, refusal: str, header: "Header") -> None:
    """Begin the capture, or say why not, as `take_output` has it."""
    if refusal:
        note(f"not recording: {refusal}")
    else:
        tap.open(path, header)


def _leads_to_closed_descriptor(path: str) -> bool:
    """Whether it is one, however it is spelled, by links too."""
    if not path or os.path.exists(path):
        return False
    try:
        folder = os.path.dirname(os.path.realpath(path))
    except OSError:  # the current folder is gone
        return False
    is_ours = folder.startswith(f"/proc/{os.getpid()}/") and folder.endswith("/fd")
    return is_ours or folder == "/dev/fd"


def _note_of(stages: "list[Stage]") -> str:
    if not stages:
        return ""  # nothing of it is loaded
    from acp_spy.middleware.options import note_of

    return note_of(stages)


def _handle(
    stages: "list[Stage]", tap: "Tap | NoTap", log: "Callable[[bytes], None]"
) -> "Handling | None":
    """Return what passes frames through the stages; `log` takes lines for stderr."""
    from acp_spy.engine.tap import Tap
    from acp_spy.middleware.pipeline import Pipeline
    from acp_spy.proxy.handling import Handling
    from acp_spy.wire.inert import inert_bytes

    if not isinstance(tap, Tap):
        return None
    # What a peer has sent as a message may be moved to stderr: it was not meant for a terminal.
    shown = (lambda lines: log(inert_bytes(lines))) if os.isatty(2) else log
    return Handling(tap, Pipeline(stages, tap.now, note, shown, tap.path))


def _ask_for_end(number: int, waker: int) -> None:
    # Called in the thread that waits for signals. A client that asks for the end and then
    # waits for it need not read on: without us the agent would be gone by now.
    if number in signals.ENDING:
        os.write(waker, b"!")


def _open_capture(
    started_ns: int,
    wall: float,
    output: str,
    folder: str,
    command: list[str],
    refusal: str,
    *,
    redact: bool,
    stages: "list[Stage]",
) -> "Tap | NoTap":
    """Open the capture. If that fails, a note says so and the agent runs on."""
    try:
        _load_msgspec()
        from acp_spy.capture.locate import capture_path, header_for
        from acp_spy.engine.tap import Tap

        tap = _redacting_tap(started_ns) if redact else Tap(started_ns, complain=note)
        # The file is named after the command.
        shown = tap.redactor.command(command) if tap.redactor else command
        try:
            path = capture_path(output, folder, wall, shown)
        except AcpSpyError as error:
            note(f"not recording: {error.message}; {error.hint}")
            return tap
        record_to(tap, path, refusal, header_for(wall, command, PROGRAM, _note_of(stages)))
    except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
        from acp_spy.engine.no_tap import NoTap

        note(f"not recording: a bug in acp-spy, please report it: {error!r}")
        return NoTap()
    return tap


def _redacting_tap(started_ns: int) -> "Tap":
    from acp_spy.engine.redacting import redacting_taps

    tap = redacting_taps(note)(started_ns)
    mask_secrets(tap.mask)
    return tap


def _load_msgspec() -> None:
    """
    Load msgspec without `typing_extensions`, which it prefers to `typing` where that is installed.

    That takes nearly as long as the rest of msgspec, and the agent's first response waits for it.
    """
    import sys

    if "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # as if not installed
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]


def _begin_checking(
    tap: "Tap | NoTap", verbose: str
) -> "tuple[CheckerProcess | None, LiveFindings | None]":
    """Start the checker, if there is something that it can follow. A failure stops nothing."""
    from acp_spy.engine.no_tap import NoTap

    if isinstance(tap, NoTap) or not tap.path:
        return None, None
    try:
        from acp_spy.live_check.checker import CheckerProcess

        if not tap.can_be_followed:
            if verbose:
                note(f"not checking: `{tap.path}` is not a regular file")
            return None, None
        if not verbose:
            return CheckerProcess(tap, None, complain=note), None

        findings = LiveFindings()
        return CheckerProcess(tap, findings.show, complain=note), findings
    except OSError as error:  # too many processes, too many open files
        note(f"not checking: cannot start the checker: {error.strerror}")
    except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
        note(f"not checking: a bug in acp-spy, please report it: {error!r}")
    return None, None


def _is_own_stream(path: str) -> bool:
    """Whether a capture at `path`, such as /dev/stdout, would go where the messages go."""
    if os.path.isfile(path) and not path.startswith(("/dev/", "/proc/")):
        return False  # an existing file is never written to
    return leads_to(path, 0, 1, 2)


def leads_to(path: str, *streams: int) -> bool:
    """Whether what is written to `path` goes where one of these streams goes."""
    try:
        target = os.stat(path)
    except OSError:
        return False
    same = (os.path.samestat(target, os.fstat(stream)) for stream in streams)
    return any(same) and not os.path.samestat(target, os.stat(os.devnull))


def explain_start_failure(command: list[str], failure: OSError) -> tuple[int, str]:
    """Return the status that a shell would give, and why the command could not be run."""
    name = os.fsencode(command[0]).decode(errors="replace")
    if isinstance(failure, FileNotFoundError | NotADirectoryError):
        from shutil import which

        reason = f"command not found: `{name}`"
        if which(command[0]):
            reason = f"cannot run `{name}`: the interpreter in its first line does not exist"
        elif " " in name and len(command) == 1:
            reason += ": give the command and its arguments as separate words"
        return process.NOT_FOUND, reason
    reason = f"{failure.strerror}"
    if os.path.isdir(command[0]):
        reason = "it is a folder"
    elif os.path.isfile(command[0]) and not os.access(command[0], os.X_OK):
        from shlex import quote

        reason = f"it is not executable; run `chmod +x {quote(name)}`"
    return process.NOT_RUNNABLE, f"cannot run `{name}`: {reason}"


def _summary(tap: "Tap | NoTap", status: int, elapsed_ns: int) -> str:
    end = (
        f"exited with status {status}" if status >= 0 else f"was killed by {_signal_name(-status)}"
    )
    run = f"{elapsed_ns / 1e9:.1f} s; the agent {end}"
    if not tap.path:
        return f"{run}; the capture is missing or incomplete"
    client, agent = tap.counts
    path = os.path.abspath(tap.path)
    return f"frames: {client} from the client, {agent} from the agent; {run}; {path}"


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


class LiveFindings:
    """Prints findings on stderr as they are recorded, and counts them."""

    def __init__(self) -> None:
        from msgspec.json import Decoder

        self._decode = Decoder().decode
        self._counts = {"error": 0, "warning": 0, "note": 0}

    def show(self, line: bytes, capture: str = "") -> None:
        """Print the finding of which this is the record; `capture` names it, if there are more."""
        from acp_spy.wire.inert import inert

        found = self._decode(line)
        if "because" in found:
            return  # it follows from one that was shown
        self._counts[found["severity"]] += 1
        # As `check --format concise` has it, but for the path, which the first line has named.
        where = f"frame {found['seq']}: " if found["seq"] else ""
        if capture:
            where = f"{capture}: {where}"
        severity, text = found["severity"], inert(found["text"])
        note(f"{where}{severity} {found['code']} {text} ({found['blame']} must fix)")

    def sum_up(self, path: str, *, judged_all: bool) -> str:
        """Return how many there were in the capture at `path`, in words, and how to see them."""
        from shlex import quote

        counts = [
            f"{count} {level}" + ("s" if count > 1 else "")
            for level, count in self._counts.items()
            if count
        ]
        found = ", ".join(counts) or "none"
        if not counts and judged_all:
            return f"findings: {found}"
        so_far = "" if judged_all else " so far"
        return f"findings: {found}{so_far}; run `acp-spy check {quote(os.path.abspath(path))}`"
