"""
Secrets that are split over several lines: found in the joined text, reported piece by piece.

Agents stream a few letters at a time, each few a frame of their own, and what is written to
standard error may be recorded before the line is complete. A reader of such a text sees the
secret in one piece again. The same holds for the blocks of a prompt, and for a text that is a list
of its lines.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, groupby, pairwise, takewhile
from operator import itemgetter

import msgspec

from acp_spy.capture.records import Stderr
from acp_spy.secrets.chunks import (
    DEEPEST,
    MAY_BE_CHUNK,
    NAMES_OF_IDS,
    Chunk,
    Key,
    TextIds,
    chunks_in,
)
from acp_spy.secrets.encoded_text import (
    IN_KEYS,
    LEAST_OF_LINE,
    end_of_key,
    ends_with_key,
    is_line_of_key,
    is_mixed,
)
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.growing_texts import GrowingTexts, GrownText, is_cut
from acp_spy.secrets.learned_values import is_vendors
from acp_spy.secrets.message_names import PROMPTS, kind_of, session_of
from acp_spy.secrets.pieces import Line, Piece, SplitSecret, split_over
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.secret import Secret, last_overlapping, secret_at, without_overlap
from acp_spy.secrets.shape import are_words
from acp_spy.secrets.short_form import short_form
from acp_spy.secrets.similar_lines import SimilarLines
from acp_spy.secrets.terminal_outputs import said_in
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.json_text import Path, leaves, unescaped
from acp_spy.wire.pointer import spell
from acp_spy.wire.values import decoded, innermost

_MESSAGE = expression(rb"\s*(?:\{\s*\"|\[\s*\{)")
_END = 100  # bytes: the response to a prompt is no longer, if it does not say how the turn ended
# Two strings of a list, or two texts: without them there is nothing to join.
_LIST = expression(rb"\[\s*\"(?:[^\"\\]|\\.)*+\"\s*,\s*\"|\"text\"\s*:.*\"text\"\s*:", re.DOTALL)
# Output that comes piece by piece without saying so. Nearly all of it ends with a line.
_OUTPUT = expression(rb"tool_call_update|\"output\"")
_OUTPUTS = frozenset(
    (
        *("text", "output", "stdout", "stderr", "rawOutput", "content", "newText"),
        *("aggregated_output", "formatted_output"),
    )
)
_ENOUGH = 256  # characters before and after a cut
_BEGINNING = 16  # by which a text that is sent again, longer, is known
LONGEST_CHUNK = 256 * 1024  # of raw bytes: what is longer is no piece of a stream
_MOST_TEXT = 512 * 1024  # of one text, before it is searched; so memory does not grow
_KEPT = 16 * 1024  # of it are searched again with what follows
_NEAR = 1024  # characters before the end of a message, which show what is there
_MOST_OPEN = 64
_MOST_BEGUN = 8
_MASKED = b"\0"  # instead of the output of a terminal that an earlier run has masked: no word
_WORD = expression(rb"[!-~\x80-\xff]{8,512}+")  # what a learned secret may be
_MOST_UNKNOWN = 16 * 1024 * 1024  # bytes of lines that are kept for words in them
_SHORTEST_HALF = 6  # of a key at the end of a line
_SIGNS_AFTER = b".,;:!?'\"`)]}>"
# What goes on with a word in a line of JSON, and is no sign between two: `user:SECRET` and `@host`.
_REST_OF_WORD = expression(
    rb"(?!&\w+=)(?:\.(?=[\w-]{12})|[#$%^&+~!=_/-]{0,3})[A-Za-z0-9](?:[^\s\"'`,;()<>\[\]{}\\]*(?<![.?!:]))?"
)
_SHORTEST_ALONE = 12  # of what the items around it show to be a secret
_SHORTEST_REST = 4  # of a secret that goes on in the next text
# `NAME=value`, `name: value`, a URL or a path, and not the end of base64.
_OTHER_TEXT = expression(rb"[\w.-]+(?:=(?!=?\Z)|:)|(?:~|\.{1,2})?/[\w.@-]+/")


class _Run(msgspec.Struct):
    pieces: list[Piece] = []
    size: int = 0
    speech: int = 0  # of the last piece


class _Cut(msgspec.Struct):
    """A text that may end in the middle of a key: how it began, and its pieces."""

    beginning: bytes
    pieces: list[Piece]


IsOne = Callable[["SplitSecret"], bool]


class _UnknownWord(msgspec.Struct):
    """A word over several pieces that may be a secret: a later line may show that it is one."""

    pieces: list[Piece]
    is_one: IsOne
    learned: int  # how much was known when it was met


class SplitSecrets:
    """Feed it lines in turn; it gives the secrets that no line shows alone, when a text is over."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._open: dict[Key, _Run] = {}
        self._cut: dict[Key, _Cut] = {}
        self._growing = GrowingTexts()
        self._unknown: list[_UnknownWord] = []
        self._size_of_unknown = 0
        self._is_fed = False  # since it was closed
        self._prompts: dict[tuple[Peer, str], str] = {}  # without a response: of which sessions
        self._similar: dict[str, SimilarLines[Chunk]] = {}  # of each peer
        self._speeches: dict[Key, tuple[bool, int]] = {}  # the last of each session
        self._speech_count = 0
        self._restarted: dict[tuple[Key, str], str] = {}  # texts that were sent again, by name
        self._begins = 0
        self._last: Chunk | None = None  # that was said; a similar line has the very same
        self._speech = 0  # of it
        # While recording: of a session the text that ended with a secret, and may go on; its kind.
        self._begun: dict[Key, dict[tuple[Key, str], str]] = {}

    def feed(
        self, line: Line, found: Sequence[Secret] = (), place: int = 0
    ) -> Iterable[SplitSecret]:
        """Take in a line in which `found` was seen; return what has come to light."""
        self._is_fed = True
        if isinstance(line, Stderr):
            return self._feed_text(("stderr", ""), line, found, place)
        if len(line.raw) > LONGEST_CHUNK:  # but for its images, it may be short
            return self.in_lists(line, found, place) if _MESSAGE.match(line.raw) else ()
        if not _MESSAGE.match(line.raw):  # noise, as of a program that prints a file
            return self._feed_text((line.sender.value, ""), line, found, place)
        raw = line.raw
        is_end = self._prompts and (
            b'"stop' in raw or b'"error"' in raw or b'"result"' in raw[-_END:]
        )
        # A prompt: the turn before it is over.
        is_end = is_end or b'/prompt"' in raw or b'"send' in raw
        split = self._close_turn(line) if is_end else []
        chunks = self._chunks_in(line) if MAY_BE_CHUNK.search(line.raw) else []
        is_said = bool(chunks)
        for chunk, start, end in chunks:
            text = unescaped(line.raw[start:end])
            name = self._message_of(chunk) if self._restarted or chunk.is_restart else chunk.message
            piece = Piece(line, start, text, chunk.pointer, place, found, message=name)
            piece.is_restart = chunk.is_restart
            if chunk.is_in_base64:
                _decode(piece, end - start)
            if chunk.is_said and chunk is not self._last:
                self._last, self._speech = chunk, self._speech_of(chunk)
            split += self._add(chunk.key, piece, self._speech if chunk.is_said else 0)
            is_said = is_said and chunk.is_said
        if is_said and not chunks[1:] and not _LIST.search(raw):
            return split  # as most are: there is no list in it
        is_output = b'"tool_call"' in raw and (b'"text"' in raw or b'"newText"' in raw)
        if is_output or _OUTPUT.search(raw):
            split += self._feed_output(line, found, place)
        return split + self.in_lists(line, found, place)

    def close(self) -> list[SplitSecret]:
        """Return what has come to light in the texts that nobody has ended, and in earlier ones."""
        if not self._is_fed:
            return []
        self._is_fed = False
        runs, self._open = self._open, {}
        split = [each for run in runs.values() for each in self._find_in(run, to_the_end=True)]
        split += self._find_cut(self._growing.close())
        unknown, self._unknown = self._unknown, []
        for word in unknown:
            if word.learned != self._finder.learned_count:  # something was, since it was met
                split += self._find_in(_Run(word.pieces), to_the_end=True, is_one=word.is_one)
        self._unknown.clear()
        self._size_of_unknown = 0
        return split

    def _message_of(self, chunk: Chunk) -> str:
        """Return the name of what a piece is of: a text that is sent again is another one."""
        text = chunk.key, chunk.message
        if chunk.is_restart:
            self._begins += 1
            self._restarted.pop(text, None)
            self._restarted[text] = f"{chunk.message}\0{self._begins}"  # no id has a NUL
            if len(self._restarted) > _MOST_OPEN:
                del self._restarted[next(iter(self._restarted))]
        return self._restarted.get(text, chunk.message)

    def _close_turn(self, frame: Frame) -> list[SplitSecret]:
        """
        Return what has come to light in the texts of a session, if a frame is its next prompt.

        Not if the one before has no response yet: then the agent still says something.
        """
        message = innermost(decoded(frame.payload))
        ident = str(message.get("id"))
        if kind_of(message) not in PROMPTS:
            if "method" not in message:
                self._prompts.pop((frame.sender.other, ident), None)
            return []
        session = str(session_of(message))
        is_over = session not in self._prompts.values()
        self._prompts[frame.sender, ident] = session
        if len(self._prompts) > _MOST_OPEN:
            del self._prompts[next(iter(self._prompts))]
        keys = [key for key in self._open if key[1] and session in key[3:]] if is_over else []
        return [
            split for key in keys for split in self._find_in(self._open.pop(key), to_the_end=True)
        ]

    def _feed_text(
        self, key: Key, line: Line, found: Sequence[Secret], place: int
    ) -> list[SplitSecret]:
        """Take in a line of text."""
        # Some loggers break a long line, so that the next record goes on with it.
        is_broken = line.raw.endswith(b"\n") and (
            is_line_of_key(line.raw) or (len(line.raw) > LEAST_OF_LINE and _may_be_cut(line.raw))
        )
        piece = Piece(line, 0, line.raw, "", place, found, int(is_broken))
        return self._add(key, piece)

    def _chunks_in(self, frame: Frame) -> list[tuple[Chunk, int, int]]:
        """Return the pieces of texts that a frame has, and where they are in it."""
        similar = self._similar.setdefault(frame.sender.value, SimilarLines())
        if known := similar.like(frame.raw):
            return [known]
        is_batch = frame.raw[:1] == b"["
        messages = groupby(leaves(frame.raw), lambda leaf: leaf.path[:1] if is_batch else [])
        found = (chunks_in(frame.sender.value, frame.raw, of_one) for _, of_one in messages)
        chunks = [*chain.from_iterable(found)]
        if len(chunks) == 1 and not is_batch:
            [(chunk, start, end)] = chunks
            similar.add(frame.raw, start, end, chunk)
        return chunks

    def _feed_output(self, frame: Frame, found: Sequence[Secret], place: int) -> list[SplitSecret]:
        """Return the keys that go on in the next text at the same place, of the same tool call."""
        ids = TextIds()
        texts: list[tuple[Path, int, bytes]] = []
        for leaf in leaves(frame.raw):
            if leaf.is_name or not leaf.is_string or not leaf.path or leaf.path[DEEPEST:]:
                continue
            content = frame.raw[leaf.start : leaf.end]
            if leaf.path[-1] in _OUTPUTS:
                texts.append(([*leaf.path], leaf.start, content))
            elif leaf.path[-1] in NAMES_OF_IDS:
                ids.take(leaf.path, content)
        split: list[SplitSecret] = []
        for path, start, content in texts:
            text, pointer = unescaped(content), spell(*path)
            whose = (frame.sender.value, *ids.of(path))
            key = (*whose, pointer)
            whole = Piece(frame, start, text, pointer, place, found)
            split += self._find_cut(self._growing.feed(whose, whole))
            before = self._cut.pop(key, None)
            pieces = before.pieces if before else []
            end = start + len(content)
            if before and not text.startswith(before.beginning):
                pieces = [*pieces, whole.part(0, _ENOUGH)]
                split += self._find_in(_Run(pieces), to_the_end=True, is_one=_all_goes_on)
                # After one that is a secret by itself, what was before it is over.
                is_alone = any(seen.start <= start and end <= seen.end for seen in found)
                is_whole = len(text) <= _ENOUGH and not text.strip(IN_KEYS) and not is_alone
            else:
                is_whole = False
            if ends_with_key(text[-_ENOUGH:]) or any(seen.end == end for seen in found):
                if len(self._cut) >= _MOST_OPEN:
                    del self._cut[next(iter(self._cut))]  # the oldest: most never go on
                if not is_whole:
                    pieces = [whole.part(len(text) - _ENOUGH, len(text))]
                self._cut[key] = _Cut(text[:_BEGINNING], pieces[-_MOST_OPEN:])
        return split

    def in_lists(self, frame: Frame, found: Sequence[Secret], place: int = 0) -> list[SplitSecret]:
        """Return what is split over the strings of a list, or over the texts of its objects."""
        self._is_fed = True
        short = short_form(frame.raw, LONGEST_CHUNK)
        if short is None or not _LIST.search(short.text):
            return []
        lists: dict[tuple[str | int, ...], list[Piece]] = {}
        for leaf in short.leaves():
            path = leaf.path
            if leaf.is_name or not leaf.is_string or not path or path[DEEPEST:]:
                continue
            if isinstance(path[-1], int):
                key, added = (*path[:-1],), b"\n"
            elif path[-1] == "text" and len(path) > 2:
                at = -2 if isinstance(path[-2], int) else -3
                if not isinstance(path[at], int):
                    continue
                key, added = (*path[:at], "text"), b""
            else:
                continue
            text = unescaped(frame.raw[leaf.start : leaf.end])
            lists.setdefault(key, []).append(
                Piece(frame, leaf.start, text + added, spell(*path), place, found, len(added))
            )
        split: list[SplitSecret] = []
        for pieces in lists.values():
            if len(pieces) < 2:
                continue
            split += self._find_in(_Run(pieces), to_the_end=True, is_one=_is_news)
            if pieces[0].added and any(_may_be_cut(each.text) for each in pieces):
                bare = [
                    msgspec.structs.replace(each, text=each.text[:-1], added=0)
                    if _may_be_cut(each.text) and not after.text[:_SHORTEST_HALF].islower()
                    else each
                    for each, after in zip(pieces, [*pieces[1:], pieces[0]], strict=True)
                ]
                # Cut anywhere, not only at the end of a line.
                split += self._find_in(_Run(bare), to_the_end=True, is_one=_is_news)
        return split

    def going_on(self, frame: Frame, found: Sequence[Secret]) -> list[Secret]:
        """
        Return the rest of a word whose beginning was a secret, at the end of the text before.

        While recording that has been written, and what is `found` in a frame is all that is known.
        A text goes on only if nothing else was said or asked in between.
        """
        raw = frame.raw
        may_begin = any(raw[secret.end : secret.end + 1] == b'"' for secret in found)
        if not (may_begin or self._begun):
            return []
        chunks = self._chunks_in(frame) if MAY_BE_CHUNK.search(raw) else []
        if not chunks:
            self._begun.clear()
        chunks = [each for each in chunks if each[1] != each[2]]
        # What is said next in a session goes on with it, or with nothing.
        begun = {
            each: self._begun.pop(each, {}) for each in {chunk.session for chunk, *_ in chunks}
        }
        ends = {each.end: each for each in found}
        rests: list[Secret] = []
        for chunk, start, end in chunks:
            text = chunk.key, chunk.message
            # Begun in this line, as in a batch, or in the one before. It goes on once.
            before = begun[chunk.session].pop(text, "")
            kind = self._begun.get(chunk.session, {}).pop(text, "") or before
            last = ends.get(end)
            if last and last.start < start:
                last = None
            rest = _REST_OF_WORD.match(raw, start, end) if kind and not chunk.is_restart else None
            if kind and rest:
                part = secret_at(raw, *rest.span(), kind)
                part = msgspec.structs.replace(part, pointer=chunk.pointer, is_continuation=True)
                rests.append(part)
                last = last or (part if part.end == end else None)
            may_go_on = chunk.is_restart or not (chunk.may_be_whole or chunk.is_in_base64)
            if last and may_go_on:
                self._begun.setdefault(chunk.session, {})[text] = last.kind
        while len(self._begun) > _MOST_BEGUN:
            del self._begun[next(iter(self._begun))]
        return rests

    def _speech_of(self, chunk: Chunk) -> int:
        """Return the speech that a piece is of: it is over when the other side has spoken."""
        session, is_of_person = chunk.session, chunk.is_of_person
        last = self._speeches.get(session)
        if last and last[0] is is_of_person:
            return last[1]
        if not last and len(self._speeches) >= _MOST_OPEN:
            del self._speeches[next(iter(self._speeches))]
        self._speech_count += 1
        self._speeches[session] = is_of_person, self._speech_count
        return self._speech_count

    def _add(self, key: Key, piece: Piece, speech: int = 0) -> list[SplitSecret]:
        split: list[SplitSecret] = []
        run = self._open.get(key)
        if run is None:
            if len(self._open) >= _MOST_OPEN:
                oldest = next(iter(self._open))
                split += self._find_in(self._open.pop(oldest), to_the_end=True)
            run = self._open[key] = _Run()
        if not piece.message:
            is_next = run.speech != speech or not run.pieces
            # No id in a line of JSON has a NUL.
            piece.message = f"\0{speech}" if is_next else run.pieces[-1].message
        run.speech = speech
        run.pieces.append(piece)
        run.size += len(piece.text)
        if run.size > _MOST_TEXT:
            split += self._find_in(run, to_the_end=False)
        return split

    def _find_in(
        self,
        run: _Run,
        *,
        to_the_end: bool,
        is_one: IsOne = lambda _: True,
    ) -> list[SplitSecret]:
        """
        Return what is found in `run`; unless it is at its end, its last pieces stay in it.

        `is_one` has the last word, if the pieces may as well be texts apart.
        """
        if to_the_end and len(run.pieces) < 2:
            return []
        pieces = _message_by_message(run.pieces)
        text = b"".join([piece.text for piece in pieces])
        end, kept = len(text), len(pieces)
        while not to_the_end and kept > 1 and len(text) - end < _KEPT:
            kept -= 1
            end -= len(pieces[kept].text)
        all_found = self._finder.find_in_joined(text)
        found = list(takewhile(lambda secret: secret.start < end, all_found))
        run.pieces = pieces[kept:]
        run.size = len(text) - end
        found = self._within_messages(found, text, pieces)
        split = [each for each in split_over(text, found, pieces) if is_one(each)]
        # A copy may be in the same text.
        self._keep_unknown(text[:end], pieces, is_one, [each.secret for each in split])
        self._finder.learn_found(each.secret for each in split)
        return split

    def _within_messages(
        self, found: list[Secret], text: bytes, pieces: list[Piece]
    ) -> list[Secret]:
        """
        Return what is `found` in `text`, without the first word of the next message.

        A message may end with a secret, or be nothing else. What is in three or more is one secret:
        some agents give each piece of a message an id of its own. None of these replaces a text.
        """
        if not found or pieces[0].message == pieces[-1].message:  # those of one are together
            return found
        ends = accumulate(len(piece.text) for piece in pieces)
        begins = [
            (end, after.is_restart)
            for end, (piece, after) in zip(ends, pairwise(pieces), strict=False)
            if piece.message != after.message
        ]
        between = [begin for begin, _ in begins]
        within: list[Secret] = []
        for secret in found:
            within.append(kept := self._within_one(secret, text, begins))
            if kept.end < secret.end:  # what it had of the next message may hide one there
                next_one = bisect_right(between, kept.end)
                stop = between[next_one] if next_one < len(between) else len(text)
                within += self._begin_of(text, kept.end, secret.end, stop)
        return without_overlap(within)

    def _begin_of(self, text: bytes, start: int, end: int, stop: int) -> list[Secret]:
        """Return the secrets of a message, from `start` to `stop`, that begin before `end`."""
        return [
            msgspec.structs.replace(each, start=start + each.start, end=start + each.end)
            for each in self._finder.find_in_joined(text[start:stop])
            if start + each.start < end
        ]

    def _within_one(self, secret: Secret, text: bytes, begins: list[tuple[int, bool]]) -> Secret:
        """Return a secret as far as it is in one message; `begins` says where they begin."""
        first = bisect_right(begins, secret.start, key=itemgetter(0))
        others = begins[first : bisect_left(begins, secret.end, key=itemgetter(0))]
        if not others or (len(others) > 1 and not others[0][1]):
            return secret
        (end, _), *after = others
        start = begins[first - 1][0] if first else 0
        rest = text[end : after[0][0] if after else secret.end]
        if _is_rest(secret, rest) or not self._ends_with_secret(text[start:end]):
            return secret
        return msgspec.structs.replace(secret, end=end, text=text[secret.start : end])

    def _ends_with_secret(self, text: bytes) -> bool:
        text = text[-_NEAR:]
        return any(each.end == len(text) for each in self._finder.find_in_joined(text))

    def _find_cut(self, grown: Iterable[GrownText]) -> list[SplitSecret]:
        """Return the secrets that a text had which has grown since, or a part of them."""
        split: list[SplitSecret] = []
        for text in grown:
            split += text.shown()
            if pieces := text.around_cut():
                split += self._find_in(_Run(pieces), to_the_end=True, is_one=is_cut)
        return split

    def _keep_unknown(
        self, text: bytes, pieces: list[Piece], is_one: IsOne, known: Sequence[Secret]
    ) -> None:
        """
        Keep the words of `text` over several of `pieces` that have letters and digits.

        Not those of which nothing is left but what is `known` to be secrets.
        """
        starts = [0, *accumulate(len(piece.text) for piece in pieces)]
        for word in _WORD.finditer(text):
            first = bisect_right(starts, word.start()) - 1
            last = bisect_left(starts, word.end())
            if last - first < 2 or not is_mixed(word[0]):
                continue
            *between, rest = _around(known, text, *word.span())
            # The rest may be the beginning of one that will be known later, unless it is signs.
            if not rest.strip(_SIGNS_AFTER) and not any(map(is_mixed, between)):
                continue
            within = pieces[first:last]
            size = sum(len(piece.line.raw) for piece in within)
            if size > LONGEST_CHUNK * len(within):
                continue  # an image is in the line, for which many others would have no room
            if self._size_of_unknown + size > _MOST_UNKNOWN:
                return
            self._size_of_unknown += size
            self._unknown.append(_UnknownWord(within, is_one, self._finder.learned_count))


