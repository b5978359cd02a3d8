"""From mismatches with a document to remarks: one per mistake, and each names the document."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from acp_spy.dialect.declaration import Dialect
from acp_spy.lint.rule import Remark, Severity
from acp_spy.lint.rules.dialect._words import names, own_words, place_of
from acp_spy.protocol.legal import keys_of
from acp_spy.protocol.mismatch import Mismatch, MismatchKind
from acp_spy.protocol.shapes import Ref
from acp_spy.wire.inert import inert

_OF_KEYS = (MismatchKind.RENAMED_KEY, MismatchKind.MISSING_KEY, MismatchKind.UNKNOWN_KEY)


class _Keys(msgspec.Struct):
    """What is wrong with the keys of one object."""

    renamed: dict[str, str]
    missing: list[Mismatch]
    strange: list[Mismatch]


def remarks(dialect: Dialect, mismatches: Iterable[Mismatch]) -> Iterator[Remark]:
    """Give what is wrong, by the dialect's document."""
    for found in _grouped(mismatches):
        text, hint, severity = (
            _about_keys(dialect, found)
            if found[0].kind in _OF_KEYS
            else (*_about(dialect, found[0]), None)
        )
        yield Remark(
            f"{text}, per {dialect.origin}",
            at=found[0].path,
            hint=hint,
            severity=severity,
        )


def _grouped(mismatches: Iterable[Mismatch]) -> Iterator[list[Mismatch]]:
    """Give what is one mistake: the keys of one object, and what is wrong alike in all items."""
    groups: dict[Any, list[Mismatch]] = {}
    unwrapped: list[str] = []
    for mismatch in mismatches:
        if any(
            mismatch.path == place or mismatch.path.startswith(f"{place}/") for place in unwrapped
        ):
            continue  # the other mismatches there follow from the wrong place
        if mismatch.kind is MismatchKind.MISSING_WRAPPER:
            unwrapped.append(mismatch.path)
        if mismatch.kind in _OF_KEYS:
            groups.setdefault(("keys", _object_of(mismatch)), []).append(mismatch)
        else:
            groups.setdefault((mismatch.kind, mismatch.path), []).append(mismatch)
    seen = set()
    for found in groups.values():
        alike = tuple((b.kind, b.key, b.got, _starred(b.path)) for b in found)
        if alike not in seen:
            seen.add(alike)
            yield found


def _object_of(mismatch: Mismatch) -> str:
    if mismatch.kind is MismatchKind.MISSING_KEY:
        return mismatch.path
    return mismatch.path.rpartition("/")[0]


def _starred(path: str) -> str:
    return "/".join("*" if step.isdigit() else step for step in path.split("/"))


def _about_keys(dialect: Dialect, found: list[Mismatch]) -> tuple[str, str, Severity | None]:
    """Return text, hint and severity for an object whose keys are not those of the document."""
    keys = _sorted(dialect, found)
    if keys.renamed:
        were, expected = names(keys.renamed), names(keys.renamed.values())
        text = f"{were} instead of {expected}"
        if keys.missing:
            lacks = names(b.key for b in keys.missing)
            text += f", and {lacks} {_are(keys.missing)} missing"
        return text, f"send {expected}", None
    strange = names(b.key for b in keys.strange) if keys.strange else ""
    if keys.missing:
        lacks = names(b.key for b in keys.missing)
        text = f"{lacks} {_are(keys.missing)} missing in {place_of(keys.missing[0])}"
        text += f"; readers ignore {strange}" if strange else ""
        wanted = f": {keys.missing[0].expected}" if len(keys.missing) == 1 else ""
        return text, f"add {lacks}{wanted}", None
    keys_are = "is not a key" if len(keys.strange) == 1 else "are not keys"
    near = keys.strange[0].instead
    remove = "remove it" if len(keys.strange) == 1 else "remove them"
    return (
        f"{strange} {keys_are} here",
        f"did you mean `{near}`?" if near else remove,
        Severity.WARNING,
    )


def _sorted(dialect: Dialect, found: list[Mismatch]) -> _Keys:
    """Sort keys by what is wrong with them; an official name is taken for the dialect's own."""
    assert dialect.document is not None
    keys = _Keys({}, [], [])
    own = own_words(dialect)
    for mismatch in found:
        legal = keys_of(dialect.document, Ref(mismatch.shape)) if mismatch.shape else frozenset()
        meant = own.get(mismatch.key, "")
        if mismatch.kind is MismatchKind.RENAMED_KEY:
            keys.renamed[mismatch.key] = mismatch.instead
        elif mismatch.kind is MismatchKind.MISSING_KEY:
            keys.missing.append(mismatch)
        elif meant in legal:
            keys.renamed[mismatch.key] = meant
        else:
            keys.strange.append(mismatch)
    meant_keys = set(keys.renamed.values())
    keys.missing = [mismatch for mismatch in keys.missing if mismatch.key not in meant_keys]
    return keys


def _about(dialect: Dialect, mismatch: Mismatch) -> tuple[str, str]:
    match mismatch.kind:
        case MismatchKind.WRONG_TAG_KEY:
            text = f"{names([mismatch.key])} instead of `{mismatch.instead}`"
            return text, f"send `{mismatch.instead}`"
        case MismatchKind.MISSING_TAG:
            return f"{place_of(mismatch)} has no `{mismatch.key}`", f"add {mismatch.expected}"
        case MismatchKind.MISSING_WRAPPER:
            text = f"the fields of `{mismatch.key}` are directly in {place_of(mismatch)}"
            return text, f"send {mismatch.expected}"
        case _:
            text = f"{place_of(mismatch)} is {inert(mismatch.got)}; expected {mismatch.expected}"
            own = _meant(dialect, mismatch)
            return text, f"send `{own}`" if own else ""


def _meant(dialect: Dialect, mismatch: Mismatch) -> str:
    """Return the dialect's word for an official value, or the nearest that it has."""
    for official, own in own_words(dialect).items():
        if mismatch.got.endswith(f'"{official}"') and f"`{own}`" in mismatch.expected:
            return own
    return mismatch.instead


def _are(keys: Any) -> str:
    return "is" if len(keys) == 1 else "are"
