"""Repairs of what a message contains: SCH."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.fixes.fix import Fix, Repair
from acp_spy.protocol.legal import required_of
from acp_spy.protocol.mismatch import Mismatch, MismatchKind
from acp_spy.protocol.shapes import Ref
from acp_spy.protocol.walk import walk
from acp_spy.wire.edit import Add, Edit, Nest, Rename, Replace, applied, quoted
from acp_spy.wire.pointer import items, span
from acp_spy.wire.values import decoded, fields
from acp_spy.wire.values import items as items_of

_RENAMED = (MismatchKind.UNKNOWN_KEY, MismatchKind.RENAMED_KEY, MismatchKind.WRONG_TAG_KEY)
_MOST_EDITS = 1000  # more are in no message that somebody meant
_IN_BACKQUOTES = re.compile(r"`([^`]*)`")
_ITEM = b'{"type": "content", "content": %b}'
_TEXT = b'{"type": "text", "text": %b}'

# Takes a mismatch, where it is; returns what would make it right, if that is certain.
One = Callable[[Step, Facts, Mismatch], Sequence[Edit]]


def _each(rule: str, one: One) -> Repair:
    """Return a repair of all mismatches that `rule` reports."""

    def repair(step: Step, facts: Facts) -> list[Edit] | None:
        found = [
            mismatch
            for mistake in facts.mistakes_of(rule)
            for mismatch in (*mistake.mismatches, *mistake.others)
        ]
        # What is moved has another place afterwards: the rest is found there.
        wrappers = [each for each in found if each.kind is MismatchKind.MISSING_WRAPPER]
        edits = [edit for each in wrappers or found for edit in one(step, facts, each)]
        return _once_each(edits) if 0 < len(edits) <= _MOST_EDITS else None

    return repair


def _once_each(edits: Iterable[Edit]) -> list[Edit]:
    """Leave out a second field that would get the same name in the same object."""
    taken: set[tuple[str, str]] = set()
    kept: list[Edit] = []
    for edit in edits:
        if isinstance(edit, Rename):
            key = edit.path.rpartition("/")[0], edit.name
            if key in taken:
                continue
            taken.add(key)
        kept.append(edit)
    return kept


def _rename(_step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    if mismatch.kind not in _RENAMED or not mismatch.instead:
        return ()
    renamed = Rename(mismatch.path, mismatch.instead)
    if mismatch.kind is not MismatchKind.WRONG_TAG_KEY:
        return (renamed,)
    meant = _IN_BACKQUOTES.findall(mismatch.expected)[-1]
    if _value(facts, mismatch) == meant:
        return (renamed,)
    return Replace(mismatch.path, quoted(meant)), renamed


def _rename_required(step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    is_certain = mismatch.kind is MismatchKind.RENAMED_KEY
    return _rename(step, facts, mismatch) if is_certain else ()


def _nest(_step: Step, _facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    if mismatch.kind is not MismatchKind.MISSING_WRAPPER or not mismatch.inner:
        return ()
    return (Nest(mismatch.path, mismatch.inner, mismatch.key),)


def _wrap_block(_step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    block = facts.texts.get(mismatch.path)
    return (Replace(mismatch.path, _ITEM % block),) if block else ()


def _name_variant(_step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    """Name the only variant that the object can be."""
    if mismatch.kind is not MismatchKind.MISSING_TAG:
        return ()
    value, tag = _value(facts, mismatch), mismatch.key
    names = _IN_BACKQUOTES.findall(mismatch.expected.partition(": ")[2])
    fitting = [
        name for name in names if not walk(facts.spec, mismatch.shape, {tag: name, **fields(value)})
    ]
    return (Add(mismatch.path, tag, quoted(fitting[0])),) if len(fitting) == 1 else ()


def _reshape_content(_step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    value, text = _value(facts, mismatch), facts.texts.get(mismatch.path, b"")
    is_item = mismatch.shape.startswith("ToolCall")
    if isinstance(value, str):
        text = _TEXT % text
        text = _ITEM % text if is_item else text
    elif isinstance(value, list):
        if len(value) != 1 or mismatch.expected == "a list":
            return ()
        text = _inside(text, "/0")
    elif not isinstance(value, dict):
        return ()
    return (Replace(mismatch.path, b"[%b]" % text if mismatch.expected == "a list" else text),)


def _make_object(step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    ways = facts.spec.find(step.method)
    if not ways or required_of(facts.spec, Ref(ways[0].result)):
        return ()
    return (Replace(mismatch.path, b"{}"),)


def _convert_map(_step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    value, text = _value(facts, mismatch), facts.texts.get(mismatch.path, b"")
    if isinstance(value, list):
        if not all(fields(each).keys() == {"name", "value"} for each in value):
            return ()
        if len({str(each["name"]) for each in value}) != len(value):
            return ()
        pairs = [
            b"%b: %b" % (_inside(item, "/name"), _inside(item, "/value"))
            for item in (text[each.start : each.end] for _, each in items(text, 0))
        ]
        return (Replace(mismatch.path, b"{" + b", ".join(pairs) + b"}"),)
    if not isinstance(value, dict):
        return ()
    made: list[bytes] = []
    for name, each in items(text, 0):
        item = text[each.start : each.end]
        if mismatch.key != "mcpServers":
            made.append(b'{"name": %b, "value": %b}' % (quoted(name), item))
        elif "name" in fields(value[name]) or not isinstance(value[name], dict):
            return ()
        else:
            made.append(applied([Add("", "name", quoted(name))], item))
    return (Replace(mismatch.path, b"[" + b", ".join(made) + b"]"),)


def _permission(step: Step, facts: Facts, mismatch: Mismatch) -> Sequence[Edit]:
    match mismatch.kind:
        case MismatchKind.MISSING_WRAPPER:
            return _nest(step, facts, mismatch)
        case MismatchKind.MISSING_TAG:
            return _name_variant(step, facts, mismatch)
        case MismatchKind.RENAMED_KEY | MismatchKind.WRONG_TAG_KEY:
            return _rename(step, facts, mismatch)
    # An option instead of an outcome: its id, or its kind if no other option has it.
    chosen = _option(step, _value(facts, mismatch))
    if not chosen:
        return ()
    selected = b'{"outcome": "selected", "optionId": %b}' % quoted(chosen)
    if mismatch.path == "/result/outcome" and mismatch.kind is MismatchKind.WRONG_TYPE:
        return (Replace(mismatch.path, selected),)
    is_bare = fields(fields(step.body).get("outcome")).keys() == {"outcome"}
    if mismatch.path == "/result/outcome/outcome" and is_bare:
        return (Replace("/result/outcome", selected),)
    return ()


def _option(step: Step, word: Any) -> str:
    """Return the id of the option that a word names."""
    if not isinstance(word, str) or step.exchange is None:
        return ""
    options = [fields(each) for each in items_of(fields(step.exchange.params).get("options"))]
    for name in ("optionId", "kind"):
        meant = [each.get("optionId") for each in options if each.get(name) == word]
        if len(meant) == 1 and isinstance(meant[0], str):
            return meant[0]
    return ""


def _value(facts: Facts, mismatch: Mismatch) -> Any:
    return decoded(facts.texts.get(mismatch.path, b""))


def _inside(text: bytes, path: str) -> bytes:
    found = span(text, path)
    return text[found.start : found.end] if found else b""


_sometimes = partial(Fix, always=False)
FIXES = (
    Fix("SCH005", "The field is renamed.", _each("snake-case-field", _rename)),
    Fix(
        "SCH002",
        "The fields of the update are moved into `update`.",
        _each("missing-update-wrapper", _nest),
    ),
    Fix("SCH001", "The field is renamed.", _each("wrong-discriminator", _rename)),
    _sometimes(
        "SCH006",
        "If the official field is required and missing, the field is renamed.",
        _each("misnamed-field", _rename_required),
    ),
    _sometimes(
        "SCH020",
        "If it is clear which fields belong there, they are moved into the nested object.",
        _each("flattened-object", _nest),
    ),
    Fix(
        "SCH019",
        "The block is wrapped in an item of type `content`.",
        _each("unwrapped-tool-content", _wrap_block),
    ),
    _sometimes(
        "SCH018",
        "A string becomes a text block, a block a list of one, and a list of one block that block.",
        _each("malformed-content", _reshape_content),
    ),
    _sometimes(
        "SCH004",
        "If the object can be of one variant only, the field is added.",
        _each("missing-discriminator", _name_variant),
    ),
    _sometimes(
        "SCH016",
        "If the result has no required fields, it becomes `{}`.",
        _each("null-result", _make_object),
    ),
    _sometimes(
        "SCH015",
        "If it names an option that was offered, or `cancelled`, the outcome gets its shape.",
        _each("malformed-permission-response", _permission),
    ),
    _sometimes(
        "SCH017",
        "A map becomes a list, and a list of names and values a map.",
        _each("map-instead-of-list", _convert_map),
    ),
)
