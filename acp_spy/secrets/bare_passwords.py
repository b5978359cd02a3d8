"""
Where a password without quotes ends, if what is around it says so.

In a file of settings with its line, also if it has blanks; in the pairs of a connection, in a line
or in an object that a program has printed, before the next pair; below `|` of YAML with the block.
In quotes, several words are a password if a host or a user is beside them in the same call.
"""

import re

from acp_spy.secrets.assigned_values import LINE_END, LONGEST_LINE_START, is_line_start
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.values import Certainty, is_value, is_weak_password, read_quoted

# What was changed, as terraform plan shows it, and what a program uses in another case:
# `a ? "x" : "y"`, `"x" if a else "y"`. Without quotes, only the former.
ARROW = rb"(?:[-=]>|\xe2\x86\x92)"
_BEFORE_BLANK = expression(
    rb"[^\s()\[\]{}<>\"'`,;&|\\\x1b\0]{3,200}+(?=[)}>]?[,.]?(?:[\s\x1b]|\\[nr]|$))"
)
_BEFORE_QUOTE = expression(rb"[^\s()\[\]{}<>\"'`,;&|\\\x1b\0]{3,200}+(?=\\{0,3}[\"'`])")
_CONNECTION = (
    rb"(?:host|hostname|hostaddr|server|port|user|username|uid|login|name|email|dbname|db|database"
    rb"|sslmode)=[^\s=,()\"']{1,80}"
)
_ADDRESS = expression(
    rb"[=:] ?(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[\w.+-]{1,40}@[\w-]{1,40}\.[a-z])"
    rb"|(?m:^)[0-9]{4}-[0-9]{2}-"
)
_CONNECTED_BEFORE = expression(rb"(?:^|[\s(:{\"'])%b,? $" % _CONNECTION)
_WEAK_WORD = expression(rb"[A-Za-z]?[a-z]{5,40}|[A-Z]{6,40}")
STATE = expression(
    rb"[A-Za-z]{2,20}(?:ed|ing)|(?i:given|present|absent|set|same|correct|hash|function|lambda"
    rb"|await|request|default|variable|anything|something|nothing|whatever|example|literal)"
)
_DECLARED_BEFORE = expression(
    rb"(?:^|[\s;({])(?:const|let|var|val|my|our|final|static|auto|char|def|where|and|or|if|set"
    rb"|by|[Ss]tring) $"
)
# Of an object that a program has printed: `Config(user=app, password=x, port=1)`.
_IN_OBJECT = expression(
    rb"[^\s()\[\]{}<>\"'`,;&|\\=\x1b\0]{3,200}+(?=, ?[\w.]{1,40}(?: ?=|: | -> )| ?[)\]}])"
)
_OBJECT_SIGNS = frozenset((b"=", b" -> ", b": "))
_IS_NUMBERED_NAME = expression(
    rb"(?i:.*(?:pass(?:word|wd|code|phrase)?|pwd?|secret|token|key))[0-9]+"
)
# No program has such brackets around `name=word`; those of a call are in many.
_IN_PRINTED = expression(
    rb"(?:^|[\s:(,]|\b[A-Z]\w{1,60} ?)[\[{](?:[\w.]{1,40}=[^\[\](){}\"'=\r\n]{0,60}, ?){0,12}$"
)
CONNECTED_AFTER = expression(rb" %b" % _CONNECTION)
_HOST = rb"\b(?:host(?:name|addr)?|server|port|dbname|database)=[^\s,()]{1,80}"
# The same in JSON, where a user with a name of one small word will do.
_LOGIN_BEFORE = expression(
    rb"\"(?:host(?:name)?\"\s{0,4}:\s{0,4}\"[a-z0-9][\w.-]{1,80}\"|port\"\s{0,4}:\s{0,4}\"?[0-9]{2,5}\"?"
    rb"|user(?:name)?\"\s{0,4}:\s{0,4}\"[a-z0-9][\w.@-]{0,60}\"),\s{0,40}\"\Z"
)
_HOST_BEFORE = expression(rb"%b,\s{1,40}(?:\w{1,30}=[^\s,()]{1,80},\s{1,40}){0,4}\Z" % _HOST)
_HOST_AFTER = expression(
    rb"([\"'])[^\"'\r\n]{3,80}\1(?:,\s{1,40}\w{1,30}=[^\s,()]{1,80}){0,4},\s{1,40}%b" % _HOST
)
_LONGEST_ARGUMENTS = 200
_VARIABLE = expression(rb"[A-Z][A-Z0-9_]{2,60}=")
_LONGEST_PHRASE = 32
_FEW_WORDS = expression(
    rb"[^\s\"'`:=(){}\[\]<>|,;#\\]{2,20}"
    rb"(?: (?!%b|\xe2[\x94\x95])[^\s\"'`:=(){}\[\]<>|,;#\\]{1,20}){1,2}"
    rb"(?=[ \t]*(?:\r?\n|$))" % ARROW
)
_ODD = expression(rb"[0-9!$%&*^~?]")
# Of a file of properties, in which a word without quotes is no variable.
PROPERTY = expression(
    rb"(?:spring|quarkus|hibernate|javax|jakarta|jdbc|liquibase|flyway|micronaut|sonar|kafka)\."
)
_OBJECT_BEFORE = expression(rb"\{ (?:[\w.-]{1,40} = [^\s,{}]{1,60}, ){0,6}\Z")
_TO_NEXT_PAIR = expression(rb"[^\s;\"'`=<>]{1,40}(?: [^\s;\"'`=<>]{1,40}){1,3}(?=[;\"'])")
# The name of a section, with nothing but settings, remarks and empty lines after it.
_SECTION = expression(
    rb"(?:\A|\n)\[[A-Za-z][\w .:/-]{0,60}\][ \t]*\r?\n"
    rb"(?:[ \t]*(?:[#;][^\n]*|[\w.-]{1,60}(?: [\w.-]{1,60}){0,3}[ \t]*=[^\n]*)?\n){0,16}\Z"
)
_LONGEST_SECTION = 800
_TO_LINE_END = expression(
    rb"[^\s\"'`\[{(][^\r\n]{0,120}?(?=[ \t]*(?:[ \t][#;][^\n]*)?(?:\r?\n|\Z))"
)
_IN_BLOCK = expression(rb"[a-z]{2,12}(?: [a-z]{2,12}){1,4}(?=[ \t]*(?:\r?\n|$))")


