"""Report what in a file still looks like a secret, without revealing it."""

import codecs
import os
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import BinaryIO

import msgspec

from acp_spy.capture.codec import decode, encode, read_format
from acp_spy.capture.files import read
from acp_spy.capture.foreign.detect import refuse_other_files
from acp_spy.capture.opening import to_open
from acp_spy.capture.records import Delivery, Header, Record, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.secrets.command_outputs import CommandOutputs
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.pieces import SplitSecret
from acp_spy.secrets.redactor import Redactor, as_sent, texts_beside
from acp_spy.secrets.secret import Secret, last_overlapping, with_split_secrets, without_overlap
from acp_spy.secrets.split_secrets import SplitSecrets
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert
from acp_spy.wire.json_text import is_json
from acp_spy.wire.pointer import spell, steps

MASK = b"****"
_AROUND = 24  # bytes shown on either side
_LARGEST_DOCUMENT = 256 * 1024 * 1024  # bytes; what is larger is read line by line
_LARGEST_WINDOW = 128 * 1024  # bytes of lines that are searched together
_OVERLAP = 16 * 1024
_SHORT = 256  # bytes of a line that is kept, so that it is not learned again
_MOST_KEPT = 10_000
_HEAD = 4096

Found = tuple[bytes, Sequence[Secret]]
_Place = tuple[int, bytes]  # the number of a line, and the line, as not all have a number


def secrets_in_file(path: str, redactor: Redactor) -> Iterator[str]:
    """
    Give a line for each secret in `path`: its place, its kind, and what is around it.

    A capture is read record by record, a JSON document as a whole, anything else line by line, and
    then with the lines around it: what a secret is may be in another one. What no record holds is
    searched as it is: an unknown field or a damaged line can hold a secret, too. Another tool's
    recording is read once more, as the records that it holds. The name of the file is searched,
    too: it is shared with it.

    A file is read twice, as `redactor` does, and found is what that would replace: a secret may
    come before the place that shows it to be one.
    """
    _learn(path, redactor)
    report = _Report(path, redactor)
    yield from report.of_name()
    try:
        with open(to_open(path), "rb") as file:
            first = next(_lines(path, file), b"")
            refuse_other_files(inert(path), first[:_HEAD])
            lines = enumerate(chain([first], _lines(path, file, 2)), start=1)
            if read_format(first) is not None:
                yield from report.of_capture(lines)
                return
            rest = _rest_of_document(first, file)
            if rest is None:
                yield from report.of_lines(lines)
            else:
                yield from report.of_document(first.removeprefix(codecs.BOM_UTF8) + rest)
    except OSError as error:
        raise AcpSpyError(
            f"cannot read `{path}`: {error.strerror}",
            hint="give the path of a file or folder that you can read",
        ) from None
    if os.path.isfile(path):
        yield from report.of_recording()


def _learn(path: str, redactor: Redactor) -> None:
    if not os.path.isfile(path):
        return  # it can be read only once
    # What cannot be read is reported when it is searched.
    with suppress(OSError, AcpSpyError):
        with open(to_open(path), "rb") as file:
            deque(_lines(path, file), maxlen=0)  # a line without end is not read
        redactor.learn_all(_records(path))
    with suppress(OSError, AcpSpyError), open(to_open(path), "rb") as file:
        seen: set[bytes] = set()
        for number, line in enumerate(_lines(path, file)):
            if number == 0 and read_format(line) is not None:
                break
            if line not in seen:
                redactor.finder.learn(line)
            if len(line) < _SHORT and len(seen) < _MOST_KEPT:
                seen.add(line)


def _records(path: str) -> Iterator[Record]:
    """Give the records of a file; of a damaged capture all that can be read."""
    with open(to_open(path), "rb") as file:
        first = next(_lines(path, file), b"")
        if read_format(first) is None:
            yield from read(path)
            return
        for line in chain([first], _lines(path, file, 2)):
            try:
                record = decode(line)
            except ValueError:
                continue  # it is searched as it is
            if record is not None:
                yield record


def _lines(path: str, file: BinaryIO, number: int = 1) -> Iterator[bytes]:
    """Give the lines from here on, the first of which has this `number`."""
    while line := file.readline(_LARGEST_DOCUMENT + 1):
        if len(line) > _LARGEST_DOCUMENT:  # a device has no end, nor has a file with holes
            raise AcpSpyError(
                f"cannot read `{path}`: line {number} is longer than"
                f" {_LARGEST_DOCUMENT // 2**20} MiB",
                hint="check that it is the right file",
            )
        yield line
        number += 1


