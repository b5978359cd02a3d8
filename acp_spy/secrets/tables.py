"""
Tables with a column of secrets: CSV, Markdown, the output of a database client, and SQL INSERT.

The first row names the columns. A row that has not as many cells ends the table.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from acp_spy.secrets.assigned_values import BY_STRENGTH
from acp_spy.secrets.column_names import NAME_OF_COLUMN
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret_names import strength_of
from acp_spy.secrets.shape import Found
from acp_spy.secrets.values import Certainty, is_value

# What is beyond these is no table that a person would read.
MOST_ROWS = 100_000
LONGEST_ROW = 4096
MOST_COLUMNS = 64
# A name of a column, next to a separator.
HEAD = (
    NAME_OF_COLUMN + rb"[\w ]{0,20}[\"'*`]{0,3}(?=[ ]*(?:[|,;\t]|\xe2\x94[\x82\x83])|[ ]*\r?\n"
    rb"|\)\s{0,9}(?:VALUES|values|FROM|from))"
)
_HEAD_IN_LINE = expression(
    NAME_OF_COLUMN
    + rb"[\w \"'*`\\]{0,24}[ ]{0,400}+\\{0,7}(?:[|,;\t\r\n]|\xe2\x94[\x82\x83]|(?<=\\)[nrtu]"
    rb"|\)(?:\s|\\[nr]){0,9}(?:VALUES|values|FROM|from))"
)
_RULE = expression(rb"(?:[\s|+:=-]|\xe2[\x94\x95][\x80-\xbf])*")
# Lines of a frame, thin and thick: some tables have one in the head and the other below.
_THIN, _THICK = "\u2502".encode(), "\u2503".encode()
_STRING = expression(rb"[ \t]*[rb]{0,2}[\"'](?:\w{1,20}\|){3}")  # words of an expression
_NUMBERS = expression(rb"[\s+-]*[0-9][0-9T:.\s-]*")  # of a line, or the time of a log: no name
_PORT = expression(rb"\s*[0-9]{1,5}/(?:tcp|udp|sctp)\s*")  # of /etc/services
_PROGRAM = expression(rb"\s*(?:sudo )?[a-z]{1,4}passwd\s*")  # after a pipe: `echo x | chpasswd`
_DIGITS = expression(rb"[0-9]+")  # of a time, or the number of a line
# What has as many separators by chance: where a diff is, a command, a sentence about the table.
_BEFORE_TABLE = expression(rb"@@ |[\w@.:~/-]{0,60}[$#%>] |[^\n]*:\s*\Z")
_OBJECT = expression(rb"[^\n]{0,200}?\{.*\}\s*")  # of JSON
_CELL_EDGES = b" \t\"'`*"
_IN_CODE = expression(rb"[\"'=:(){}\[\]]")
_VALUES = expression(rb"\)\s{0,9}(?:VALUES|values)\s*")
SQL_ROW = expression(rb"\(((?:[^()']++|'(?:[^'\\]++|''|\\.)*+'|\([^()]*+\))*+)\)", re.DOTALL)
_SQL_CELL = expression(rb"\s*+('(?:[^'\\]++|''|\\.)*+'|[^,']*+)\s*+(?:,|$)", re.DOTALL)
_CELL_OF = {  # in CSV, one in quotes may hold the separator
    separator: expression(rb'(?:[^"%b]++|"[^"]*+"?)*+' % separator) for separator in (b",", b";")
}
# What a table of two columns has, the first of which is that of secrets.
_BESIDE_SECRETS = frozenset(b"user username login email name id account host service role".split())


def may_have_table(raw: bytes) -> bool:
    """Whether a line, in which strings are still escaped, may have the head of a table."""
    return (b"\\n" in raw or b"\n" in raw[:-1] or b"alues" in raw or b"ALUES" in raw) and bool(
        _HEAD_IN_LINE.search(raw)
    )


def find_in_tables(text: bytes, names: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """
    Give the secrets in the columns whose names were found.

    What looks like the head of a table within one is a row of it: reading on from each took long.
    """
    read_to: dict[int, int] = {}  # by column
    text = text.replace(_THICK, _THIN)
    for match in names:
        yield from _in_table(text, match, read_to)


def _in_table(text: bytes, match: re.Match[bytes], read_to: dict[int, int]) -> Iterator[Found]:
    start = line_start(text, match.start())
    end = line_end(text, match.start())
    line = text[start:end]
    if b"(" in line and _VALUES.search(text, match.end(), match.end() + 400):
        yield from _in_insert(text, match)
        return
    separator = _separator_of(line)
    if not separator:
        return
    cells = line.split(separator)
    column = line[: match.start() - start].count(separator)
    name = cells[column].strip(_CELL_EDGES + b"\r")
    certainty = certainty_of(name)
    if certainty is None or start < read_to.get(column, 0):
        return
    if not _is_head(text, start, end, separator, column):
        return
    for at, row, spans in _rows(text, end + 1, line, cells, separator):
        read_to[column] = at + len(row) + 1
        first, last = _trimmed(row, *spans[column]) if spans else (0, 0)
        if last and is_value(row[first:last], certainty):
            yield at + first, at + last, "table"


def _rows(
    text: bytes, at: int, head: bytes, cells: Sequence[bytes], separator: bytes
) -> Iterator[tuple[int, bytes, Sequence[tuple[int, int]]]]:
    """Give the lines below a head: where each begins, what it is, and the cells of a row."""
    has_rows = False
    for _ in range(MOST_ROWS):
        if at >= len(text):
            return
        end = line_end(text, at)
        row = text[at:end].rstrip(b"\r")
        if has_rows and not row.strip():
            return  # what is below may be another table
        spans: Sequence[tuple[int, int]] = ()
        if not _RULE.fullmatch(row) and row != head.rstrip(b"\r"):  # the head of the next one
            spans = _cells(row, separator)
            is_log = not has_rows and _has_prefix(cells[0], row, spans[0])
            is_object = _OBJECT.fullmatch(row) and not _OBJECT.fullmatch(head)
            if len(spans) != len(cells) or is_log or is_object:
                return
            has_rows = True
        yield at, row, spans
        at = end + 1


def _is_head(text: bytes, start: int, end: int, separator: bytes, column: int) -> bool:
    """Whether a row names columns, of which `column` has secrets."""
    head = text[start:end]
    cells = head.split(separator)
    if (
        # An alternative in a program.
        (separator == b"|" and b"||" in head and not head.lstrip().startswith(b"|"))
        or (separator == b"\t" and _is_code(cells, column))
        or (separator == b"|" and _PROGRAM.fullmatch(cells[column]))
        or _NUMBERS.fullmatch(cells[0])
        or any(map(_PORT.fullmatch, cells))
    ):
        return False
    above = line_start(text, max(0, start - 1))
    is_below_rule = _is_rule(text[above:start])
    if separator == b"|" and is_below_rule:  # it may be below a head, and a rule
        above = line_start(text, max(0, above - 1))
    before = text[above:start].partition(b"\n")[0]
    is_above_rule = _is_rule(text[end + 1 : line_end(text, end + 1)])
    if (
        _is_row(before, separator, len(cells))
        and not (is_above_rule and not is_below_rule)
        and not _OBJECT.fullmatch(before)
    ):
        return False  # a row like those before it
    if column > 0 or len(cells) != 2:
        return True
    # Without a rule it is a name and its value.
    return is_above_rule or cells[1].strip(_CELL_EDGES + b"\r").lower() in _BESIDE_SECRETS


def _is_rule(line: bytes) -> bool:
    return bool(line.strip()) and _RULE.fullmatch(line) is not None


def _is_row(line: bytes, separator: bytes, cells: int) -> bool:
    """Whether a line is a row of so many cells, and not what is before a table."""
    return (
        line.count(separator) == cells - 1
        and _separator_of(line) == separator
        and not _is_rule(line)
        and _BEFORE_TABLE.match(line) is None
    )


def _has_prefix(head: bytes, row: bytes, first: tuple[int, int]) -> bool:
    """
    Whether lines begin alike, as in a log: with a time, or a program that has a number.

    A sentence may be before the first line.
    """
    name, start = (_DIGITS.sub(b"0", each.strip()) for each in (head, row[slice(*first)]))
    return b"0" in start and name.endswith(start)


def _is_code(cells: Sequence[bytes], column: int) -> bool:
    """Whether it is the line of a program, which begins with tabs, and not a row with them."""
    is_indented = column > 0 and not any(cell.strip() for cell in cells[:column])
    return is_indented or _IN_CODE.search(cells[column].strip(_CELL_EDGES)) is not None


def _separator_of(line: bytes) -> bytes:
    """Return what is between the names of columns; nothing, if it heads no table."""
    separator = next((each for each in (_THIN, b"|", b"\t", b",", b";") if each in line), b"")
    is_text = separator in (b",", b";") and (
        (b" " in line.strip() and b", " in line) or b"(" in line or b"=" in line
    )
    is_text = is_text or (separator == b"|" and _STRING.match(line) is not None)
    return b"" if is_text or line.count(separator) >= MOST_COLUMNS else separator


def certainty_of(name: bytes) -> Certainty | None:
    """Return how sure the name of a column is that it has secrets; `None` if it has none."""
    words = name.lower().replace(b" ", b"_").removesuffix(b"_hash")
    return BY_STRENGTH.get(strength_of(words.decode("latin-1")))


def line_start(text: bytes, at: int) -> int:
    """Return where the row begins in which `at` is."""
    first = max(0, at - LONGEST_ROW)
    return max(first, text.rfind(b"\n", first, at) + 1)


def line_end(text: bytes, at: int) -> int:
    """Return where the row ends in which `at` is."""
    end = text.find(b"\n", at, at + LONGEST_ROW)
    return end if end >= 0 else min(len(text), at + LONGEST_ROW)


def _cells(row: bytes, separator: bytes) -> Sequence[tuple[int, int]]:
    """Return where the cells of `row` are; one in quotes may hold the separator."""
    cells: list[tuple[int, int]] = []
    start = 0
    while start <= len(row):
        if separator in _CELL_OF:
            cell = _CELL_OF[separator].match(row, start)
            assert cell is not None
            end = cell.end()
        else:
            end = row.find(separator, start)
            while separator == b"|" and end > start and row[end - 1 : end] == b"\\":
                end = row.find(separator, end + 1)  # of Markdown: `a\|b`
        cells.append((start, end if end >= 0 else len(row)))
        start = cells[-1][1] + len(separator)
    return cells


def _trimmed(row: bytes, start: int, end: int) -> tuple[int, int]:
    cell = row[start:end]
    inner = cell.lstrip(_CELL_EDGES)
    return start + len(cell) - len(inner), start + len(cell) - len(inner) + len(
        inner.rstrip(_CELL_EDGES)
    )


def _in_insert(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    opening = text.rfind(b"(", max(0, match.start() - LONGEST_ROW), match.start())
    if opening < 0:
        return
    name = (
        text[text.rfind(b",", opening, match.start()) + 1 : match.end()]
        if b"," in text[opening : match.start()]
        else text[opening + 1 : match.end()]
    )
    certainty = certainty_of(name.strip(_CELL_EDGES))
    values = _VALUES.search(text, match.end(), match.end() + 400)
    if certainty is None or values is None:
        return
    column = text[opening : match.start()].count(b",")
    at = values.end()
    for _ in range(MOST_ROWS):
        row = SQL_ROW.match(text, at, at + LONGEST_ROW)
        if row is None:
            return
        cells = [cell for cell in _SQL_CELL.finditer(row[1]) if cell[0]]
        if column < len(cells) and (cell := cells[column])[1].startswith(b"'"):
            start, end = cell.span(1)
            if is_value(cell[1][1:-1], certainty):
                yield row.start(1) + start + 1, row.start(1) + end - 1, "table"
        at = row.end()
        while text[at : at + 1] in (b",", b" ", b"\n"):
            at += 1