def _decode(piece: Piece, letters: int) -> None:
    """Make the text of a piece what it says in base64, of so many letters."""
    said = _MASKED if PLACEHOLDER.fullmatch(piece.text) else said_in(piece.text)
    if said is not None:
        piece.text, piece.in_base64 = said, letters


def _message_by_message(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a text with those of each message together: they may come in turn."""
    messages = {piece.message: None for piece in pieces}
    if len(messages) == 1:
        return pieces
    places = {message: at for at, message in enumerate(messages)}
    return sorted(pieces, key=lambda piece: places[piece.message])


def _around(known: Sequence[Secret], text: bytes, start: int, end: int) -> list[bytes]:
    """Return what is before, between and after those of `known` that are in a word of `text`."""
    parts: list[bytes] = []
    at = bisect_left(known, end, key=lambda secret: secret.start) - 1
    while at >= 0 and known[at].end > start:
        parts.append(text[known[at].end : end])
        end = known[at].start
        at -= 1
    return [text[start:end], *reversed(parts)]


def _may_be_cut(line: bytes) -> bool:
    """Whether a line may end in the middle of a key."""
    end = end_of_key(line[-_SHORTEST_HALF - 2 :].rstrip(b"\r\n"))
    return len(end) >= _SHORTEST_HALF and not end.islower()


def _is_news(split: SplitSecret) -> bool:
    """
    Whether a secret is split over items of a list, and its parts alone do not show all of it.

    If a part is a secret alone, the next item may be another text, unless it looks random. And a
    string that is not a block of a text must be as long as a line that is broken, or a vendor's.
    """
    if len(split.parts) == 1:  # what is around it says what it is
        return (
            len(split.secret.text) >= _SHORTEST_ALONE
            and not _is_shown(*split.parts[0])
            and _goes_on(split.secret, *split.parts[0])
        )
    if not any(last_overlapping(piece.found, part) for piece, part in split.parts):
        return True
    first = split.parts[0][0]
    is_block = first.pointer.endswith("/text")
    may_be_broken = is_block or is_vendors(split.secret) or len(first.text) > LEAST_OF_LINE
    return may_be_broken and _all_goes_on(split)


def _all_goes_on(split: SplitSecret) -> bool:
    """
    Whether all after the first part goes on with the secret, and is not the next word.

    What is one by itself is not the rest of one before it; but it may be no more than a cut copy,
    if nothing else shows what the first part is.
    """
    [first, *others] = split.parts
    if _is_shown(*first) and any(_is_shown(*other) for other in others):
        return False
    return bool(others) and all(_goes_on(split.secret, *other) for other in others)


def _is_shown(piece: Piece, part: Secret) -> bool:
    """Whether the line of a part shows that it is a secret by itself."""
    seen = last_overlapping(piece.found, part)
    return seen is not None and seen.start <= part.start and part.end <= seen.end


def _goes_on(secret: Secret, piece: Piece, part: Secret) -> bool:
    return _is_rest(secret, piece.line.raw[part.start : part.end])


def _is_rest(secret: Secret, text: bytes) -> bool:
    """Whether a text goes on with a secret, and is not the next word."""
    [rest, *_] = re.split(rb"\s", text, maxsplit=1)
    return (
        len(rest) >= _SHORTEST_REST
        and (is_vendors(secret) or is_mixed(rest))
        and not are_words(rest)
        and not _OTHER_TEXT.match(rest)
    )