class _Line(msgspec.Struct):
    """A line of a text: where it starts in its window, and what was found in it."""

    number: int
    raw: bytes
    start: int
    found: Sequence[Secret]


class _Window:
    """Lines of a text that are searched together, and what is to be reported about them."""

    def __init__(self) -> None:
        self.lines: list[_Line] = []
        self.report: list[tuple[int, str]] = []  # with the number of a line
        self.size = 0

    def add(self, number: int, raw: bytes, found: Sequence[Secret]) -> None:
        self.lines.append(_Line(number, raw, self.size, found))
        self.size += len(raw)

    def line_at(self, place: int) -> _Line:
        return self.lines[bisect_right(self.lines, place, key=lambda line: line.start) - 1]

    def end(self) -> "_Window":
        """Return one that begins with the last lines of this one."""
        window = _Window()
        for line in self.lines:
            if line.start >= self.size - _OVERLAP:
                window.add(line.number, line.raw, line.found)
        return window


class _Report:
    """The lines about one file; a secret that is read in two ways is reported once."""

    def __init__(self, path: str, redactor: Redactor) -> None:
        self._path = path
        self._redactor = redactor
        self._finder = finder = redactor.finder
        self._has_parts = redactor.has_split_parts
        self._split = SplitSecrets(finder)
        self._split_delivered = SplitSecrets(finder)  # as the redactor reads it: apart
        self._outputs = CommandOutputs(finder)
        self._shown = inert(_masked(path, finder))
        self._reported: set[bytes] = set()
        # By their lines: where secrets are that were reported, and parts that may not have been.
        self._places: dict[_Place, list[Secret]] = {}
        self._parts: dict[_Place, list[tuple[Secret, str]]] = {}

    def of_name(self) -> Iterator[str]:
        """Give what is in the name of the file; the folders above it are not shared."""
        raw = os.path.basename(self._path).encode(errors="surrogatepass")
        for secret in self._finder.find_in_text(raw):
            yield f"{self._shown}: {secret.kind} in the name of the file"

    def of_capture(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[str]:
        """Give what is in the records of a capture, and in lines that are none."""
        for number, line in lines:
            try:
                record = decode(line)
            except ValueError:
                record = None
            seen: set[bytes] = set()
            for raw, found in _found(record, self._finder):
                seen.update(secret.text for secret in found)
                if isinstance(record, Frame | Stderr | Delivery) and raw is record.raw:
                    yield from self._of_line(":", number, record, found)
                else:
                    yield from self.of_text(f":{number}", raw, found)
            if record is None or encode([record]) != line:  # it holds more than the record
                found = self._finder.find(line, "" if record else "file")
                yield from self.of_text(f":{number}", line, found, but=seen, is_line=True)
        yield from self._of_rest(":")

    def of_lines(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[str]:
        """Give what is in a text: in a line by itself, and in lines that belong together."""
        window = _Window()
        before: tuple[bytes, Sequence[Secret]] = b"", ()
        for number, raw in lines:
            found = before[1] if raw == before[0] else self._finder.find(raw, "file")
            before = raw, found
            if window.size + len(raw) > _LARGEST_WINDOW:
                yield from self._of_window(window)
                window = window.end()
            window.add(number, raw, found)
            window.report += zip(
                repeat(number), self.of_text(f":{number}", raw, found, is_line=True)
            )
        yield from self._of_window(window)

    def _of_window(self, window: "_Window") -> Iterator[str]:
        if len(window.lines) > 1:
            text = b"".join(line.raw for line in window.lines)
            found = self._finder.find_in_text(text)
            more: dict[int, list[Secret]] = {}  # by the starts of their lines
            for secret, shown in zip(found, self._around(text, found), strict=True):
                line = window.line_at(secret.start)
                start, end = secret.start - line.start, secret.end - line.start
                in_line = msgspec.structs.replace(secret, start=start, end=end)
                if not last_overlapping(line.found, in_line):
                    more.setdefault(line.start, []).append(in_line)
                    self._reported.add(secret.text)
                    said = self._line(f":{line.number}", secret, shown)
                    window.report.append((line.number, said))
            for start, in_line_too in more.items():
                line = window.line_at(start)
                line.found = without_overlap([*line.found, *in_line_too])
        yield from (text for _, text in sorted(window.report, key=itemgetter(0)))

    def of_document(self, raw: bytes) -> Iterator[str]:
        """Give what is in a JSON document of several lines, with the number of the line."""
        number, at = 1, 0
        found = self._finder.find(raw)
        for secret, shown in zip(found, self._around(raw, found), strict=True):
            number += raw.count(b"\n", at, secret.start)
            at = secret.start
            self._reported.add(secret.text)
            yield self._line(f":{number}", secret, shown)

    def of_recording(self) -> Iterator[str]:
        """Give what is in another tool's recording beyond what its lines have shown."""
        reported = self._reported.copy()
        try:
            for record in read(self._path):
                number = f": frame {record.seq}" if isinstance(record, Frame) else ""
                for raw, found in _found(record, self._finder):
                    if isinstance(record, Frame | Stderr | Delivery) and raw is record.raw:
                        seq = 0 if isinstance(record, Stderr) else record.seq
                        yield from self._of_line(": frame ", seq, record, found, but=reported)
                    else:
                        yield from self.of_text(number, raw, found, but=reported)
        except AcpSpyError:
            pass  # it is none, or damaged: its lines have been searched
        yield from self._of_rest(": frame ")

    def of_text(
        self,
        where: str,
        raw: bytes,
        found: Sequence[Secret],
        but: Container[bytes] = (),
        apart: Sequence[Secret] = (),
        *,
        is_line: bool = False,
    ) -> Iterator[str]:
        """
        Give what was found in `raw`, but for what is known from elsewhere or within `apart`.

        It may be a line of the file, which has whole messages in it.
        """
        around = self._around(raw, found) if is_line else excerpts(raw, found)
        for secret, shown in zip(found, around, strict=True):
            if secret.text not in but and not _is_within(secret, apart):
                self._reported.add(secret.text)
                yield self._line(where, secret, shown)

    def _around(self, raw: bytes, found: Sequence[Secret]) -> Iterator[str]:
        """
        Give what is around each secret in a line that was read by itself.

        Nothing, if there are secrets that only other messages show: it cannot be seen where in this
        line they are.
        """
        return repeat(MASK.decode(), len(found)) if self._has_parts else excerpts(raw, found)

    def _of_line(
        self,
        before: str,
        place: int,
        record: Frame | Stderr | Delivery,
        found: Sequence[Secret],
        but: Container[bytes] = (),
    ) -> Iterator[str]:
        """
        Give what was found in a line, and what has come to light with it in others.

        Parts of a secret that goes on in another line are reported together; what nobody has
        reported in the end, each by itself.
        """
        raw = record.raw
        assert raw is not None  # of a delivery of nothing, nothing is found
        where = _numbered(before, place)
        if isinstance(record, Delivery):
            parts = self._redactor.delivered_parts(raw)
        else:
            parts = self._redactor.split_parts(record)
        apart = without_overlap(_going_on(parts))
        yield from self.of_text(where, _without(raw, parts), found, but, apart)
        if parts:
            alone = [each for each in found if not _is_within(each, apart)]
            self._places.setdefault((place, raw), []).extend(alone)
            all_found = with_split_secrets(found, parts)
            self._parts[place, raw] = [
                (secret, self._line(where, secret, shown))
                for secret, shown in zip(all_found, excerpts(raw, all_found), strict=True)
                if not secret.is_continuation
                and not any(text in but for text in (secret.text, raw[secret.start : secret.end]))
            ]
        yield from self._of_split(before, self._beyond(record, found, place))

    def _of_rest(self, before: str) -> Iterator[str]:
        """Give what is in texts that nobody has ended, and parts of secrets nobody has reported."""
        rest = (*self._split.close(), *self._split_delivered.close())
        yield from self._of_split(before, rest)
        for place, parts in self._parts.items():
            reported = without_overlap(self._places[place])
            for part, line in parts:
                if not last_overlapping(reported, part):
                    yield line

    def _beyond(
        self, line: Frame | Stderr | Delivery, found: Sequence[Secret], place: int
    ) -> Iterator[SplitSecret]:
        """Give what no line shows alone."""
        split = self._split
        if isinstance(line, Delivery):
            assert line.raw is not None
            line, split = as_sent(line, line.raw), self._split_delivered
        yield from split.feed(line, found, place)
        if isinstance(line, Frame):
            yield from self._outputs.feed(line, found, place)

    def _of_split(self, before: str, found: Iterable[SplitSecret]) -> Iterator[str]:
        for text, of_text in groupby(found, lambda each: each.text):
            split = list(of_text)
            # All that is in the text, as one may be next to another.
            secrets = without_overlap(
                [*self._finder.find_in_text(text), *(each.secret for each in split)]
            )
            shown = dict(zip(secrets, excerpts(text, secrets), strict=True))
            for each in split:
                [(piece, part), *_] = each.parts
                whole = next(secret for secret in secrets if each.secret.start < secret.end)
                self._reported.add(each.secret.text)
                self._places.setdefault((piece.place, piece.line.raw), []).append(part)
                secret = msgspec.structs.replace(each.secret, pointer=part.pointer)
                yield self._line(_numbered(before, piece.place), secret, shown[whole])

    def _line(self, where: str, secret: Secret, shown: str) -> str:
        masked_steps = (_masked(step, self._finder) for step in steps(secret.pointer))
        at = f" at {inert(spell(*masked_steps))}" if secret.pointer else ""
        return f"{self._shown}{where}: {secret.kind}{at}: {shown}"


def _numbered(before: str, place: int) -> str:
    """Return how a report names a line; what was written to stderr may have no number."""
    return f"{before}{place}" if place else ""


def _without(raw: bytes, parts: Iterable[Secret]) -> bytes:
    """Return a line in which nobody can read a part of a secret that goes on."""
    shown = bytearray(raw)
    for part in parts:
        shown[part.start : part.end] = b"*" * (part.end - part.start)
    return bytes(shown)


def _going_on(parts: Sequence[Secret]) -> list[Secret]:
    """Return those parts of secrets in a line that go on in another."""
    here = Counter(part.text for part in parts)
    return [
        part
        for part in parts
        if here[part.text] == 1 and part.end - part.start < len(part.text.strip())
    ]


def _is_within(secret: Secret, parts: Sequence[Secret]) -> bool:
    part = last_overlapping(parts, secret)
    return part is not None and part.start <= secret.start and secret.end <= part.end


def _found(record: Record | None, finder: Finder) -> list[Found]:
    """Return the texts of `record` that may have secrets, and these."""
    if record is None:
        return []
    beside: list[Found] = []
    for name, text in texts_beside(record):
        raw = text.encode(errors="surrogatepass")
        beside.append((raw, finder.find_named(name, raw)))
    if isinstance(record, Frame):
        return [(record.raw, finder.find(record.raw, record.sender.value)), *beside]
    if isinstance(record, Stderr):
        return [(record.raw, finder.find(record.raw, "stderr")), *beside]
    if isinstance(record, Header):
        return [*chain.from_iterable(finder.find_in_header(record).values()), *beside]
    if isinstance(record, Delivery) and record.raw is not None:
        return [(record.raw, finder.find(record.raw, record.to.other.value)), *beside]
    return beside


def _masked(text: str, finder: Finder) -> str:
    raw = text.encode(errors="surrogatepass")
    return _mask(raw, finder.find_in_text(raw))[0].decode(errors="surrogatepass")


def _rest_of_document(first: bytes, file: BinaryIO) -> bytes | None:
    """Return what follows the line `first` in `file`, if both are one JSON document."""
    plain = first.removeprefix(codecs.BOM_UTF8)
    if plain.lstrip()[:1] not in (b"{", b"[") or is_json(plain) or not file.seekable():
        return None
    rest = file.read(_LARGEST_DOCUMENT)
    if is_json(plain + rest):
        return rest
    file.seek(len(first))
    return None


def excerpts(raw: bytes, found: Sequence[Secret]) -> Iterator[str]:
    """Give what is around each secret in its line, in which all of them are masked."""
    masked, places = _mask(raw, found)
    for place in places:
        before = masked[max(0, place - _AROUND) : place].rpartition(b"\n")[2]
        end = place + len(MASK)
        after = masked[end : end + _AROUND].partition(b"\n")[0]
        shown = before + MASK + after
        yield inert(shown.decode(errors="backslashreplace").strip())


def _mask(raw: bytes, found: Iterable[Secret]) -> tuple[bytes, list[int]]:
    """Return `raw` with all of `found` masked, and the place of each mask."""
    parts: list[bytes] = []
    places: list[int] = []
    length = end = 0
    for secret in found:
        before = raw[end : secret.start]
        places.append(length + len(before))
        parts += before, MASK
        length += len(before) + len(MASK)
        end = secret.end
    return b"".join((*parts, raw[end:])), places
