"""
Put an entry into settings, and take it out, without touching anything else.

Everything here is text in, text out. A new entry goes first in its object: there is no comma to be
fixed, and no comment that could come to belong to it. What comes out is read again, and must mean
what went in, and the change; if it does not, nothing comes out.
"""

import json
import re
from typing import Any

from acp_spy.editors.jsonc import Member, NotJson, Value, read, skip
from acp_spy.wire.inert import inert_json

_BLANK_TO_END = re.compile(r"(?:[ \t]+|/\*.*?\*/)*(?://[^\r\n]*)?", re.DOTALL)
_INDENT = "  "


class CannotEdit(Exception):  # noqa: N818 - as it reads in a message
    """Why the settings are left alone."""


def put(text: str, keys: tuple[str, ...], name: str, entry: Any) -> str:
    """Return settings with `entry` called `name` in the object that `keys` lead to."""
    if not text.strip():
        return _json(_nested((*keys, name), entry), "  ") + "\n"
    root = _root(text)
    place, missing = root, (*keys, name)
    while len(missing) > 1 and (member := _find(place, missing[0])):
        if member.value.members is None:
            raise CannotEdit(f"`{missing[0]}` is not an object")
        place, missing = member.value, missing[1:]
    found = _find(place, missing[0])
    if found and found.value.plain == entry:
        return text
    if found and found.value.members is not None and isinstance(entry, dict):
        changed = _with_fields(text, (*keys, name), entry)
    elif found:
        changed = _with_value(text, found, entry)
    else:
        changed = _insert(text, place, missing[0], _nested(missing[1:], entry))
    wanted = _merged(root.plain, (*keys, name), entry)
    return _sure(changed, wanted)


def remove(text: str, keys: tuple[str, ...], name: str) -> str:
    """Return settings without `name`; objects that would stay behind empty go with it."""
    root = _root(text)
    path: list[tuple[Value, Member]] = []
    place = root
    for key in (*keys, name):
        member = _find(place, key)
        if member is None:
            return text
        path.append((place, member))
        place = member.value
    while len(path) > 1 and _is_alone(text, *path[-1]):
        path.pop()
    wanted = _without(root.plain, tuple(member.key for _, member in path))
    return _sure(_cut(text, *path[-1]), wanted)


def entry_in(text: str, keys: tuple[str, ...], name: str) -> Any:
    """Return the entry called `name`, or `None`."""
    plain: Any = _root(text).plain if text.strip() else {}
    for key in (*keys, name):
        plain = plain.get(key) if isinstance(plain, dict) else None
    return plain


def _root(text: str) -> Value:
    try:
        root = read(text)
    except NotJson as error:
        raise CannotEdit(str(error)) from None
    if root.members is None:
        raise CannotEdit("it is not a JSON object")
    return root


def _find(place: Value, key: str) -> Member | None:
    found = [member for member in place.members or () if member.key == key]
    if len(found) > 1:
        raise CannotEdit(f"the key `{key}` occurs {len(found)} times")
    return found[0] if found else None


def _is_alone(text: str, place: Value, member: Member) -> bool:
    """Whether there is nothing else in an object, comments included."""
    around = text[place.start + 1 : member.start] + text[member.value.end : place.end - 1]
    return around.strip(" \t\r\n,") == ""


def _insert(text: str, place: Value, key: str, value: Any) -> str:
    members = place.members
    label = _json(key) + ": "
    end_of_line = _newline(text)
    outer = _indent_at(text, place.end - 1)
    if members and not _begins_line(text, members[0].start):  # all in one line
        at = members[0].start
        return f"{text[:at]}{label}{_json(value)}, {text[at:]}"
    inner = _indent_at(text, members[0].start) if members else outer + _unit(text)
    line = f"{end_of_line}{inner}{label}{_spelled(text, value, inner)}"
    if members:
        rest = _BLANK_TO_END.match(text, place.start + 1)
        assert rest is not None
        return f"{text[: rest.end()]}{line},{text[rest.end() :]}"
    inside = text[place.start + 1 : place.end - 1].rstrip()
    kept = text[: place.start + 1] + inside
    return f"{kept}{line}{end_of_line}{outer}{text[place.end - 1 :]}"


