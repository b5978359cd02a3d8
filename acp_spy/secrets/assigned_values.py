"""The value of an assignment: where it is, where it ends, and whether its place makes it one."""

from acp_spy.secrets.expressions import SPELLED_ESCAPE, expression
from acp_spy.secrets.generated_passwords import until_closed
from acp_spy.secrets.secret_names import Strength, strength_of
from acp_spy.secrets.shape import Found
from acp_spy.secrets.values import Certainty, is_value, read_bare, read_quoted

_LONGEST_IN_BRACES = 200
_LEAST_IN_SENTENCE = 16  # of a key
LONGEST_LINE_START = 120
_IN_ELEMENT = expression(
    rb"(?:[^<&\r\n]|&(?:amp|lt(?!;/)|gt|quot|apos|\#x?[0-9A-Fa-f]{1,6});){1,400}"
)
_SCHEME = expression(
    rb"(?:(?i:bearer|basic|token|apikey|ssws|digest|negotiate|geniekey|bot|aws4-hmac-sha256)"
    rb"[ ]+(?=[^\s\"'])|\{noop\})"
)
# What is before `password:` where somebody is asked for it, or given it.
_ASKED = (
    rb"(?:[Mm]ot de|Enter|Re-?enter|Re-?type|Repeat|Confirm|Verify|Type|New|Old|Current|Your"
    rb"|Temporary|Initial|Generated)(?: [A-Za-z]{2,12}){0,3}"
)
_LINE_START = expression(
    rb"(?:^|[\n\r\0]|\\[nr])[ \t]*(?:[-*#][ \t]*|[\w./-]{1,80}:[ \t]*|//[ \t]*"
    rb"|(?:export|local|readonly|env|ENV|ARG|[sS]et[eE]nv)[ ]+|set[ ]+(?:-[A-Za-z]{1,4}[ ]+)*"
    rb"|(?:proxy_set_header|add_header|(?:fastcgi|uwsgi)_param)[ ]+|%b[ ]|declare[ ][-\w ]*"
    rb"|[\"'`{(]+|%%)*+$" % _ASKED  # `%%dev.` of Quarkus
)
LINE_END = expression(rb"[\"'`]?[ \t]*+(?:[#;\r\n\x1b\0]|\\[nr]|$)|[ \t]++//")
_TYPED = expression(rb"(?:[^\s\\\x1b]|\\++(?!(?:[nrt\s]|%b|\Z)))*+" % SPELLED_ESCAPE)
LINE_OF_FILE = expression(rb"\(?[\w./+-]{1,80}:[0-9]{1,6}\)?")  # of a stack: (auth.c:88)
_AFTER_BRACES = expression(rb"[\s\"'`)\]},\\]|;(?:\s|[A-Za-z][\w ]{0,40}=|\Z)|\Z")
_END_OF_CALL = expression(rb"[\"'`]\)")
_DIGITS = expression(rb"[0-9]{4,8}")
_LETTERS = expression(rb"[A-Za-z_]+")
_FORMATTED = expression(rb"[A-Za-z_][\w.]*![rsa]")  # of a text in Python: f"password={x!r}"
BY_STRENGTH = {
    Strength.PASSWORD: Certainty.PASSWORD,
    Strength.SECRET: Certainty.SETTING,
    Strength.KEY: Certainty.KEY,
    Strength.PIN: Certainty.KEY,
}


def certainty_of_name(name: bytes) -> Certainty | None:
    """Return how sure it is that what has this name is a secret; `None` if it is none."""
    strength = strength_of(name.decode("latin-1"))
    return None if strength is Strength.PIN else BY_STRENGTH.get(strength)


def is_value_of(name: bytes, value: bytes) -> bool:
    """Whether a value is a secret, as what has this name."""
    certainty = certainty_of_name(name)
    return certainty is not None and is_value(value, certainty)


def ends_line(text: bytes, at: int) -> bool:
    """Whether only one word follows in the line."""
    _, end = read_bare(text, at)
    return LINE_END.match(text, end) is not None


def is_line_start(text: bytes, start: int) -> bool:
    """Whether a name that begins at `start` is the first in its line, after `export` and so on."""
    first = max(0, start - LONGEST_LINE_START)
    line_end = text.rfind(b"\n", first, start)
    line = text[line_end + 1 if line_end >= 0 else first : start]
    return _LINE_START.search(line) is not None


