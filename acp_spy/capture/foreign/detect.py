"""Which format is this? Decided by the lines themselves."""

from difflib import get_close_matches

from acp_spy.capture.codec import read_format
from acp_spy.capture.foreign.format import Format
from acp_spy.capture.foreign.known import FORMATS, NAMES
from acp_spy.capture.foreign.source import Source
from acp_spy.errors import AcpSpyError, file_word

_HEAD = 4096  # bytes, in which a document has shown what it is
_SAMPLE, _MOST_LINES = 1024 * 1024, 200  # as much as is looked at
_CLEARLY = 4  # times as many lines must speak for a format as for the next

# What people give by mistake, by its first bytes, and what to do about it.
_OTHER_FILES = (
    (b"SQLite format 3\0", "a database", "export it first: `acp-devtools export ID -o FILE`"),
    (b"\x1f\x8b", "compressed by gzip", "unpack it first with `gunzip`"),
    (b"PK\x03\x04", "a zip archive", "unpack it first with `unzip`"),
    (b"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > NEW"),
    (b"\xfe\xff", "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > NEW"),
)


def find(name: str) -> Format:
    """Return the format called `name`."""
    for each in FORMATS:
        if each.name == name:
            return each
    near = get_close_matches(name, NAMES, n=1)
    raise AcpSpyError(
        f"no such format: `{name}`" + (f"; did you mean `{near[0]}`?" if near else ""),
        hint=f"use one of {', '.join(NAMES)}",
    )


def refuse_other_files(name: str, head: bytes) -> None:
    """Raise `AcpSpyError` for a file that is no text, as far as its first bytes show."""
    for start, what, remedy in _OTHER_FILES:
        if head.startswith(start):
            raise AcpSpyError(f"cannot read `{name}`: it is {what}, not a capture", hint=remedy)


def detect(source: Source) -> Format:
    """Return the format of a file; raises `AcpSpyError` if it is none, or not clearly one."""
    head = source.head(_HEAD)
    refuse_other_files(source.name, head)
    if read_format(head.partition(b"\n")[0]) is not None:
        raise AcpSpyError(
            f"cannot import `{source.name}`: it is already a capture",
            hint="use it without importing it",
        )
    for each in FORMATS:
        if each.is_document and each.is_document(head):
            return each
    seen = _sample(source)
    speaking = {
        each: numbers
        for each in FORMATS
        if each.is_line and (numbers := [n for n, line in seen if each.is_line(line)])
    }
    ranked = sorted(speaking, key=lambda each: -len(speaking[each]))
    if not ranked:
        raise _unknown(source.name, seen)
    best, *others = ranked
    if others and len(speaking[best]) < _CLEARLY * len(speaking[others[0]]):
        raise _ambiguous(source.name, speaking)
    return best


def _sample(source: Source) -> list[tuple[int, bytes]]:
    """Return the first lines; one that is too long to be looked at by everybody is passed over."""
    lines, size = [], 0
    for number, line in source.lines():
        if len(line) <= _SAMPLE:
            lines.append((number, line))
        size += len(line)
        if len(lines) == _MOST_LINES or size > 4 * _SAMPLE:
            break
    return lines


def _unknown(name: str, seen: list[tuple[int, bytes]]) -> AcpSpyError:
    first = f"line {seen[0][0]} is " if seen else "it has no lines"
    return AcpSpyError(
        f"cannot read `{name}`: it is neither a capture nor in another known format: {first}",
        hint="give a file that `acp-spy -- COMMAND` wrote, or a file in one of these formats:"
        f" {', '.join(NAMES)}",
        quote=seen[0][1][:_HEAD].strip().decode(errors="backslashreplace") if seen else "",
    )


def _ambiguous(name: str, speaking: dict[Format, list[int]]) -> AcpSpyError:
    seen = "; ".join(
        f"{each.name}: line {numbers[0]}" + (f" and {len(numbers) - 1} more" * (len(numbers) > 1))
        for each, numbers in speaking.items()
    )
    choice = "|".join(each.name for each in speaking)
    return AcpSpyError(
        f"cannot read `{name}`: it may be in several formats ({seen})",
        hint=f"choose one: `acp-spy import --from {choice} -o NEW.jsonl {file_word(name)}`",
    )
