"""Tables in HTML with a column or a row of secrets: `<th>password</th>`, and cells after it."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from acp_spy.secrets.column_names import NAME_OF_COLUMN
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.shape import Found
from acp_spy.secrets.tables import MOST_ROWS, certainty_of
from acp_spy.secrets.values import Certainty, is_value

_LONGEST_TABLE = 100_000
_FARTHEST_ROW = 2000
_MOST_IN_ROW = 4  # names: else a row of nothing but names would be read for each of them
_INLINE = rb"(?:</?(?:b|strong|em|code|span|p)(?: [^<>]{0,80})?>|\s){0,6}+"
# A cell with the name of a secret, if what it says has the word for it.
NAME = rb"%b[\w -]{0,20}+%b(?=</t[hd]>)" % (NAME_OF_COLUMN, _INLINE)
NAME_IN_LINE = NAME_OF_COLUMN + rb"[^<>]{0,40}<"
_CELL_START = expression(rb"<t[hd](?: [^<>]{0,200})?>%b([\w -]{0,60})\Z" % _INLINE)
_CELL = expression(
    rb"<t(?P<kind>[hd])(?: [^<>]{0,200})?>%b(?P<text>[^<>]{0,400}+)%b</t[hd]>" % (_INLINE, _INLINE)
)
_ROW = expression(rb"<tr\b[^<>]{0,200}>(.{0,4000}?)</tr>", re.DOTALL)

Cell = tuple[bytes, int, int]  # `h` or `d`, and where its text begins and ends


def find_in_html_tables(text: bytes, names: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """Give the values of cells beside or below the `names`."""
    read_to: dict[int, int] = {}  # by column: what looks like the head of a table within one is not
    last = in_row = -1
    for match in names:
        row_start = text.rfind(b"<tr", max(0, match.start() - _FARTHEST_ROW), match.start())
        in_row = in_row + 1 if row_start == last else 0
        last = row_start
        row = _ROW.match(text, row_start) if row_start >= 0 and in_row < _MOST_IN_ROW else None
        start = _CELL_START.search(text, row_start, match.start()) if row else None
        if row is None or start is None:
            continue
        certainty = certainty_of((start[1] + match[0].partition(b"<")[0]).strip())
        cells = _cells(text, row)
        column = next((at for at, cell in enumerate(cells) if match.start() < cell[2]), -1)
        if certainty is None or column < 0:
            continue
        if len(cells) == 2 and column == 0 and cells[1][0] == b"d":
            yield from _in_cell(text, cells[1], min(certainty, Certainty.SETTING))
        elif cells[column][0] == b"h" and row_start >= read_to.get(column, 0):
            end = text.find(b"</table>", row.end(), row.end() + _LONGEST_TABLE)
            end = end if end >= 0 else min(len(text), row.end() + _LONGEST_TABLE)
            read_to[column] = end
            for below in islice(_ROW.finditer(text, row.end(), end), MOST_ROWS):
                beside = _cells(text, below)
                if len(beside) == len(cells):
                    yield from _in_cell(text, beside[column], certainty)


def _cells(text: bytes, row: re.Match[bytes]) -> list[Cell]:
    return [
        (cell["kind"], cell.start("text"), cell.start("text") + len(cell["text"].rstrip()))
        for cell in _CELL.finditer(text, row.start(1), row.end(1))
    ]


def _in_cell(text: bytes, cell: Cell, certainty: Certainty) -> Iterator[Found]:
    _, start, end = cell
    if is_value(text[start:end], certainty):
        yield start, end, "table"
