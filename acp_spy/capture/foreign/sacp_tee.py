"""The text log of sacp-tee: each line that passed, behind an arrow that shows where it went."""

from collections.abc import Iterator

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.wire.frame import Peer

_ARROWS = {"→ ".encode(): Peer.CLIENT, "← ".encode(): Peer.AGENT}
_LENGTH = len("→ ".encode())


class SacpTeeReading(Reading):
    """A log of sacp-tee in its raw mode."""

    def lines(self) -> Iterator[LoggedLine]:
        """Give each line without its arrow."""
        for number, line in self.source.lines():
            sender = _ARROWS.get(line[:_LENGTH])
            if sender is None:
                if not line.endswith(b"\n") and number > 1:
                    return  # torn in the middle of the arrow
                raise self.source.damaged(number, "it begins with neither `→ ` nor `← `")
            # The tool cuts off CR itself: one that is here came when the file was copied.
            yield LoggedLine(sender, line[_LENGTH:].rstrip(b"\r\n") + b"\n")


def _is_line(line: bytes) -> bool:
    return line[:_LENGTH] in _ARROWS


FORMAT = Format(
    name="sacp-tee",
    title="sacp-tee's text log",
    keeps="messages as they were spelled, senders, noise",
    lost="times, CR and whether the last line had its end, stderr, exit",
    reading=SacpTeeReading,
    is_line=_is_line,
)
