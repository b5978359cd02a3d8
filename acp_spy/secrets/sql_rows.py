"""
Rows whose columns a statement of SQL names.

`COPY t (a, password) FROM stdin` with rows below, `INSERT INTO t VALUES (...)` after `CREATE TABLE
t (...)`, `SELECT a, password FROM t` at a prompt with rows or tuples below, and the parameters that
a library logs with a statement that has `?`, `%s`, `$1`, `@p0` or `:name`, listed or numbered.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.shape import Found, compiled
from acp_spy.secrets.tables import (
    LONGEST_ROW,
    MOST_COLUMNS,
    MOST_ROWS,
    SQL_ROW,
    certainty_of,
    line_end,
    line_start,
)
from acp_spy.secrets.values import Certainty, is_value

STATEMENT = (
    rb"(?:CREATE TABLE|create table|INSERT INTO|insert\s{1,40}into|COPY"
    rb"|SELECT|select|UPDATE|update)\s"
)
_SECRET = expression(
    rb"[pP](?:ass|ASS|wd|WD|[wW](?![A-Za-z]))|ecret|ECRET|oken(?!s)|OKEN(?!S)|[_ ](?:key|KEY)"
)
_LONGEST_PROMPT = 200
_FARTHEST = 600  # from a statement to its parameters
_FARTHEST_NUMBERED = 4000  # to one of many lines
_NAME = rb"[`\"\[]?(?:\w{1,60}[`\"\]]?\.[`\"\[]?)?(?P<table>\w{1,60})[`\"\]]?"
_CREATE = expression(rb"(?i:create table(?: if not exists)?)\s+%b\s*(?=\()" % _NAME)
_INSERT = expression(
    rb"(?i:insert\s{1,40}into)\s+%b\s*(?:\((?P<columns>[^()]{1,2000})\)\s*)?(?i:values)\s*" % _NAME
)
_COPY = expression(rb"COPY %b \((?P<columns>[^()]{1,2000})\) FROM stdin;\r?\n" % _NAME)
_SELECT = expression(
    rb"(?i:select)\s++(?P<columns>[^;\n]{1,400}?)\s+(?i:from)\b(?P<rest>[^\n]{0,1000})\n"
)
_PRINTED = expression(rb"\[?\s*(?:(?P<tuple>\()|\{)")  # rows as a program prints them
_AT_PROMPT = expression(rb"[^\n]{0,80}?[>#$%] ")
_WHERE_NAME = expression(rb"(?i:where)\s+\w{1,40}\s*=\s*['\"]([\w.-]{1,80})['\"]")
_VALUE_COLUMNS = (b"value", b"val")
_DEFINITION = expression(rb"(?:[^,()']++|'[^']*+'|\((?:[^()]++|\([^()]*+\))*+\))++")
_LAST_WORD = expression(rb"(?<!\w)[0-9]*+([A-Za-z_]\w*+)[`\"'\])]{0,2}\s*+$")
_PLACEHOLDER = expression(
    rb"\?|%s|[$@]p?(?P<number>[0-9]{1,3})|%\(\w{1,40}\)s|(?<![:\w]):[a-z_]\w{0,40}"
)
_SET = expression(rb"(\w+)[`\"\])]?\s*(?:=|<>|!=)\s*$")
_PARAMETERS = expression(
    rb"(?:\[(?:generated in|cached since|no key|caching disabled)[^\]\n]{0,60}\]\s{0,3}"
    rb"|(?i:param(?:eter)?s[\"']?\s{0,2}[:=]?|(?:bind(?:ing)?s?|args|values)[\"']?\s{0,2}[:=])\s{0,3}"
    rb"|(?<=[\w)?\"]) (?=\[[\"']))(?=[\[(])"
    rb"|Parameters: (?P<typed>)(?=[^\s\[({$@])"  # of MyBatis
    rb"|(?<=[\w)?\"]); (?P<line>)(?=[\"'0-9])"  # of Sequelize
)
# One at a time: of PostgreSQL, of Entity Framework and of Hibernate.
_NUMBERED = expression(
    rb"(?<![\w$])\$(?P<of_postgres>[0-9]{1,3}) = '(?P<a>(?:[^'\r\n]|''){1,400})'"
    rb"|(?P<ahead>@p)(?P<of_entity>[0-9]{1,3})='(?P<b>(?:[^'\r\n]|''){1,400})'"
    rb"|binding parameter (?:\[(?P<of_hibernate>[0-9]{1,3})\] as \[\w{1,40}\] - "
    rb"|\((?P<of_new>[0-9]{1,3}):\w{1,40}\) <- )"
    rb"\[(?P<c>[^\r\n]{1,400}?)\](?=[ \t]*(?:\r?\n|\\n|\"|\Z))"
)
_AFTER_ALL = expression(rb"CONTEXT:[^\r\n]*\Z")  # what failed is in the line below
_ITEM_START = (
    rb"\s*+(?P<quote>['\"])?(?P<value>(?(quote)(?:(?!(?P=quote))[^\\\n]|\\.)*+|[^,()\[\]'\"\n]*+))"
    rb"(?(quote)(?P=quote))"
)
_ITEM = expression(_ITEM_START + rb"\s*+(?:,|(?=[\])]))")
_ITEM_OF_LINE = expression(_ITEM_START + rb"[ \t]*+(?:,|(?=\r?\n|\Z))")
_TYPED_ITEM = expression(
    rb"\s?(?:null|(?P<quote>)(?P<value>[^\r\n]{0,200}?)\([A-Z]\w{2,20}\))(?:,|(?=\r?\n|\Z))"
)
_PROMPT_ENDS = (b">", b"> ", b"# ", b"$ ", b"% ")
_CELL_EDGES = b" \t\"'"
_RULE = expression(rb"[\s|+-]*")


class _Seen(msgspec.Struct):
    """The columns of the tables that were created, and how far rows were read."""

    tables: dict[bytes, Sequence[bytes]] = {}
    read_to: int = 0


# Of which one is in every line with rows, or with the parameters of a statement.
_BEFORE_ROWS = (b"\\n", b"arameters", b"ARAMETERS", b"bind", b"?", b"$1", b"%s", b")s")


def may_have_sql_rows(raw: bytes) -> bool:
    """Whether a line, in which strings are still escaped, may have such rows."""
    has_rows = any(word in raw for word in _BEFORE_ROWS)
    return (has_rows or b"\n" in raw[:-1]) and _SECRET.search(raw) is not None


def find_in_sql_rows(text: bytes, statements: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """
    Give the secrets in the rows that belong to each of the statements.

    What looks like a statement within rows is none: to read on from each took long.
    """
    seen = _Seen()
    has_statement = False
    for statement in statements:
        has_statement = True
        word = statement[0][:6].upper().strip()
        if statement.start() >= seen.read_to and word in _READERS:
            yield from _READERS[word](text, statement.start(), seen)
    if has_statement:
        yield from _in_parameters(text)
        yield from _in_numbered(text)


def _created(text: bytes, at: int, seen: _Seen) -> Iterator[Found]:
    """Remember the columns of a table; what it has follows."""
    found = _CREATE.match(text, at)
    body = SQL_ROW.match(text, found.end(), found.end() + LONGEST_ROW) if found else None
    if found and body:
        columns = [each[0].split(None, 1) for each in _DEFINITION.finditer(body[1])]
        seen.tables[found["table"]] = [column[0] if column else b"" for column in columns]
    yield from ()


def _inserted(text: bytes, at: int, seen: _Seen) -> Iterator[Found]:
    found = _INSERT.match(text, at)
    if found and found["columns"] is None:
        secret = _secret_columns(seen.tables.get(found["table"], ()))
        yield from _in_tuples(text, found.end(), secret, seen)


def _in_tuples(
    text: bytes, at: int, secret: Mapping[int, Certainty], seen: _Seen
) -> Iterator[Found]:
    for _ in range(MOST_ROWS if secret else 0):
        row = SQL_ROW.match(text, at, at + LONGEST_ROW)
        if row is None:
            return
        yield from _in_items(text, row.start(), secret)
        at = seen.read_to = row.end()
        while text[at : at + 1] in (b",", b" ", b"\n"):
            at += 1


def _in_items(
    text: bytes, at: int, secret: Mapping[int, Certainty], items: re.Pattern[bytes] = _ITEM
) -> Iterator[Found]:
    """Give the secrets in a tuple or a list that begins at `at`."""
    at += items is _ITEM
    for number in range(MOST_COLUMNS if secret else 0):
        item = items.match(text, at, at + LONGEST_ROW)
        if item is None:
            return
        certainty = secret.get(number)
        if certainty and item["quote"] is not None and is_value(item["value"], certainty):
            yield *item.span("value"), "table"
        at = item.end()


def _copied(text: bytes, at: int, seen: _Seen) -> Iterator[Found]:
    if found := _COPY.match(text, at):
        yield from _in_lines(text, found.end(), found["columns"].split(b","), b"\t", seen)


def _selected(text: bytes, at: int, seen: _Seen) -> Iterator[Found]:
    before = text[line_start(text, at) : at]
    is_asked = len(before) < _LONGEST_PROMPT and _AT_PROMPT.match(before)
    if is_asked and (found := _SELECT.match(text, at)):
        columns = [each[0] for each in _DEFINITION.finditer(found["columns"])]
        if where := _WHERE_NAME.search(found["rest"]):
            columns = [
                where[1] if column.strip().lower() in _VALUE_COLUMNS else column
                for column in columns
            ]
        if printed := _PRINTED.match(text, found.end()):
            if printed["tuple"]:  # else a dictionary: it has the names itself
                yield from _in_tuples(text, printed.start("tuple"), _secret_columns(columns), seen)
            return
        yield from _in_lines(text, found.end(), columns, b"|\t,", seen)


def _in_lines(
    text: bytes, at: int, columns: Sequence[bytes], separators: bytes, seen: _Seen
) -> Iterator[Found]:
    """Give the secrets in the lines that begin at `at`, of which each is a row."""
    secret = _secret_columns(columns)
    for _ in range(MOST_ROWS if secret else 0):
        end = line_end(text, at)
        row = text[at:end].rstrip()
        if not _RULE.fullmatch(row):
            first = at + len(row) - len(row.lstrip(b" |"))  # of a table with edges
            cells = _cells(row.strip(b" |"), len(columns), separators)
            if not cells or text[at:end].endswith(_PROMPT_ENDS):
                return
            for number, certainty in secret.items():
                cell = cells[number].strip(_CELL_EDGES)
                if is_value(cell, certainty):
                    before = sum(len(each) + 1 for each in cells[:number])
                    start = first + before + cells[number].index(cell)
                    yield start, start + len(cell), "table"
        seen.read_to = end
        at = end + 1
        if at >= len(text):
            return


def _cells(row: bytes, count: int, separators: bytes) -> list[bytes]:
    """Return so many cells of a row; none if it has not as many."""
    if count == 1:
        return [] if b" " in row else [row]
    fitting = (each for each in separators.decode() if row.count(each.encode()) == count - 1)
    separator = next(fitting, "")
    return row.split(separator.encode()) if separator else []


def _in_parameters(text: bytes) -> Iterator[Found]:
    """Give the secrets among parameters that are logged after a statement: `password = ?`."""
    read_to = 0
    for parameters in _PARAMETERS.finditer(text):
        first = max(read_to, parameters.start() - _FARTHEST)
        read_to = parameters.end()
        statement = compiled(STATEMENT).search(text, first, parameters.start())
        if statement is None:
            continue
        names = _parameter_names(text, statement, parameters.start())
        items = {"typed": _TYPED_ITEM, "line": _ITEM_OF_LINE}.get(parameters.lastgroup or "", _ITEM)
        yield from _in_items(text, parameters.end(), _secret_columns(names), items)


def _in_numbered(text: bytes) -> Iterator[Found]:
    """Give the secrets among parameters that are logged with their numbers: `$2 = 'x'`."""
    hits = list(_NUMBERED.finditer(text))
    statements = list(compiled(STATEMENT).finditer(text)) if hits else []
    starts = [each.start() for each in statements]
    known: dict[int, Mapping[int, Certainty]] = {}
    for hit in hits:
        number = bisect_right(starts, hit.start())
        first = max(0, hit.start() - _FARTHEST)
        is_ahead = hit["ahead"] or _AFTER_ALL.search(text, first, hit.start())
        number -= not is_ahead
        if not 0 <= number < len(starts) or abs(starts[number] - hit.start()) > _FARTHEST_NUMBERED:
            continue
        if number not in known:
            end = starts[number] + _FARTHEST if is_ahead else hit.start()
            names = _parameter_names(text, statements[number], end)
            known[number] = _secret_columns(names)
        group = "a" if hit["a"] else "b" if hit["b"] else "c"
        count = hit["of_postgres"] or hit["of_hibernate"] or hit["of_new"]
        place = int(count) - 1 if count else int(hit["of_entity"])
        certainty = known[number].get(place)
        if certainty and is_value(hit[group], certainty):
            yield *hit.span(group), "table"


def _parameter_names(text: bytes, statement: re.Match[bytes], end: int) -> list[bytes]:
    """Return the columns to which the parameters of a statement belong, in their order."""
    insert = _INSERT.match(text, statement.start(), end)
    columns = insert["columns"].split(b",") if insert and insert["columns"] else []
    values = SQL_ROW.match(text, insert.end(), end) if insert else None
    if columns and not values:
        return columns
    if columns and values:
        given = (_PLACEHOLDER.search(each[0]) for each in _DEFINITION.finditer(values[1]))
        return _in_order(zip(given, columns, strict=False))
    first = statement.end()
    return _in_order(
        (found, assigned[1] if assigned else b"")
        for found in _PLACEHOLDER.finditer(text, first, end)
        for assigned in [_SET.search(text, max(first, found.start() - 80), found.start())]
    )


def _in_order(named: Iterable[tuple[re.Match[bytes] | None, bytes]]) -> list[bytes]:
    """Return the names in the order of their placeholders: `$2` is the second, wherever it is."""
    placed: dict[int, bytes] = {}
    for found, name in named:
        if found:
            is_of_entity = found[0].startswith(b"@")
            number = int(found["number"] or 0) - (not is_of_entity)
            placed.setdefault(number if found["number"] else len(placed), name)
    last = min(max(placed, default=-1) + 1, MOST_COLUMNS)
    return [placed.get(number, b"") for number in range(last)]


def _secret_columns(columns: Sequence[bytes]) -> dict[int, Certainty]:
    """Return which of the columns have secrets, by their names."""
    found: dict[int, Certainty] = {}
    for number, column in enumerate(columns[:MOST_COLUMNS]):
        name = _LAST_WORD.search(column)
        certainty = certainty_of(name[1]) if name else None
        if certainty:
            found[number] = certainty
    return found


_READERS: Mapping[bytes, Callable[[bytes, int, _Seen], Iterator[Found]]] = {
    b"CREATE": _created,
    b"INSERT": _inserted,
    b"COPY": _copied,
    b"SELECT": _selected,
}
