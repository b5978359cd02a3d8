"""
A `key` that only its section names: `{"Jwt": {"Key": "x"}}`, `jwt:` with `key: x` below, `[jwt]`.

An object may have any `key`. So the section must be one of secrets, and the value look random. In a
section that is called `secrets`, the names may be any: they are often only those of services.
"""

import re
from collections.abc import Iterable, Iterator

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret_names import SectionStrength, section_strength
from acp_spy.secrets.shape import Found
from acp_spy.secrets.values import Certainty, is_value, looks_random

_VALUE = rb"[A-Za-z0-9+/=_.!@#$%^&*~?-]{12,512}+"
# With the value, also in a line in which strings are still escaped.
KEY = (
    rb"[kK](?:ey|EY)(?:\\{0,7}[\"'`]\]?)?[ \t]{0,20}(?:=>|[:=]|(?<=[\"'][ ]))[ \t]{0,4}"
    rb"(?P<quote>\\{0,7}[\"'`])?(?:base64:)?(?P<value>%b)(?=[\s\"'`,;)}\]\\<]|\Z)" % _VALUE
)
_WHOLE_VALUE = expression(_VALUE)
_FARTHEST = 800
_MOST_BRACKETS = 40
_BRACKET = expression(rb"[\[\]{}]")
_HEAD = expression(rb"\[{1,2}[ ]?([\w.: \"'-]{2,60}?)[ ]?\]{1,2}[ \t]*(?:[#;].*)?")
_PARENT = expression(rb"[ \t]*(?:- )?[\"']?([\w.-]{2,60})[\"']?:[ \t]*(?:[&#].*)?")
_LONGEST_NAME = 60
_IN_NAMES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_BASE64 = expression(rb"[A-Za-z0-9+/]{20,}={0,2}")
_UUID = expression(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

SECRETS = (
    rb"(?:^|(?<=\n))(?P<indent>[ \t]{0,40})"
    rb"(?:(?P<table>\[secrets\])|[\"']?secrets[\"']?[ ]?[:=](?:[ ]?\{)?)[ \t]*\r?\n"
)
_LINE = expression(rb"(?P<indent>[ \t]*+)(?P<rest>[^\n]{0,2000}+)\n?")
_ENTRY = expression(
    rb"[ \t]*+[\"']?(?P<name>[\w.-]{1,60}+)[\"']?[ \t]{0,20}[:=][ \t]{0,20}(?P<q>[\"'])?"
    rb"(?P<value>[\w+/=.~!@#$%^&*-]{16,512}+)(?(q)[\"']),?[ \t]*+(?:#[^\n]*+)?(?:\r?\n|\Z)"
)
_MOST_LINES = 1000
_NO_SECRETS = frozenset((b"secure", b"file", b"name", b"id", b"ref", b"path", b"key", b"external"))
_IS_PATH = expression(rb"[/.]")


def find_section_keys(text: bytes, names: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """Give the values of those `names` that are in a section of secrets."""
    for match in names:
        before = text[max(0, match.start() - _FARTHEST) : match.start()].rstrip(b"\"'`\\")
        if before[-1:].isalnum() or before[-1:] in (b"_", b"-"):
            continue
        section = _section_of(before).decode("latin-1")
        if is_key_of(section, match["value"], is_bare=match["quote"] is None):
            yield *match.span("value"), "assignment"


def is_key_of(section: str, value: bytes, *, is_bare: bool = False) -> bool:
    """Whether `value` is a secret, if it is the `key` of a section with this name."""
    strength = section_strength(section)
    value = value.removeprefix(b"base64:")
    if (
        strength is SectionStrength.NONE
        or not _WHOLE_VALUE.fullmatch(value)
        or not is_value(value, Certainty.KEY, is_bare=is_bare)
        or (_UUID.fullmatch(value) and strength is SectionStrength.OF_MANY)
    ):
        return False
    if b"/" in value or b"." in value:  # of a path, unless it is base64
        return _BASE64.fullmatch(value) is not None and looks_random(value)
    return strength is SectionStrength.OF_KEYS or looks_random(value)


def find_in_secrets(text: bytes, head: re.Match[bytes]) -> Iterator[Found]:
    """Give what looks random in the section of `secrets` that `head` begins."""
    at = head.end()
    for _ in range(_MOST_LINES):
        line = _LINE.match(text, at)
        if line is None or not line[0].strip():
            return
        is_deeper = len(line["indent"]) > len(head["indent"])
        if line["rest"][:1] in (b"[", b"}") or not (is_deeper or head["table"]):
            return
        entry = _ENTRY.match(text, at)
        if entry and entry["name"] not in _NO_SECRETS and _is_random(entry["value"]):
            yield *entry.span("value"), "assignment"
        at = line.end()


def _is_random(value: bytes) -> bool:
    return (
        is_value(value, Certainty.KEY, is_bare=True)
        and looks_random(value)
        and not _UUID.fullmatch(value)
        and (_BASE64.fullmatch(value) is not None or not _IS_PATH.search(value))
    )


def _section_of(before: bytes) -> bytes:
    """Return the name of the section that `before` ends in; empty if there is none."""
    if before.endswith((b".", b":")):
        return _name_before(before[:-1])
    opening = _opening_of(before)
    if opening >= 0 and (name := _name_before(before[:opening])):
        return name  # else lines of a text may be in what was printed
    line, *lines = reversed(before.split(b"\n"))
    if line.strip(b" \t-"):
        return b""
    width = len(line)
    for each in lines:
        above = each.rstrip(b"\r")
        if head := _HEAD.fullmatch(above.strip()):
            return head[1]
        indent = len(above) - len(above.lstrip(b" \t-"))
        if indent < width and above.strip() and b"=" not in above:
            parent = _PARENT.fullmatch(above)
            return parent[1] if parent else b""
    return b""


def _name_before(before: bytes) -> bytes:
    """Return the name that `before` ends with, as in `jwt = `, `"jwt": ` and `'jwt' => `."""
    name = before[-2 * _LONGEST_NAME :].rstrip().rstrip(b">=:").rstrip().rstrip(b"]\"'`\\")
    return name[len(name.rstrip(_IN_NAMES)) :][-_LONGEST_NAME:]


def _opening_of(before: bytes) -> int:
    """Return where the bracket is that is open at the end of `before`; -1 if none is."""
    depth = 0
    for bracket in reversed([*_BRACKET.finditer(before)][-_MOST_BRACKETS:]):
        if bracket[0] in b"]}":
            depth += 1
        elif depth:
            depth -= 1
        else:
            return bracket.start()
    return -1
