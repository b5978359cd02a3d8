"""Rows in columns, within a width: the columns that may give way do so, and nothing is wrapped."""

from collections.abc import Sequence

from rich.text import Text

from acp_spy.wire.inert import inert

_BETWEEN = 2
NARROWEST = 6  # that a column gives way to
_ENOUGH = 500  # characters of what a peer has sent: more is never seen


class Column:
    """
    A column and its heading: whether its cells are right-aligned, and whether they may be cut.

    One that `may_go` is left out if all its cells are empty, or `NOTHING`.
    """

    def __init__(
        self, heading: str, *, right: bool = False, gives_way: bool = False, may_go: bool = False
    ) -> None:
        self.heading = heading
        self.right = right
        self.gives_way = gives_way
        self.may_go = may_go


NOTHING = "-"


def cell(text: str, style: str = "") -> Text:
    """Return a cell; what a terminal would obey in `text` is shown instead."""
    return Text(inert(text[:_ENOUGH]), style, end="")


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int) -> list[Text]:
    """
    Return a line of headings and one for each row, none wider than `width`.

    A column that is empty in every row is left out.
    """
    used = [
        number
        for number, column in enumerate(columns)
        if not column.may_go or any(row[number].plain not in (NOTHING, "") for row in rows)
    ]
    columns = [columns[number] for number in used]
    rows = [[row[number] for number in used] for row in rows]
    headings = [Text(column.heading, "dim", end="") for column in columns]
    table = [headings, *rows]
    widths = [max(row[number].cell_len for row in table) for number in range(len(columns))]
    _give_way(columns, widths, width)
    return [_line(columns, row, widths, width) for row in table]


def _give_way(columns: Sequence[Column], widths: list[int], width: int) -> None:
    """Make the widest of the columns that may be cut narrower until all fit, or none can."""
    room = width - _BETWEEN * (len(columns) - 1)
    can = [number for number, column in enumerate(columns) if column.gives_way]
    while sum(widths) > room:
        widest = max(can, key=lambda number: widths[number], default=None)
        if widest is None or widths[widest] <= NARROWEST:
            return
        widths[widest] -= 1


def _line(columns: Sequence[Column], row: Sequence[Text], widths: list[int], width: int) -> Text:
    line = Text()
    for number, (column, text, room) in enumerate(zip(columns, row, widths, strict=True)):
        fitted = text.copy()
        fitted.truncate(room, overflow="ellipsis")
        blank = " " * (room - fitted.cell_len)
        line.append(" " * _BETWEEN if number else "")
        line.append_text(Text(blank) + fitted if column.right else fitted + Text(blank))
    line.rstrip()
    line.truncate(width, overflow="ellipsis")
    return line
