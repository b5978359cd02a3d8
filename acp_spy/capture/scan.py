"""What a capture file shows without being decoded whole: its end, findings, certain frames."""

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator

import msgspec

from acp_spy.capture.codec import decode
from acp_spy.capture.frame_numbers import FrameNumbers
from acp_spy.capture.opening import open_file, to_open
from acp_spy.capture.records import Seconds
from acp_spy.wire.frame import Frame

_FIRST_LOOK = 64 * 1024
_MOST = 16 * 1024 * 1024  # a frame may be long, and an agent's last words on stderr longer
_MOST_TO_READ_WHOLE = 32 * 1024 * 1024


class End(msgspec.Struct, frozen=True):
    """
    The end of a capture so far. `None` is for what its last 16 MiB do not show.

    `frames` is the number of the last frame, `seconds` the time of the last record, `status` how
    the agent ended, if it has, and `reason` why it could not be started, if it was not.
    """

    frames: int | None = None
    seconds: float | None = None
    status: int | None = None
    reason: str = ""


class _Named(msgspec.Struct):
    """As much of a record as says which frame it is."""

    type: str
    seq: int = 0


class _Place(_Named):
    """As much of a record as says what it is, and where it is in the conversation."""

    t: Seconds | None = None
    status: int | None = None
    severity: str = ""
    reason: str = ""
    because: msgspec.Raw = msgspec.Raw()  # a finding that follows from another does not count


_place = msgspec.json.Decoder(_Place).decode
_named = msgspec.json.Decoder(_Named).decode


def read_end(path: str) -> End:
    """Return how far the capture at `path` has come. Raises `OSError`."""
    descriptor = open_file(path)
    try:
        size = os.fstat(descriptor).st_size
        look = _FIRST_LOOK
        while True:
            start = max(0, size - look)
            os.lseek(descriptor, start, os.SEEK_SET)
            lines = os.read(descriptor, size - start).split(b"\n")
            end = _end_of(lines if start == 0 else lines[1:])  # the first may be half a line
            if start == 0:
                return msgspec.structs.replace(end, frames=end.frames or 0)
            if end.frames is not None or look >= _MOST:
                return end
            look = min(8 * look, _MOST)
    finally:
        os.close(descriptor)


def count_findings(path: str) -> dict[str, int] | None:
    """
    Return how many `finding` records the capture has of each severity. Raises `OSError`.

    Those that follow from another are not counted.

    `None` for a capture that is too large to be read for this.
    """
    with open(open_file(path), "rb") as file:
        if os.fstat(file.fileno()).st_size > _MOST_TO_READ_WHOLE:
            return None
        return dict(Counter(severity for severity, _ in _findings(file)))


def recorded_errors(path: str) -> Iterator[bytes]:
    """Give the `finding` records of errors; not of those that follow from another."""
    with open(open_file(path), "rb") as file:
        yield from (line for severity, line in _findings(file) if severity == "error")


def _findings(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Give the severity and the line of each finding that counts."""
    for line in lines:
        # Most lines are frames, and taking them apart would take ten times as long.
        if b'"finding"' not in line or not (place := _read(line)):
            continue
        if place.type == "finding" and not bytes(place.because):
            yield place.severity, line


def frames_in_lines(path: str, wanted: Container[int]) -> Iterator[tuple[int, Frame]]:
    """Give the frames of these numbers, each with the line of the capture that holds it."""
    numbers = FrameNumbers()
    with open(to_open(path), "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                named = _named(line)
                if named.type != "frame" or (seq := numbers.give(named.seq)) not in wanted:
                    continue
                frame = decode(line)
            except (msgspec.DecodeError, ValueError):
                continue  # of another type, or torn
            if isinstance(frame, Frame):
                yield number, msgspec.structs.replace(frame, seq=seq)


def _end_of(lines: list[bytes]) -> End:
    seconds = status = None
    reason = ""
    for line in reversed(lines):
        place = _read(line)
        if place is None or place.type == "finding":  # which may be about an earlier time
            continue
        if seconds is None:
            seconds = place.t
        if place.type == "exit":
            status, reason = place.status, place.reason
        if place.type == "frame":
            return End(place.seq, seconds, status, reason)
    return End(None, seconds, status, reason)


def _read(line: bytes) -> _Place | None:
    """Return the place of a line; `None` for a torn one, and for what is not a record."""
    try:
        return _place(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
