"""
The checker process, seen from the proxy: start it, wake it, read its output, end it.

`follow.py` is what it does, `quiet_period.py` when.
"""

import os
import signal
from _thread import start_new_thread
from collections.abc import Callable
from time import monotonic

from acp_spy.engine.process import begin_with_pipes, open_descriptors
from acp_spy.engine.ready import FOR_EVER, events_at, is_readable
from acp_spy.errors import AcpSpyError, reason_of
from acp_spy.live_check import DONE, FAILED, READY
from acp_spy.live_check.quiet_period import BETWEEN_WAKEUPS, QuietPeriod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from acp_spy.engine.tap import Tap

PATIENCE = 0.1  # seconds that a checker that is ready gets for the rest when the proxy ends
LOADING = 1.0  # seconds of quiet, longer than most agents boot, before the rules are loaded
TIME_FOR_THE_REST = 30  # seconds that it gets in any case; no process of ours stays for longer
_NICENESS = 5  # the traffic comes first; with more a busy machine starves the checker


class CheckerProcess:
    """
    The process that checks what `tap` records.

    The tap writes the findings; `show` gets each such line for the person who reads stderr, and
    `complain` what is not a finding. `output` is readable when there is something to `read`.

    `begin` starts the process for the capture at a path, with a descriptor of it, a pipe for
    wakeups and one for its output, and returns its number. By then another file may be at the path.
    """

    def __init__(
        self,
        tap: "Tap",
        show: Callable[[bytes], None] | None,
        complain: Callable[[str], None],
        begin: "Callable[[str, int, int, int], int] | None" = None,
    ) -> None:
        self._tap = tap
        self._show = show
        self._complain = complain
        self._next_wakeup = 0.0
        self._closed_at = 0.0
        self._held = b""
        self._is_ready = False
        self._status: int | None = None  # as soon as it is reaped
        self.has_ended = self.has_checked_all = False  # nothing more is to come; nor was left out
        capture = tap.open_again()
        try:
            self._pid, ((wakeups, self._wakeups), (self.output, output)) = begin_with_pipes(
                2, lambda pipes: (begin or _fork)(tap.path, capture, pipes[0][0], pipes[1][1])
            )
        finally:
            os.close(capture)
        os.close(wakeups)
        os.close(output)
        os.set_blocking(self._wakeups, False)
        tap.on_write = self.notify

    def notify(self) -> None:
        """
        Let the checker know of what was written by now, if it is time again.

        It waits until the next wakeup would come: what was not announced was written before that.
        """
        now = monotonic()
        if now < self._next_wakeup:
            return
        self._next_wakeup = now + BETWEEN_WAKEUPS
        try:  # noqa: SIM105 - messages wait for this, and contextlib is slower
            os.write(self._wakeups, b"!")
        except OSError:
            pass  # it has enough wakeups before it, or has gone

    def read(self) -> bool:
        """Read its output, and handle it. `False` when there is nothing more to come."""
        data = os.read(self.output, 64 * 1024)
        if not data and not self.has_ended:
            if self._reap() == -signal.SIGALRM and self.is_closed:  # its own alarm
                self._complain_of_time()
            else:
                self._end_with(
                    "checking stopped: the checker was killed; the recording is not affected"
                )
        *lines, self._held = (self._held + data).split(b"\n")
        try:
            self._handle(lines)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._end_with(_ends_because(error))
            return False
        return bool(data)

    def _handle(self, lines: list[bytes]) -> None:
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
                self.has_ended = self.has_checked_all = True
            elif line.startswith(FAILED):
                self.has_ended = True
                self._tap.check_file()
                if self._tap.path:  # else that was the reason, and has been reported
                    self._complain(line.removeprefix(FAILED).decode(errors="replace"))
            elif line[:1] != b"{":
                self._complain(line.decode(errors="replace"))

    def _end_with(self, complaint: str) -> None:
        self.has_ended = True
        self._complain(complaint)

    @property
    def patience(self) -> float:
        """For how many seconds to wait for the rest, some of which it may write itself."""
        if self.has_ended or not self._tap.path:
            return 0
        return TIME_FOR_THE_REST if self._show else PATIENCE if self._is_ready else 0

    @property
    def is_closed(self) -> bool:
        """Whether nothing more will be recorded."""
        return self._wakeups < 0

    def close(self) -> None:
        """Let the checker see the end, once: nothing more will be recorded."""
        if self.is_closed:
            return
        if not self._tap.path:  # there is nothing that it could still check
            self.has_ended = True
            self._reap()
        self._tap.forget_checker()
        os.close(self._wakeups)
        self._wakeups = -1
        self._closed_at = monotonic()

    def leave(self) -> None:
        """Read what has come, and leave it to itself; one of no use is ended."""
        self.close()
        while not self.has_ended and is_readable(self.output):
            self.read()
        if not self.has_ended and monotonic() - self._closed_at >= TIME_FOR_THE_REST:
            self._complain_of_time()  # one that is stopped is not ended by its own alarm
        os.close(self.output)
        if self.has_ended or not self._tap.path:
            self._reap()

    def _complain_of_time(self) -> None:
        from shlex import quote

        self._end_with(
            f"checking stopped: the checker has not ended in {TIME_FOR_THE_REST} seconds;"
            " the recording is not affected;"
            f" run `acp-spy check {quote(os.path.abspath(self._tap.path))}`"
        )

    def _reap(self) -> int:
        """End it, if it has not ended, and return its status, or minus the signal it died of."""
        if self._status is None:  # until it is reaped, the number is its own
            os.kill(self._pid, signal.SIGKILL)  # one that is dying of another signal dies of that
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status


