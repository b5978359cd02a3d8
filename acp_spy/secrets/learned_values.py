"""
Values that were once found by their place, and are searched for everywhere from then on.

Not words, numbers or paths: replacing those would wreck the capture. The
name of a secret says more than its place: not every variable and header is one, so of those only
what looks random is learned, and is no model's name.
"""

import re
from collections.abc import Iterable

from acp_spy.secrets.secret import Secret

_MOST = 1000  # each line is searched for each of them

_TOKEN = re.compile(rb"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])[\w.~+=-]{12,512}")
_RANDOM = re.compile(rb"(?<!\w)(?=[A-Za-z_]*+[0-9])(?=[0-9_]*+[A-Za-z])\w{12}")
_BASE64 = re.compile(
    rb"(?!/)(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])(?=(?:[^0-9]*+[0-9]){2})[A-Za-z0-9+/]{20,512}={0,2}"
)
# Any printable ASCII but what a line spells differently; a letter, and a digit or a sign.
_NAMED = re.compile(
    rb"(?=[^A-Za-z]*+[A-Za-z])(?=[\w.,-]*+[^\w.,-]|[^0-9]*+[0-9])[!#-\[\]-~]{8,512}"
)
_PLACE = re.compile(rb"(?:~|\.{1,2})?/[\w.@-]+/|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*://")

# Kinds by place, and kinds by look whose secrets may occur elsewhere without that look.
_SURELY = frozenset(("login", "secret"))
_MAYBE = frozenset(
    (
        *("env", "header", "url-password", "url-token", "url-parameter", "authorization"),
        *("option", "variable", "assignment"),
    )
)


class LearnedValues:
    """The secrets that are looked for, each with its kind."""

    def __init__(self) -> None:
        self.kinds: dict[bytes, str] = {}

    def learn(self, found: Iterable[Secret]) -> None:
        """Keep what of `found` can be searched for elsewhere."""
        for secret in found:
            if len(self.kinds) < _MOST and _is_learnable(secret):
                self.kinds.setdefault(secret.text, secret.kind)

    def in_text(self, text: bytes) -> list[bytes]:
        """Return those that are in `text`."""
        return [secret for secret in self.kinds if secret in text]


def _is_learnable(secret: Secret) -> bool:
    text = secret.text
    if secret.is_named and _NAMED.fullmatch(text) and not _PLACE.match(text):
        return True
    if secret.kind in _SURELY:
        return bool(_TOKEN.fullmatch(text) or _BASE64.fullmatch(text))
    if secret.kind in _MAYBE:
        return bool((_TOKEN.fullmatch(text) and _RANDOM.search(text)) or _BASE64.fullmatch(text))
    return False
