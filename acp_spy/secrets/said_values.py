"""
Values that no sign assigns: in a sentence, after a prompt, in the line or the cell that follows.

`the password for x is y`, `Secret Access Key [None]: y`, `password:` with `y` in the next line,
`| DB_PASSWORD | y |`, `password y` in a file that has only blanks between, a remark about one:
`password (y)`, `DB_PASSWORD → y`.
"""

import re

from acp_spy.secrets.asked_values import value_asked_for
from acp_spy.secrets.assigned_values import (
    BY_STRENGTH,
    LINE_OF_FILE,
    LONGEST_LINE_START,
    ends_line,
    is_line_start,
    value_at,
)
from acp_spy.secrets.secret_names import Strength
from acp_spy.secrets.shape import Found
from acp_spy.secrets.values import (
    Certainty,
    is_value,
    is_weak_password,
    looks_random,
    read_bare,
    read_quoted,
)

_FORM_PART = re.compile(rb"(?:\r?\n[^\r\n]{1,200}){0,2}\r?\n\r?\n(?=\S)")  # of multipart/form-data
BLANK = re.compile(rb"[ \t]++(?:=[ \t]++|\|[ \t]++)?")
# A remark about a secret has its value in brackets or after an arrow, and nothing else there.
_REMARKED = re.compile(
    rb"[ \t]{1,2}(?:\((?P<q>[`\"']?)(?P<inside>[^\s`\"'()]{5,200})(?P=q)\)"
    rb"|\xe2\x86\x92[ \t]{0,4}(?P<r>[`\"']?)(?P<after>[^\s`\"'(),;]{5,200})(?P=r)(?=[\s.,;)]|\Z))"
)
_VERBS = frozenset((b"pass", b"Pass"))
_COMMIT = re.compile(rb"[0-9a-f]{7,12}|[0-9a-f]{40}")
_LEAST_REMARKED = {Strength.PASSWORD: 6, Strength.SECRET: 10}
_LEAST_REMARKED_KEY = 16
# What a secret is for, in the languages whose word for a password is the name of one.
_FOR = "for|of|to|on|at|in|f\u00fcr|von|vom|zum|zur|der|des|de|del|della|di|do|da|du|pour|para|per"
_THING = rb"(?:[^\s.:=]++|[.:=](?=\S)|[ \t]){1,40}?"  # also a host, an address, a URL
_IS = "is|was|to|ist|lautet|est|es|\u00e8|\u00e9"
# `The password has changed, it's now y`, `the token expired, use this one instead: y`
_CHANGED = (
    rb"(?:(?:has|was|is|just|been) ){0,3}(?:changed|reset|rotated|expired|updated)[,;.]?"
    rb"(?: so| and| please){0,2} (?:it(?:'s|\xe2\x80\x99s| is)(?: now)?|now it(?:'s| is)"
    rb"|(?:use|try) (?:this(?: one)?|the new one)(?: instead)?|the new one is)"
)
# `the password for x is set to y`, and `password for x: y`
_SAID = re.compile(
    rb"(?: (?:%b) %b)?(?: \([^()\n]{1,24}\))?"
    rb"(?:[ \t]{0,40}=|[ \t]{1,40}(?:(?:is |was |now |has been )?(?:set|changed|reset) to"
    rb"|will be|should be|%b|%b))(?: ?:| )[ \t]*+(?:\*\*)?"
    % (_FOR.encode(), _THING, _CHANGED, _IS.encode())
)
_PROMPT = re.compile(
    rb"(?:(?: [0-9]{1,2}| [(\[][^()\[\]\n]{0,24}[)\]]| ['\"]?(?:%b"
    rb"|is|has|generated|provided|from)\b[^\n]{0,80}?['\"]?):[ \t]+|:[ \t]+)(?:\*\*)?"
    % _FOR.encode()
)
# In a line of its own, after one that ends with a colon.
_FENCE = rb"(?:```[\w-]{0,16}[ \t]*+\r?\n[ \t]*+|`)?"
_BELOW = re.compile(
    rb"(?: [^\n:=]{1,80})?:(?:\*\*)?[ \t]*+(?:\r?\n[ \t]*+){1,3}%b"
    rb"(?=[\w+/=-]{16,128}`?[ \t]*+(?:\r?\n|\Z))" % _FENCE
)
# The same without a colon, as a page has it: of all that is random only what is no digest.
_LABELED = re.compile(
    rb"[ \t]*+\r?\n[ \t]*+(?=[0-9a-z+/=_-]{0,64}[A-Z])(?=[0-9A-Z+/=_-]{0,64}[a-z])"
    rb"(?=[\w+/=-]{32,128}[ \t]*+(?:\r?\n|\Z))"
)
# In a line of its own, after one that ends with `password:`. No statement, no prompt of a shell.
_TYPED_BELOW = re.compile(
    rb":[ \t]*+\r?\n[ \t]*+"
    rb"(?=[^\s{}()\[\]<>=:\"'`]{6,64}(?<![$#%,;.])[ \t]*+(?:\r?\n|\Z))"
)
# The same further below, as a person or a model writes it: `The password for x is:`.
_SAID_BELOW = re.compile(
    rb"(?: (?:for|of|to|on) %b)?(?: (?:is|was|will be))?:(?:\*\*)?[ \t]*+"
    rb"(?:\r?\n[ \t]*+){1,2}%b(?=[^\s{}()\[\]<>=:\"'`]{6,64}(?<![,;.])`?[ \t]*+(?:\r?\n|\Z))"
    % (_THING, _FENCE)
)
# Below one without a colon: `Here is the API key`.
_HERE_IS = re.compile(
    rb"(?:[Hh]ere(?:'s| is|\xe2\x80\x99s)|[Tt]his is)(?: (?:the|my|our|your))?(?: \w{1,20}){0,2} $"
)
_BELOW_HERE = re.compile(
    rb"(?:\r?\n[ \t]*+){1,3}%b(?=[^\s{}()\[\]<>:\"'`]{8,128}`?[ \t]*+(?:\r?\n|\Z))" % _FENCE
)
# Each with what the value must be, and whether it is one of all secrets or of passwords.
_LINES_BELOW = (
    (_BELOW, Certainty.KEY, True),
    (_LABELED, Certainty.KEY, True),
    (_TYPED_BELOW, Certainty.SETTING, False),
    (_SAID_BELOW, Certainty.SENTENCE, False),
)
_AFTER_USER = re.compile(  # `user bob and password x`
    rb"\b(?:[Uu]ser(?:name)?|[Ll]ogin|[Aa]ccount) [\w.@+-]{2,40},? (?:and |with )?(?:the )?$"
)
_CONDITION = re.compile(rb"(?:\b(?:if|elif|while|case|not|and|or|in|when|unless) |[(!.&|])$")
# The edge of a table; of two columns without a head, the first has names.
_EDGE = rb"(?:\||\xe2\x94[\x82\x83])"
# What begins a row, what is between its cells, the second one, and what ends it. The second kind
# has no edge, as in CSV and in the output of a database client.
_ROWS = tuple(
    tuple(map(re.compile, parts))
    for parts in (
        (
            rb"(?:^|[\r\n]|\\[nr])[ \t]*+%b[ \t]*+$" % _EDGE,
            rb"[ \t]*+%b[ \t]*+" % _EDGE,
            rb"(?:[^\s|\\\xe2]|\\(?![nr]))++",
            rb"[ \t]*+%b[ \t]*+(?:[\r\n]|\\[nr]|$)" % _EDGE,
        ),
        (
            rb"(?:^|[\r\n]|\\[nr])[\"']?\Z",
            rb"[\"']?[|,][\"']?",
            rb"[^\s|,\"'\\]++",
            rb"[\"']?(?:[\r\n]|\\[nr]|\Z)",
        ),
    )
)


