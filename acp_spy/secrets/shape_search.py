"""What in a text is a secret by its look alone."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from acp_spy.secrets.persons import Persons
from acp_spy.secrets.placeholders import is_ours, stands_in
from acp_spy.secrets.shape import Shape


class Secret(msgspec.Struct, frozen=True):
    """
    A secret: from where to where it stands in the line, and what it is.

    `pointer` is its place in the message; empty in what is no JSON. `is_number` when no
    placeholder in letters can stand for it. `stand_in` is what shall stand for it, if not a
    placeholder. `is_rest` when it goes on from a line before, and nothing needs to stand here.
    `is_named` when it goes by the name of a secret, whatever its kind.
    """

    start: int
    end: int
    kind: str
    pointer: str = ""
    text: bytes = b""
    is_number: bool = False
    stand_in: bytes = b""
    is_rest: bool = False
    is_named: bool = False


class Look:
    """The shapes that a line may hold, searched in one piece of text after another."""

    def __init__(
        self,
        shapes: Sequence[Shape],
        known: Sequence[bytes],
        kinds: dict[bytes, str],
        values: Sequence[re.Pattern[str]],
        persons: Persons | None,
    ) -> None:
        self._shapes = shapes
        self._known = _any_of(known)
        self._kinds = kinds
        self._values = values
        self._persons = persons

    def search(self, text: bytes) -> list[Secret]:
        """Return what in `text` looks like a secret, in order and without overlap."""
        found: list[Secret] = []
        for shape in self._shapes:
            for match in shape.regex.finditer(text):
                start, end = match.span(shape.group)
                secret = text[start:end]
                if (
                    not stands_in(secret)
                    and (_is_mixed(secret) or not shape.mixed)
                    and (shape.accepts is None or shape.accepts(text, match))
                ):
                    found.append(secret_at(text, start, end, shape.kind))
        if self._known:
            found += [
                secret_at(text, *match.span(), self._kinds[match[0]])
                for match in self._known.finditer(text)
            ]
        for value in self._values:
            found += _user_value(value, text)
        if self._persons:
            for start, end, stand_in in self._persons.find(text):
                found.append(Secret(start, end, "person", text=text[start:end], stand_in=stand_in))
        return without_overlap(found)


def secret_at(text: bytes, start: int, end: int, kind: str, *, is_named: bool = False) -> Secret:
    """Return the stretch of `text` from `start` to `end` as a secret."""
    return Secret(start, end, kind, text=text[start:end], is_named=is_named)


def _user_value(value: re.Pattern[str], text: bytes) -> Iterator[Secret]:
    decoded = text.decode(errors="surrogateescape")
    group = 1 if value.groups else 0
    spans = [match.span(group) for match in value.finditer(decoded) if match[group]]
    places = _in_bytes(decoded, {at for span in spans for at in span})
    for start, end in ((places[start], places[end]) for start, end in spans):
        if not is_ours(text[start:end]):
            yield secret_at(text, start, end, "value")


def _in_bytes(decoded: str, places: Iterable[int]) -> dict[int, int]:
    """Return for each of these places in a text where it is in the bytes."""
    found: dict[int, int] = {}
    before = at = 0
    for place in sorted(places):  # a group may stand before that of an earlier match
        at += len(decoded[before:place].encode(errors="surrogateescape"))
        found[place] = at
        before = place
    return found


def _any_of(texts: Sequence[bytes]) -> re.Pattern[bytes] | None:
    """Return an expression that finds any of `texts`, the longest first; by their first bytes."""
    by_first: dict[bytes, list[bytes]] = {}
    for text in sorted(texts, key=len, reverse=True):
        by_first.setdefault(text[:1], []).append(re.escape(text[1:]))
    branches = (b"%b(?:%b)" % (re.escape(byte), b"|".join(rest)) for byte, rest in by_first.items())
    return re.compile(b"|".join(branches)) if texts else None


def _is_mixed(secret: bytes) -> bool:
    return secret.lower() != secret.upper() and any(byte in b"0123456789" for byte in secret)


def without_overlap(found: Sequence[Secret]) -> list[Secret]:
    """Return `found` in order; of two that overlap the one that begins first, else the longer."""
    groups: list[list[Secret]] = []
    end = 0
    for secret in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if not groups or secret.start >= end:
            groups.append([secret])
            end = secret.end
        elif secret.end > end:
            groups[-1].append(secret)
            end = secret.end
    return [_joined(group) if len(group) > 1 else group[0] for group in groups]


def with_cuts(found: Sequence[Secret], cuts: Sequence[Secret]) -> list[Secret]:
    """Return `found` and `cuts` in order; a cut takes in what it overlaps, and stays a cut."""
    merged: list[Secret] = []
    whole = set(map(id, cuts))
    for secret in sorted((*cuts, *found), key=lambda secret: secret.start):
        if not merged or secret.start >= merged[-1].end:
            merged.append(secret)
            continue
        kept = secret if id(secret) in whole else merged[-1]
        start, end = merged[-1].start, max(merged[-1].end, secret.end)
        merged[-1] = msgspec.structs.replace(kept, start=start, end=end)
    return merged


def _joined(group: Sequence[Secret]) -> Secret:
    """Return as one the secrets of `group`, each of which begins in the one before."""
    rests = (after.text[before.end - after.start :] for before, after in pairwise(group))
    text = b"".join((group[0].text, *rests))
    return msgspec.structs.replace(group[0], end=group[-1].end, text=text)
