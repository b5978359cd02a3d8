"""
Where a redacted capture cannot be compared, or sends a placeholder: each place is noted once.

The text behind a placeholder is lost. So anything may come in its place, and what is around it must
be as recorded. The notes explain why an agent refuses a key, or why another prompt was taken for
the recorded one.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from acp_spy.replay.divergence import Note
from acp_spy.replay.json_difference import Difference
from acp_spy.replay.line import Line, clip
from acp_spy.replay.peer_names import kind_of
from acp_spy.secrets.home_folders import REPLACEMENT_NAME
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.wire.pointer import spans

ANYWHERE = ""  # the place in a line that was too odd for its places to be named
_HINT = (
    "to get the original value, replay the capture before redaction, or record without `--redact`"
)
# A home folder of any spelling has become `/home/dev`, and a user `dev`.
_PERSON = rb"(?:/home/)?(?<![A-Za-z0-9])%b[0-9]*(?![A-Za-z0-9])" % REPLACEMENT_NAME
# Of a secret in several pieces, the first has the placeholder, and the others have nothing of it.
# So a text may begin with the rest of one, if that looks like it: `un` of `undeleted` does not.
_REST_OF_SECRET = re.compile(rb"(?:(?=[^0-9+/=]*[0-9+/=])(?:\S*+|[A-Za-z0-9+/=\r\n]*+))?")
_ANYTHING = re.compile(PLACEHOLDER.pattern + b"|" + _PERSON)


def split(
    found: Iterable[Difference], redacted: tuple[str, ...]
) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    """Return the differences that no placeholder explains, and the places of all others."""
    if not redacted:
        return tuple(found), ()
    known: list[Difference] = []
    hidden: list[str] = []
    ordered = sorted((f"{place}/", number) for number, place in enumerate(redacted))
    for each in found:
        # What is below a path comes after `PATH/` and before `PATH0`: these signs are neighbors.
        first, last = (bisect_left(ordered, (each.path + sign,)) for sign in "/0")
        places = [
            redacted[number] for number in sorted(number for _, number in ordered[first:last])
        ]
        if places and may_be(each.recorded, each.live):
            hidden += places
        else:
            known.append(each)
    return tuple(known), tuple(hidden)


def still_redacted(redacted: Iterable[str], recorded: Line, live: Line) -> Iterator[str]:
    """Give the places that are sent as they were redacted: neither names nor folders of today."""
    places = [place for place in redacted if not kind_of(place.rpartition("/")[2])]
    before, now = _bytes_at(places, recorded), _bytes_at(places, live)
    return (place for place in places if before.get(place) == now.get(place))


def _bytes_at(places: list[str], line: Line) -> dict[str, bytes]:
    text = line.raw[line.begins :]
    return {place: text[at.start : at.end] for place, at in spans(text, places).items()}


def may_be(recorded: Any, live: Any) -> bool:
    """Whether `live` may be what was at the place of `recorded`, which is redacted."""
    if not isinstance(recorded, str) or not isinstance(live, str):
        return isinstance(recorded, int | float) and isinstance(live, int | float)
    first, *rest = _ANYTHING.split(recorded.encode(errors="surrogatepass"))
    if not rest:
        return True  # redacted by somebody else, who knows how
    came = live.encode(errors="surrogatepass")
    at = came.find(first)
    if at < 0 or not _REST_OF_SECRET.fullmatch(came, 0, at):
        return False
    at += len(first)
    for each in rest[:-1]:  # the first that fits will do: after it the most is left for the others
        at = came.find(each, at + 1) + len(each)
        if at < len(each):
            return False
    return came.endswith(rest[-1]) and len(came) - len(rest[-1]) > at


class Redactions:
    """Notes each redacted place of one play once."""

    def __init__(self) -> None:
        self._reported: set[tuple[str, str]] = set()

    def not_compared(self, line: Line, places: Iterable[str]) -> Iterator[Note]:
        """Give a note on a live line that differs from the recorded one in these places."""
        yield from self._note(line, places, "is redacted, so it was not compared")

    def sent(self, line: Line, places: Iterable[str]) -> Iterator[Note]:
        """Give a note on a recorded line that is sent with placeholders in these places."""
        yield from self._note(line, places, "is redacted, so a placeholder was sent")

    def _note(self, line: Line, places: Iterable[str], words: str) -> Iterator[Note]:
        fresh = [
            place for place in dict.fromkeys(places) if (line.method, place) not in self._reported
        ]
        if fresh:
            hint = "" if self._reported else _HINT
            self._reported.update((line.method, place) for place in fresh)
            where = "" if ANYWHERE in fresh else f" at {clip(', '.join(fresh))}"
            yield Note(line, words + where, hint=hint)
