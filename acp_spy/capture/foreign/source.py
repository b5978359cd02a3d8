"""A file of another tool: its lines, or all of it, as often as wanted; never too much at once."""

import io
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

import msgspec

from acp_spy.errors import AcpSpyError, file_word
from acp_spy.wire.framing import LONGEST_LINE

# A frame that another tool keeps as a JSON string is longer than it was, seldom twice as long.
LONGEST_FOREIGN_LINE = 2 * LONGEST_LINE
# A file that has to be read as a whole: one JSON document, or what comes through a pipe.
LARGEST_WHOLE = 256 * 1024 * 1024
MIB = 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_T = TypeVar("_T")


class Source:
    """The bytes of a file called `name`, with the mark that some editors put in front left out."""

    def __init__(self, name: str, file: BinaryIO, first_line: bytes = b"") -> None:
        self.name = name
        self._file = file
        if not file.seekable():  # `first_line` was read already, and a pipe gives nothing twice
            data = first_line + file.read(LARGEST_WHOLE + 1 - len(first_line))
            self._file = io.BytesIO(self._within_bounds(data))

    def head(self, size: int) -> bytes:
        """Return the beginning of the file."""
        return self._rewind().read(size)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Give each line that is not blank, with its number and its line end."""
        file = self._rewind()
        number = 0
        while line := file.readline(LONGEST_FOREIGN_LINE + 1):
            number += 1
            if len(line) > LONGEST_FOREIGN_LINE:
                raise AcpSpyError(
                    f"cannot read `{self.name}`: line {number} is longer than"
                    f" {LONGEST_FOREIGN_LINE // MIB} MiB",
                    hint="check that it is the right file",
                )
            if not line.isspace():
                yield number, line

    def decoded(self, decode: Callable[[bytes], _T]) -> Iterator[tuple[int, _T]]:
        """Give what `decode` makes of each line; a torn last line is passed over."""
        for number, line in self.lines():
            try:
                value = decode(line)
            except (msgspec.DecodeError, ValueError, RecursionError) as error:
                if not line.endswith(b"\n") and number > 1:
                    return  # the writer was cut off, or is writing just now
                raise self.damaged(number, _reason(error)) from None
            yield number, value

    def document(self, decode: Callable[[bytes], _T], title: str) -> _T:
        """Return what `decode` makes of the whole file."""
        data = self._within_bounds(self._rewind().read(LARGEST_WHOLE + 1))
        try:
            return decode(data)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise AcpSpyError(
                f"cannot read `{self.name}`: it is damaged, or not {title}: {_reason(error)}",
                hint="if it was cut short, export it again",
            ) from None

    def damaged(self, number: int, why: str) -> AcpSpyError:
        """Return the complaint about a line that does not belong into such a file."""
        return AcpSpyError(
            f"cannot read `{self.name}`: line {number}: {why}",
            hint="if only this line is damaged, run"
            f" `sed {number}d {file_word(self.name)} > NEW` to get the file without it",
        )

    def _rewind(self) -> BinaryIO:
        self._file.seek(0)
        if self._file.read(len(_BOM)) != _BOM:
            self._file.seek(0)
        return self._file

    def _within_bounds(self, data: bytes) -> bytes:
        if len(data) > LARGEST_WHOLE:
            raise AcpSpyError(
                f"cannot read `{self.name}`: it is larger than {LARGEST_WHOLE // MIB} MiB, and must"
                " be read as a whole",
                hint="use a file instead of a pipe; if it is a JSON document, export less",
            )
        return data


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    return str(error).removeprefix("JSON is malformed: ")
