"""Names of one capture and those of the other that mean the same, one for one."""

from collections.abc import Iterator
from typing import Any

from acp_spy.comparison.item import Item
from acp_spy.comparison.name_marks import Name, Scope, marked, replace_marks, scope_of


class NamePairs:
    """What is named the first time in the same place of both is the same thing from then on."""

    def __init__(self, items: tuple[Item, ...]) -> None:
        self._there: dict[Scope, Scope] = {}
        self._here: dict[Scope, Scope] = {}
        self._numbers: dict[Scope, int] = {}
        counts: dict[str, int] = {}
        for item in items:
            for name in marked(item.content):
                thing = scope_of(item.session, name)
                if thing not in self._numbers:
                    self._numbers[thing] = counts[name[0]] = counts.get(name[0], 0) + 1

    def bind(self, here: Scope, there: Scope) -> None:
        """Take two names for one thing, unless one of them is something else already."""
        if here[1] == there[1] and here not in self._there and there not in self._here:
            self._there[here] = there
            self._here[there] = here

    def learn(self, one: Item, other: Item, values: tuple[Any, Any] | None = None) -> None:
        """Bind what is named in the same places of two items; `values` are their contents."""
        if values is None:  # the contents are the same but for the names
            named = zip(marked(one.content), marked(other.content), strict=False)
        else:
            named = iter(list(_paired(*values)))  # type: ignore[assignment]
        for here, there in named:
            self.bind(scope_of(one.session, here), scope_of(other.session, there))

    def shown(self, item: Item, *, here: bool) -> str:
        """Return an item's content with its names as they are known to both sides."""

        def label(name: Name) -> str:
            thing = scope_of(item.session, name)
            own = thing if here else self._here.get(thing)
            if own is None:
                return f"<another {name[0]}: {name[1]}>"
            number = self._numbers.get(own, 0)
            return f"<{name[0]} {number}>"

        return replace_marks(item.content, label)


def _paired(one: Any, other: Any) -> Iterator[tuple[Name, Name]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key, item in one.items():
            if key in other:
                yield from _paired(item, other[key])
    elif isinstance(one, list) and isinstance(other, list):
        for mine, others in zip(one, other, strict=False):
            yield from _paired(mine, others)
    elif isinstance(one, str) and isinstance(other, str) and _template(one) == _template(other):
        yield from zip(marked(one), marked(other), strict=True)


def _template(text: str) -> str:
    return replace_marks(text, lambda name: f"<{name[0]}>")
