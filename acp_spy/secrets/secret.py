"""A secret is a stretch of bytes in a line; secrets that overlap become one."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

OF_USER = frozenset(("value", "person"))  # kinds that are asked for as they are


class Secret(msgspec.Struct, frozen=True):
    """
    A secret: its start and end in the line, and its kind.

    `pointer` is its place in the message; empty in what is not JSON. `is_number` when a placeholder
    in letters cannot replace it. `replacement` replaces it, if not a placeholder. `is_continuation`
    when it goes on from a line before, so that nothing needs to replace it. `is_named` when it has
    the name of a secret, whatever its kind. `is_copy` when it is one for nothing but that it is, or
    is a part of, one that is known.
    """

    start: int
    end: int
    kind: str
    pointer: str = ""
    text: bytes = b""
    is_number: bool = False
    replacement: bytes = b""
    is_continuation: bool = False
    is_named: bool = False
    is_copy: bool = False


def secret_at(text: bytes, start: int, end: int, kind: str, *, is_named: bool = False) -> Secret:
    """Return the stretch of `text` from `start` to `end` as a secret."""
    return Secret(start, end, kind, text=text[start:end], is_named=is_named)


def without_overlap(found: Sequence[Secret]) -> list[Secret]:
    """
    Return `found` in order; of two that overlap the one that begins first, else the longer.

    Of two that are the same, a copy says less than what is found by itself.
    """
    if len(found) < 2:
        return list(found)
    groups: list[list[Secret]] = []
    end = 0
    for secret in sorted(found, key=lambda each: (each.start, -each.end, each.is_copy)):
        if not groups or secret.start >= end:
            groups.append([secret])
            end = secret.end
        elif secret.end > end:
            groups[-1].append(secret)
            end = secret.end
    return [_joined(group) if len(group) > 1 else group[0] for group in groups]


def with_replacements(text: bytes, found: Sequence[Secret], replacements: Sequence[bytes]) -> bytes:
    """Return `text` with a replacement for each of `found`, which are in order."""
    parts: list[bytes] = []
    end = 0
    for secret, replacement in zip(found, replacements, strict=True):
        parts += text[end : secret.start], replacement
        end = secret.end
    return b"".join((*parts, text[end:]))


def in_original(
    text: bytes, replaced: Sequence[Secret], found: Iterable[Secret], size: int
) -> list[Secret]:
    """
    Return where in `text` is what was `found` when all of `replaced` had `size` bytes.

    What has one of these in it is left out: all of it is not known to be in `text`.
    """
    gaps: list[tuple[int, int, int]] = []  # start and end of what is between, and how far it is off
    off = before = 0
    for secret in replaced:
        gaps.append((before - off, secret.start - off, off))
        off += secret.end - secret.start - size
        before = secret.end
    gaps.append((before - off, len(text) - off, off))
    return [
        msgspec.structs.replace(each, start=each.start + off, end=each.end + off)
        for each in found
        for start, end, off in gaps
        if start <= each.start and each.end <= end
    ]


def last_overlapping(found: Sequence[Secret], part: Secret) -> Secret | None:
    """Return the last of `found`, in order and without overlap, that overlaps `part`."""
    before = bisect_left(found, part.end, key=lambda secret: secret.start)
    last = found[before - 1] if before else None
    return last if last and last.end > part.start else None


def with_split_secrets(found: Sequence[Secret], cuts: Sequence[Secret]) -> list[Secret]:
    """
    Return `found` and `cuts` in order; a cut takes in what it overlaps, and stays a cut.

    But a name is no more than a part of what is masked as a whole.
    """
    merged: list[Secret] = []
    cuts = [cut for cut in cuts if cut.kind != "person" or not _is_within(cut, found)]
    whole = set(map(id, cuts))
    for secret in sorted((*cuts, *found), key=lambda secret: secret.start):
        if not merged or secret.start >= merged[-1].end:
            merged.append(secret)
            continue
        kept = secret if id(secret) in whole else merged[-1]
        start, end = merged[-1].start, max(merged[-1].end, secret.end)
        merged[-1] = msgspec.structs.replace(kept, start=start, end=end)
    return merged


def _is_within(cut: Secret, found: Sequence[Secret]) -> bool:
    return any(each.start <= cut.start and cut.end <= each.end for each in found)


def _joined(group: Sequence[Secret]) -> Secret:
    """Return as one the secrets of `group`, each of which begins in the one before."""
    rests = (after.text[before.end - after.start :] for before, after in pairwise(group))
    text = b"".join((group[0].text, *rests))
    return msgspec.structs.replace(group[0], end=group[-1].end, text=text)
