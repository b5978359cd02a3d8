"""
The output of a terminal in version 2: in base64, since it has colors, and may be cut anywhere.

What it says is searched as any text. Of a piece in which something is found, nothing is left: what
else is in it would have to be encoded again, and what another message shows could not be found.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import msgspec

from acp_spy.secrets.encoded_text import all_decoded
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret import Secret, without_overlap
from acp_spy.wire.json_text import Path, leaves, unescaped
from acp_spy.wire.pointer import spell

_DEEPEST = 64  # steps to an output, also in a batch or a chain of proxies
_BETWEEN = b"\n"  # outputs of one line
# What is no text, as in an image that a program has printed. Of it the words are read, which may
# be in UTF-16, and what is at both ends: another piece may go on with it.
_CONTROLS = b"\x01\x02\a\b\t\n\v\f\r\x0e\x0f\x1b"  # of terminals, which a text may have
_OTHERS = bytes(each for each in range(32) if each not in _CONTROLS)
_MOST_OTHERS = 16  # one in so many
_LEAST_IMAGE = 4096  # bytes: what is shorter is soon read
_LETTER = (
    rb"(?:[%b -\x7f]|[\xc2-\xf4][\x80-\xbf]{1,3}+"
    rb"|(?<=[ -~])[\x80-\xff]{1,3}(?=[ -~]))\0?" % _CONTROLS  # also of Latin-1
)
_CUT = rb"[\x80-\xff]{0,3}"  # a part of a letter
_WORDS = expression(
    rb"\A%b(?:%b)*+(?:%b\Z)?|(?:%b){6,}+(?:%b\Z)?|(?:%b){1,5}+%b\Z"
    % (_CUT, _LETTER, _CUT, _LETTER, _CUT, _LETTER, _CUT)
)
_ENCODED = "base64"  # as any text may have it: what is read here needs no such search

Finds = Callable[[bytes], list[Secret]]


class _Output(msgspec.Struct, frozen=True):
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


def may_have_output(raw: bytes) -> bool:
    """Whether a line may have the output of such a terminal."""
    return b'"terminal_output_chunk"' in raw or b'"terminal_update"' in raw


def output_in(path: Path, text: bytes) -> bytes:
    """Return what the string at `path` says in base64, if it is an output; else nothing."""
    return (said_in(text) or b"") if path[-1:] == ["data"] else b""


def said_in(data: bytes) -> bytes | None:
    """Return what an output in base64 says, with a NUL for what is no text."""
    said = all_decoded(data)
    if said is None or len(said) < _LEAST_IMAGE:
        return said
    if len(said) - len(said.translate(None, _OTHERS)) <= len(said) // _MOST_OTHERS:
        return said
    parts: list[bytes] = []
    end = 0
    for words in _WORDS.finditer(said):
        parts += [b"\0"] if words.start() != end else []
        parts.append(words[0])
        end = words.end()
    return b"".join(parts) + (b"\0" if end != len(said) else b"")


def with_outputs(raw: bytes, found: list[Secret], find_in_text: Finds) -> list[Secret]:
    """Return what was `found` in a line, and what is in the outputs that it has."""
    outputs = [*_outputs_in(raw)]
    if not outputs:
        return found
    starts = [each.start for each in outputs]
    others = []
    for each in found:
        at = bisect_right(starts, each.start) - 1
        # What is in an output was found in it by another way.
        if each.kind != _ENCODED or at < 0 or each.end > outputs[at].end:
            others.append(each)
    # Nearly all lines have one. To search many by themselves would take longer than all together.
    begins = [0, *accumulate(len(each.text) + len(_BETWEEN) for each in outputs)]
    seen: dict[int, list[Secret]] = {}
    for each in find_in_text(_BETWEEN.join([output.text for output in outputs])):
        for at in range(bisect_right(begins, each.start) - 1, bisect_left(begins, each.end)):
            seen.setdefault(at, []).append(each)
    return without_overlap([*others, *(outputs[at].as_secret(seen[at]) for at in seen)])


def _outputs_in(raw: bytes) -> Iterator[_Output]:
    for leaf in leaves(raw):
        if leaf.is_name or not leaf.is_string or leaf.path[_DEEPEST:]:
            continue
        if text := output_in(leaf.path, unescaped(raw[leaf.start : leaf.end])):
            yield _Output(leaf.start, leaf.end, spell(*leaf.path), text)
