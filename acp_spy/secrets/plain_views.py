"""
What a text was before a program printed it.

A file that was read has line numbers, a diff has signs, a log has the time before each line, an
object is printed with its strings escaped, a page has words in bold, and all of it may be in color.
Each view of a text takes one of these away. It is searched like the text itself, and what is found
is at the same place in the text: so no grammar needs to know what may be around it.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import msgspec

from acp_spy.secrets.encoded_text import MODE, Cut, place_before, visible_text, without
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret import OF_USER, Secret
from acp_spy.wire.json_text import is_json

_LEVEL = rb"\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR)\]?:?[ \t]"  # of a line in a log
_TIME = rb"\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,18}(?:Z|[+-][0-9]{2}:?[0-9]{2})?\]?"
# What may be before each line, in the order in which it is looked for.
_BEFORE_LINES = (
    # A log: the time, and the program that wrote the line. One blank: the rest may be a column.
    _TIME + rb"[ \t](?:[ \t]*+[\w./-]{1,40}(?:\[[\w.]{1,20}\])?:[ \t]|%b)?" % _LEVEL,
    rb"[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [\w.-]{1,60} [\w./-]{1,60}(?:\[[0-9]{1,8}\])?: ",
    _LEVEL,
    rb"[\w.-]{1,40}[ \t]++\|[ \t]",  # one of several programs, as with Docker Compose
    # A file, as with grep. `spring.datasource.password:` is none, nor is `s/password:`.
    rb"(?!s/)[\w.-]{0,80}/[\w./-]{0,120}:(?:[0-9]{1,6}[:-])?|[\w-]{1,80}\.[a-z]{1,5}:[0-9]{1,6}[:-]",
    # git blame
    (
        rb"\^?[0-9a-f]{7,40} [^()\n]{0,80}\([^()\n]{1,60} [0-9-]{10} [0-9:]{8} [+-][0-9]{4}"
        rb" +[0-9]{1,6}\) ?"
    ),
    rb"[ \t]{0,8}L?[0-9]{1,6}(?:\xe2\x86\x92|[ \t]?(?:\||\xe2\x94\x82)[ \t]?|[:\t-][ \t]?)",
    rb"(?:>[ ]?){1,2}(?=> )|(?:>[ ]?){1,3}",  # the last may be a prompt, or the mark of pytest
    # A diff, also of a diff. `- x` is an item of a list and `--x` an option.
    rb"\+{1,2}(?!\+(?!\+\+ ))|-(?![- ])|-(?=[ ]{2}|--- )",
)
# What programs put before each line that they pass on, and that need not be cut out by itself: the
# line above or below must begin alike.
_BEFORE_ALL_LINES = expression(
    rb"^(?:%b)"
    % b"|".join(
        (
            # With the host and the program, as journalctl has them; alone, as docker logs does.
            _TIME + rb"[ \t](?:(?:[\w.-]{1,60}[ ])?[\w./-]{1,60}\[[\w.]{1,20}\]:[ ]|%b)?" % _LEVEL,
            rb"(?:[^\t\n]{1,60}\t){1,2}(?:\xef\xbb\xbf)?" + _TIME + rb"[ \t]",  # gh run view
            rb"\[(?![ \t\"'])[^\]\n]{1,120}\][ ]",  # kubectl logs --prefix
            rb"\#[0-9]{1,4}[ ][0-9.]{1,9}[ ]|npm[ ](?:ERR!|error)[ ]|==>[ ][\w.-]{1,60}:[ ]",
            rb"[\w./-]{1,60}:[\w./-]{1,40}:[ ]",  # turbo
            rb"[\w./-]{1,80}[:-][0-9]{1,6}[:-]",  # grep, also of the lines around what it found
        )
    ),
    re.MULTILINE,
)
# What a line end of Windows becomes on its way through a terminal.
_DOUBLED = expression(rb"(?<!\r)\r+(?=\r\n)")
# What a terminal has drawn over, as each step of a progress bar does; the shell, an empty line.
_DRAWN_OVER = expression(rb"^(?:[^\r\n]{0,2000}\r++(?=[^\n]))++", re.MULTILINE)
# Control sequences that are not text or color: the title of a window, the target of a link, marks
# of the shell, a hidden cursor. Not the clipboard or a file: these may be all that is printed.
_SEQUENCE = (
    rb"(?:%b|\x1b(?:[78=>]"
    rb"|\](?!52;|1337;)[0-9]{1,4}(?:;[^\x07\x1b\r\n]{0,2000}+)?(?:\x07|\x1b\\)"
    rb"|[PX^_][^\x1b\r\n]{0,2000}+\x1b\\))" % MODE
)
_FIRST_COLUMN = expression(rb"\x1b\[1?G")  # as a carriage return
_DRAWN_AGAIN = expression(rb"(?<!\r)\r++(?=[^\n])")
_BOLD = rb"(?:\x1b(?:\[[0-9;]{0,8}m|\(B)){0,8}+"
_SIGN = rb"(?:[%#]|\xe2\x8f\x8e)"
# Also where a shell begins a line of its own, as the output had no line end: zsh and fish draw a
# sign, and as many blanks as make the terminal begin one.
_BETWEEN_LINES = expression(
    rb"%b++|%b(?:%b%b)? {8,400}+\r(?:\xe2\x8f\x8e)?+ \r" % (_SEQUENCE, _BOLD, _SIGN, _BOLD)
)
_BEFORE_LINE = expression(rb"^(?:%b)" % b"|".join(_BEFORE_LINES), re.MULTILINE)
_MAY_BE_PRINTED = expression(
    rb"\r(?!\n)|[\x1b`\\\x80-\xff]|\*\*|~~|</|[ \t=:('>\]](?=\{\")|\A[\r\n]*+[ \t]|%b|%b"
    % (_BEFORE_LINE.pattern, _BEFORE_ALL_LINES.pattern),
    re.MULTILINE,
)
# Words in bold or struck out, as Markdown has them.
_EMPHASIS = expression(
    rb"(?<![*\w])\*\*(?=[^\s*])(?:[^*\r\n]|\*(?!\*)){1,200}(?<=\S)\*\*(?![*\w])"
    rb"|(?<![~\w])~~(?=[^\s~])(?:[^~\r\n]|~(?!~)){1,200}(?<=\S)~~(?![~\w])"
)
_TAG = expression(  # inline, of a page
    rb"(?i:</?(?:code|kbd|samp|tt|var|strong|b|em|i|u|s|span|font|mark|small|del|ins)"
    rb"(?:\s[^<>]{0,200})?>)"
)
_ESCAPE = expression(rb"\\([nt\"'`\\/]|r(?!edacted-)|u[0-9a-fA-F]{4})")  # no placeholder
_MEANINGS = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
# Backticks, but in a shell NAME=`...` is what a command prints, and a fence has its own lines; and
# what is before an object.
_CODE_END = expression(
    rb"(?P<fence>(?<!`)`{3,}+(?=[\w-]{0,16}[ \t]*+(?:[\r\n\"']|\\{1,7}[nr]|\Z)))|(?<!=)`"
    rb"|[ \t=:('>\]](?=\{\")"
)
# A string of a program, or one of its ends alone: that of a text which was cut.
_STRING = expression(
    rb"(?:(?<=[\s(\[{,=:>|bBrRuU])|(?<![^\n]))"
    rb"(?:\"(?P<inside>(?:[^\"\\\r\n]++|\\[^\r\n])*+)\"|'(?P<between>(?:[^'\\\r\n]++|\\[^\r\n])*+)')"
    rb"(?=[\s)\]},;:.]|\Z)|(?<!\\)[\"'`]"
)
_STRING_END = expression(rb"(?<!\\)[\"'`]")
_OPENS_JSON = expression(rb"[\"'][\[{]")
_MARGIN = expression(rb"^[ \t]*+(?=[^\s])", re.MULTILINE)
_DIGITS = expression(rb"[0-9]+")
# A line, or what is given in it.
_BEGINNINGS = (b"", b"\n", b" ", b"=", b":", b'"', b"'")
_MASKED = expression(rb"(?<=\n)redacted-([a-z0-9-]{1,80})-[0-9]{1,20}(?![\w-])")


_Turn = tuple[Callable[[bytes], tuple[bytes, list[Cut]]], ...]
_Turns = tuple[_Turn, ...]


class View(msgspec.Struct, frozen=True):
    """
    A text in which something was cut out, once or in several turns.

    `may_be_json` unless escapes are gone: the quotes that they kept apart end strings now.
    """

    text: bytes
    cuts: tuple[list[Cut], ...] = ()
    may_be_json: bool = True

    def in_whole(self, secret: Secret) -> Secret:
        """Return a secret of this view with its place in the whole text."""
        start = self._in_whole(secret.start, is_end=False)
        return msgspec.structs.replace(
            secret, start=start, end=self._in_whole(secret.end, is_end=True)
        )

    @property
    def span(self) -> tuple[int, int]:
        """Where in the whole text this one begins and ends."""
        return self._in_whole(0, is_end=False), self._in_whole(len(self.text), is_end=True)

    def _in_whole(self, at: int, *, is_end: bool) -> int:
        for cuts in reversed(self.cuts):
            at = place_before(cuts, at, is_end=is_end)
        return at

    def placeholders(self) -> Iterator[Secret]:
        """Give the placeholders with which lines begin, as the secrets that they were."""
        for found in _MASKED.finditer(self.text):
            yield Secret(*found.span(), found[1].decode())

    def before(self, secret: Secret, whole: bytes) -> range:
        """
        Return where, in the whole text, what is before the line of a secret of this view is.

        The line above or below begins alike: by itself it may be a part of a password. Nothing,
        unless the secret begins its line.
        """
        begin = secret.start
        if self.text[begin - 1 : begin] != b"\n":
            return range(0)
        others = self.text.rfind(b"\n", 0, begin - 1) + 1, self.text.find(b"\n", secret.end) + 1
        before = self._cut_before(begin)
        start = _start_of(before, whole)
        is_alike = any(_start_of(self._cut_before(at), whole) == start for at in others)
        return before if is_alike else range(0)

    def _cut_before(self, at: int) -> range:
        return range(self._in_whole(at, is_end=True), self._in_whole(at, is_end=False))


def _start_of(cut: range, whole: bytes) -> bytes:
    """Return what was cut out, whatever its numbers are: those of lines, or of a time."""
    return _DIGITS.sub(b"0", whole[cut.start : cut.stop])


def as_seen(text: bytes) -> Iterator[View]:
    """Give a text as a terminal shows it, and how it was up to where it was drawn over."""
    yield _turned(View(text), _AS_DRAWN_LAST)
    view = _turned(View(text), _AS_DRAWN)
    if again := _DRAWN_AGAIN.search(view.text):
        yield _turned(view, (lambda plain: without(plain, [(again.start(), len(plain))]),))


def views(text: bytes) -> Iterator[View]:
    """Give the other views of a text, each made from the one before; most texts have none."""
    if not _MAY_BE_PRINTED.search(text):
        return
    seen: set[tuple[bytes, tuple[int, int]]] = set()
    seen_text = _turned(View(text), _AS_SEEN)
    drawn_last = _turned(View(text), _AS_DRAWN_LAST)
    all_turns = [(seen_text, _TURNS)]
    all_turns += [(drawn_last, _TURNS)] if drawn_last.text != seen_text.text else []
    all_turns += [(seen_text, _TURNS_OF_ALL_LINES)] if _BEFORE_ALL_LINES.search(text) else []
    for start, turns in all_turns:
        for view in _views(start, turns):
            # Two that are equal may be in two places: strings with the same JSON.
            place = view.text, view.span
            if place not in seen:
                seen.add(place)
                yield view


def _views(view: View, turns: _Turns) -> Iterator[View]:
    if view.cuts:
        yield view
    for turn in turns:
        before = view
        view = _turned(before, turn)
        if view is not before:
            if not view.may_be_json:
                yield from _json_in_strings(before)
            yield view


def _turned(view: View, turn: _Turn) -> View:
    for made in turn:
        plain, cuts = made(view.text)
        if plain != view.text:
            may_be_json = view.may_be_json and made is not _unescaped
            view = View(plain, (*view.cuts, cuts), may_be_json)
    return view


def _json_in_strings(view: View) -> Iterator[View]:
    """Give the JSON that is in a string of a program, by itself."""
    text = view.text
    if not _OPENS_JSON.search(text) or is_json(text):
        return
    for found in _STRING.finditer(text):
        group = "inside" if found["inside"] else "between"
        inside = found[group] or b""
        if b"\\" not in inside or inside[:1] not in (b"{", b"["):
            continue
        start, end = found.span(group)
        plain = _ESCAPE.sub(_meaning, inside)
        if is_json(plain):
            escapes = _spans_of_escapes(text, start, end)
            _, cuts = without(text, [(0, start), *escapes, (end, len(text))])
            yield View(plain, (*view.cuts, cuts))


def _without_sequences(text: bytes) -> tuple[bytes, list[Cut]]:
    """Return `text` without control sequences: what is before and after one is in two lines."""
    if b"\x1b" not in text and b" \r" not in text and b"\\" not in text:
        return text, []
    spans: list[tuple[int, int]] = []

    def between(sequence: re.Match[bytes]) -> bytes:
        start, end = sequence.span()
        begins = text[start - 1 : start] in _BEGINNINGS
        ends = text[end : end + 1] in (b"", b"\n") or text[end : end + 2] == b"\r\n"
        line_end = b"" if begins or ends else b"\n"
        if line_end and sequence[0].startswith(b"\\"):
            line_end = b" "  # spelled in a string, which stays one
        spans.append((start, end - len(line_end)))  # a secret before it may end with a line
        return line_end

    plain = _BETWEEN_LINES.sub(between, text)
    return plain, without(text, spans)[1]


def _with_returns(text: bytes) -> tuple[bytes, list[Cut]]:
    """Return `text` with a carriage return where the first column is named instead."""
    if b"G" not in text or b"\x1b[" not in text:
        return text, []
    spans = [(each.start(), each.end() - 1) for each in _FIRST_COLUMN.finditer(text)]
    return _FIRST_COLUMN.sub(b"\r", text), without(text, spans)[1]


def _without_doubled(text: bytes) -> tuple[bytes, list[Cut]]:
    if b"\r\r\n" not in text:
        return text, []
    return without(text, [doubled.span() for doubled in _DOUBLED.finditer(text)])


def _without_drawn_over(text: bytes) -> tuple[bytes, list[Cut]]:
    if b"\r" not in text:
        return text, []
    return without(text, [drawn.span() for drawn in _DRAWN_OVER.finditer(text)])


def _without_common_starts(text: bytes) -> tuple[bytes, list[Cut]]:
    """Return `text` without what a line and the one above or below begin with, but for numbers."""
    starts = [found.span() for found in _BEFORE_ALL_LINES.finditer(text)]
    alike = set()
    for one, other in pairwise(starts):
        if text.count(b"\n", one[0], other[0]) == 1 and _zeroed(text, one) == _zeroed(text, other):
            alike |= {one, other}
    return without(text, sorted(alike))


def _zeroed(text: bytes, span: tuple[int, int]) -> bytes:
    return _start_of(range(*span), text).replace(b":", b"-")  # as grep has either


def _without_line_starts(text: bytes) -> tuple[bytes, list[Cut]]:
    return without(text, [found.span() for found in _BEFORE_LINE.finditer(text)])


def _without_margin(text: bytes) -> tuple[bytes, list[Cut]]:
    """Return `text` without the blanks with which all of its lines begin."""
    if text[:1] not in (b" ", b"\t", b"\r", b"\n"):
        return text, []
    starts = [found.span() for found in _MARGIN.finditer(text)]
    margin = min((end - start for start, end in starts), default=0)
    return without(text, [(start, start + margin) for start, _ in starts] if margin else [])


def _unescaped(text: bytes) -> tuple[bytes, list[Cut]]:
    if b"\\" not in text or is_json(text):  # strings of JSON are read one by one
        return text, []
    _, cuts = without(text, _spans_of_escapes(text, 0, len(text)))
    return _ESCAPE.sub(_meaning, _STRING.sub(_string_apart, text)), cuts


def _spans_of_escapes(text: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """
    Return what of the escapes is cut out where they are read.

    Of a letter of several bytes, it is the middle: a secret that begins or ends with it has all.
    """
    spans = []
    for found in _ESCAPE.finditer(text, start, end):
        length = len(_meaning(found))
        kept = min(1, length - 1)
        spans.append((found.start() + kept, found.end() - length + kept))
    return spans


def _meaning(escape: re.Match[bytes]) -> bytes:
    letters = escape[1]
    if letters[:1] == b"u":
        return chr(int(letters[1:], 16)).encode(errors="surrogatepass")
    return _MEANINGS.get(letters, letters)


def _string_apart(found: re.Match[bytes]) -> bytes:
    """Return a string in lines of its own. In one that has escapes, other quotes are its text."""
    inside = found["inside"] or found["between"] or b""
    return b"\n%b\n" % inside if b"\\" in inside else _STRING_END.sub(b"\n", found[0])


def without_marked(text: bytes, found: list[Secret]) -> list[Secret]:
    """Return `found` without what has a mark of the bold words that it is: a view has just them."""
    if b"**" not in text and b"~~" not in text:
        return found
    ends = dict(emphasis.span() for emphasis in _EMPHASIS.finditer(text))
    starts = {end: start for start, end in ends.items()}
    return [
        each
        for each in found
        if each.kind in OF_USER
        or not (each.end <= ends.get(each.start, 0) or each.start >= starts.get(each.end, each.end))
    ]


def _without_emphasis(text: bytes) -> tuple[bytes, list[Cut]]:
    if b"**" not in text and b"~~" not in text:
        return text, []
    spans = [found.span() for found in _EMPHASIS.finditer(text)]
    return without(
        text, [at for start, end in spans for at in ((start, start + 2), (end - 2, end))]
    )


def _without_tags(text: bytes) -> tuple[bytes, list[Cut]]:
    if b"</" not in text:
        return text, []
    return without(text, [tag.span() for tag in _TAG.finditer(text)])


def _with_code_apart(text: bytes) -> tuple[bytes, list[Cut]]:
    """Return `text` with code and JSON in lines of their own: nothing needs to be cut out."""
    return _CODE_END.sub(lambda found: found["fence"] or b"\n", text), []


# An object in a log is escaped in a text with times; in it may be a file with line numbers, and a
# text in it is escaped again.
_AS_SEEN: _Turn = (_without_sequences, visible_text, _without_doubled)
_AS_DRAWN: _Turn = (_with_returns, *_AS_SEEN)
_AS_DRAWN_LAST: _Turn = (*_AS_DRAWN, _without_drawn_over)
_TURNS: _Turns = (
    (_without_line_starts, _without_margin),
    (_without_emphasis, _without_tags),
    (_with_code_apart,),
    (_unescaped,),
    (_without_line_starts, _without_margin, _unescaped),
    (_without_line_starts, _without_margin),
)
# The same without what all lines begin with: what looks like a program after a time is then left,
# as it may be a name in the text.
_TURNS_OF_ALL_LINES: _Turns = (
    (_without_common_starts, *_TURNS[0]),
    *_TURNS[1:],
)