def several_words(
    text: bytes,
    start: int,
    at: int,
    assign: re.Match[bytes],
    block: re.Match[bytes] | None,
) -> tuple[int, int] | None:
    """Return a password that may be several words: its place says where it ends."""
    if block and (phrase := _IN_BLOCK.match(text, at)):
        return phrase.span() if is_value(phrase[0], Certainty.PASSWORD) else None
    if text[start - 1 : start] == b";" and assign["op"] == b"=":
        return _in_connection(text, assign.end())
    if text[at : at + 1] in (b'"', b"'"):
        return _beside_host(text, start, at) or _of_variable(text, start, at)
    is_spaced = assign["before"] or assign["after"]
    setting = _in_settings(text, start, assign) if is_spaced else None
    return setting or _words_to_line_end(text, start, at)


def among_pairs(text: bytes, start: int, assign: re.Match[bytes]) -> tuple[int, int] | None:
    """Return the value of a pair in a line, or in an object that a program has printed."""
    is_argument = text[start - 2 : start] in (b", ", b"( ") and not _is_log(text, start)
    is_after_blank = text[start - 1 : start] == b" " or text[start - 2 : start] == b" ("
    if is_after_blank and not is_argument and (word := _in_line(text, start, assign)):
        return word
    return _in_object(text, start, assign)


def _in_settings(text: bytes, start: int, assign: re.Match[bytes]) -> tuple[int, int] | None:
    """Return the value of a line below `[client]`, or of a property: all that is there."""
    line_start = text.rfind(b"\n", max(0, start - LONGEST_LINE_START), start) + 1
    if text[line_start:start].strip(b" \t"):
        return None
    value = _TO_LINE_END.match(text, assign.end())
    if value is None or not (
        PROPERTY.match(text, start)
        or (
            assign["op"] == b"="
            and _SECTION.search(text, max(0, line_start - _LONGEST_SECTION), line_start)
        )
    ):
        return None
    return value.span() if is_value(value[0], Certainty.PASSWORD, is_bare=True) else None


def _in_connection(text: bytes, at: int) -> tuple[int, int] | None:
    """Return a password with blanks among the pairs of a connection: `User=a;Password=b c;`."""
    words = _TO_NEXT_PAIR.match(text, at)
    if words is None or not is_value(words[0], Certainty.PASSWORD, may_be_phrase=True):
        return None
    return words.span()


