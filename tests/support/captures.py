"""What a test wants to know of a capture."""

from acp_spy import Frame, Stderr, load


def stream(capture, sender: str) -> bytes:
    """Return the bytes of one stream: `client`, `agent` or `stderr`."""
    return b"".join(
        record.raw
        for record in load(capture).records
        if (isinstance(record, Frame) and record.sender.value == sender)
        or (isinstance(record, Stderr) and sender == "stderr")
    )
