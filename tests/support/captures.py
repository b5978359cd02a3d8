"""What a test wants to know of a capture."""

from pathlib import Path

import msgspec

from acp_spy import Frame, Stderr, check, load


def stream(capture, sender: str) -> bytes:
    """Return the bytes of one stream: `client`, `agent` or `stderr`."""
    return b"".join(
        record.raw
        for record in load(capture).records
        if (isinstance(record, Frame) and record.sender.value == sender)
        or (isinstance(record, Stderr) and sender == "stderr")
    )


def live_findings(capture) -> list[dict]:
    """Return what was found while the capture was written, as it stands there in whole lines."""
    lines = Path(capture).read_bytes().splitlines(keepends=True)
    records = (msgspec.json.decode(line) for line in lines if line.endswith(b"\n"))
    return [without_type(record) for record in records if record["type"] == "finding"]


def offline_findings(capture) -> list[dict]:
    """Return what is found in the capture now, in the same shape."""
    return msgspec.to_builtins(check(load(capture).records))


def without_type(record: dict) -> dict:
    return {name: value for name, value in record.items() if name != "type"}
