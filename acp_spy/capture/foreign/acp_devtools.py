"""The JSON export of acp-devtools: one document, with the text of each line."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Literal

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.capture.foreign.source import Source
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Peer

VERSION = 1
_LONGEST_COMMAND = 32 * 1024  # as on Windows; to split a word takes the square of its length
_REDACTED = '"<REDACTED>"'
_HEAD = re.compile(rb'\s*\{(?=.*"version")(?=.*"exportedAt")(?=.*"session")', re.DOTALL)
_SENDERS = {"editor-to-agent": Peer.CLIENT, "agent-to-editor": Peer.AGENT}


class _Message(msgspec.Struct):
    timestamp: float
    direction: Literal["editor-to-agent", "agent-to-editor"]
    raw: str


class _Tool(msgspec.Struct):
    name: str = "acp-devtools"
    version: str = ""


class _Session(msgspec.Struct, rename="camel"):
    agent_command: str | None = None
    started_at: float | None = None


class _Export(msgspec.Struct):
    version: int
    messages: list[_Message]
    tool: _Tool = msgspec.field(default_factory=_Tool)
    session: _Session = msgspec.field(default_factory=_Session)


class AcpDevtoolsReading(Reading):
    """What `acp-devtools export` writes."""

    wall_clock = True

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._export = export = source.document(_decode, "an export of acp-devtools")
        if export.version != VERSION:
            raise AcpSpyError(
                f"cannot read `{source.name}`: it is an acp-devtools export of version"
                f" {export.version}, and this acp-spy reads {VERSION}",
                hint="update acp-spy: `pip install --upgrade acp-spy`",
            )
        self.writer = f"{export.tool.name} {export.tool.version}".strip()
        self.command = _words(export.session.agent_command or "")
        if export.session.started_at is not None:
            self.start = export.session.started_at / 1000

    def lines(self) -> Iterator[LoggedLine]:
        """Give each line with the end that it had, or must have had."""
        for message in self._export.messages:
            if _REDACTED in message.raw:
                self.remarks["messages with something redacted"] += 1
            raw = message.raw.encode(errors="surrogatepass") + b"\n"
            yield LoggedLine(_SENDERS[message.direction], raw, message.timestamp / 1000)


def _decode(document: bytes) -> _Export:
    try:
        return msgspec.json.decode(document, type=_Export)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # A lone surrogate that an agent sent is here as well; Python's own reader takes it.
        return msgspec.convert(json.loads(document), _Export)


def _words(command: str) -> tuple[str, ...]:
    if len(command) > _LONGEST_COMMAND:
        return (command,)
    try:
        return tuple(shlex.split(command))
    except ValueError:  # a quote that is not closed
        return (command,)


def _is_document(head: bytes) -> bool:
    return _HEAD.match(head) is not None


FORMAT = Format(
    name="acp-devtools",
    title="acp-devtools' JSON export",
    keeps="messages as they were spelled, senders, times, noise, the agent's command",
    lost="CR, blank lines, invalid UTF-8, what followed the last line end, what the"
    " export redacted, stderr, exit",
    reading=AcpDevtoolsReading,
    is_document=_is_document,
)
