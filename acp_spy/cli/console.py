"""What is printed on stderr, in plain text for any log: errors, hints, notes; exit statuses."""

import io
import os
import sys

from acp_spy.errors import NO_MEMORY, AcpSpyError, shortage

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from acp_spy.lint.linter import Crash

FINE, FOUND, WRONG_USE, BUG = 0, 1, 2, 70
BROKEN = (ImportError, SyntaxError)  # what a module raises that is missing or damaged


def report(error: AcpSpyError) -> int:
    """Tell the person at the keyboard, and return the exit status for it."""
    if _mask is not None:
        error = error.without_secrets(_masked)
    write(f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else ()))
    return WRONG_USE


def report_bugs(crashes: "Iterable[Crash]", path: str) -> int:
    """
    Report the rules that raised, and return the exit status for it.

    That is a bug of ours, and says nothing about the capture at `path`.
    """
    status = FINE
    for crash in crashes:
        status = BUG
        times = f" ({crash.count} times)" if crash.count > 1 else ""
        write(
            f"a bug in acp-spy: rule {crash.code} raised {crash.error} at frame {crash.seq}"
            f" of `{path}`{times}",
            "hint: please report it; this rule's findings may be incomplete",
        )
    return status


def _too_much(error: MemoryError | RecursionError) -> AcpSpyError:
    why, hint = NO_MEMORY, "allow more memory (ulimit -v); a malicious capture may have huge lines"
    if isinstance(error, RecursionError):  # what was decoded a few levels further out
        why, hint = "nested too deeply", "a malicious capture may have nearly too many levels"
    return AcpSpyError(f"cannot read the input: {why}", hint=hint)


def run_reporting(command: "Callable[[], object]") -> int:
    """Run `command`; return its exit status, or that of the error which is then reported."""
    try:
        if sys.stdout is None:
            raise AcpSpyError("cannot write the output: stdout is closed")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # an arrow must not fail
        status = command()
        sys.stdout.flush()
    except AcpSpyError as error:
        return report(error)
    except BrokenPipeError:  # the reader has seen enough, as `head` has
        silence_stdout()
        return FINE
    except OSError as error:
        silence_stdout()
        return report(_short_of(error) or _cannot_write(error))
    except BROKEN as error:  # trio, which some commands cannot do without
        return report(cannot_load(error))
    except (MemoryError, RecursionError) as error:
        return report(_too_much(error))
    except (RuntimeError, ExceptionGroup) as error:
        if lacking := _short_of(error):
            return report(lacking)
        raise
    return status if isinstance(status, int) else FINE


def _cannot_write(error: OSError) -> AcpSpyError:
    return AcpSpyError(f"cannot write the output: {error.strerror}")


def _short_of(error: Exception) -> AcpSpyError | None:
    """Return the error about what the system did not give us, if it is one."""
    lacking = shortage(error)
    hint = "allow more open files (ulimit -n), threads (ulimit -u) and memory (ulimit -v)"
    return AcpSpyError(f"cannot go on: {lacking}", hint=hint) if lacking else None


def cannot_load(error: Exception) -> AcpSpyError:
    """Return the error about a module that is missing or damaged."""
    hint = "install acp-spy again, with its dependencies"
    return AcpSpyError(f"cannot load a module: {error}", hint=hint)


def silence_stdout() -> None:
    """Let what is still buffered go nowhere: the interpreter would flush it on its way out."""
    stdout = sys.stdout.fileno()
    try:
        null = os.open(os.devnull, os.O_WRONLY)
    except OSError:  # too many open files: then one less
        os.close(stdout)
        null = os.open(os.devnull, os.O_WRONLY)
    if null != stdout:
        os.dup2(null, stdout)
        os.close(null)


def note(line: str, *more: str) -> None:
    """Write a line into the log of another program, where it must say whose it is; and `more`."""
    write(f"acp-spy: {line}", *more)


def write_by(say: "Callable[[bytes], None] | None") -> None:
    """
    Write everything by `say` from now on; `None` is stderr itself.

    While there is traffic, a slow reader of our stderr must not stop it.
    """
    global _say  # noqa: PLW0603 - one process, one voice
    _say = say or _write_to_stderr


def mask_secrets(mask: "Callable[[str], str] | None" = None) -> None:
    """
    Replace the secrets in every line from now on; by `mask`, if somebody knows more of them.

    What finds them is loaded with the first line: most runs print none. If that fails, the line is
    left out, and nothing else: the traffic must not end with a message about it.
    """
    global _mask  # noqa: PLW0603 - one process, one voice
    _mask = mask or _without_secrets


def output_name(path: str) -> str:
    """Return how a message names the file of `-o`: a masked name would be that of no file."""
    return path if _masked(path) == path else "the file of `-o`"


def show_secrets() -> None:
    """Write every line as it is from now on: what is printed is for the one who reads it alone."""
    global _mask  # noqa: PLW0603 - one process, one voice
    _mask = None


def _without_secrets(text: str) -> str:
    from acp_spy.secrets.redactor import Redactor

    mask_secrets(Redactor().text)  # one for all lines: two secrets have two placeholders
    return _masked(text)


def _masked(line: str) -> str:
    if _mask is None:
        return line
    try:
        return _mask(line)
    except Exception as error:  # noqa: BLE001 - a missing module, too little memory, a bug of ours
        return f"acp-spy: a message is left out: cannot find its secrets: {type(error).__name__}"


def write(*lines: str) -> None:
    """
    Write `lines`, with or without their ends, to stderr; errors of stderr itself are ignored.

    A line feed within one is spelled out, as all that acts: it is of a name, or of a peer's text.
    """
    from acp_spy.wire.inert import inert, inert_lines

    shown = "\n".join(inert(_masked(line).removesuffix("\n")) for line in lines) + "\n"
    _say(inert_lines(shown).encode(errors="backslashreplace"))


def _write_to_stderr(data: bytes) -> None:
    try:
        while data:
            try:
                data = data[os.write(2, data) :]
            except BlockingIOError:  # another process has made it non-blocking: wait for room
                _wait_for_room()
    except OSError:
        pass  # there is nowhere else to write it


def _wait_for_room() -> None:
    from select import POLLOUT

    from acp_spy.engine.ready import FOR_EVER, events_at

    events_at(2, POLLOUT, FOR_EVER)


_say = _write_to_stderr
_mask: "Callable[[str], str] | None" = None
