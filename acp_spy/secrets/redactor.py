"""
A record in, the same record out with placeholders where its secrets were.

Only the secrets' own bytes change, so a string stays a string and a number a number, and what is
around them is as it was sent. The same secret has the same placeholder in every record, so that a
redacted capture can still be replayed.
"""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any
from zlib import crc32

import msgspec

from acp_spy.capture.codec import encode
from acp_spy.capture.records import (
    Capture,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Record,
    Stderr,
)
from acp_spy.errors import AcpSpyError
from acp_spy.secrets.command_outputs import CommandOutputs
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.pieces import SplitSecret
from acp_spy.secrets.placeholders import ANY_PLACEHOLDER, Placeholders
from acp_spy.secrets.secret import Secret, with_replacements, with_split_secrets
from acp_spy.secrets.short_form import short_form
from acp_spy.secrets.split_secrets import LONGEST_CHUNK, SplitSecrets
from acp_spy.wire.frame import Frame, Peer, Via
from acp_spy.wire.pointer import spell, steps

_MOST_SEARCHES = 4  # of one text


class Redactor:
    """
    Redacts the records of one capture.

    It is fed: a secret that was found by its place is found anywhere after. A caller who can read
    the capture twice passes all records to `learn` first; then the secret is found before that,
    too, and so is one that is split over several records.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        values: Iterable[re.Pattern[str]] = (),
        pointers: Iterable[str] = (),
        persons: Persons | None = None,
        allowed: Iterable[re.Pattern[str]] = (),
    ) -> None:
        self.persons = persons
        self.finder = Finder(names, values, pointers, persons, allowed)
        self._placeholders = Placeholders()
        self._split_finder = SplitSecrets(self.finder)
        # What a script makes of chunks is another text than theirs.
        self._split_delivered = SplitSecrets(self.finder)
        self._outputs = CommandOutputs(self.finder)
        # Each part once: a word may be searched again, and a line may come again.
        self._split_parts: dict[tuple[float, bytes], dict[Secret, None]] = {}
        self._split_parts_of: dict[bytes, dict[Secret, None]] = {}  # of a line, delivered later
        # Called with a text, the secrets that are replaced in it, and what replaces each.
        self.on_replace: Callable[[bytes, Sequence[Secret], list[bytes]], None] | None = None
        self._in_huge: dict[bytes, Sequence[Secret]] | None = None
        self._last_via: Via | None = None
        self._is_read_twice = False
        self.counts: dict[str, int] = {}  # how often each kind was replaced

    def record(self, record: Record) -> Record:
        """Return `record` without its secrets; itself, if it has none."""
        if isinstance(record, Frame | Stderr):
            return self._redact_line(record)
        if isinstance(record, Header):
            return self.header(record)
        if isinstance(record, Delivery):
            return self._redact_delivery(record)
        if isinstance(record, HttpExchange | Disconnect):
            return self._redact_http(record)
        if isinstance(record, Exit) and (record.reason or record.undelivered):
            self._learn_beside(record)
            undelivered = {self._beside(name): size for name, size in record.undelivered.items()}
            reason = self._beside(record.reason)  # it quotes the command
            return msgspec.structs.replace(record, reason=reason, undelivered=undelivered)
        return record

    def capture(self, capture: Capture) -> Capture:
        """Return a whole capture without its secrets; all of it is learned first."""
        self.learn_all((capture.header, *capture.records))
        records = map(self.record, capture.records)
        return Capture(
            self.header(capture.header),
            tuple(record for record in records if not isinstance(record, Header)),
        )

    def learn_all(self, records: Iterable[Record]) -> int:
        """Take note of the secrets in all of `records`; return how many records they are."""
        count = 0
        for record in records:
            self.learn(record)
            count += 1
        # The last texts, which nothing has ended: what they show may be in the first record.
        self._keep((*self._split_finder.close(), *self._split_delivered.close()))
        return count

    def learn(self, record: Record) -> None:
        """Take note of the secrets in `record`, and of the placeholders that it already has."""
        self._is_read_twice = True
        self.finder.keep_what_is_found()
        for name, text in texts_beside(record):
            raw = text.encode(errors="surrogatepass")
            self._placeholders.reserve(raw)
            self.finder.find_named(name, raw)
        if isinstance(record, Frame | Stderr):
            self._placeholders.reserve(record.raw)
            if isinstance(record, Frame) and not short_form(record.raw, LONGEST_CHUNK):
                # No piece of a text, and taken apart once is enough.
                if found := self.finder.learn(record.raw):
                    self._learn_hidden(record.raw, found)
                return
            if found := self.finder.find(record.raw):
                self._learn_hidden(record.raw, found)
            self._keep(self._split_finder.feed(record, found))
            if isinstance(record, Frame):
                self._keep(self._outputs.feed(record, found))
        elif isinstance(record, Delivery):
            if record.raw is not None:
                self._placeholders.reserve(record.raw)
                sent = as_sent(record, record.raw)
                found = self.finder.find(record.raw)
                self._learn_hidden(record.raw, found)
                self._keep(self._split_delivered.feed(sent, found))
                self._keep(self._outputs.feed(sent, found))
        elif isinstance(record, Header):
            texts = " ".join((*record.command, record.cwd, record.note))
            self._placeholders.reserve(texts.encode(errors="replace"))
            self.finder.find_in_header(record)

    def learn_credential(self, text: str) -> None:
        """Take note of a credential that is in no record, as it was sent: it may come in one."""
        self.finder.find_named("authorization", text.encode(errors="surrogatepass"))

    def text(self, text: str) -> str:
        """Return any text without its secrets: what was said about a record, for example."""
        return self._about(text)

    def value(self, value: Any) -> Any:
        """
        Return a JSON value without its secrets, also what its place shows to be one.

        It says something about records: its secrets are counted in them, and not again.
        """
        plain = msgspec.to_builtins(value)
        # Not by msgspec, which refuses the name of a file that is not UTF-8.
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        return json.loads(self._about(text, count=False))

    def _about(self, text: str, *, count: bool = True) -> str:
        raw = text.encode(errors="surrogatepass")
        if b"redacted-" in raw:
            self._placeholders.reserve(raw)
        return self._text(raw, self.finder.find_beside(raw), count=count)

    def text_meanwhile(self, text: str) -> str:
        """
        Return a text without its secrets, while another thread redacts something.

        Nothing is learned from it: what is known by then is masked, without a number, and then what
        a new redactor finds.
        """
        raw = text.encode(errors="surrogatepass")
        parts: list[bytes] = []
        end = 0
        for secret in self.finder.known_in(raw):
            parts += raw[end : secret.start], b"redacted"
            end = secret.end
        clean = b"".join((*parts, raw[end:])).decode(errors="surrogatepass")
        return Redactor().text(clean)

    def searched(self, words: str) -> str:
        """Return words that were looked for in what has been redacted: they name no secret."""
        return self._placeholders.in_words(self.text(words))

    def pointer(self, pointer: str) -> str:
        """Return a JSON Pointer whose steps are spelled as the names in a redacted message are."""
        return spell(*map(self._step, steps(pointer)))

    def _step(self, step: str) -> str:
        raw = step.encode(errors="surrogatepass")
        return self._text(raw, self.finder.find_in_text(raw), count=False)

    def header(self, header: Header) -> Header:
        """Return `header` without the secrets of the command line, and with the mark."""
        self._learn_beside(header)
        known = self.finder.learned_count
        found_by_field = self.finder.find_in_header(header)
        if self.finder.learned_count != known:  # the note may show what the command has, too
            found_by_field = self.finder.find_in_header(header)
        clean = {
            name: tuple(self._text(*each) for each in found)
            for name, found in found_by_field.items()
        }
        return msgspec.structs.replace(
            header,
            command=clean["command"],
            cwd=clean["cwd"][0],
            note=clean["note"][0],
            tool=self._beside(header.tool),
            # A moment says nothing, and nobody could read it with a placeholder in it.
            started=header.started if header.is_dated else self._beside(header.started),
            redacted=True,
        )

    def command(self, words: Iterable[str]) -> list[str]:
        """Return the words of a command line without its secrets."""
        return list(self.header(Header(command=tuple(words))).command)

    def _redact_line(self, record: Frame | Stderr) -> Frame | Stderr:
        if b"redacted-" in record.raw:
            self._placeholders.reserve(record.raw)
        stream = "stderr"
        via = None
        if isinstance(record, Frame):
            stream = record.sender.value
            via = record.via
            if via is not None and via != self._last_via:  # most have it in common
                self._last_via = via
                self._learn_beside(record)
        found = self._found_in(record.raw, stream)
        self._keep(self._split_finder.close())
        if not self._is_read_twice and isinstance(record, Frame):
            found = self._with_split_within(record, found, self._split_finder)
        elif self._split_parts:
            found = with_split_secrets(found, self.split_parts(record))
        if via is not None:
            via = msgspec.structs.replace(via, **self._texts(via))
            record = msgspec.structs.replace(record, via=via)
        if not found and not record.redacted:
            return record
        raw, found = self._replace(record.raw, found)
        places = self._places(record.redacted, found)
        if not found and places == record.redacted:
            return record
        return msgspec.structs.replace(record, raw=raw, redacted=places)

    @property
    def has_split_parts(self) -> bool:
        """Whether there are secrets in lines that only other lines show."""
        return bool(self._split_parts)

    def split_parts(self, line: Frame | Stderr) -> Sequence[Secret]:
        """Return the parts of secrets in a line that were learned, of which each has several."""
        self._keep(self._split_finder.close())  # the last texts, which nothing has ended
        return [*self._split_parts.get(_known_by(line), ())]

    def delivered_parts(self, raw: bytes) -> Sequence[Secret]:
        """Return such parts in a line that is delivered: it may be one that was sent before."""
        self._keep(self._split_delivered.close())
        return [*self._split_parts_of.get(raw, ())]

    def _with_split_within(
        self, frame: Frame, found: Sequence[Secret], finder: SplitSecrets
    ) -> Sequence[Secret]:
        """Return what is found in a line, split over its blocks, and what its command shows."""
        split = self._outputs.feed(frame, found)
        if found or frame.sender is Peer.CLIENT:
            split += finder.in_lists(frame, found)
        parts = [part for each in split for _, part in each.parts]
        parts += finder.going_on(frame, found)
        return with_split_secrets(self.finder.find(frame.raw), parts) if parts else found

    def _places(self, known: Iterable[str], found: Sequence[Secret]) -> tuple[str, ...]:
        """Return where a line was redacted before, and where `found` is."""
        pointers = dict.fromkeys((*known, *(secret.pointer for secret in found)))
        return tuple(dict.fromkeys(map(self.pointer, pointers)))

    def _redact_delivery(self, record: Delivery) -> Delivery:
        if record.error:
            self._learn_beside(record)
        raw = record.raw
        found: Sequence[Secret] = ()
        if raw is not None:
            found = self.finder.find(raw, record.to.other.value)
            parts = self.delivered_parts(raw)
            if not self._is_read_twice:
                sent = as_sent(record, raw)
                found = self._with_split_within(sent, found, self._split_delivered)
            found = with_split_secrets(found, parts)
            raw, found = self._replace(raw, found)
        places = self._places(record.redacted, found)
        texts = self._texts(record)  # `by` may be the path of a script, and `error` what it said
        return msgspec.structs.replace(record, **texts, raw=raw, redacted=places)

    def _found_in(self, raw: bytes, stream: str) -> Sequence[Secret]:
        """Return the secrets in a line; a huge one is searched once, though it is read twice."""
        if self._in_huge is None or len(raw) <= LONGEST_CHUNK or b"PRIVATE KEY" in raw:
            return self.finder.find(raw, stream)
        key = blake2b(raw).digest()
        if key not in self._in_huge:
            self._in_huge[key] = self.finder.find(raw, stream)
        return self._in_huge[key]

    def has_learned(self) -> None:
        """Take note that all records have been learned: what is found in one is final."""
        self._in_huge = {}

    def _redact_http(self, record: HttpExchange | Disconnect) -> HttpExchange | Disconnect:
        """Return the record without secrets in any of its texts, and in its headers."""
        self._learn_beside(record)
        texts = self._texts(record)
        headers = {
            field: {self._beside(name): self._named(name, value) for name, value in fields.items()}
            for field, fields in _headers_of(record).items()
        }
        return msgspec.structs.replace(record, **texts, **headers)

    def _learn_beside(self, record: Record) -> None:
        """Take note, while recording, of what a text beside a line shows: another may have it."""
        if not self._is_read_twice:
            for name, text in texts_beside(record):
                self.finder.find_named(name, text.encode(errors="surrogatepass"))

    def _texts(self, part: HttpExchange | Disconnect | Delivery | Via) -> dict[str, str]:
        return {name: self._named(name, value) for name, value in _texts_of(part).items()}

    def _beside(self, text: str) -> str:
        """Return a text beside a line without its secrets: as it is learned, and checked."""
        return self._named("", text)

    def _named(self, name: str, text: str) -> str:
        raw = text.encode(errors="surrogatepass")
        if b"redacted-" in raw:
            self._placeholders.reserve(raw)
        return self._text(raw, self.finder.find_named(name, raw))

    def _text(self, raw: bytes, found: Sequence[Secret], *, count: bool = True) -> str:
        return self._replace(raw, found, count=count)[0].decode(errors="surrogatepass")

    def _keep(self, split: Iterable[SplitSecret]) -> None:
        for secret in split:
            for piece, part in secret.parts:
                self._split_parts.setdefault(_known_by(piece.line), {})[part] = None
                self._split_parts_of.setdefault(piece.line.raw, {})[part] = None

    def _replace(
        self, raw: bytes, found: Sequence[Secret], *, count: bool = True
    ) -> tuple[bytes, Sequence[Secret]]:
        """
        Return `raw` with placeholders, and what they replace.

        The signs of a secret may hide another: `://user:x@host` is a URL only after a word, and a
        key begins in the middle of no other. So what has placeholders is searched again, but for a
        huge line, of which each search takes long.
        """
        replaced: list[Secret] = []
        for _ in range(_MOST_SEARCHES):
            if not found:
                break
            replaced += found
            replacements = [self._replacement(secret) for secret in found]
            if count:
                self._count(raw, found, replacements)
            raw = with_replacements(raw, found, replacements)
            found = self.finder.find(raw) if len(raw) <= LONGEST_CHUNK else ()
        return raw, replaced

    def _count(self, raw: bytes, found: Sequence[Secret], replacements: list[bytes]) -> None:
        for secret in found:
            if not secret.is_continuation:
                self.counts[secret.kind] = self.counts.get(secret.kind, 0) + 1
        if self.on_replace:
            self.on_replace(raw, found, replacements)

    def _learn_hidden(self, raw: bytes, found: Sequence[Secret]) -> None:
        """Take note of what is seen only when others are replaced: see `_replace`."""
        if found and len(raw) <= LONGEST_CHUNK:
            masks = [b"0" if each.is_number else ANY_PLACEHOLDER for each in found]
            self.finder.find(with_replacements(raw, found, masks))

    def _replacement(self, secret: Secret) -> bytes:
        if secret.is_continuation:
            return b""
        if secret.is_number:
            return b"0"
        return secret.replacement or self._placeholders.placeholder(secret.text, secret.kind)


class Masked:
    """
    The records that `read` gives, without their secrets, each time it is called.

    All are read once beforehand: a secret may come before the record that identifies it. What is
    recorded meanwhile is left out: nobody has looked for secrets that are split over it. And if
    another file has taken the place of what was read, nobody has looked for those in that.
    """

    def __init__(
        self, read: Callable[[], Iterable[Record]], redactor: Redactor | None = None
    ) -> None:
        self._read = read
        self._sums = array("L")  # by which records are known again
        self._last: Record | None = None
        self.redactor = redactor or Redactor()
        self.redactor.learn_all(self._counted(read()))
        self.redactor.has_learned()

    def _counted(self, records: Iterable[Record]) -> Iterator[Record]:
        add = self._sums.append
        for record in records:
            add(crc32(record.raw) if record.__class__ is Frame else _sum_of(record))
            self._last = record
            yield record

    def __call__(self) -> Iterator[Record]:
        """Give the records from the beginning."""
        self.redactor.counts.clear()
        return map(self.redactor.record, self.sent())

    def sent(self) -> Iterator[Record]:
        """Give the same records with their secrets. Raises `AcpSpyError` if they are others now."""
        records = iter(self._read())
        # The last line of a log of another tool, which grows, may have been cut.
        is_cut = isinstance(self._last, Frame) and not self._last.raw.endswith(b"\n")
        surely = len(self._sums) - is_cut
        for number, known in enumerate(self._sums):
            record = next(records, None)
            now = crc32(record.raw) if record.__class__ is Frame else _sum_of(record)
            if now != known and number == surely:
                return  # it is known no better than what comes after it
            if record is None or now != known:
                raise AcpSpyError(
                    "the capture was replaced while it was read", hint="run the command again"
                )
            yield record

    def frame(self, frame: Frame) -> Frame:
        """Return one of the frames without its secrets."""
        redacted = self.redactor.record(frame)
        assert isinstance(redacted, Frame)
        return redacted

    @property
    def count(self) -> int:
        """How many places were masked, in what was read since the last beginning."""
        return sum(self.redactor.counts.values())


def _sum_of(record: Record | None) -> int:
    # The header of a log of another tool says how much of it was read.
    return 0 if record is None or isinstance(record, Header) else crc32(encode([record]))


def as_sent(record: Delivery, raw: bytes) -> Frame:
    """Return the line `raw` of a delivery as if the other peer had sent it."""
    return Frame(record.seq, record.t, record.to.other, raw)


def texts_beside(record: Record) -> list[tuple[str, str]]:
    """Return what a record says beside its line, command, folder and note, some by name."""
    if type(record) is Frame and not record.redacted and not record.via:  # nearly all are
        return []
    texts: list[str] = []
    named: list[tuple[str, str]] = []
    if isinstance(record, Frame | Stderr | Delivery):
        texts += [step for pointer in record.redacted for step in steps(pointer)]
    if isinstance(record, Frame) and record.via:
        named += _texts_of(record.via).items()
    elif isinstance(record, Header):
        texts += [record.tool, *(() if record.is_dated else (record.started,))]
    elif isinstance(record, Exit):
        texts += [record.reason, *record.undelivered]
    elif isinstance(record, HttpExchange | Disconnect | Delivery):
        named += _texts_of(record).items()
        for fields in _headers_of(record).values():
            texts += fields
            named += fields.items()
    return [*(("", text) for text in texts), *named]


def _texts_of(part: HttpExchange | Disconnect | Delivery | Via) -> dict[str, str]:
    """Return all fields that are text: the writer of the file may have put anything there."""
    values = ((name, getattr(part, name)) for name in part.__struct_fields__)
    return {name: value for name, value in values if value and isinstance(value, str)}


def _headers_of(record: HttpExchange | Disconnect | Delivery) -> dict[str, dict[str, str]]:
    if not isinstance(record, HttpExchange):
        return {}
    return {
        "request_headers": record.request_headers,
        "response_headers": record.response_headers,
    }


def _known_by(line: Frame | Stderr) -> tuple[float, bytes]:
    """Return what identifies a line: its number alone may occur twice in a file."""
    return (line.seq if isinstance(line, Frame) else line.t, line.raw)
