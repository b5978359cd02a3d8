"""
What a diagnosis is, and the table of its kinds: each is declared once, as a function.

The function looks at the evidence and returns the cause, or nothing if this is not the case. Its
name is the kind, its docstring the explanation in the docs. The kinds are tried in the order of
their declaration: what comes first explains what comes later.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from acp_spy.diagnosis.evidence import Evidence
from acp_spy.wire.frame import Peer


class Cause(msgspec.Struct, frozen=True):
    """
    What a kind has found: a short paragraph, the peer that must act, the frames that show it.

    `blame` is `None` if neither peer is at fault: the user must act, or nobody.
    """

    text: str
    blame: Peer | None = None
    seq: tuple[int, ...] = ()
    hint: str = ""


class Diagnosis(msgspec.Struct, frozen=True):
    """The one answer about a conversation. The fields are those of the JSON output."""

    kind: str
    text: str
    blame: Peer | None
    seq: tuple[int, ...]
    hint: str

    @property
    def words(self) -> str:
        """The kind in a few words."""
        return KINDS[self.kind].words

    @property
    def is_wrong(self) -> bool:
        """Whether something is wrong."""
        return KINDS[self.kind].is_wrong

    @property
    def must_fix(self) -> str:
        """Who must fix it, in the words of every format; nothing if neither peer must."""
        return f"{self.blame.value} must fix" if self.blame else ""

    def as_json(self) -> dict[str, Any]:
        """Return what is in every JSON output."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return fields


class Kind(msgspec.Struct, frozen=True):
    """One kind of diagnosis: its name, the same in a few words, and what it means."""

    name: str
    words: str
    is_wrong: bool
    meaning: str
    find: Callable[[Evidence], Cause | None]


KINDS: dict[str, Kind] = {}


def kind(
    words: str = "", *, is_wrong: bool = True
) -> Callable[[Callable[[Evidence], Cause | None]], Callable[[Evidence], Cause | None]]:
    """Declare a kind; `words` are those of its name if none are given."""

    def declare(
        find: Callable[[Evidence], Cause | None],
    ) -> Callable[[Evidence], Cause | None]:
        name = find.__name__.replace("_", "-")
        meaning = " ".join((find.__doc__ or "").split())
        KINDS[name] = Kind(name, words or name.replace("-", " "), is_wrong, meaning, find)
        return find

    return declare
