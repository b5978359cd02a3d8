"""JSON that was cut off in the middle, closed so that what is left of it can be read."""

import re

import msgspec

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+["\\]?|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)
_WHOLE_CHARACTERS = re.compile(r'"(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+')
_LONE_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}$")
_CLOSING = {"{": "}", "[": "]"}


def repair(text: str) -> bytes:
    """Return `text`, the beginning of a JSON value, as JSON; nothing if it cannot be saved."""
    open_now: list[str] = []
    # Where the text could have ended, with its last token there: the last such place.
    end, last = 0, ""
    wants_value = True  # in an object: what comes next is no name
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        whole, here = token[0], token.end()
        if first in "{[":
            open_now.append(first)
            wants_value = first == "["
        elif first in "}]":
            if not open_now or _CLOSING[open_now.pop()] != first:
                return b""
        elif first == ",":
            wants_value = bool(open_now) and open_now[-1] == "["
            continue
        elif first == ":":
            wants_value = True
            continue
        elif not wants_value:
            continue  # a name, and no value yet
        elif here == len(text):
            whole = _close_scalar(whole)
            if not whole:
                break
        end, last = token.start(), whole
    # No bracket came after that place, so that those are open that were open there.
    brackets = "".join(_CLOSING[each] for each in reversed(open_now))
    repaired = (text[:end] + last + brackets).encode(errors="replace")
    return repaired if _is_json(repaired) else b""


def _close_scalar(token: str) -> str:
    """Return the last token of a cut text if it is sure, a string as far as it goes."""
    if not token.startswith('"'):
        return token if token in ("true", "false", "null") else ""
    if _is_json(token.encode(errors="replace")):
        return token
    whole = _WHOLE_CHARACTERS.match(token)
    return _LONE_SURROGATE.sub("", whole[0] if whole else '"') + '"'


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return True
