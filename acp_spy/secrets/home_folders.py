"""
Where in a text the name of a home folder begins, and where it ends.

A name may have letters of any script, blanks, and what a URL makes of both. In a sentence, the
words after a path are no part of it: only what is after them shows whether they are.
"""

import re
from collections.abc import Collection, Iterator

from acp_spy.secrets.expressions import expression

# Letters beyond ASCII, in UTF-8, without punctuation. These may go on after a letter of ASCII:
ACCENTED = (
    rb"\xc3[\x80-\x96\x98-\xb6\xb8-\xbf]|[\xc4-\xd7\xd9-\xdf][\x80-\xbf]"
    rb"|\xd8[\x80-\x8b\x8d-\x9a\x9c-\x9e\xa0-\xbf]|\xe1[\xb8-\xbb][\x80-\xbf]"
)
# These begin a word of the sentence there, since many who write them need no blank.
_OF_OTHER_SCRIPT = (
    rb"\xe0(?:[\xa0-\xa4\xa6-\xbf][\x80-\xbf]|\xa5[\x80-\xa3\xa6-\xbf])"
    rb"|\xe1[\x80-\xb7\xbc-\xbf][\x80-\xbf]|\xe3(?:\x80[\x85\x87]|[\x81-\xbf][\x80-\xbf])"
    rb"|[\xe4-\xed][\x80-\xbf]{2}"
)
_IN_URL = (  # such a letter
    rb"%(?:[Cc][3-9A-Fa-f]|[Dd][0-9A-Fa-f])%[89ABab][0-9A-Fa-f]"
    rb"|%[Ee][013-9A-Da-d](?:%[89ABab][0-9A-Fa-f]){2}"
)
_BLANK_IN_URL = rb"%20|%27(?=[A-Za-z])"


def _word(in_url: bytes) -> bytes:
    """Return the pattern of a word of a name, in which `in_url` may be besides letters."""
    first = rb"[A-Za-z0-9_]|%b|%b" % (ACCENTED, _IN_URL)
    more = rb"[A-Za-z0-9._-]|%b|%b|%b" % (ACCENTED, _IN_URL, in_url)
    other = rb"(?:%b)(?:%b|%b)*+" % (_OF_OTHER_SCRIPT, more, _OF_OTHER_SCRIPT)
    return rb"(?:%b|(?:%b)(?:%b)*+(?:(?<=[_-])%b)?+)" % (other, first, more, other)


_PREFIX = rb"(?:[DLO]'(?=[A-Z]))?+"
_NAME = expression(_PREFIX + _word(_BLANK_IN_URL))
# All of a text is spelled as in a URL.
_NAME_IN_QUERY = expression(_PREFIX + _word(rb"%27(?=[A-Za-z])"))
_MORE_WORDS = expression(
    rb"(?:(?: |%%20)(?:[A-Za-z](?:'|\xe2\x80\x99)(?=[A-Za-z\xc3-\xed]))?+%b){1,4}+" % _word(b"(?!)")
)
_REST_OF_NAME = expression(rb"(?:[A-Za-z0-9._-]|%b|%b)*+" % (ACCENTED, _IN_URL))
_GOES_ON = rb"\.*+(?:[A-Za-z0-9_-]|%b|%b)" % (ACCENTED, _IN_URL)
# Whether an escape is a letter that goes on is known where it is read.
MAY_GO_ON = rb"%b|\.*+\\++u[0-9A-Fa-f]{4}" % _GOES_ON

# What a path may be directly after, though it is a letter: `-I/home`, `vscode://file/home`.
AFTER_LETTER = (
    rb"(?<=[^\w.-]-[A-Za-z])|(?<=\A-[A-Za-z])|(?<=-isystem)|(?<=-iquote)|(?<=-idirafter)"
    rb"|(?<=vscode://file)|(?<=insiders://file)|(?<=codium://file)|(?<=cursor://file)"
    rb"|(?<=windsurf://file)|(?<=zed://file)|(?<=/@fs)|(?<=/proc/self/root)"
)
_SEPARATORS = (rb"(?:\\{4}|\\{1,2})", rb"/", rb"%5[Cc]", rb"%2[Ff]")  # alike in one path
_BEFORE_NAME = expression(
    rb"(?:(?<![\w.-])|%b)/(?:(?:(?:var|usr|export)/)?home"
    rb"|(?:mnt|cygdrive|host_mnt|run/desktop/mnt/host)/[A-Za-z]/(?i:users)"
    rb"|(?:[A-Za-z]/|System/Volumes/\w{1,40}/|Volumes/[\w .-]{1,64}/)?Users)/"
    rb"|%%2[Ff](?:home|Users)%%2[Ff]|//wsl(?:\$|%%24|\.localhost)/[\w.-]{1,64}/home/"
    rb"|(?:(?<!\w)(?:vscode-remote|ssh|sftp)://|(?<=://)vscode-remote/)[\w.%%+@:-]{1,200}"
    rb"/(?:home|Users)/"
    rb"|(?<!\w)file://[\w.-]{1,64}/(?:home|Users)/(?=[^/\s]{1,100}/)"
    rb"|(?<![\w.:\\-])\\{2,4}[\w.$-]{1,64}\\{1,2}(?:[\w.$-]{1,64}\\{1,2})?(?:home|Users)\\{1,2}"
    rb"|(?P<drive>(?:(?<![A-Za-z0-9])|(?<=[^\w.][/-][A-Z]))[A-Za-z](?::|%%3[Aa])(?:%b))"
    % (
        AFTER_LETTER,
        b"|".join(rb"%b(?i:users)%b" % (separator, separator) for separator in _SEPARATORS),
    )
)
_LAST_SEPARATOR = expression(rb"(?:%..|(?<!/)/++|(?<!\\)\\++)\Z")

