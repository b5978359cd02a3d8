"""What in a file still looks like a secret, told without telling it."""

from collections.abc import Iterator, Sequence
from itertools import chain

from acp_spy.capture.codec import decode, read_format
from acp_spy.capture.records import Header, Stderr
from acp_spy.capture.secrets.find import Finder
from acp_spy.capture.secrets.look import Secret
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert

_MASK = b"****"
_AROUND = 24  # bytes shown on either side


def secrets_in_file(path: str, finder: Finder) -> Iterator[str]:
    """
    Give a line for each secret in `path`: where it stands, of what kind it is, what is around it.

    A capture is read record by record, anything else line by line. What cannot be decoded is
    searched as it stands: a damaged line can hold a secret, too.
    """
    try:
        with open(path, "rb") as file:
            is_capture = False
            for number, line in enumerate(file, start=1):
                if number == 1:
                    is_capture = read_format(line) is not None
                for raw, found in _found(line, finder, is_capture=is_capture):
                    for secret, shown in zip(found, _excerpts(raw, found), strict=True):
                        at = f" at {inert(secret.pointer)}" if secret.pointer else ""
                        yield f"{inert(path)}:{number}: {secret.kind}{at}: {shown}"
    except OSError as error:
        raise AcpSpyError(f"`{path}` cannot be read: {error.strerror}") from None


def _found(
    line: bytes, finder: Finder, *, is_capture: bool
) -> Iterator[tuple[bytes, Sequence[Secret]]]:
    """Give each piece of `line` that has secrets, and these."""
    record = None
    if is_capture:
        try:
            record = decode(line)
        except ValueError:
            record = None
    if isinstance(record, Frame):
        yield record.raw, finder.find(record.raw, record.sender.value)
    elif isinstance(record, Stderr):
        yield record.raw, finder.find(record.raw, "stderr")
    elif isinstance(record, Header):
        yield from chain.from_iterable(finder.find_in_header(record).values())
    else:
        yield line, finder.find(line, "file")


def _excerpts(raw: bytes, found: Sequence[Secret]) -> Iterator[str]:
    """Give what is around each secret, in which all of them are masked."""
    parts: list[bytes] = []
    places: list[int] = []
    length = end = 0
    for secret in found:
        before = raw[end : secret.start]
        places.append(length + len(before))
        parts += before, _MASK
        length += len(before) + len(_MASK)
        end = secret.end
    masked = b"".join((*parts, raw[end : end + _AROUND]))
    for place in places:
        shown = masked[max(0, place - _AROUND) : place + len(_MASK) + _AROUND]
        yield inert(shown.decode(errors="backslashreplace").strip())
