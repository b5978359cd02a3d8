"""The legal name that is most like an unknown one."""

import difflib
import functools
from collections.abc import Collection

from acp_spy.protocol.synonyms import KEYS, VALUES

# Comparing letter by letter is slow, and a name longer than this is not a typo.
LONGEST_NAME = 40
LIKE_ENOUGH = 0.75


@functools.lru_cache(4096)
def squash(name: str) -> str:
    """Return `name` without its case, dashes and underscores: `session_id` is `sessionId`."""
    return "".join(letter for letter in name[: 2 * LONGEST_NAME].lower() if letter.isalnum())


@functools.lru_cache(4096)
def nearest(name: str, legal: tuple[str, ...]) -> str:
    """Return the legal name that is most like `name`, or an empty string."""
    if len(name) > LONGEST_NAME:
        return ""
    plain = squash(name)
    if not plain:
        return ""
    by_plain = {squash(word): word for word in legal}
    if plain in by_plain:
        return by_plain[plain]
    close = difflib.get_close_matches(plain, by_plain, n=1, cutoff=LIKE_ENOUGH)
    return by_plain[close[0]] if close else ""


def key_for(found: str, legal: tuple[str, ...]) -> str:
    """Return the legal field that the field `found` probably means, or an empty string."""
    plain = squash(found)
    for official in legal:
        if official in KEYS and plain in _squashed_keys(official):
            return official
    return nearest(found, legal)


def value_for(found: str, legal: Collection[str], shape: str) -> str:
    """Return the legal value that `found` probably means in that shape, or an empty string."""
    official = VALUES.get(shape, {}).get(found, "")
    return official if official in legal else nearest(found, tuple(legal))


def same_value(found: str, legal: Collection[str], shape: str) -> str:
    """Return the legal value that `found` is a synonym or spelling of, or an empty string."""
    if len(found) > LONGEST_NAME:
        return ""
    if found in legal:
        return found
    official = VALUES.get(shape, {}).get(found, "")
    if official in legal:
        return official
    plain = squash(found)
    return next((value for value in legal if squash(value) == plain), "") if plain else ""


def is_spelling_of(found: str, official: str) -> bool:
    """Return whether `found` is `official` except for case, dashes and underscores."""
    return squash(found) == squash(official)


def is_word_for(found: str, official: str) -> bool:
    """Return whether `found` is a known synonym of the field `official`."""
    return squash(found) in _squashed_keys(official)


def is_close_to(found: str, official: str) -> bool:
    """Return whether `found` is probably a typo of `official`."""
    return nearest(found, (official,)) == official


@functools.cache
def _squashed_keys(official: str) -> frozenset[str]:
    return frozenset(map(squash, KEYS.get(official, ())))
