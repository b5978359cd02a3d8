"""
A record in, the same record out with placeholders where its secrets were.

Only the secrets' own bytes change, so a string stays a string and a number a number, and what is
around them is as it was sent. The same secret has the same placeholder in every record, so that a
redacted capture can still be replayed.
"""

import re
from collections.abc import Callable, Iterable

import msgspec

from acp_spy.capture.records import Exit, Header, Record, Stderr
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.placeholders import Pseudonyms
from acp_spy.secrets.shape_search import Secret, with_cuts
from acp_spy.secrets.split_secrets import LONGEST_CHUNK, Cut, Runs
from acp_spy.wire.frame import Frame


class Redactor:
    """
    Redacts the records of one capture.

    It is fed: a secret that was known by its place is found anywhere after. Whoever can read a
    capture twice shows it all records with `learn` first; then it is found before that, too, and
    so is one that is cut over several records.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        values: Iterable[re.Pattern[str]] = (),
        pointers: Iterable[str] = (),
        persons: Persons | None = None,
        allowed: Iterable[re.Pattern[str]] = (),
    ) -> None:
        self._finder = Finder(names, values, pointers, persons, allowed)
        self._pseudonyms = Pseudonyms()
        self._runs = Runs(self._finder.find_in_text)
        self._cuts: dict[tuple[float, bytes], list[Secret]] = {}
        self.counts: dict[str, int] = {}  # how often each kind was replaced

    def record(self, record: Record) -> Record:
        """Return `record` without its secrets; itself, if it has none."""
        if isinstance(record, Frame | Stderr):
            return self._redact_line(record)
        if isinstance(record, Header):
            return self.header(record)
        if isinstance(record, Exit) and record.reason:  # it quotes the command
            return msgspec.structs.replace(record, reason=self.text(record.reason))
        return record

    def learn(self, record: Record) -> None:
        """Take note of the secrets in `record`, and of the placeholders that it already has."""
        if isinstance(record, Frame | Stderr):
            self._pseudonyms.reserve(record.raw)
            if isinstance(record, Frame) and len(record.raw) > LONGEST_CHUNK:
                self._finder.learn(record.raw)  # no piece of a text, and taken apart once is enough
                return
            found = self._finder.find(record.raw)
            self._keep(self._runs.feed(record, found))
        elif isinstance(record, Header):
            told = " ".join((*record.command, record.cwd, record.note))
            self._pseudonyms.reserve(told.encode(errors="replace"))
            self._finder.find_in_header(record)

    def text(self, text: str) -> str:
        """Return any text without its secrets: what was said about a record, for example."""
        raw = text.encode(errors="surrogateescape")
        return self._replace(raw, self._finder.find(raw)).decode(errors="surrogateescape")

    def header(self, header: Header) -> Header:
        """Return `header` without the secrets of the command line, and with the mark."""
        clean = {
            name: tuple(self._replace(*each).decode(errors="surrogatepass") for each in found)
            for name, found in self._finder.find_in_header(header).items()
        }
        return msgspec.structs.replace(
            header,
            command=clean["command"],
            cwd=clean["cwd"][0],
            note=clean["note"][0],
            redacted=True,
        )

    def _redact_line(self, record: Frame | Stderr) -> Frame | Stderr:
        if b"redacted-" in record.raw:
            self._pseudonyms.reserve(record.raw)
        stream = record.sender.value if isinstance(record, Frame) else "stderr"
        found = self._finder.find(record.raw, stream)
        self._keep(self._runs.close())
        if self._cuts:
            found = with_cuts(found, self._cuts.get(_known_by(record), ()))
        if not found:
            return record
        places = tuple(dict.fromkeys((*record.redacted, *(secret.pointer for secret in found))))
        raw = self._replace(record.raw, found)
        return msgspec.structs.replace(record, raw=raw, redacted=places)

    def _keep(self, cuts: Iterable[Cut]) -> None:
        for cut in cuts:
            for piece, part in cut.parts:
                self._cuts.setdefault(_known_by(piece.line), []).append(part)

    def _replace(self, raw: bytes, found: Iterable[Secret]) -> bytes:
        parts: list[bytes] = []
        end = 0
        for secret in found:
            if not secret.is_rest:
                self.counts[secret.kind] = self.counts.get(secret.kind, 0) + 1
            parts += raw[end : secret.start], self._stand_in(secret)
            end = secret.end
        return b"".join((*parts, raw[end:]))

    def _stand_in(self, secret: Secret) -> bytes:
        if secret.is_rest:
            return b""
        if secret.is_number:
            return b"0"
        return secret.stand_in or self._pseudonyms.placeholder(secret.text, secret.kind)


def masked(read: Callable[[], Iterable[Record]]) -> Callable[[], Iterable[Record]]:
    """
    Return what gives the records that `read` gives, without their secrets.

    They are all looked at beforehand: a secret may stand before what betrays it.
    """
    redactor = Redactor()
    for record in read():
        redactor.learn(record)
    return lambda: map(redactor.record, read())


def _known_by(line: Frame | Stderr) -> tuple[float, bytes]:
    """Return by what a line is known again; a number alone may stand twice in a file."""
    return (line.seq if isinstance(line, Frame) else line.t, line.raw)
