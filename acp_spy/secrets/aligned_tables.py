"""
Tables whose columns are aligned with blanks, one of which has secrets.

Below the head may be a rule with a run of `-` or `=` for each column: then the cells are below
these runs. Without one, a cell begins or ends where its name does, and one of the other columns
must say whose secrets these are: what else is aligned are lists of files, options and settings.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from acp_spy.secrets.column_names import NAME_OF_COLUMN
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.shape import Found
from acp_spy.secrets.tables import MOST_COLUMNS, MOST_ROWS, certainty_of, line_end, line_start
from acp_spy.secrets.values import Certainty, is_value

HEAD = NAME_OF_COLUMN + rb"\w{0,20}(?=[ ]|\r?\n)"
_HEAD_IN_LINE = expression(NAME_OF_COLUMN + rb"\w{0,20}(?:[ ]|\r?\n|\\[rn])")
_RUNS = expression(r"[ ]*(?:-{2,}|={2,})(?:[ ]{1,4}(?:-{2,}|={2,}))*[ ]*")
_RUN = expression(r"-+|=+")
_RULE = expression(r"[ ]*+[-=\u2500\u2501\u2550]{2}[ \-=\u2500\u2501\u2550]*+")
_NAME = expression(r"[A-Za-z_]\w*(?: [A-Za-z_]\w*){0,2}")
_TOKEN = expression(r"\S+")
_CELL = expression(r"\S+(?: \S+)*")  # has no two blanks
# The last word of a column that says whose secrets they are.
_OWNERS = frozenset(
    (
        *("user", "username", "login", "email", "mail", "name", "id", "account", "host"),
        *("hostname", "service", "site", "client", "customer", "owner", "role"),
    )
)


class _Column(msgspec.Struct, frozen=True):
    """A column: its name, and where in a line it begins and ends."""

    name: str
    start: int
    end: int


def may_have_aligned_table(raw: bytes) -> bool:
    """Whether a line, in which strings are still escaped, may have the head of such a table."""
    return (b"\\n" in raw or b"\n" in raw[:-1]) and _HEAD_IN_LINE.search(raw) is not None


def find_in_aligned_tables(text: bytes, names: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """Give the secrets in the columns whose names were found."""
    read_to = 0
    for match in names:
        start, end = line_start(text, match.start()), line_end(text, match.start())
        if start < read_to or end >= len(text):
            continue
        read_to = end
        head = _decoded(text[start:end])
        below = _decoded(text[end + 1 : line_end(text, end + 1)])
        is_ruled = _RUNS.fullmatch(below) is not None
        if not is_ruled and "  " not in head.strip() and not _RULE.fullmatch(below):
            continue
        columns = _columns(head, below if is_ruled else "")
        if columns and (is_ruled or not _continues(text, start, columns)):
            for found in _in_rows(text, end + 1, columns, is_ruled=is_ruled):
                read_to = found[1]
                if found[2]:
                    yield found


def _columns(head: str, runs: str) -> Sequence[_Column]:
    """Return the columns of a table; none if it has none with secrets."""
    if runs:
        spans = [found.span() for found in _RUN.finditer(runs)]
    else:
        spans = [found.span() for found in _CELL.finditer(head)]
    columns = [_Column(head[start:end].strip(), start, end) for start, end in spans]
    if len(columns) > MOST_COLUMNS or not all(_NAME.fullmatch(column.name) for column in columns):
        return ()
    if not any(_certainty(column) for column in columns):
        return ()
    if runs:
        return columns
    has_owner = any(re.split(r"[ _]", column.name.lower())[-1] in _OWNERS for column in columns)
    return columns if has_owner and len(columns) > 1 else ()


def _certainty(column: _Column) -> Certainty | None:
    return certainty_of(column.name.encode())


def _continues(text: bytes, start: int, columns: Sequence[_Column]) -> bool:
    """Whether the line before the one at `start` is a row, and so is this one."""
    before = _decoded(text[line_start(text, max(0, start - 1)) : max(0, start - 1)])
    is_alike = len(_CELL.findall(before)) == len(columns) and not _RULE.fullmatch(before)
    return is_alike and sum(map(bool, _cells(before, columns))) > 1


def _in_rows(
    text: bytes, at: int, columns: Sequence[_Column], *, is_ruled: bool
) -> Iterator[Found]:
    """Give the secrets of all rows, and with an empty kind where each row ends."""
    for _ in range(MOST_ROWS):
        if at >= len(text):
            return
        end = line_end(text, at)
        row = _decoded(text[at:end])
        if not _RULE.fullmatch(row):
            cells = _cells_below_runs(row, columns) if is_ruled else _cells(row, columns)
            if not any(cells) or (len(columns) > 1 and sum(map(bool, cells)) < 2):
                return
            for column, cell in zip(columns, cells, strict=True):
                certainty = _certainty(column)
                if cell is None or certainty is None:
                    continue
                if len(columns) == 1:  # `Password` with a rule below may be a heading
                    certainty = min(certainty, Certainty.SETTING)
                if is_value(_encoded(row[slice(*cell)]), certainty):
                    first = at + len(_encoded(row[: cell[0]]))
                    yield first, first + len(_encoded(row[slice(*cell)])), "table"
        yield at, end, ""
        at = end + 1


def _cells(row: str, columns: Sequence[_Column]) -> list[tuple[int, int] | None]:
    """Return the word of each column that begins or ends where its name does."""
    words = [found.span() for found in _TOKEN.finditer(row)]
    starts = {start: (start, end) for start, end in words}
    ends = {end: (start, end) for start, end in words}
    return [starts.get(column.start) or ends.get(column.end) for column in columns]


def _cells_below_runs(row: str, columns: Sequence[_Column]) -> list[tuple[int, int] | None]:
    """Return what is below each run of the rule; nothing if something is between them."""
    outside = row
    cells: list[tuple[int, int] | None] = []
    for column in columns:
        cell = row[column.start : column.end]
        start = column.start + len(cell) - len(cell.lstrip())
        cells.append((start, start + len(cell.strip())) if cell.strip() else None)
        outside = outside[: column.start] + " " * len(cell) + outside[column.end :]
    is_other = bool(outside.strip()) or (len(columns) == 1 and " " in row.strip())  # `(1 row)`
    return [None] * len(columns) if is_other else cells


def _decoded(line: bytes) -> str:
    return line.rstrip(b"\r").decode(errors="surrogateescape")


def _encoded(line: str) -> bytes:
    return line.encode(errors="surrogateescape")
