"""
Grids in JSON: the names of the columns in one list, the rows in others, as databases answer.

`{"columns": ["email", "password"], "rows": [["a@x.io", "..."]]}`, or a list of lists the first of
which has the names.
"""

from collections.abc import Mapping

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.named_values import all_of
from acp_spy.secrets.secret import Secret
from acp_spy.secrets.tables import certainty_of
from acp_spy.secrets.values import Certainty, is_value
from acp_spy.wire.json_text import Leaf, Path, leaves, unescaped

# By where the list of the rows is: which of its columns have secrets, and how sure that is.
Grids = Mapping[tuple[str | int, ...], Mapping[int, Certainty]]

_HEADS = frozenset(("columns", "fields", "headers", "header", "cols"))
_ROWS = ("rows", "values", "data")
_LISTS = expression(rb"\[\s*+\[")
_DEEPEST = 64  # steps: a path is kept for each of the lists
_LONGEST_NAME = 128  # bytes


def grids_in(raw: bytes, start: int) -> Grids:
    """Return the grids of the JSON at `start` that have a column of secrets."""
    if not _LISTS.search(raw, start):
        return {}
    grids: dict[tuple[str | int, ...], dict[int, Certainty]] = {}
    for leaf in leaves(raw, start):
        path = leaf.path
        if not leaf.is_string or leaf.is_name or not 2 <= len(path) <= _DEEPEST:
            continue
        head = _head_of(path)
        if head is None:
            continue
        name = unescaped(raw[leaf.start : leaf.end][:_LONGEST_NAME])
        if (certainty := certainty_of(name)) is None:
            continue
        owner, column, is_named = head
        if not is_named:
            grids.setdefault(owner, {})[column] = min(certainty, Certainty.SETTING)
            continue
        for rows in _ROWS:
            grids.setdefault((*owner, rows), {})[column] = certainty
    return grids


def in_grid(grids: Grids, leaf: Leaf, text: bytes) -> list[Secret]:
    """Return all of `text` as a secret, if it is in a column of them."""
    path = leaf.path
    if leaf.is_name or not 2 <= len(path) <= _DEEPEST or not isinstance(path[-1], int):
        return []
    certainty = grids.get(tuple(path[:-2]), {}).get(path[-1])
    if certainty is None or not isinstance(path[-2], int) or not is_value(text, certainty):
        return []
    return all_of(text, "table")


def _head_of(path: Path) -> tuple[tuple[str | int, ...], int, bool] | None:
    """
    Return of which list or object it may name a column, and which column; `None` if of none.

    Last, whether the object says that these are names.
    """
    column = path[-1]
    if isinstance(column, int):
        if path[-2] in _HEADS:
            return tuple(path[:-2]), column, True
        # In a list of pairs the first column has names.
        return (tuple(path[:-2]), column, False) if path[-2] == 0 and column else None
    if column == "name" and isinstance(path[-2], int) and len(path) > 2 and path[-3] in _HEADS:
        return tuple(path[:-3]), path[-2], True
    return None
