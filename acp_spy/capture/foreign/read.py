"""A file of another tool, given as the records of a capture, header first."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import BinaryIO, TypeGuard

from acp_spy.capture.codec import writable
from acp_spy.capture.foreign.detect import detect, find
from acp_spy.capture.foreign.format import Format, Reading
from acp_spy.capture.foreign.source import Source
from acp_spy.capture.records import IMPORTED, MOST_SECONDS, Header, Record, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Frame

AUTO = "auto"


def read_foreign(
    name: str, file: BinaryIO, first_line: bytes = b"", form: str = ""
) -> Iterator[Record]:
    """
    Give the records of a file of another tool; of the format called `form`, if that says more
    than `AUTO`.

    `first_line` was read from `file` already. Raises `AcpSpyError` for what cannot be read,
    before the first record.
    """
    source = Source(name, file, first_line)
    chosen = detect(source) if form in ("", AUTO) else find(form)
    reading = chosen.reading(source)
    origin = _survey(chosen, reading)
    yield _header(chosen, reading, origin)
    seq, t = 0, 0.0
    for line in reading.lines():
        if _is_time(line.at):
            t = max(t, round(line.at - origin, 6))  # a capture's time never goes back
        if line.sender is None:
            yield Stderr(t, line.raw)
        else:
            seq += 1
            yield Frame(seq, t, line.sender, line.raw)


def _survey(form: Format, reading: Reading) -> float:
    """Read the file once for what can be known only at its end; return when it began."""
    first_at: float | None = None
    frames = 0
    for line in reading.lines():
        frames += line.sender is not None
        if first_at is None and _is_time(line.at):
            first_at = line.at
    if not frames:
        raise AcpSpyError(
            f"cannot read `{reading.source.name}`: it has no messages, read as {form.title}",
            hint="choose another format; `acp-spy import --help` lists them",
        )
    if _is_time(reading.start):
        return reading.start
    return first_at or 0.0


def _is_time(seconds: float | None) -> TypeGuard[float]:
    """Whether another tool gives a moment from which a capture's time can be counted."""
    # Half of the most: between any two such moments, no more than the most has passed.
    return seconds is not None and abs(seconds) <= MOST_SECONDS / 2


def _header(form: Format, reading: Reading, origin: float) -> Header:
    by = f", written by {reading.writer}" if reading.writer else ""
    notes = [f"{IMPORTED}{form.title}{by}", f"lost: {form.lost}"]
    notes += [f"{what}: {count}" if count else what for what, count in reading.remarks.items()]
    return Header(
        started=_rfc3339(origin) if reading.wall_clock else "",
        command=tuple(map(writable, reading.command)),
        note=writable("; ".join(notes)),
    )


def _rfc3339(seconds: float) -> str:
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.isoformat(timespec="microseconds")[:-6] + "Z"