def _is_log(text: bytes, start: int) -> bool:
    """Whether an address without quotes is before it in the line, or a date begins it."""
    first = max(0, start - LONGEST_LINE_START)
    first = max(first, text.rfind(b"\n", first, start) + 1)
    return _ADDRESS.search(text, first, start) is not None


def _in_line(text: bytes, start: int, assign: re.Match[bytes]) -> tuple[int, int] | None:
    """
    Return the value of `name=x` in the middle of a line, with blanks around as no program has it.

    Next to `user=` or `host=` it is the setting of a connection, and may be any word; elsewhere a
    word of one case, as no variable with a telling name is.
    """
    at = assign.end()
    word = _BEFORE_BLANK.match(text, at)
    ended = _BEFORE_QUOTE.match(text, at) if word is None and assign[0] == b"=" else None
    if (word := word or ended) is None or assign[0] not in (b"=", b":"):
        return None
    if assign[0] == b":":  # as Go prints a struct
        return word.span() if is_weak_password(word[0]) else None
    before = text[max(0, start - LONGEST_LINE_START) : start]
    is_connection = _CONNECTED_BEFORE.search(before) or CONNECTED_AFTER.match(text, word.end())
    if ended and not is_connection:
        return None
    value = word[0].rstrip(b".:")  # of the sentence
    is_word = _WEAK_WORD.fullmatch(value) and not _DECLARED_BEFORE.search(before)
    certainty = Certainty.PASSWORD if is_connection or is_word else Certainty.SETTING
    if certainty is Certainty.PASSWORD and STATE.fullmatch(value):
        return None
    if not is_value(value, certainty, is_bare=True):
        return None
    return word.start(), word.start() + len(value)


def _in_object(text: bytes, start: int, assign: re.Match[bytes]) -> tuple[int, int] | None:
    """Return the value of a pair in an object that a program has printed."""
    is_one = assign[0] in _OBJECT_SIGNS or (  # the latter in HOCON
        assign[0] == b" = "
        and _OBJECT_BEFORE.search(text, max(0, start - _LONGEST_ARGUMENTS), start) is not None
    )
    if (
        not is_one
        or text[start - 1 : start] not in (b" ", b",", b"(", b"[", b"{")
        or (word := _IN_OBJECT.match(text, assign.end())) is None
    ):
        return None
    if not is_weak_password(word[0]):
        before = text[max(0, start - LONGEST_LINE_START) : start]
        is_word = _WEAK_WORD.fullmatch(word[0]) and not STATE.fullmatch(word[0])
        if assign[0] != b"=" or not is_word or not _IN_PRINTED.search(before):
            return None
    elif _IS_NUMBERED_NAME.fullmatch(word[0]):
        return None
    return word.span() if is_value(word[0], Certainty.PASSWORD, is_bare=True) else None


def _beside_host(text: bytes, start: int, at: int) -> tuple[int, int] | None:
    """Return a password in a call with a host, too: `connect(host="db", password="a b")`."""
    first = max(0, start - _LONGEST_ARGUMENTS)
    in_json = text[start - 1 : start] == b'"'
    is_beside = (_LOGIN_BEFORE if in_json else _HOST_BEFORE).search(text, first, start)
    quoted = read_quoted(text, at) if is_beside or _HOST_AFTER.match(text, at) else None
    is_one = quoted and is_value(text[slice(*quoted)], Certainty.PASSWORD, may_be_sentence=True)
    return quoted if is_one else None


def _of_variable(text: bytes, start: int, at: int) -> tuple[int, int] | None:
    """Return words in quotes that a variable in capitals is set to, with a digit or a sign."""
    if not _VARIABLE.fullmatch(text, start, at) or not is_line_start(text, start):
        return None
    if not (quoted := read_quoted(text, at)) or quoted[1] - quoted[0] > _LONGEST_PHRASE:
        return None
    value = text[slice(*quoted)]
    is_message = b"pass" in value.lower()
    is_one = is_value(value, Certainty.PASSWORD, may_be_sentence=True) and not is_message
    return quoted if is_one and _ODD.search(value) and LINE_END.match(text, quoted[1]) else None


def _words_to_line_end(text: bytes, start: int, at: int) -> tuple[int, int] | None:
    """Return a password of several words without quotes, which ends with its line."""
    found = _FEW_WORDS.match(text, at)
    if (
        found is None
        or not _ODD.search(found[0])
        or not is_value(found[0], Certainty.PASSWORD)
        or not is_line_start(text, start)
    ):
        return None
    return found.span()
