"""Report what in a file still looks like a secret, without revealing it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO

import msgspec

from acp_spy.capture.codec import decode, read_format
from acp_spy.capture.files import read
from acp_spy.capture.foreign.detect import refuse_other_files
from acp_spy.capture.records import Header, Record, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.secret import Secret
from acp_spy.secrets.split_secrets import SplitSecret, SplitSecrets
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert
from acp_spy.wire.json_text import is_json

_MASK = b"****"
_AROUND = 24  # bytes shown on either side
_LARGEST_DOCUMENT = 256 * 1024 * 1024  # bytes; what is larger is read line by line
_HEAD = 4096

Found = tuple[bytes, Sequence[Secret]]
Numbered = tuple[int, bytes, Sequence[Secret]]


def secrets_in_file(path: str, finder: Finder) -> Iterator[str]:
    """
    Give a line for each secret in `path`: its place, its kind, and what is around it.

    A capture is read record by record, a JSON document as a whole, anything else line by line. What
    cannot be decoded is searched as it is: a damaged line can hold a secret, too. Another
    tool's recording is read once more, as the records that it holds.
    """
    try:
        with open(path, "rb") as file:
            first = file.readline(_LARGEST_DOCUMENT + 1)
            if len(first) > _LARGEST_DOCUMENT:  # a device has no end
                raise AcpSpyError(
                    f"cannot read `{path}`: line 1 is longer than {_LARGEST_DOCUMENT // 2**20} MiB",
                    hint="check that it is the right file",
                )
            refuse_other_files(inert(path), first[:_HEAD])
            lines = enumerate(chain([first], file), start=1)
            if read_format(first) is not None:
                yield from _in_capture(path, lines, finder)
                return
            reported: set[bytes] = set()
            rest = _rest_of_document(first, file)
            found = _in_lines(lines, finder) if rest is None else _in_document(first + rest, finder)
            for number, raw, secrets in found:
                reported.update(secret.text for secret in secrets)
                yield from _lines_for(f"{inert(path)}:{number}", raw, secrets)
    except OSError as error:
        raise AcpSpyError(f"cannot read `{path}`: {error.strerror}") from None
    if os.path.isfile(path):
        yield from _in_recording(path, finder, reported)


def _in_capture(path: str, lines: Iterable[tuple[int, bytes]], finder: Finder) -> Iterator[str]:
    split = SplitSecrets(finder.find_in_text)
    for number, line in lines:
        try:
            record = decode(line)
        except ValueError:
            record = None
        for raw, found in _found(record, finder) or [(line, finder.find(line, "file"))]:
            yield from _lines_for(f"{inert(path)}:{number}", raw, found)
            if isinstance(record, Frame | Stderr):
                yield from _lines_for_split(f"{inert(path)}:", split.feed(record, found, number))
    yield from _lines_for_split(f"{inert(path)}:", split.close())


def _in_lines(lines: Iterable[tuple[int, bytes]], finder: Finder) -> Iterator[Numbered]:
    for number, line in lines:
        yield number, line, finder.find(line, "file")


def _in_document(raw: bytes, finder: Finder) -> Iterator[Numbered]:
    """Give each secret of a JSON document of several lines, with the number of its line."""
    number, at = 1, 0
    for secret in finder.find(raw):
        number += raw.count(b"\n", at, secret.start)
        at = secret.start
        start = raw.rfind(b"\n", 0, at) + 1
        end = raw.find(b"\n", secret.end)
        line = raw[start : end if end >= 0 else len(raw)]
        place = (secret.start - start, secret.end - start)
        yield number, line, [msgspec.structs.replace(secret, start=place[0], end=place[1])]


def _in_recording(path: str, finder: Finder, reported: set[bytes]) -> Iterator[str]:
    """Give what is in another tool's recording beyond what its lines have `reported`."""
    split = SplitSecrets(finder.find_in_text)
    try:
        for record in read(path):
            for raw, found in _found(record, finder):
                new = [secret for secret in found if secret.text not in reported]
                number = f" frame {record.seq}" if isinstance(record, Frame) else ""
                yield from _lines_for(f"{inert(path)}{number and ':'}{number}", raw, new)
                if isinstance(record, Frame | Stderr):
                    seq = record.seq if isinstance(record, Frame) else 0
                    yield from _lines_for_split(
                        f"{inert(path)}: frame ", split.feed(record, found, seq)
                    )
    except AcpSpyError:
        pass  # it is none, or damaged: its lines have been searched
    yield from _lines_for_split(f"{inert(path)}: frame ", split.close())


def _found(record: Record | None, finder: Finder) -> list[Found]:
    """Return the texts of `record` that may have secrets, and these."""
    if isinstance(record, Frame):
        return [(record.raw, finder.find(record.raw, record.sender.value))]
    if isinstance(record, Stderr):
        return [(record.raw, finder.find(record.raw, "stderr"))]
    if isinstance(record, Header):
        return list(chain.from_iterable(finder.find_in_header(record).values()))
    return []


def _rest_of_document(first: bytes, file: BinaryIO) -> bytes | None:
    """Return what follows the line `first` in `file`, if both are one JSON document."""
    if first.lstrip()[:1] not in (b"{", b"[") or is_json(first) or not file.seekable():
        return None
    rest = file.read(_LARGEST_DOCUMENT)
    if is_json(first + rest):
        return rest
    file.seek(len(first))
    return None


def _lines_for_split(before: str, found: Iterable[SplitSecret]) -> Iterator[str]:
    for each in found:
        [(piece, part), *_] = each.parts
        secret = msgspec.structs.replace(each.secret, pointer=part.pointer)
        yield from _lines_for(f"{before}{piece.place}", each.text, [secret])


def _lines_for(where: str, raw: bytes, found: Sequence[Secret]) -> Iterator[str]:
    for secret, shown in zip(found, _excerpts(raw, found), strict=True):
        at = f" at {inert(secret.pointer)}" if secret.pointer else ""
        yield f"{where}: {secret.kind}{at}: {shown}"


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
