"""
The JSONL export of acp-inspector: a header, then each line as it was, as a string.

One file holds all connections of a window, each with ids of its own. A capture is one run of an
agent, so that the connection with the most frames is taken.
"""

import binascii
from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Peer

VERSION = 1
_SENDERS = {"client -> agent": Peer.CLIENT, "agent -> client": Peer.AGENT}


class _Header(msgspec.Struct, tag="header"):
    format: Literal["acp-inspector-trace"]
    version: int = VERSION
    dropped: int = 0


class _Frame(msgspec.Struct, tag="frame"):
    direction: Literal["client -> agent", "agent -> client"]
    frame: str
    at: float | None = None
    connection: int | str = 1
    encoding: Literal["utf8", "base64"] = "utf8"


_decode = msgspec.json.Decoder(_Header | _Frame).decode


class AcpInspectorReading(Reading):
    """An `acp-inspector-trace`."""

    wall_clock = True
    _chosen: str | None = None

    def lines(self) -> Iterator[LoggedLine]:
        """Give the frames; from the second time on, of one connection."""
        counts: Counter[str] = Counter()
        starts: dict[str, float] = {}
        for number, record in self.source.decoded(_decode):
            if isinstance(record, _Header):
                self._admit(record)
                continue
            connection = str(record.connection)  # numbers can all have the same hash
            counts[connection] += 1
            at = None if record.at is None else record.at / 1000
            if at is not None:
                starts.setdefault(connection, at)
            if self._chosen in (None, connection):
                yield LoggedLine(_SENDERS[record.direction], self._raw(number, record), at)
        if self._chosen is None and counts:
            ((self._chosen, most),) = counts.most_common(1)
            self.start = starts.get(self._chosen)
            if len(counts) > 1:
                others = counts.total() - most
                self.remarks[f"frames of other connections than {self._chosen} left out"] = others

    def _admit(self, header: _Header) -> None:
        if header.version != VERSION:
            raise AcpSpyError(
                f"cannot read `{self.source.name}`: it is an acp-inspector export of version"
                f" {header.version}, and this acp-spy reads {VERSION}",
                hint="update acp-spy: `pip install --upgrade acp-spy`",
            )
        if header.dropped:
            self.remarks["frames dropped before the export"] = header.dropped

    def _raw(self, number: int, record: _Frame) -> bytes:
        if record.encoding == "utf8":
            return record.frame.encode() + b"\n"
        try:
            return binascii.a2b_base64(record.frame.encode(), strict_mode=True) + b"\n"
        except ValueError as error:
            raise self.source.damaged(number, f"`frame` is not base64: {error}") from None


def _is_line(line: bytes) -> bool:
    try:
        _decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return True


FORMAT = Format(
    name="acp-inspector",
    title="acp-inspector's JSONL export",
    keeps="messages as they were spelled, senders, times, noise",
    lost="line ends, all but the last 10,000 frames, all connections but the longest, stderr, exit",
    reading=AcpInspectorReading,
    is_line=_is_line,
)
