"""
The agent as a child process: started early, left as it is, followed to its end.

It gets the argv, the environment, the working directory, the process group, the signal
settings and the inherited descriptors that it would have had without us. Only its three
standard streams are pipes of ours, and on Linux our death is its death.
"""

import errno
import os
import signal
import sys
from _thread import allocate_lock, get_ident, start_new_thread

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn

NOT_FOUND, NOT_RUNNABLE = 127, 126
# How many seconds the agent's own children may be silent after its end before we end, too.
SILENCE_AFTER_EXIT = 1.0
_PR_SET_PDEATHSIG = 1
_PF_EXITING = 4
_MANY = 65_536  # descriptors, where there is no limit
_OURS = 32  # descriptors: pipes, capture, checker, and a module that is being loaded


class Agent:
    """A started agent, our ends of its pipes, and how it ended."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int, exec_failure: int) -> None:
        self.pid, self._exec_failure = pid, exec_failure
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self._status: int | None = None
        self._reaping = allocate_lock()  # without a pidfd, a thread waits for the end, too

    def start_failure(self) -> OSError | None:
        """Wait until the command runs, or return why it could not be run; then nothing is left."""
        with open(self._exec_failure, "rb") as pipe:
            error = reported_failure(pipe.read())
        if error:
            self.reap()
            for descriptor in (self.stdin, self.stdout, self.stderr):
                os.close(descriptor)
        return error

    def send(self, number: int) -> bool:
        """Send the agent a signal. `False` when it has ended already."""
        if self._status is not None:
            return False
        try:
            os.kill(self.pid, number)  # until it is reaped, the number is not given to another
        except OSError:  # it has become somebody else's, by setuid
            return False
        return True

    def watch_end(self) -> int:
        """Return a descriptor that becomes readable when the agent has ended."""
        if hasattr(os, "pidfd_open"):
            try:
                return os.pidfd_open(self.pid)
            except OSError as error:
                if error.errno not in (errno.ENOSYS, errno.EPERM):  # an old kernel, a sandbox
                    raise
        end, held_until_then = os.pipe()

        def wait() -> None:
            try:
                self.reap()
            finally:
                os.close(held_until_then)

        start_new_thread(wait, ())
        return end

    def is_exiting(self) -> bool:
        """
        Whether the kernel is ending it, which closes its files on the way.

        Only Linux says so. Elsewhere it is taken to be so: few programs close stderr and go on.
        """
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()  # from the third on
            return bool(int(fields[6]) & _PF_EXITING)
        except (OSError, ValueError, IndexError):
            return True

    def reap(self) -> int:
        """Wait for the end. Return the exit status, or minus the signal that killed it."""
        with self._reaping:
            if self._status is None:
                _, status = os.waitpid(self.pid, 0)
                self._status = os.waitstatus_to_exitcode(status)
            return self._status


def start(command: list[str], mask: set[int], for_it_alone: "Iterable[int]" = ()) -> Agent:
    """
    Start `command` with `mask` as its set of blocked signals. Close the descriptors `for_it_alone`.

    This is fork and exec by hand. The standard library's way imports for as long as Python
    itself takes to start, and closes descriptors that the agent would have inherited.

    Raises `OSError` when there is no process or no descriptor to be had for it.
    """
    die_with_parent = _parent_death_signal()
    parent = os.getpid()
    # Were it ignored, as a client may have left it, the agent's status would be lost to us.
    children = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    put_limit_back = None
    try:
        pid, pipes = begin_with_pipes(4)
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
        put_limit_back = make_room()
        pid, pipes = begin_with_pipes(4)
    stdin, stdout, stderr, failure = pipes
    if pid == 0:

        def prepare() -> None:
            for number, descriptor in enumerate((stdin[0], stdout[1], stderr[1])):
                os.dup2(descriptor, number)
            signal.signal(signal.SIGCHLD, children)
            die_with_parent(parent)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            if put_limit_back:
                put_limit_back()

        become(command, failure[1], prepare)
    for descriptor in (stdin[0], stdout[1], stderr[1], failure[1], *for_it_alone):
        os.close(descriptor)
    return Agent(pid, stdin[1], stdout[0], stderr[0], failure[0])


def open_descriptors() -> "Iterable[int]":
    """Return what may be open in this process."""
    try:
        return [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:  # macOS; a limit that was lowered leaves what was open above it
        most = os.sysconf("SC_OPEN_MAX")
        return range(most if most > 0 else _MANY)


def for_agent_alone() -> list[int]:
    """
    Return the descriptors, but 0 to 2, that the agent inherits: we were given them for it.

    Once it has started they must be closed: while we held a pipe, nobody could see its end.
    """
    return [number for number in open_descriptors() if number > 2 and _is_inheritable(number)]


def _is_inheritable(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # not open, or the one by which they were listed
        return False


def become(
    command: list[str], failure: int, prepare: "Callable[[], None]", origin: str = "self"
) -> "NoReturn":
    """Become `command`, after `prepare`; if that fails, write the error's number to `failure`."""
    try:
        for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored_by_python, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback before the exec
        _restore_locale(origin)
        prepare()
        _exec(command)
    except BaseException as error:  # noqa: BLE001 - reported to the parent, whatever it is
        os.write(failure, b"%d" % (getattr(error, "errno", None) or errno.EIO))
    finally:
        os._exit(NOT_RUNNABLE)


