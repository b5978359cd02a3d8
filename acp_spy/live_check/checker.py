"""
The judge as a process of its own: started, rung for, listened to, and left or waited for.

In a process of its own because loading two hundred rules takes longer than an agent's first
answer, and judging a frame longer than passing it on. It follows the capture file, at a
low priority, and holds none of the pipes between client and agent. `follow.py` is what it does,
`quiet_period.py` when.
"""

import os
import signal
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterable
from select import POLLIN, poll

from acp_spy.errors import NO_MEMORY, AcpSpyError
from acp_spy.live_check.checker_output import DONE, FAILED, READY
from acp_spy.live_check.quiet_period import BETWEEN_RINGS, Lull
from acp_spy.runtime.process import fork_with_pipes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from acp_spy.runtime.tap import Tap

PATIENCE = 0.1  # seconds that a judge who is ready gets for the rest when the proxy ends
LOADING = 1.0  # seconds: a lull that has lasted so long, longer than most agents boot, may go on
TIME_FOR_THE_REST = 30  # seconds that it gets in any case; no process of ours stays for longer
_MANY = 65_536  # descriptors, where there is no limit
_NICENESS = 5  # the traffic comes first; with more than this a busy machine starves the judge


class Judge:
    """
    A judge at work on what `tap` records, seen from the proxy.

    The tap writes what it finds; `show` takes each such line for the person who reads stderr, and
    `complain` what is no finding. `told` is readable when there is something to `hear`.
    """

    def __init__(
        self,
        tap: "Tap",
        show: Callable[[bytes], None] | None,
        complain: Callable[[str], None],
    ) -> None:
        self._tap = tap
        self._show = show
        self._complain = complain
        self._next_ring = 0.0
        self._held = b""
        self._is_ready = self._has_ended = False
        self.has_judged_all = False
        self._pid, pipes = fork_with_pipes(2)
        (bell, self._bell), (self.told, told) = pipes
        if not self._pid:
            _become_judge(tap.path, bell, told)
        os.close(bell)
        os.close(told)
        os.set_blocking(self._bell, False)
        tap.ring = self.ring

    def ring(self, t: float) -> None:
        """
        Let the judge know, if it is time again, of what was written by now, which is `t`.

        It waits until a ring would come again: whatever has not rung was written before that.
        """
        if t < self._next_ring:
            return
        self._next_ring = t + BETWEEN_RINGS
        try:  # noqa: SIM105 - messages wait for this, and contextlib is slower
            os.write(self._bell, b"!")
        except OSError:
            pass  # it has enough rings before it, or has gone

    def hear(self) -> bool:
        """Take in what it has told. `False` when there is nothing more to come."""
        data = os.read(self.told, 64 * 1024)
        if not data and not self._has_ended:
            self._end_with("checking ends: the judge was killed; the recording is not affected")
        *lines, self._held = (self._held + data).split(b"\n")
        try:
            self._take(lines)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._end_with(_ends_because(error))
            return False
        return bool(data)

    def _take(self, lines: list[bytes]) -> None:
        findings = [line + b"\n" for line in lines if line[:1] == b"{"]
        if findings:
            self._tap.findings(b"".join(findings))
        if self._show:
            for finding in findings:
                self._show(finding)
        for line in lines:
            if line == READY:
                self._is_ready = True
            elif line == DONE:
                self._has_ended = self.has_judged_all = True
            elif line.startswith(FAILED):
                self._has_ended = True
                self._tap.look_after_file()
                if self._tap.path:  # else that was the reason, and has been told
                    self._complain(line.removeprefix(FAILED).decode(errors="replace"))
            elif line[:1] != b"{":
                self._complain(line.decode(errors="replace"))

    def _end_with(self, complaint: str) -> None:
        self._has_ended = True
        self._complain(complaint)

    def finish(self, wake: int = -1) -> None:
        """
        Let the judge see the end: nothing more will be recorded.

        Whoever is shown the findings gets them all, unless `wake` becomes readable; else the judge
        is waited for only if it is near its end. What it has not told by then it writes itself.
        """
        if not self._tap.path:
            self.dismiss()
            return
        os.close(self._bell)
        patience = None if self._show else PATIENCE if self._is_ready else 0
        poller = poll()
        for descriptor in (self.told, wake):
            if descriptor >= 0:
                poller.register(descriptor, POLLIN)
        end = time.monotonic() + (patience or 0)
        while not self._has_ended:
            left = None if patience is None else max(0, end - time.monotonic()) * 1000
            if self.told not in dict(poller.poll(left)):
                return
            self.hear()
        self.dismiss()

    def dismiss(self) -> None:
        """End it: it has said everything, or there is nothing to write to."""
        os.kill(self._pid, signal.SIGKILL)  # it is not reaped yet, so the number is its own
        os.waitpid(self._pid, 0)


def _become_judge(path: str, bell: int, told: int) -> "NoReturn":
    """Do the judge's work in this process, which is a copy of the proxy's, and exit."""
    try:
        os.setpgid(0, 0)  # a Ctrl-C is for the agent; our end is the proxy's
        _let_go_of_all_but(bell, told)
        _limit_time_after_end(bell)
        os.nice(_NICENESS)
        lull = Lull(path, bell)
        lull.wait(lasting=LOADING)
        from acp_spy.live_check.follow import follow

        follow(path, lull, told)
    except BaseException as error:  # noqa: BLE001 - told to the proxy, whatever it is
        why = _ends_because(error).encode(errors="backslashreplace")
        os.write(told, FAILED + why + b"\n")
    finally:
        os._exit(0)


def _limit_time_after_end(bell: int) -> None:
    """Have the kernel end this process some time after the proxy, whatever it is doing then."""
    for alarm in (signal.SIGALRM, signal.SIGVTALRM):
        # To die of: a loop in a regular expression lets no handler of Python's run.
        signal.signal(alarm, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {alarm})

    def wait_for_end() -> None:
        poller = poll()
        poller.register(bell, 0)
        poller.poll()  # until the proxy holds the other end no more
        signal.alarm(TIME_FOR_THE_REST)

    try:
        start_new_thread(wait_for_end, ())
    except RuntimeError as error:  # the user has as many processes and threads as there may be
        raise AcpSpyError("the judge may not have a second thread") from error


def _ends_because(error: BaseException) -> str:
    return f"checking ends: {_reason(error)}; the recording is not affected"


def _reason(error: BaseException) -> str:
    if isinstance(error, AcpSpyError):
        return error.message
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError) and error.filename:
        return f"`{error.filename}` cannot be read: {error.strerror}"
    import traceback

    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"a bug in acp-spy, please report it: {error!r} at {where.name}:{where.lineno}"


def _let_go_of_all_but(*kept: int) -> None:
    """Close whatever else is open: while we held a pipe, nobody could see its end."""
    for number in _open_descriptors():
        if number > 2 and number not in kept:
            try:  # noqa: SIM105 - contextlib would be one import more while pipes are held
                os.close(number)
            except OSError:
                pass  # the one by which they were listed
    null = os.open(os.devnull, os.O_RDWR)  # now that there is room for it
    for number in range(3):
        os.dup2(null, number)


def _open_descriptors() -> Iterable[int]:
    try:
        return [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:  # macOS; a limit that was lowered leaves what was open above it
        most = os.sysconf("SC_OPEN_MAX")
        return range(most if most > 0 else _MANY)
