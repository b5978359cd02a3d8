"""How the commands for remote agents begin captures, and what they print about them."""

import os
import signal
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from weakref import ReferenceType, ref

from msgspec.structs import replace

from acp_spy.capture.file_names import numbered
from acp_spy.capture.files import given_file
from acp_spy.capture.locate import capture_path, header_for
from acp_spy.cli.commands import PROGRAM
from acp_spy.cli.console import mask_secrets, note, silence_stdout, write_by
from acp_spy.cli.proxy import LiveFindings, record_to, take_output
from acp_spy.engine.tap import Tap
from acp_spy.errors import AcpSpyError
from acp_spy.remote.checking import Checking
from acp_spy.remote.conversations import Conversation, Conversations
from acp_spy.remote.stderr_log import StderrLog

_MOST_MASKS = 100  # each takes some 50 µs per message


class LiveOutput:
    """
    Prints what the commands for remote agents say, while they run: no conversation waits for it.

    If `verbose`, that is also where conversations are recorded, and findings as they occur.
    """

    def __init__(self, *, is_off: bool, verbose: bool) -> None:
        # Ignored, as who starts us may have left it, the ends of checkers and agents would be lost.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.log = StderrLog()
        write_by(self.log.put)
        self._findings = LiveFindings() if verbose else None
        self.checking = Checking(note, self._show if verbose else None, is_off=is_off)

    def offer(self, scheme: str, host: str, port: int, path: str) -> None:
        """Print the URL that clients are to be given."""
        shown = f"[{host}]" if ":" in host else host
        try:
            print(f"{scheme}://{shown}:{port}{path}", flush=True)  # noqa: T201 - stdout is for it
        except OSError as error:
            silence_stdout()
            raise AcpSpyError(f"cannot write the output: {error.strerror}") from None

    @contextmanager
    def listening(self, address: str, conversations: Conversations) -> Iterator[None]:
        """Print as long as the block listens at `address`, and sum up in the end."""
        try:
            yield
        except OSError as error:
            raise AcpSpyError(
                f"cannot listen at `{address}`: {error.strerror or error}",
                hint="choose another port, or 0 for any: `--listen 127.0.0.1:0`",
            ) from None
        else:
            if self._findings:
                note(f"conversations: {conversations.count}")
        finally:
            self.close()

    def close(self) -> None:
        """Print to stderr itself from now on."""
        write_by(None)
        self.log.close()

    def begin(self, conversation: Conversation) -> None:
        """Take note of a new conversation."""
        if self._findings and conversation.tap.path:
            note(f"recording to {os.path.abspath(conversation.tap.path)}")
        self.checking.begin(conversation)

    def _show(self, path: str, line: bytes) -> None:
        if self._findings:
            self._findings.show(line, os.path.basename(path))


class _NewNames:
    """
    Numbers the names of captures where the last number was.

    Each file would else be looked for from the first on: ten thousand conversations, fifty million.
    """

    def __init__(self) -> None:
        self._path = ""
        self._names: Iterator[str] = iter(())

    def next_of(self, path: str) -> str:
        """
        Return `path`, or the next name for it that does not exist yet.

        Raises `AcpSpyError` for an open file or a pipe that has a capture: there is no place for a
        second one.
        """
        if given_file(path) is not None or _is_pipe(path):
            if path == self._path:
                raise AcpSpyError(
                    f"`{path}` was for the first conversation",
                    hint="use `--dir` to have a capture of each",
                )
            self._path = path
            return path
        if os.path.exists(path) and not os.path.isfile(path):
            return path  # a device is written to as it is
        if path != self._path:
            self._path, self._names = path, numbered(path)
        return next(name for name in self._names if not os.path.lexists(name))


def _is_pipe(path: str) -> bool:
    with suppress(OSError):
        mode = os.stat(path).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    return False


class _Masks:
    """
    Masks what is said by what the conversations have revealed: it may be about any of them.

    All that are not over, up to a hundred, and the newest, which a message may be about when it is.
    """

    def __init__(self) -> None:
        self._newest: Tap | None = None  # so that it lives on
        self._others: deque[ReferenceType[Tap]] = deque(maxlen=_MOST_MASKS)

    def add(self, tap: Tap) -> None:
        """Mask by what this one knows, too."""
        self._newest = tap
        alive = [each for each in self._others if each() is not None]
        self._others = deque([*alive, ref(tap)], maxlen=_MOST_MASKS)

    def text(self, text: str) -> str:
        """Return a text without the secrets that one of them knows."""
        for other in reversed(self._others):
            if (tap := other()) is not None:
                text = tap.mask(text)
        return text


def opener(
    output: str,
    folder: str,
    command: list[str],
    name: str = "",
    *,
    redact: bool,
    is_started_here: bool = False,
    is_wire: bool = False,
) -> Callable[[], Tap]:
    """
    Return what begins the capture of one more conversation.

    `command` is what the header has, `name` is what the file is named after, if not after that. The
    folder is recorded if the agent `is_started_here`. `is_wire` is for `take_output`: we
    may have opened nothing by now.
    """
    if output and folder:
        raise AcpSpyError("`--output` cannot be used with `--dir`", hint="use one of them")
    output, refusal = take_output(output, is_wire=is_wire)
    new_tap = _redacting_taps() if redact else partial(Tap, complain=note)
    names = _NewNames()
    masks = _Masks()

    def open_tap() -> Tap:
        wall = time.time()
        tap = new_tap(time.monotonic_ns())
        named_after = [name] if name else command
        if tap.redactor:
            masks.add(tap)
            mask_secrets(masks.text)
            named_after = tap.redactor.command(named_after)
        try:
            path = names.next_of(capture_path(output, folder, wall, named_after))
        except AcpSpyError as error:
            note(f"not recording: {error.message}; {error.hint}")
            return tap
        header = header_for(wall, command, PROGRAM)
        if not is_started_here:
            header = replace(header, cwd="")
        record_to(tap, path, refusal, header)
        return tap

    return open_tap


def _redacting_taps() -> Callable[[int], Tap]:
    from acp_spy.engine.redacting import redacting_taps  # loads what finds secrets

    return redacting_taps(note)