def after_blank(text: bytes, start: int, at: int, name: bytes, strength: Strength) -> Found | None:
    """Return the value in a sentence, after a prompt, or in a file that has only blanks between."""
    below = value_below(text, start, at, strength) or value_asked_for(text, start, at, strength)
    if below:
        return below
    if cell := _in_row(text, start, at, name, strength):
        return cell
    if remarked := _remarked(text, at, strength):
        return remarked
    if text[start - 6 : start] == b'name="' and (part := _FORM_PART.match(text, at)):
        return value_at(text, part.end(), strength, "assignment", is_sure=True)
    prompts = list(filter(None, (_SAID.match(text, at), _PROMPT.match(text, at))))
    for prompt in prompts:
        at, end = read_bare(text, prompt.end())
        is_sure = ends_line(text, at) and strength is not Strength.KEY
        is_sure = is_sure or (strength is Strength.PASSWORD and _is_weak(text[at:end]))
        certainty = Certainty.SETTING if is_sure else Certainty.SENTENCE
        if value := value_at(text, prompt.end(), strength, "prompt", certainty=certainty):
            return value
    if (
        not prompts
        and (blank := BLANK.match(text, at))
        and not (name in _VERBS and _is_verb(text, blank))
        and b"--" not in name  # a class of CSS
    ):
        certainty = _certainty_after(text, start, blank, name, strength)
        return value_at(text, blank.end(), strength, "assignment", certainty=certainty)
    return None


