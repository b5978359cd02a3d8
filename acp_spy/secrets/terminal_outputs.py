"""
The output of a terminal in version 2: in base64, since it has colors, and may be cut anywhere.

What it says is searched as any text. Of a piece in which something is found, nothing is left: what
else is in it would have to be encoded again, and what another message shows could not be found.
"""

from collections.abc import Iterator, Sequence

import msgspec

from acp_spy.secrets.encoded_text import all_decoded
from acp_spy.secrets.secret import Secret
from acp_spy.wire.json_text import Path, leaves, unescaped
from acp_spy.wire.pointer import spell

_DEEPEST = 64  # steps to an output, also in a batch or a chain of proxies
_ENCODED = "base64"  # as any text may have it: what is read here needs no such search


class Output(msgspec.Struct, frozen=True):
    """What a terminal has printed, and where its base64 is in a line."""

    start: int
    end: int
    pointer: str
    text: bytes

    def as_secret(self, found: Sequence[Secret]) -> Secret:
        """Return all of it as a secret; copies of what was `found` in it get the placeholder."""
        first = next((each for each in found if not each.replacement), None)
        if first is None:  # names of persons
            return Secret(self.start, self.end, found[0].kind, self.pointer, self.text)
        named = first.is_named
        return Secret(self.start, self.end, first.kind, self.pointer, first.text, is_named=named)

    def without_copies(self, found: Sequence[Secret]) -> list[Secret]:
        """Return what was `found` in the line, but for what was found in this by another way."""
        return [
            each
            for each in found
            if each.kind != _ENCODED or not (self.start <= each.start and each.end <= self.end)
        ]


def may_have_output(raw: bytes) -> bool:
    """Whether a line may have the output of such a terminal."""
    return b'"terminal_output_chunk"' in raw or b'"terminal_update"' in raw


def output_in(path: Path, text: bytes) -> bytes:
    """Return what the string at `path` says in base64, if it is an output; else nothing."""
    return (all_decoded(text) or b"") if path[-1:] == ["data"] else b""


def outputs_in(raw: bytes) -> Iterator[Output]:
    """Give the outputs in a line."""
    for leaf in leaves(raw):
        if leaf.is_name or not leaf.is_string or leaf.path[_DEEPEST:]:
            continue
        if text := output_in(leaf.path, unescaped(raw[leaf.start : leaf.end])):
            yield Output(leaf.start, leaf.end, spell(*leaf.path), text)
