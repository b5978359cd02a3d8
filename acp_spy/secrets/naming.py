"""
Whether what stands before a value names a secret: the last word about shapes that have a name.

The expression of such a shape begins near the end of the name, since it is quicker so; the rest of
the name is looked for from there, backwards.
"""

import re

from acp_spy.secrets.secret_names import is_secret_name, takes_secret

_LONGEST = 64
_IN_NAMES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_REST_OF_NAME = re.compile(rb"[\w-]*")
_SPACED = re.compile(rb"\s[=:]\s*$")
_JUMP = re.compile(rb"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_PATH = re.compile(rb"(?:~|\.{1,2})/|/(?:home|Users|root|etc|usr|var|opt|run|tmp|mnt|srv)/")
_IN_URLS = frozenset(("key", "sig", "auth"))


def is_named(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether a match that begins within a name has that of a secret."""
    before = text[max(0, match.start() - _LONGEST) : match.start()]
    rest = _REST_OF_NAME.match(text, match.start(), match.end())
    assert rest is not None
    if _PATH.match(match["secret"]):
        return False  # where it is kept
    name = before[len(before.rstrip(_IN_NAMES)) :] + rest[0]
    return is_secret_name(name.decode(errors="replace"))


def is_assignment(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether a secret's name stands before it, and what is assigned is no piece of a program."""
    if not is_named(text, match):
        return False
    start = match.start("secret")
    if text[start - 1 : start] in (b'"', b"'", b"`"):
        return True
    value = match["secret"]
    if b"." in value:  # `key: ed25519.Ed25519PrivateKey`
        return any(_jumps(part) > 2 for part in value.split(b"."))
    is_spaced = _SPACED.search(text, match.start(), start) is not None
    return not is_spaced or _jumps(value) > 1


def _jumps(value: bytes) -> int:
    """Return how often letters and digits take turns: in a name hardly ever more than once."""
    return len(_JUMP.findall(value))


def is_named_exactly(_: bytes, match: re.Match[bytes]) -> bool:
    """Whether the name that was matched is that of a secret."""
    return is_secret_name(match["name"].decode(errors="replace"))


def is_option(_: bytes, match: re.Match[bytes]) -> bool:
    """Whether the option that was matched takes a secret."""
    return takes_secret(f"--{match['name'].decode(errors='replace')}")


def is_parameter(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether the parameter of a URL that was matched is a secret."""
    name = match["name"].decode(errors="replace").lower()
    is_known = name in _IN_URLS or name.endswith("signature")
    return is_known or is_named_exactly(text, match)
