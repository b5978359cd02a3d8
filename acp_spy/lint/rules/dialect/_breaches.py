"""From breaches of a document to remarks: one for each mistake, and each names the document."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from acp_spy.dialect.model import Dialect
from acp_spy.lint.model import Remark, Severity
from acp_spy.lint.rules.dialect._words import names, own_words, place_of
from acp_spy.protocol.breach import Breach, BreachKind
from acp_spy.protocol.legal import keys_of
from acp_spy.protocol.shapes import Ref
from acp_spy.wire.inert import inert

_OF_KEYS = (BreachKind.RENAMED_KEY, BreachKind.MISSING_KEY, BreachKind.UNKNOWN_KEY)


class _Keys(msgspec.Struct):
    """What is wrong with the keys of one object."""

    renamed: dict[str, str]
    missing: list[Breach]
    strange: list[Breach]


def remarks(dialect: Dialect, breaches: Iterable[Breach]) -> Iterator[Remark]:
    """Give what is wrong, by the dialect's document."""
    for found in _grouped(breaches):
        text, hint, severity = (
            _about_keys(dialect, found)
            if found[0].kind in _OF_KEYS
            else (*_about(dialect, found[0]), None)
        )
        yield Remark(
            f"{text}, according to {dialect.origin}",
            at=found[0].path,
            hint=hint,
            severity=severity,
        )


def _grouped(breaches: Iterable[Breach]) -> Iterator[list[Breach]]:
    """Give what is one mistake: the keys of one object, and what is wrong alike in all items."""
    groups: dict[Any, list[Breach]] = {}
    unwrapped: list[str] = []
    for breach in breaches:
        if any(breach.path == place or breach.path.startswith(f"{place}/") for place in unwrapped):
            continue  # what else is wrong there comes of its standing in the wrong place
        if breach.kind is BreachKind.MISSING_WRAPPER:
            unwrapped.append(breach.path)
        if breach.kind in _OF_KEYS:
            groups.setdefault(("keys", _object_of(breach)), []).append(breach)
        else:
            groups.setdefault((breach.kind, breach.path), []).append(breach)
    seen = set()
    for found in groups.values():
        alike = tuple((b.kind, b.key, b.got, _starred(b.path)) for b in found)
        if alike not in seen:
            seen.add(alike)
            yield found


def _object_of(breach: Breach) -> str:
    if breach.kind is BreachKind.MISSING_KEY:
        return breach.path
    return breach.path.rpartition("/")[0]


def _starred(path: str) -> str:
    return "/".join("*" if step.isdigit() else step for step in path.split("/"))


def _about_keys(dialect: Dialect, found: list[Breach]) -> tuple[str, str, Severity | None]:
    """Return what to say of an object whose keys are not those of the document."""
    keys = _sorted(dialect, found)
    if keys.renamed:
        were, expected = names(keys.renamed), names(keys.renamed.values())
        text = f"{were} where {expected} {_are(keys.renamed)} expected"
        if keys.missing:
            text += f", and {names(b.key for b in keys.missing)} missing"
        return text, f"rename: send {expected}", None
    strange = names(b.key for b in keys.strange) if keys.strange else ""
    if keys.missing:
        lacks = names(b.key for b in keys.missing)
        text = f"{lacks} {_are(keys.missing)} missing in {place_of(keys.missing[0])}"
        text += f"; {strange} {_are(keys.strange)} not read" if strange else ""
        wanted = f": {keys.missing[0].expected}" if len(keys.missing) == 1 else ""
        return text, f"add {lacks}{wanted}", None
    no_key = "is no key" if len(keys.strange) == 1 else "are no keys"
    near = keys.strange[0].instead
    return (
        f"{strange} {no_key} here",
        f"did you mean `{near}`?" if near else "leave it out",
        Severity.WARNING,
    )


def _sorted(dialect: Dialect, found: list[Breach]) -> _Keys:
    """Sort keys by what is wrong with them; an official name stands for the dialect's own."""
    assert dialect.document is not None
    keys = _Keys({}, [], [])
    own = own_words(dialect)
    for breach in found:
        legal = keys_of(dialect.document, Ref(breach.shape)) if breach.shape else frozenset()
        meant = own.get(breach.key, "")
        if breach.kind is BreachKind.RENAMED_KEY:
            keys.renamed[breach.key] = breach.instead
        elif breach.kind is BreachKind.MISSING_KEY:
            keys.missing.append(breach)
        elif meant in legal:
            keys.renamed[breach.key] = meant
        else:
            keys.strange.append(breach)
    meant_keys = set(keys.renamed.values())
    keys.missing = [breach for breach in keys.missing if breach.key not in meant_keys]
    return keys


def _about(dialect: Dialect, breach: Breach) -> tuple[str, str]:
    match breach.kind:
        case BreachKind.WRONG_TAG_KEY:
            text = f"{names([breach.key])} where `{breach.instead}` is expected"
            return text, f"rename: send `{breach.instead}`"
        case BreachKind.MISSING_TAG:
            return f"{place_of(breach)} has no `{breach.key}`", f"add {breach.expected}"
        case BreachKind.MISSING_WRAPPER:
            text = f"what belongs into `{breach.key}` stands directly in {place_of(breach)}"
            return text, f"send {breach.expected}"
        case _:
            text = f"{place_of(breach)} is {inert(breach.got)}; expected {breach.expected}"
            own = _meant(dialect, breach)
            return text, f"send `{own}`" if own else ""


def _meant(dialect: Dialect, breach: Breach) -> str:
    """Return the dialect's word for an official value, or the nearest that it has."""
    for official, own in own_words(dialect).items():
        if breach.got.endswith(f'"{official}"') and f"`{own}`" in breach.expected:
            return own
    return breach.instead


def _are(keys: Any) -> str:
    return "is" if len(keys) == 1 else "are"