def _with_fields(text: str, path: tuple[str, ...], entry: dict[str, Any]) -> str:
    """Return `text` where the object at `path` means `entry`; what is equal is not touched."""
    former = _object_at(text, path).plain
    for key in {**former, **entry}:
        if key in former and key in entry and former[key] == entry[key]:
            continue
        place = _object_at(text, path)  # again, for the text has changed
        member = _find(place, key)
        if member is None:
            text = _insert(text, place, key, entry[key])
        elif key not in entry:
            text = _cut(text, place, member)
        else:
            text = _with_value(text, member, entry[key])
    return text


def _object_at(text: str, path: tuple[str, ...]) -> Value:
    place = _root(text)
    for key in path:
        member = _find(place, key)
        assert member is not None
        place = member.value
    return place


def _with_value(text: str, member: Member, value: Any) -> str:
    """Return `text` with another value of `member`."""
    old = member.value
    if old.items is not None and isinstance(value, list):
        changed = _with_other_start(text, old.start + 1, old.items, value)
        if changed is not None:
            return changed
    is_nested = old.items is not None or old.members is not None
    if is_nested and "\n" not in text[old.start : old.end]:
        spelled = _json(value)
    else:
        spelled = _spelled(text, value, _indent_at(text, member.start))
    return text[: old.start] + spelled + text[old.end :]


def _with_other_start(text: str, inside: int, old: list[Value], new: list[Any]) -> str | None:
    """Return `text` where the first items of a list come or go; `None` if others differ, too."""
    plain = [item.plain for item in old]
    more = len(new) - len(old)
    if more > 0 and new[more:] == plain:
        at = old[0].start if old else inside
        starts_line = bool(old) and _begins_line(text, at)
        gap = f",{_newline(text)}{_indent_at(text, at)}" if starts_line else ", "
        added = gap.join(_json(item) for item in new[:more])
        return f"{text[:at]}{added}{gap if old else ''}{text[at:]}"
    if new and more < 0 and plain[-more:] == new:
        return text[: old[0].start] + text[old[-more].start :]
    return None


def _cut(text: str, place: Value, member: Member) -> str:
    """Return `text` without `member`, its line and its comma."""
    members = place.members or []
    index = members.index(member)
    start, end = member.start, member.value.end
    comma = skip(text, end)
    followed = text[comma : comma + 1] == ","
    if followed:
        end = comma + 1
    if _begins_line(text, start):
        start = len(text[:start].rstrip(" \t"))
        start -= len("\r\n") if text[:start].endswith("\r\n") else len("\n") if start else 0
    elif index + 1 < len(members):
        end = skip_spaces(text, end)
    before, after = text[:start], text[end:]
    if not followed and index:  # the comma before the last separates nothing any more
        gap = members[index - 1].value.end
        at = skip(text, gap)
        before = text[:at] + text[at + 1 : start]
    if len(members) == 1 and not (before[place.start + 1 :] + after[: place.end - 1 - end]).strip():
        return before[: place.start + 1] + text[place.end - 1 :]
    return before + after


def skip_spaces(text: str, at: int) -> int:
    """Return where the blanks at `at` end, in this line."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _spelled(text: str, value: Any, indent: str) -> str:
    spelled = _json(value, _unit(text))
    return spelled.replace("\n", _newline(text) + indent)


def _json(value: Any, indent: str | None = None) -> str:
    """Return `value` as JSON in which nothing hides: a person reads these settings."""
    return inert_json(json.dumps(value, indent=indent, ensure_ascii=False))


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """Return one step of indentation, as these settings have it."""
    members = read(text).members
    return (_indent_at(text, members[0].start) if members else "") or _INDENT


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    start = text.rfind("\n", 0, at) + 1
    return start > 0 and not text[start:at].strip()


def _nested(keys: tuple[str, ...], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _merged(plain: dict[str, Any], keys: tuple[str, ...], entry: Any) -> dict[str, Any]:
    key, *rest = keys
    return {**plain, key: _merged(plain.get(key, {}), tuple(rest), entry) if rest else entry}


def _without(plain: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    key, *rest = keys
    if rest:
        return {**plain, key: _without(plain[key], tuple(rest))}
    return {name: value for name, value in plain.items() if name != key}


def _sure(text: str, wanted: Any) -> str:
    try:
        found = read(text).plain
    except NotJson:
        found = None
    if found != wanted:
        raise CannotEdit("acp-spy cannot edit it safely")
    return text