def _fork(path: str, capture: int, wakeups: int, output: int) -> int:
    """Begin as a copy of this process: at once, but not where trio is running, nor a thread."""
    return os.fork() or become_checker(path, capture, wakeups, output)


def become_checker(path: str, capture: int, wakeups: int, output: int) -> "NoReturn":
    """Do the checker's work in this process, a copy of the proxy's or a new one, and exit."""
    try:
        os.setpgid(0, 0)  # a Ctrl-C is for the agent; our end is the proxy's
        _close_all_but(capture, wakeups, output)
        _limit_time_after_end(wakeups)
        os.nice(_NICENESS)
        quiet = QuietPeriod(capture, wakeups)
        quiet.wait(lasting=LOADING)
        from acp_spy.live_check.follow import follow

        follow(path, capture, quiet, output)
    except BaseException as error:  # noqa: BLE001 - reported to the proxy, whatever it is
        why = _ends_because(error).encode(errors="backslashreplace")
        os.write(output, FAILED + why + b"\n")
    finally:
        os._exit(0)


def _limit_time_after_end(wakeups: int) -> None:
    """Have the kernel end this process some time after the proxy, whatever it is doing then."""
    for alarm in (signal.SIGALRM, signal.SIGVTALRM):
        # To die of: a loop in a regular expression lets no handler of Python's run.
        signal.signal(alarm, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {alarm})

    def wait_for_end() -> None:
        events_at(wakeups, 0, FOR_EVER)  # until the proxy holds the other end no more
        signal.alarm(TIME_FOR_THE_REST)

    try:
        start_new_thread(wait_for_end, ())
    except RuntimeError as error:  # the user has as many processes and threads as there may be
        raise AcpSpyError("cannot start the checker: this process has another thread") from error


def _ends_because(error: BaseException) -> str:
    return f"checking stopped: {reason_of(error)}; the recording is not affected"


def _close_all_but(*kept: int) -> None:
    """Close whatever else is open: while we held a pipe, nobody could see its end."""
    for number in open_descriptors():
        if number > 2 and number not in kept:
            try:  # noqa: SIM105 - contextlib would be one import more while pipes are held
                os.close(number)
            except OSError:
                pass  # the one by which they were listed
    null = os.open(os.devnull, os.O_RDWR)  # now that there is room for it
    for number in {0, 1, 2}.difference(kept):
        os.dup2(null, number)
