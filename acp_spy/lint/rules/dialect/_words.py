"""How the rules of this family name words and places."""

from collections.abc import Iterable, Mapping

from acp_spy.dialect.declaration import Dialect
from acp_spy.protocol.mismatch import Mismatch
from acp_spy.wire.inert import inert
from acp_spy.wire.pointer import steps

_LONGEST = 60
_MOST = 4


def quoted(official: str) -> str:
    """Return a spelling in backticks; a sentence is left as it is."""
    return official if " " in official else f"`{official}`"


def names(keys: Iterable[str]) -> str:
    """List names from the wire, as far as they are worth it: `a`, `b` and `c`."""
    listed = [f"`{inert(key[:_LONGEST])}`" for key in dict.fromkeys(keys)]
    if len(listed) > _MOST:
        listed = [*listed[: _MOST - 1], f"{len(listed) - _MOST + 1} more"]
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


def place_of(mismatch: Mismatch) -> str:
    """Name the place of a mismatch: a key, an item of a list, the whole message."""
    path = steps(mismatch.path)
    if not path:
        return "the message"
    if not path[-1].isdigit():
        return names([path[-1]])
    holder = next((step for step in reversed(path) if not step.isdigit()), "")
    return f"an item of {names([holder])}"


def own_words(dialect: Dialect) -> Mapping[str, str]:
    """Return the dialect's spelling of official words; the first, if it has several."""
    found: dict[str, str] = {}
    for own, official in dialect.words.items():
        word, _, _ = official.replace(",", " ").partition(" ")  # some are explained
        found.setdefault(word, own)
    return found
