"""The records of a capture. One line of a capture file is one of these."""

from datetime import datetime
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from acp_spy.wire.frame import Frame, Peer

if TYPE_CHECKING:
    from acp_spy.capture.conversation import Conversation

FORMAT = 1
IMPORTED = "imported from "  # so begins the note of what another tool has recorded


class Header(msgspec.Struct, frozen=True, tag="header"):
    """
    The first record: who was recorded, where and when. Never the environment.

    `note` is for people: what a reader should know of this capture, such as what was lost when it
    was imported. It is `redacted` when placeholders replace the secrets, here and in the
    records that follow.
    """

    format: int = FORMAT
    tool: str = ""
    started: str = ""
    command: tuple[str, ...] = ()
    cwd: str = ""
    note: str = ""
    redacted: bool = False

    def elapsed(self, now: float) -> float | None:
        """Return the time on the capture's clock at `now`, which is in seconds since the epoch."""
        try:
            return max(now - datetime.fromisoformat(self.started).timestamp(), 0.0)
        except (ValueError, OverflowError):
            return None

    @property
    def is_dated(self) -> bool:
        """Whether `started` is a moment, and not any other text."""
        return self.elapsed(0.0) is not None

    @property
    def is_imported(self) -> bool:
        """Whether another tool has recorded this: what is missing may have happened."""
        return self.note.startswith(IMPORTED)


class Stderr(msgspec.Struct, frozen=True):
    """
    Bytes that the agent wrote to its standard error: a line, or a part of one.

    `redacted` is as in a frame.
    """

    t: float
    raw: bytes
    redacted: tuple[str, ...] = ()


class Closed(msgspec.Struct, frozen=True, tag="closed"):
    """The sender ended its stream: nothing more can come from it."""

    t: float
    sender: Peer


class Exit(msgspec.Struct, frozen=True, tag="exit", omit_defaults=True):
    """
    The agent's end: its exit status, or the negative number of the signal that killed it.

    `undelivered` counts the bytes that nobody took because the receiver had gone, by receiver:
    `client`, `agent`, and `stderr` for the client's end of the agent's standard error. `reason` is
    why the agent could not be started, and empty if it was.
    """

    t: float
    status: int
    undelivered: dict[str, int] = {}
    reason: str = ""


Record = Header | Frame | Stderr | Closed | Exit


class Capture(msgspec.Struct, frozen=True, dict=True):
    """A whole capture in memory: its header and the records that follow it."""

    header: Header
    records: tuple[Frame | Stderr | Closed | Exit, ...]

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of both peers, in the order they were recorded."""
        return tuple(record for record in self.records if isinstance(record, Frame))

    @property
    def exit(self) -> Exit | None:
        """How the agent ended; `None` when the run was cut off."""
        last = self.records[-1] if self.records else None
        return last if isinstance(last, Exit) else None

    @cached_property
    def conversation(self) -> "Conversation":
        """What was said: sessions, turns, tool calls and exchanges, with their times."""
        # By name: who reads records for a living is above this room, and imports point down.
        overview = import_module("acp_spy.conversation.overview").overview
        found: Conversation = overview(self.header, self.records)
        return found
