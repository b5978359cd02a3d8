"""Where in a capture file a frame stands: what an editor needs to jump to it."""

from collections.abc import Container, Iterator

import msgspec

from acp_spy.capture.codec import decode
from acp_spy.wire.frame import Frame


class _Place(msgspec.Struct):
    """As much of a record as tells which it is."""

    type: str = ""
    seq: int = 0


_read_place = msgspec.json.Decoder(_Place).decode


def frames_in_lines(path: str, wanted: Container[int]) -> Iterator[tuple[int, Frame]]:
    """Give the frames of these numbers, each with the line of the capture that holds it."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                place = _read_place(line)
                if place.type != "frame" or place.seq not in wanted:
                    continue
                frame = decode(line)
            except ValueError:
                return  # torn: there is nothing behind it
            if isinstance(frame, Frame):
                yield number, frame
