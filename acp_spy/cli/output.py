"""Where the output of a command goes: to stdout, with a pager on a terminal, or to a file."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING

from acp_spy.capture.links import names_descriptor, open_above
from acp_spy.capture.write_file import encoded, refuse_running, refuse_unreadable
from acp_spy.cli.console import silence_stdout, write, write_by
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.wire.inert import inert_json, inert_lines

if TYPE_CHECKING:
    import subprocess

    from rich.console import Console

STDOUT = "-"  # as a file to write


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """End silently when the reader of stdout has closed it, as `head` does."""
    try:
        yield
    except BrokenPipeError:
        silence_stdout()


def write_parts(parts: Iterable[str | bytes], *, paged: bool = False) -> None:
    """
    Write `parts` to stdout as they come.

    If they are lines for people, they can be `paged`, on a terminal that has no room for them.
    In a log of a CI none of them is a command. Bytes are lines of a capture: on a terminal they
    mean the same, and nothing in them acts.
    """
    rest = map(_no_command, parts) if paged else iter(parts)
    if sys.stdout.isatty():
        rest = map(_inert_capture, rest)
    if paged and sys.stdout.isatty() and (command := _pager()):
        import shutil

        height = shutil.get_terminal_size().lines
        first = list(islice(rest, height))
        rest = chain(first, rest)
        if len(first) >= height and _page(command, rest):
            return
    with quiet_pipe():
        for part in rest:
            sys.stdout.buffer.write(encoded(part))
        sys.stdout.buffer.flush()


@contextmanager
def messages_at_the_end() -> Iterator[None]:
    """
    Hold back what is written to stderr, and write each message once, at the end.

    It would appear in the middle of a pager's screen, and a second pass would repeat it.
    """
    held: dict[bytes, None] = {}
    write_by(held.setdefault)
    try:
        yield
    finally:
        write_by(None)
        for data in held:
            write(*data.decode(errors="replace").split("\n")[:-1])


def write_lines(lines: Iterable[str], *, paged: bool = True) -> None:
    """Write `lines`, which are for people and whose ends are added, as they come, paged."""
    write_parts((f"{inert_lines(line)}\n" for line in lines), paged=paged)


def _inert_capture(part: str | bytes) -> str | bytes:
    return inert_json(part.decode(errors="replace")) if isinstance(part, bytes) else part


def _no_command(part: str | bytes) -> str | bytes:
    return inert_lines(part) if isinstance(part, str) else part


def show(render: "Callable[[Console], None]") -> None:
    """Write what `render` prints, paged; rich itself would exit with 1 at a closed pipe."""
    from rich.console import Console

    console = Console(highlight=False)
    with console.capture() as capture:
        render(console)
    write_lines(capture.get().splitlines())


def _pager() -> list[str]:
    """Return the pager's command; none when `$PAGER` is empty, `cat`, or not there."""
    import shlex
    import shutil

    named = os.environ.get("PAGER")
    try:
        command = shlex.split("less" if named is None else named)
    except ValueError:
        return []
    return command if command and command != ["cat"] and shutil.which(command[0]) else []


def _page(command: list[str], lines: Iterator[str | bytes]) -> bool:
    """Feed `lines` to the pager until the person has seen enough; false if it cannot start."""
    import subprocess

    environment = {"LESS": "FRX", "LV": "-c", **os.environ}  # as git does: colours, and no clearing
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    assert pager.stdin is not None
    try:
        # The pager may be left early, and has its own idea of Ctrl-C.
        with suppress(BrokenPipeError, KeyboardInterrupt):
            for line in lines:
                pager.stdin.write(encoded(line))
    finally:  # an error is printed when the pager has ended: else they would share a screen
        _wait_for(pager)
    return True


def _wait_for(pager: "subprocess.Popen[bytes]") -> None:
    with suppress(BrokenPipeError):
        if pager.stdin:
            pager.stdin.close()
    while True:
        try:
            pager.wait()
        except KeyboardInterrupt:
            continue
        return


def refuse_capture(
    path: str, *, but: str = "", force: bool = False, can_force: bool = True
) -> None:
    """
    Raise `AcpSpyError` if a capture is at `path`, which may be replaced only by `force`.

    A recording cannot be made again, and `view -o run.jsonl` may be meant to show it. One that is
    being written is not replaced at all, nor is a file that cannot be read: it may be one. `but` is
    the capture that is read, which `write_file` refuses with words of its own. The hint mentions
    `--force` to a command that has it (`can_force`).
    """
    from acp_spy.capture.files import is_capture

    try:
        is_given = names_descriptor(path)  # such as /dev/stdout: written to, and not replaced
        is_file = os.path.isfile(path) and os.path.getsize(path) > 0
        is_source = but and os.path.exists(but) and os.path.samefile(path, but)
        if is_given or not is_file or is_source:
            return
        with open_above(path) as place:
            refuse_unreadable(path, place)
        is_there = is_capture(path)
    except OSError:  # what writes it says why it cannot be
        return
    if not is_there:
        return
    refuse_running(path)
    if not force:
        raise AcpSpyError(
            f"cannot write `{path}`: it is a capture",
            hint=f"give a new name{', or add `--force` to replace it' if can_force else ''};"
            f" to look at it, run `acp-spy view {file_word(path)}`",
        )
