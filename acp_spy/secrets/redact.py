"""A whole capture without its secrets, for programs; `acp-spy redact` does the same to files."""

import os
from collections.abc import Iterable

from acp_spy.capture.files import load
from acp_spy.capture.records import Capture
from acp_spy.secrets.patterns import Patterns

Words = str | Iterable[str]


def redact(
    capture: Capture | str | os.PathLike[str],
    *,
    key: Words = (),
    value: Words = (),
    path: Words = (),
    allow: Words = (),
    home: bool = False,
    user: bool = False,
) -> Capture:
    """
    Return a capture, a path or what `load` gave, with placeholders in place of its secrets.

    The options are those of `acp-spy redact`, one word or several: names and JSON Pointers of what
    else is a secret, regular expressions for it and for what only looks like one.
    Raises `AcpSpyError` for a word that is not one of these.
    """
    patterns = Patterns(*map(_words, (key, value, path, allow)), home=home, user=user)
    capture = capture if isinstance(capture, Capture) else load(capture)
    return patterns.redactor().capture(capture)


def _words(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)