def _is_verb(text: bytes, blank: re.Match[bytes]) -> bool:
    """Whether a sentence says to pass what follows in backticks: pass `strict=True` to it."""
    if text[blank.end() : blank.end() + 1] != b"`":
        return False
    quoted = read_quoted(text, blank.end())
    return quoted is not None and not looks_random(text[slice(*quoted)])


def _is_weak(word: bytes) -> bool:
    return is_weak_password(word.rstrip(b".:!?"))


def _remarked(text: bytes, at: int, strength: Strength) -> Found | None:
    """Return the value of a remark, where the name of a file or a commit is as likely."""
    remark = _REMARKED.match(text, at)
    if remark is None or strength not in BY_STRENGTH:
        return None
    group = "inside" if remark["inside"] else "after"
    value = remark[group].rstrip(b".:")
    if (
        len(value) < _LEAST_REMARKED.get(strength, _LEAST_REMARKED_KEY)
        or _COMMIT.fullmatch(value)
        or LINE_OF_FILE.fullmatch(value)
    ):
        return None
    is_word = value[1:].islower()  # not `passwordHash2`
    is_weak = strength is Strength.PASSWORD and is_word and is_weak_password(value)
    if not is_weak and not is_value(value, Certainty.SENTENCE, is_bare=True):
        return None
    return remark.start(group), remark.start(group) + len(value), "prompt"


def _certainty_after(
    text: bytes, start: int, blank: re.Match[bytes], name: bytes, strength: Strength
) -> Certainty:
    """Return how sure it is that what follows a name and a `blank` is its value."""
    if name == b"PASSWORD" and text[blank.end() : blank.end() + 1] == b"'":
        return Certainty.PASSWORD  # of SQL
    if text[start - 1 : start] == b":" and read_quoted(text, blank.end()):
        return BY_STRENGTH.get(strength, Certainty.SENTENCE)  # of Clojure: {:password "x"}
    if strength is Strength.PASSWORD and _AFTER_USER.search(text[max(0, start - 80) : start]):
        return Certainty.SETTING
    if strength is Strength.PASSWORD and is_line_start(text, start):
        if (quoted := read_quoted(text, blank.end())) and ends_line(text, quoted[1] + 1):
            return Certainty.PASSWORD  # keyPassword 'x'
        if ends_line(text, blank.end()):
            is_column = len(blank[0]) > 1 or b"\t" in blank[0]
            return Certainty.PASSWORD if is_column else Certainty.SETTING
    if (
        strength is Strength.SECRET
        and (quoted := read_quoted(text, blank.end()))
        and ends_line(text, quoted[1] + 1)
        and is_line_start(text, start)
    ):
        return Certainty.SETTING  # proxy_set_header X-Secret "x";
    is_variable = name.isupper() and strength is Strength.KEY
    return Certainty.KEY if is_variable else Certainty.SENTENCE


def value_below(text: bytes, start: int, at: int, strength: Strength) -> Found | None:
    """Return the value in a line below one that ends with `password:` or `The API key is:`."""
    is_password = strength is Strength.PASSWORD and not _CONDITION.search(
        text[max(0, start - 10) : start]
    )
    for line, certainty, is_for_all in _LINES_BELOW:
        if (is_for_all or is_password) and (below := line.match(text, at)):
            return value_at(text, below.end(), strength, "prompt", certainty=certainty)
    if (
        text[at : at + 1] in (b"\n", b"\r")
        and (below := _BELOW_HERE.match(text, at))
        and _HERE_IS.search(text[max(0, start - 60) : start])
    ):
        return value_at(text, below.end(), strength, "prompt", certainty=Certainty.SENTENCE)
    return None


def _in_row(text: bytes, start: int, at: int, name: bytes, strength: Strength) -> Found | None:
    """Return the value in a row of two columns: `| DB_PASSWORD | x |`, `smtp_password|x`."""
    for row_start, middle, cell, row_end in _ROWS:
        if (between := middle.match(text, at)) is None:
            continue
        before = text[max(0, start - LONGEST_LINE_START) : start]
        word = cell.match(text, between.end())
        if not row_start.search(before) or word is None or not row_end.match(text, word.end()):
            continue
        certainty = BY_STRENGTH[strength]
        if certainty is Certainty.PASSWORD and not name.isupper():
            certainty = Certainty.SETTING  # `| password | Passwort |`
        return (*word.span(), "table") if is_value(word[0], certainty) else None
    return None
