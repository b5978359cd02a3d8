"""Other tools' files for tests: the conversation that they all hold, and one made on the spot."""

import io
import json
from pathlib import Path

from acp_spy.capture.foreign.read import read_foreign
from acp_spy.wire.frame import Frame

FOLDER = Path(__file__).parents[2] / "fixtures" / "foreign"


def records(data: bytes, form: str = "", name: str = "file"):
    """Return the records that a file with these bytes is read as, the header first."""
    return list(read_foreign(name, io.BytesIO(data), form=form))


def frames(data: bytes, form: str = ""):
    return [record for record in records(data, form) if isinstance(record, Frame)]


def talk(frames):
    """
    Return who said what, free of spelling.

    Ids are numbered by their requests, since some tools give others than were sent.
    """
    said, asked = [], {}
    for frame in frames:
        message = json.loads(frame.raw)
        if "method" in message and "id" in message:
            asked[frame.sender, message["id"]] = message["id"] = f"request {frame.seq}"
        elif "id" in message:
            message["id"] = asked.pop((frame.sender.other, message["id"]))
        said.append((frame.sender.value, message))
    return said