def value_at(
    text: bytes,
    at: int,
    strength: Strength,
    kind: str,
    *,
    is_sure: bool = False,
    is_colon: bool = False,
    certainty: Certainty | None = None,
    is_certain: bool = False,
) -> Found | None:
    """
    Return the value that begins at `at`, if it is one.

    With `is_certain`, a variable or an option is before it: even a plain word is a password.
    """
    start, end, quoted = read_value(text, at, kind)
    value = text[start:end]
    if not quoted and text[start - 1 : start] == b"{" and _FORMATTED.fullmatch(value):
        return None
    if strength is Strength.PIN:
        return (start, end, kind) if _DIGITS.fullmatch(value) else None
    following = text[end : end + 1]
    if not quoted and (following in (b"(", b"[") or text[end - 1 : end + 1] == b"->"):
        return None
    if certainty is None:
        certainty = BY_STRENGTH[strength]
        is_whole = LINE_END.match(text, end) is not None
        is_closed = is_sure and (is_whole or following in (b";", b"&", b" ", b'"', b"'"))
        is_name = (
            _LETTERS.fullmatch(value)
            and not is_certain
            and not (is_whole and (not is_colon or value[:1].islower()))
        )
        if not quoted and certainty is not Certainty.KEY and (is_name or not is_closed):
            certainty = Certainty.CODE
    elif certainty is Certainty.SENTENCE:
        if strength is Strength.KEY and len(value) < _LEAST_IN_SENTENCE:
            return None
        if _is_aside(value, following):
            return None
        if quoted and strength is Strength.PASSWORD:
            certainty = Certainty.SETTING
    is_one = is_value(
        value,
        certainty,
        is_bare=not quoted,
        may_be_phrase=is_certain and quoted,
        may_be_sentence=quoted and kind == "option",
    )
    return (start, end, kind) if is_one else None


def _is_aside(value: bytes, following: bytes) -> bool:
    """Whether a word after a name is how a program is called, a remark or a line of a file."""
    return (
        value[:1] == b"["  # `htpasswd [-cimB25dpsDv]`
        or (value[:1] == b"(" and following in (b")", b","))  # `hardcoded password (CWE-798)`
        or LINE_OF_FILE.fullmatch(value) is not None
    )


def read_value(text: bytes, at: int, kind: str) -> tuple[int, int, bool]:
    """Return where a value is, without quotes and without `Bearer` and the like."""
    quoted = read_quoted(text, at)
    start, end = quoted or (_read_word(text, at) if kind == "prompt" else read_bare(text, at))
    if scheme := _SCHEME.match(text, start):
        start = scheme.end()
        if not quoted:
            start, end = read_bare(text, start)
    if not quoted and (braces := _read_braces(text, start)):
        start, end = braces
    return start, end, quoted is not None


def _read_braces(text: bytes, start: int) -> tuple[int, int] | None:
    """Return what is in the braces of ODBC: `PWD={a}}b}`."""
    if text[start : start + 1] != b"{" or text[start + 1 : start + 2] in (
        b"{",
        b'"',
        b"'",
        b"\\",
        b" ",
        b"",
    ):
        return None
    end = text.find(b"}", start, start + _LONGEST_IN_BRACES)
    while end >= 0 and text[end + 1 : end + 2] == b"}":
        end = text.find(b"}", end + 2, start + _LONGEST_IN_BRACES)
    if end < 0 or not _AFTER_BRACES.match(text, end + 1):
        return None
    inner = text[start + 1 : end]
    # {type: string}, or an object of several lines
    is_schema = (b": " in inner and b'"' not in inner) or b"\n" in inner
    return None if is_schema else (start + 1, end)


def _read_word(text: bytes, at: int) -> tuple[int, int]:
    """Return the word at `at` with all its signs: nothing else ends what was typed at a prompt."""
    word = _TYPED.match(text, at)
    assert word is not None
    typed = _END_OF_CALL.split(word[0], maxsplit=1)[0]
    typed = until_closed(text, at, typed, read_bare(text, at)[1] - at) or typed
    return at, at + len(typed.rstrip(b".,;:\"'`"))


def in_element(text: bytes, at: int, strength: Strength) -> Found | None:
    """Return the value that begins at `at` and ends with its tag."""
    found = _IN_ELEMENT.match(text, at)
    if found is None or text[found.end() : found.end() + 2] not in (b"</", b"&l"):
        return None
    return (*found.span(), "xml-password") if is_value(found[0], BY_STRENGTH[strength]) else None