REPLACEMENT_NAME = b"dev"
# Or a placeholder. What is after it was after the name: so more words are no part of it.
_STANDS_IN = expression(rb"dev[0-9]*+(?!%b)|redacted(?:-|(?!%b))" % (_GOES_ON, _GOES_ON))

# Small words within a name: `Ann van der Lee`.
_PARTICLES = frozenset(
    b"al bin da das de del den der di do dos du e el la le ten ter van von y zu".split()
)
_QUOTES = (b'"', b"'", b"`")
_LINE_ENDS = (b"", b"\r", b"\n", *_QUOTES)


def stands_in(text: bytes, start: int) -> bool:
    """Whether the name that begins at `start` has replaced another one already."""
    return _STANDS_IN.match(text, start) is not None


def is_below_homes(path: bytes) -> bool:
    """Whether a path is where home folders are."""
    return _BEFORE_NAME.match(path) is not None


def names_of_homes(text: bytes, known: Collection[bytes] = ()) -> Iterator[tuple[int, int]]:
    """
    Give where the name of each home folder begins and ends, except those that stand in.

    Of a name of several words that is `known`, no more needs to be seen.
    """
    for before in _BEFORE_NAME.finditer(text):
        start = before.end()
        is_in_query = text[start - 3 : start - 2] == b"%"
        name = (_NAME_IN_QUERY if is_in_query else _NAME).match(text, start)
        if not name or stands_in(text, start):
            continue
        end = start + len(name[0].rstrip(b"."))
        more = _MORE_WORDS.match(text, end)
        if more and _belong_to_name(before, *more.span()):
            end = more.end()
        yield start, max(end, _end_of_known(text, start, known))


def _end_of_known(text: bytes, start: int, known: Collection[bytes]) -> int:
    """Return where the folder ends that has one of the known names, or begins with it."""
    ends = (start + len(name) for name in known if text.startswith(name, start))
    end = max((end for end in ends if not text[end : end + 1].isalnum()), default=start)
    rest = _REST_OF_NAME.match(text, end) if end > start else None
    return end + len(rest[0].rstrip(b".")) if rest else end


def _belong_to_name(before: re.Match[bytes], start: int, end: int) -> bool:
    """Whether the words from `start` to `end`, after the first of a name, are a part of it."""
    text = before.string
    words = text[start:end].replace(b"%20", b" ").split()
    if len(words[-1]) < 2:  # `I/O`
        return False
    is_drive = before["drive"] is not None
    is_name = all(_is_capital(word) or word in _PARTICLES for word in words[:-1])
    is_name = is_name and _is_capital(words[-1])
    if not is_name and not (is_drive and len(words) == 1):
        return False
    separator = _LAST_SEPARATOR.search(before[0])
    if separator and text.startswith(separator[0], end):
        return True
    if is_drive and text.startswith(b">", end) and not words[-1].endswith(b"-"):  # a prompt
        return True
    # Nobody has blanks in the name of a folder in `/home`.
    if b"home" in before[0]:
        return False
    return _is_value(text, before.start(), end) or (
        is_name and _is_rest_of_line(text, before.start(), end)
    )


def _is_capital(word: bytes) -> bool:
    """Whether a word begins like a name, in the scripts that have small letters."""
    first = word.decode(errors="replace")[0]
    return not first.islower() and not first.isdigit()


def _is_value(text: bytes, start: int, end: int) -> bool:
    """Whether a path is all of the text, or of what is in quotes."""
    if not start:
        return not text[end : end + 3].strip(b"\r\n") and end + 3 > len(text)
    quote = text[start - 1 : start]
    return quote in _QUOTES and text[end : end + 2].lstrip(b"\\").startswith(quote)


def _is_rest_of_line(text: bytes, start: int, end: int) -> bool:
    """Whether a path is all of a line, or all that is after `=`, perhaps in quotes."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return (before == b"=" or before in _LINE_ENDS) and after in _LINE_ENDS
