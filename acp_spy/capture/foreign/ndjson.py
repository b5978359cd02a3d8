"""
Plain NDJSON: the messages themselves, a line each, of one peer or of both.

`tee` writes it, and so does every client that can print what it sends and receives.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.capture.foreign.senders import Senders
from acp_spy.capture.foreign.source import Source
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Unreadable, read_message

_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_decode_keys = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class NdjsonReading(Reading):
    """Messages without a word about who sent them."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._senders = Senders()
        self._guessed = bytearray()  # a byte for each line, when all have been read once

    def lines(self) -> Iterator[LoggedLine]:
        """Give every line that is not blank, as it is."""
        lines = self.source.lines()
        if self._guessed and self._senders.only is None:  # to guess again would give the same
            for of_agent, (_, line) in zip(self._guessed, lines, strict=False):
                yield LoggedLine(Peer.AGENT if of_agent else Peer.CLIENT, line)
        guessed = bytearray()
        unsure = Counter[tuple[bool, Peer]]()
        for _, line in lines:
            message = read_message(line.rstrip(b"\r\n"))
            sender, is_sure = self._senders.guess(message)
            guessed.append(sender is Peer.AGENT)
            if not is_sure:
                unsure[type(message) is Unreadable, sender] += 1
            yield LoggedLine(sender, line)
        self._guessed = self._guessed or guessed
        self._settle(unsure)

    def _settle(self, unsure: Counter[tuple[bool, Peer]]) -> None:
        self._senders.settle()
        if only := self._senders.only:
            self.remarks.clear()
            self.remarks[f"it holds one stream only, the {only.value}'s"] = 0
            return
        for (is_noise, sender), count in unsure.items():
            what = "lines that are not messages" if is_noise else "others"
            self.remarks[f"{what}, taken as the {sender.value}'s"] = count


def _is_line(line: bytes) -> bool:
    try:
        keys = _decode_keys(line).keys()
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    if "jsonrpc" not in keys and not keys <= _ENVELOPE:
        return False  # another tool's record, which has such keys next to its own
    return "method" in keys or ("id" in keys and not keys.isdisjoint(("result", "error")))


FORMAT = Format(
    name="ndjson",
    title="plain NDJSON",
    keeps="the bytes of each line, noise",
    lost="times, senders (inferred from method and id), blank lines, stderr, exit",
    reading=NdjsonReading,
    is_line=_is_line,
)
