"""
The strings, numbers and names of a JSON text, each with its path and its place in the bytes.

What is not quite JSON is read as far as it goes: a frame may be torn, or glued to a log line, or
hold a name twice; a secret in it is one all the same.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

import msgspec

# Possessive: a string of megabytes is passed at one go. The closing quote may be torn off.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]|[^\s{}\[\]",:]++', re.DOTALL)
# Settings files have comments. What is after a colon is the rest of a URL that is in no string. A
# pair in a comment is read: who looks for its name looks for it there, too.
_TOKEN_OR_COMMENT = re.compile(
    rb"(?<![:\w])(?P<comment>//(?![^\n\"]{0,80}\"[^\"\n]{0,80}\"[ \t]*:)[^\n]*+"
    rb"|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))|" + _TOKEN.pattern,
    re.DOTALL,
)
STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)  # what stands between its quotes
_ESCAPE = re.compile(
    rb"\\u([dD][89aAbB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)",
    re.DOTALL,
)
_SHORT = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_STARTS_NAME = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$")
_decode_string = msgspec.json.Decoder(str).decode
_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode

# A line with which JSON may begin within a string: in a file that was read, in a fence, with the
# number of the line before it. What is passed over after the first bracket has no line with which
# JSON may begin, or it would be passed over again from there: so no sign after a number is a
# bracket, a quote or the slash of a comment.
_BEGINS_JSON = re.compile(
    rb"^[ \t]*+(?:[0-9]+ ?[^\w\s/]*[ \t]*+)?[\[{]"
    rb"(?:\s*+[0-9]+(?:\t| ?[^\w\s/\"{\[]{1,3})|\s++|//[^\n]*+\n)*+[\"{\[]",
    re.MULTILINE,
)
_FENCE = re.compile(rb"^[ \t]*+(?:[0-9]+ ?[^\w\s`]*[ \t]*+)?`{3}", re.MULTILINE)
# From the first backslash on: from each of many, it would be the square.
_ESCAPED_ASCII = re.compile(rb"(?<!\\)\\++(?:u00([2-7][0-9a-fA-F])|(/))")

Path = list[str | int]
Opens = Callable[[Path, str], str]


class Leaf(msgspec.Struct, gc=False):
    """
    A string, a number, a word, or a name: where its content stands, without the quotes.

    `path` is shared with the walk and changes as it goes on. `inside` is where the object or array
    begins that it stands in, `above` where the one around that begins, and `below` what was said
    of `inside`.
    """

    path: Path
    start: int
    end: int
    is_string: bool
    is_name: bool = False
    inside: int = -1
    below: str = ""
    above: int = -1


def leaves(text: bytes, start: int = 0, opens: Opens | None = None) -> Iterator[Leaf]:
    """
    Give the leaves of the JSON that begins at `start`, in order; their paths begin there.

    `opens` is asked about each object and array, by its path and what was said of the one that it
    stands in; what it says holds for all below.
    """
    path: Path = []
    in_object: list[bool] = []
    inside = [-1, -1]
    below = [""]
    wants_name = False
    for token in _tokens(text, start, len(text), has_comments=_may_have_comments(text)):
        start, end = token.span()
        first = text[start]
        if first in b"{[":
            wants_name = first == 0x7B
            inside.append(start)
            below.append(opens(path, below[-1]) if opens else "")
            path.append("" if wants_name else 0)
            in_object.append(wants_name)
            continue
        if first in b"}]":
            if not path:
                continue
            path.pop()
            in_object.pop()
            inside.pop()
            below.pop()
        else:
            is_string = first == 0x22
            if is_string:
                start += 1
                if end > start and text[end - 1] == 0x22:
                    end -= 1
            elif wants_name and first not in _STARTS_NAME:
                continue  # the number of a line; no name begins so
            if wants_name:
                wants_name = False
                path[-1] = unescaped(text[start:end]).decode(errors="replace")
                yield Leaf(path, start, end, is_string, True, inside[-1], below[-1], inside[-2])
                continue
            yield Leaf(path, start, end, is_string, False, inside[-1], below[-1], inside[-2])
        wants_name = bool(in_object) and in_object[-1]
        if in_object and not wants_name:
            path[-1] = int(path[-1]) + 1


def _may_have_comments(text: bytes) -> bool:
    """Whether there may be comments. In a text of one line, `//` is hardly the start of one."""
    return (b"//" in text or b"/*" in text) and b"\n" in text[:-1]


def _tokens(text: bytes, start: int, end: int, *, has_comments: bool) -> Iterator[re.Match[bytes]]:
    """Give the strings, brackets and words."""
    if not has_comments:
        return _TOKEN.finditer(text, start, end)
    found = _TOKEN_OR_COMMENT.finditer(text, start, end)
    return (token for token in found if token.lastgroup is None)


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def is_json(text: bytes) -> bool:
    """Whether all of `text` is one JSON value; one with half of an emoji is, to most readers."""
    try:
        _decode_raw(text)
    except msgspec.DecodeError:
        plain = _SURROGATE.sub(rb"\\u0020", text)
        return plain != text and is_json(plain)
    except RecursionError:
        return False
    return True


def starts(text: bytes) -> list[int]:
    """
    Return where in a line that is no JSON some may begin.

    Each is tried: in `[12:30:01 {"a":1}` it is not the first bracket, in `["a",{"a":1},` not the
    first brace, and a quotation mark before them may be that of a string, or of a sentence. One
    whose quotes are escaped is in a string.
    """
    found = {text.find(sign) for sign in (b"{", b"[", b'"')} - {-1}
    return sorted(at for at in found if not text.endswith(b"\\", 0, max(0, text.find(b'"', at))))


def json_within(text: bytes) -> Iterator[tuple[int, int]]:
    """
    Give where in what a string says JSON may be again: the start and the end of each.

    It ends with the line in which its last bracket is closed, or at a fence: what follows is prose,
    or a program, and its quotes and braces mean something else.
    """
    if text[:1] in (b'"', b"{", b"[") and is_json(text):
        yield 0, len(text)
        return
    found = _BEGINS_JSON.search(text)
    if found is None:
        return
    has_comments = _may_have_comments(text)
    fences = [*(fence.start() for fence in _FENCE.finditer(text)), len(text)]
    while found is not None:
        start = found.start()
        limit = fences[bisect_right(fences, start)]
        end = _end_of_json(text, start, limit, has_comments=has_comments)
        yield start, end
        found = _BEGINS_JSON.search(text, end)


def _end_of_json(text: bytes, start: int, limit: int, *, has_comments: bool) -> int:
    depth = 0
    end = start
    for token in _tokens(text, start, limit, has_comments=has_comments):
        at = token.start()
        if not depth and b"\n" in text[end:at]:
            return end
        end = token.end()
        first = text[at]
        if first in b"{[":
            depth += 1
        elif depth and first in b"}]":
            depth -= 1
    return limit


def spelled_plainly(text: bytes) -> bytes:
    """Return `text` with all its escaped ASCII as letters, however deep: to be searched only."""
    return _ESCAPED_ASCII.sub(_letter, text)


def unescaped(content: bytes) -> bytes:
    """Return what stands between the quotes of a JSON string as text, in UTF-8."""
    if b"\\" not in content:
        return content
    try:
        return _decode_string(b'"' + content + b'"').encode()
    except (msgspec.DecodeError, UnicodeError):
        return _ESCAPE.sub(_meaning, content)


def places_in(content: bytes, places: list[int]) -> list[int]:
    """Return where in `content` stands what is at `places`, ascending, in its unescaped text."""
    found: list[int] = []
    shift = 0  # how much longer the text is than its meaning, up to here
    escapes = _ESCAPE.finditer(content)
    escape = next(escapes, None)
    for place in places:
        while escape and escape.start() - shift < place:
            shift += len(escape[0]) - len(_meaning(escape))
            escape = next(escapes, None)
        found.append(place + shift)
    return found


def _letter(escape: re.Match[bytes]) -> bytes:
    return escape[2] or bytes.fromhex(escape[1].decode())


def _meaning(escape: re.Match[bytes]) -> bytes:
    high, low, unit, short = escape.groups()
    if short is not None:
        return _SHORT.get(short, short)
    if unit is not None:
        return chr(int(unit, 16)).encode(errors="surrogatepass")
    return chr(0x10000 + (int(high, 16) - 0xD800) * 0x400 + int(low, 16) - 0xDC00).encode()
