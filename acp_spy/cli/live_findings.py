"""What was found while recording, told on stderr to whoever asked for it."""

import os
from shlex import quote

import msgspec

from acp_spy.cli.console import note
from acp_spy.wire.inert import inert

_LEVELS = ("error", "warning", "note")


class _Told(msgspec.Struct):
    """As much of a `finding` record as is told."""

    seq: int
    code: str
    severity: str
    blame: str
    text: str


_read = msgspec.json.Decoder(_Told).decode


class LiveFindings:
    """Tells each, and counts them."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(_LEVELS, 0)

    def show(self, line: bytes) -> None:
        """Tell the finding of which this is the record."""
        found = _read(line)
        self.counts[found.severity] += 1
        # As `check --format concise` has it, but for the path, which the first line has named.
        where = f"frame {found.seq}: " if found.seq else ""
        note(f"{where}{found.severity} {found.code} {inert(found.text)} ({found.blame})")

    def sum_up(self, path: str, *, judged_all: bool) -> str:
        """Return how many there were in the capture at `path`, in words, and how to see them."""
        told = [
            f"{count} {level}" + ("s" if count > 1 else "")
            for level, count in self.counts.items()
            if count
        ]
        found = ", ".join(told) or "none"
        so_far = "" if judged_all else " in what was checked"
        if not told and judged_all:
            return f"findings: {found}"
        return (
            f"findings: {found}{so_far}; to see them: acp-spy check {quote(os.path.abspath(path))}"
        )
