"""
What replaces a secret: `redacted-github-token-1`. The same secret gets the same placeholder.

Placeholders are numbered in the order in which the secrets are met. So the same capture gives the
same result at every run, without a key that would have to be kept somewhere; and a placeholder
reveals nothing of its secret. A hash would: with a list of likely passwords each could be tried.
"""

import re

from acp_spy.secrets.expressions import expression

# A kind has few words, and short ones. Without a limit `redacted-redacted-...` would take for ever.
PLACEHOLDER = expression(rb"redacted-[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,4}-[0-9]{1,20}")
_LONGEST = 140  # characters of a placeholder
ANY_PLACEHOLDER = b"redacted-secret-0"  # to search what is around it
# What people and other tools write where a secret has been, or is yet to be put. A variable is in
# capitals, since `$ecret1` is a password; a name in single braces is one letter by letter.
_BLANK = expression(
    r"""(?:[-*._\#?\s]|•|●|…|·|█)*                  # ****, ..., nothing
    | [<\[{(*]*(?i:redacted)[>\]})*]*
    | \$[A-Z_][A-Z0-9_]* | \$\{[^{}]*\} | \{\{[^{}]*\}\} | \{[A-Za-z_]+\}
    | %s | %\([A-Za-z_]+\)s | <[^<>]*> | ([xX*])\1+ """.encode(),
    re.VERBOSE,
)


class Placeholders:
    """Gives out placeholders, and remembers for which secret."""

    def __init__(self) -> None:
        self._given: dict[bytes, bytes] = {}
        self._last: dict[str, int] = {}

    def placeholder(self, secret: bytes, kind: str) -> bytes:
        """Return what replaces `secret`; `kind` names it when it is met for the first time."""
        if secret not in self._given:
            self._last[kind] = self._last.get(kind, 0) + 1
            self._given[secret] = f"redacted-{kind}-{self._last[kind]}".encode()
        return self._given[secret]

    def in_words(self, words: str) -> str:
        """Return `words` without a secret that has a placeholder, whatever its case is."""
        for secret, given in self._given.items():
            whole = re.escape(secret.decode(errors="replace"))
            words = re.sub(rf"(?<!\w){whole}(?!\w)", given.decode(), words, flags=re.IGNORECASE)
        return words

    def reserve(self, raw: bytes) -> None:
        """Never give out again what is already in `raw`, redacted by an earlier run."""
        for found in PLACEHOLDER.findall(raw):
            kind, _, number = found[len(b"redacted-") :].decode().rpartition("-")
            self._last[kind] = max(self._last.get(kind, 0), int(number[:9]))


def without_placeholders(text: str) -> str:
    """Return a text without our placeholders: their kinds may be the words of a question."""
    if "redacted-" not in text:
        return text
    raw = text.encode(errors="surrogatepass")
    return PLACEHOLDER.sub(b"x", raw).decode(errors="surrogatepass")


def is_placeholder(value: bytes) -> bool:
    """Whether `value` is a placeholder, ours or that of another tool."""
    return is_our_placeholder(value) or bool(_BLANK.fullmatch(value))


def is_our_placeholder(value: bytes) -> bool:
    """Whether `value` is empty or a placeholder: what stays though the user has asked for it."""
    return not value or bool(PLACEHOLDER.fullmatch(value))


def is_in_placeholder(text: bytes, start: int, end: int) -> bool:
    """Whether what is from `start` to `end` of `text` is one of our placeholders, or within one."""
    before = b"redacted-"
    at = text.rfind(before, max(0, start - _LONGEST), start + len(before))
    found = PLACEHOLDER.match(text, at) if at >= 0 else None
    return found is not None and end <= found.end()
