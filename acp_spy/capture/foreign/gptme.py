"""
The log of gptme with `GPTME_ACP_LOG_PROTOCOL=1`: a line for each message, among all others.

gptme cuts values at 200 characters. What is left is closed, so that it is seen which message it
was and how it began. The rest of the log is the agent's stderr, as it is in a capture.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.capture.foreign.rebuild import answer, call
from acp_spy.capture.foreign.repair_json import repair
from acp_spy.wire.frame import Peer

_SENDERS = {b"-->": Peer.CLIENT, b"<--": Peer.AGENT}  # incoming and outgoing, for the agent
_STAMP = rb"(?P<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) - "
_LINE = re.compile(
    rb"(?:" + _STAMP + rb"gptme\.acp\.protocol - [A-Z]+ - )?(?P<arrow>-->|<--) "
    rb"(?:notification (?P<notice>\S+)|(?P<name>\S+) \(id=(?P<id>.*?)\)|(?P<whole>)(?=raw=))"
    rb"(?: ?(?P<part>params|result|error|raw)=(?P<value>.*))?"
)
_ANY_LINE = re.compile(_STAMP)
_CUT = re.compile(r"\.\.\. \(\d+ chars\)$")
_NUMBER = re.compile(rb"0|-?[1-9]\d{0,17}")


class GptmeReading(Reading):
    """A log of gptme, or what it has written to stderr."""

    _twice: bool | None = None  # whether each line is there twice, as in some set-ups

    def lines(self) -> Iterator[LoggedLine]:
        """Give the messages and, as stderr, all other lines."""
        at: float | None = None
        before, lines, repeated = b"", 0, 0
        for _, whole in self.source.lines():
            line = whole.rstrip(b"\r\n")
            stamp = _ANY_LINE.match(line)
            at = _seconds(stamp["stamp"]) if stamp else at
            found = _LINE.fullmatch(line)
            if found is None:
                yield LoggedLine(None, whole, at)
                continue
            lines += 1
            is_repeated = line == before
            before = b"" if is_repeated else line  # of four equal lines the third is none
            repeated += is_repeated
            if not (is_repeated and self._twice):
                yield LoggedLine(_SENDERS[found["arrow"]], self._message(found), at)
        self._twice = repeated * 2 == lines
        if self._twice:
            self.remarks.update({what: -(count // 2) for what, count in self.remarks.items()})

    def _message(self, found: re.Match[bytes]) -> bytes:
        part = (found["part"] or b"").decode()
        value = self._value(found["value"]) if part else b""
        if part == "raw":
            return value + b"\n"
        if found["notice"]:
            return call(_text(found["notice"]), value)
        ident = found["id"] if _NUMBER.fullmatch(found["id"]) else _string(found["id"])
        if part in ("result", "error") or found["name"] == b"response":
            return answer(ident, value, is_error=part == "error")
        return call(_text(found["name"]), value, ident)

    def _value(self, spelled: bytes) -> bytes:
        """Return the JSON of a value; a string is in the log as it is."""
        try:
            msgspec.json.decode(spelled, type=msgspec.Raw)
        except (msgspec.DecodeError, ValueError, RecursionError):
            text = _text(spelled)
        else:
            return spelled
        cut = _CUT.sub("", text)
        if cut == text:
            return _string(spelled)
        self.remarks["messages that the log cut, closed where it stopped"] += 1
        return repair(cut)


def _text(spelled: bytes) -> str:
    return spelled.decode(errors="replace")


def _string(spelled: bytes) -> bytes:
    return msgspec.json.encode(_text(spelled))


def _seconds(stamp: bytes) -> float | None:
    """Return a time of the log. Its zone is not known: only differences mean something."""
    try:
        return datetime.fromisoformat(stamp.decode()).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _is_line(line: bytes) -> bool:
    return _LINE.fullmatch(line.rstrip(b"\r\n")) is not None


FORMAT = Format(
    name="gptme",
    title="gptme's protocol log",
    keeps="messages up to 200 characters a value, senders, times, stderr",
    lost="the rest of longer values, exact bytes, ids that are strings of digits, lines that"
    " are not messages, exit",
    reading=GptmeReading,
    is_line=_is_line,
)