def reported_failure(number: bytes) -> OSError | None:
    """Return the error that `become` has written, if any."""
    return OSError(int(number), os.strerror(int(number))) if number else None


def begin_with_pipes(
    count: int, begin: "Callable[[list[tuple[int, int]]], int]" = lambda _pipes: os.fork()
) -> "tuple[int, list[tuple[int, int]]]":
    """Begin a process by `begin`. Return its number, in a fork 0, and so many pipes for it."""
    pipes: list[tuple[int, int]] = []
    try:
        for _ in range(count):
            pipes.append(os.pipe())  # noqa: PERF401 - those made before one fails must be closed
        return begin(pipes), pipes
    except OSError:
        for pipe in pipes:
            for descriptor in pipe:
                os.close(descriptor)
        raise


def _exec(command: list[str]) -> "NoReturn":
    """Become `command`, as the C library's `execvp` does: a script without `#!` goes to sh."""
    if not command[0]:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        for folder in [""] if "/" in command[0] else os.get_exec_path():
            path = os.path.join(folder, command[0])
            if os.access(path, os.X_OK):
                os.execv("/bin/sh", ["/bin/sh", path, *command[1:]])
        raise


def _restore_locale(origin: str) -> None:
    """
    Take back what Python has done to the environment that the agent inherits.

    In the C locale it sets LC_CTYPE for itself (PEP 538); the process `origin` has what the user
    set. The rest is left to the C library, which passes on what no Python dict could hold: repeated
    or empty names.
    """
    try:
        with open(f"/proc/{origin}/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        return
    before = [entry for entry in entries if entry.startswith(b"LC_CTYPE=")]
    if not before:
        os.unsetenv(b"LC_CTYPE")
    elif before[0].partition(b"=")[2] != os.environb.get(b"LC_CTYPE"):
        os.putenv(b"LC_CTYPE", before[0].partition(b"=")[2])


def _parent_death_signal() -> "Callable[[int], None]":
    """Return what the child calls so that our death, even by SIGKILL, is its death."""
    if sys.platform != "linux":
        return lambda _parent: None
    import ctypes

    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def die_with_parent(parent: int) -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we could ask
            os._exit(NOT_RUNNABLE)

    return die_with_parent


def exit_like(status: int) -> "NoReturn":
    """End this process as the agent ended: with its exit status, or of the same signal."""
    if status >= 0:
        os._exit(status)
    number = -status
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    import resource

    # No core file of our own: the agent's is the one that helps.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    signal.pthread_kill(get_ident(), number)
    os._exit(128 - status)  # the signal did not kill us, as the first process of a container


def has_room(count: int) -> bool:
    """Whether this process can open so many more files, once it has made room for them."""
    put_limit_back = make_room()
    opened: list[int] = []
    try:
        for _ in range(count):
            opened.append(os.dup(2))  # noqa: PERF401 - those opened before one fails must be closed
    except OSError:
        return False
    finally:
        for descriptor in opened:
            os.close(descriptor)
        put_limit_back()
    return True


def make_room(count: int = _OURS) -> "Callable[[], None]":
    """Allow this process so many more open files; return what puts the limit back."""
    import resource  # the agent does not wait for it

    soft, hard = before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = soft + count if hard == resource.RLIM_INFINITY else min(soft + count, hard)
    if soft != resource.RLIM_INFINITY and wanted > soft:
        try:  # noqa: SIM105 - contextlib is one import more
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            pass  # a sandbox; then we try with what there is
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, before)
