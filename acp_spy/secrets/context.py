"""What must be known of a whole JSON text before its values can be judged."""

import msgspec

from acp_spy.secrets import json_places as places
from acp_spy.secrets.secret_names import is_secret_name
from acp_spy.wire.json_text import leaves, unescaped


class Context(msgspec.Struct, frozen=True):
    """
    The messages by which one signs in, and the settings that go by the name of a secret.

    A setting is known by where its object begins: `{"value": ..., "name": "apiKey"}`.
    """

    sign_ins: frozenset[int | None] = frozenset()
    settings: frozenset[int] = frozenset()


_NOTHING = Context()
_LONGEST = 1024  # bytes of a name, or of a method


def context(raw: bytes, start: int, *, disguised: bool) -> Context:
    """Return what the JSON that begins at `start` tells; `disguised` if not all is spelled out."""
    has_sign = disguised or any(sign in raw for sign in places.SIGN_IN_SIGNS)
    has_value = disguised or b'alue"' in raw or b"alue\\" in raw
    if not has_sign and not has_value:
        return _NOTHING
    sign_ins: set[int | None] = set()
    settings: set[int] = set()
    for leaf in leaves(raw, start):
        if not leaf.is_string or leaf.is_name or not leaf.path:
            continue
        is_setting = leaf.path[-1] in places.NAMING
        if not is_setting and not places.is_method(leaf.path):
            continue
        text = unescaped(raw[leaf.start : leaf.end][:_LONGEST]).decode(errors="replace")
        if is_setting and is_secret_name(text):
            settings.add(leaf.inside)
        elif not is_setting and text in places.SIGN_IN:
            sign_ins.add(places.message_of(leaf.path))
    return Context(frozenset(sign_ins), frozenset(settings))
