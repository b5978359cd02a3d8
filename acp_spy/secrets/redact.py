"""A whole capture without its secrets, for programs; `acp-spy redact` does the same to files."""

import os
from collections.abc import Iterable

from acp_spy.capture.files import load
from acp_spy.capture.records import Capture, Header
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
    redactor = patterns.redactor()
    for record in (capture.header, *capture.records):
        redactor.learn(record)
    records = (redactor.record(record) for record in capture.records)
    return Capture(
        redactor.header(capture.header),
        tuple(record for record in records if not isinstance(record, Header)),
    )


def _words(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)
