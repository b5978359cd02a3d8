"""
The output of a terminal in version 2: in base64, since it has colors, and may be cut anywhere.

What it says is searched as any text. Of a piece in which a secret is, nothing is left: half of what
is in base64 could be read by nobody.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence

from acp_spy.secrets.encoded_text import all_decoded
from acp_spy.secrets.secret import Secret, with_replacements
from acp_spy.wire.json_text import Path, leaves, unescaped
from acp_spy.wire.pointer import spell

_DEEPEST = 64  # steps to an output, also in a batch or a chain of proxies


def may_have_output(raw: bytes) -> bool:
    """Whether a line may have the output of such a terminal."""
    return b'"terminal_output_chunk"' in raw or b'"terminal_update"' in raw


def output_in(path: Path, text: bytes) -> bytes:
    """Return what the string at `path` says in base64, if it is an output; else nothing."""
    return (all_decoded(text) or b"") if path[-1:] == ["data"] else b""


def found_in_outputs(raw: bytes, find: Callable[[bytes], Sequence[Secret]]) -> Iterator[Secret]:
    """Give the outputs in a line in which `find` finds something."""
    for leaf in leaves(raw):
        if leaf.is_name or not leaf.is_string or leaf.path[_DEEPEST:]:
            continue
        text = output_in(leaf.path, unescaped(raw[leaf.start : leaf.end]))
        if text and (found := find(text)):
            yield _as_one(text, found, leaf.start, leaf.end, spell(*leaf.path))


def _as_one(text: bytes, found: Sequence[Secret], start: int, end: int, pointer: str) -> Secret:
    """Return an output as a secret; of one that has nothing but names of persons, these."""
    first = next((each for each in found if not each.replacement), None)
    if first is not None:
        return Secret(start, end, first.kind, pointer, first.text, is_named=first.is_named)
    plain = with_replacements(text, found, [each.replacement for each in found])
    kind = found[0].kind
    return Secret(start, end, kind, pointer, text, replacement=b64encode(plain))
