"""What people write to an agent, and the fields of pages in which a password is typed."""

import re
from collections.abc import Iterable, Iterator
from functools import partial

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.generated_passwords import end_of_generated
from acp_spy.secrets.shape import Found, each, grammar, is_in, shape
from acp_spy.secrets.substitutions import Substitutions
from acp_spy.secrets.values import (
    Certainty,
    is_long_weak_password,
    is_value,
    is_weak_password,
    looks_random,
)

_LONGEST_TAG = 600  # bytes before and after the type of an input
_VALUE = expression(
    rb"(?:\bvalue|\bdefaultValue)=\{?\\{0,7}[\"'](?P<value>[^\"'\\<>\r\n]{3,200})\\{0,7}[\"']"
)
_TAG_END = expression(rb"(?<!=)>")  # not of `e => f(e)`
_OPENING = "\u201c"  # a typographic quote
_BASE64 = r"[A-Za-z0-9+/]{16,200}={0,2}"  # its signs are not those between words
_LAST_WORD = expression(rb"(?:^|[\s\"'`])([^\s\"'`()]{6,100})[\"'`]?\Z")


def _is_given(word: bytes) -> bool:
    return is_weak_password(word) or is_value(word, Certainty.SENTENCE, is_bare=True)


def _looks_given(word: bytes) -> bool:
    """Whether it is a password where a word with one digit may name something: `editor2`."""
    return is_long_weak_password(word) or is_value(word, Certainty.SENTENCE, is_bare=True)


def _in_input(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give the value of the tag in which its type is, which is that of passwords."""
    start = text.rfind(b"<", max(0, match.start() - _LONGEST_TAG), match.start())
    if start < 0 or _TAG_END.search(text, start, match.start()):
        return
    end = _TAG_END.search(text, match.end(), match.end() + _LONGEST_TAG)
    value = _VALUE.search(text, start, end.start() if end else match.end() + _LONGEST_TAG)
    if value and is_value(value["value"], Certainty.PASSWORD):
        yield *value.span("value"), "assignment"


def _before_remark(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    first = max(0, match.start() - 120)
    word = _LAST_WORD.search(text[first : match.start()])
    if word and _is_given(word[1]):
        yield first + word.start(1), first + word.end(1), "prompt"


# How people spell it when they are in a hurry. `pass` says it only after what it is of.
_PASSWORD = (
    rb"(?:[Pp]as{1,2}(?:w{1,2}(?:or|ro|o|r|a|ar)?d|o[rw]{1,2}d|phrase|code|wort)|[Pp]wo?r?d|[Pp]sw"
    rb"|[Pp]w|PW|(?:(?<=sudo )|(?<=root )|(?<=dmin )|(?<=db )|(?<=ssh )|(?<=ser )|(?<=my )"
    rb"|(?<=the ))pass)"
)
_OF = (
    rb"(?: (?:for|on|of|to|at|in)"
    rb"(?: (?!(?:is|was|are|in|not|has|and)\b)(?:[^\s,;=:]|:(?=\S)){1,40}+){1,4}?)?"
)
_STILL = rb"(?:(?:still|now|just|simply|probably|currently|again|always|really) )?"
_ITS = rb"(?:(?:it|that)(?:'|\xe2\x80\x99)?s|it is)"
_TYPE = rb"(?:type|enter|use|say|send|try|put|answer(?: with)?|give it)(?: in)?"
_NO_WORD = rb"\s\"'`,;()<>\[\]{}|\\\x1b"
# A short word before a sign is a password only with what follows the sign.
_GIVEN = (
    rb"(?P<secret>[^&%b](?:[^%b]{3,99}+(?=[%b]|\Z)|[^%b]{0,2}+(?=[\"'`,;()<>\[\]{}|\\]\S{5})))"
    % (_NO_WORD, _NO_WORD, _NO_WORD, _NO_WORD)
)
# Of a word, also in a line in which it is escaped, and after the sign of a diff there.
_BEGIN = rb"(?:(?<![\w.$/-])|(?<=\\[nrt])|(?<=\\n[+-])|(?<=[+-])(?<![^\"\n][+-]))"
# `password, it's x`, `the pw on that box is still x`, `if it asks for a password type x`: these say
# that it follows. With less between, in `pw x`, it must look like one.
_TOLD = (
    rb"(?=[Pp][aswW])"
    rb"%b%b(?:(?P<said>(?:[,?]| \()? ?%b %b| still |%b(?: (?:here|there|too))? (?:is|was) %b"
    rb"|(?:'|\xe2\x80\x99)s %b|,? %b )[\"'`]?|%b(?::|(?P<equals> =))? |(?<=(?:my|he) password), )%b"
    % (_BEGIN, _PASSWORD, _ITS, _STILL, _OF, _STILL, _STILL, _TYPE, _OF, _GIVEN)
)
# Before `pw = x`: a program declares a name in other words.
_WHOSE = expression(
    rb"(?:^|[\s(])(?:sudo|root|[Aa]dmin|db|DB|ssh|vpn|VPN|[Ww]i-?[Ff]i|user|server|login|prod|staging"
    rb"|router|master|\w{2,20}'s) $"
)
# A user and a password, and nothing that says which is which: so it must look like one.
_ROOT = rb"(?:[Aa]dmin|[Aa]dministrator|[Rr]oot|superuser|sysadmin|superadmin)"
QUOTE = rb"(?:\*\*|\\{0,3}[\"'`])?"  # or bold, in Markdown
_SIGN_IN = (
    rb"(?:(?:[Cc]onnect(?:ing)?|[Ll]og(?:ging)? ?in|[Ss]ign in|[Aa]uth(?:enticate)?|ssh(?: in)?)"
    rb"(?: (?:to|on|at|into) \S{1,80})? (?:as|with|w/|using)"
    rb"|(?:[Uu]se|[Tt]ry|with|as)(?= (?:the )?(?:user(?:name)?|login|account) ))"
    rb"(?: the)?(?: (?:user(?:name)?|login|account))? %b[\w.@+-]{2,40}%b"
    rb"(?: (?:with|and|using|w/|&|/)|,) " % (QUOTE, QUOTE)
)
_SSH = rb"ssh [^\n@]{0,60}@[\w.-]{1,80}(?: / |, ?| \(| - )"
_LOOKS_GIVEN = (
    rb"(?:(?P<bold>\*\*)|\\{0,3}[\"'`])?(?P<secret>(?(bold)[^\s\"'`/:,;()\\\x1b*]{6,100}"
    rb"|[^\s\"'`/:,;()\\\x1b]{5,99}[^\s\"'`/:,;()\\\x1b.!?])|%b)"
    rb"(?=(?:\*\*)?[.,;!?)]{0,2}(?:[\s\"'`\\\x1b]|$))" % _BASE64.encode()
)
# The letters ahead make it several times faster: to look back at each place takes long.
_PAIR = (
    rb"(?=[AaCcLlRrSsTtUuiw][dgiorsuyh])"
    rb"(?:%b(?<![@:=])%b:|(?:[Uu]se|[Tt]ry|with|using|as|is|are) %b/|%b(?:%b|%b))%b"
    % (_BEGIN, _ROOT, _ROOT, _BEGIN, _SIGN_IN, _SSH, _LOOKS_GIVEN)
)
_PORT = rb"(?::[0-9]{2,5})?[ \t]*\r?\n[ \t]*"
_IN_THREE_LINES = (
    rb"(?:^|(?<=\n))[ \t]{0,8}(?:https?://[^\s/:]{3,80}|[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
    rb"|(?:[\w-]{1,40}\.){1,5}[a-z]{2,10})%b(?:%b|postgres|deploy|ubuntu|[\w.+-]{1,40}@[\w.-]{4,80})"
    rb"[ \t]*\r?\n[ \t]*%b(?=[ \t]*(?:\r?\n|$))" % (_PORT, _ROOT, _LOOKS_GIVEN)
)


def _told(text: bytes, matches: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    substitutions = Substitutions(text)
    for match in matches:
        yield from _told_at(text, match, substitutions.part_at(match.start()))


def _told_at(text: bytes, match: re.Match[bytes], part: tuple[int, int] | None) -> Iterator[Found]:
    if part:
        end = min(part[1], match.end("secret"))
    else:
        end = end_of_generated(text, *match.span("secret"), is_alone=True)
    value = text[match.start("secret") : end].rstrip(b".:!?")
    if match["equals"] and not _WHOSE.search(text[max(0, match.start() - 24) : match.start()]):
        return
    if (_is_given if match["said"] else _looks_given)(value):
        yield match.start("secret"), match.start("secret") + len(value), "prompt"


def _in_pair(_: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    if _looks_given(match["secret"]):
        yield *match.span("secret"), "pair"


PROMPTS = (
    grammar(
        "assignment",
        tuple(f"type={quote}password" for quote in ('"', "'", '\\"', '{"', "{'", '{\\"')),
        rb"type=\{?\\{0,7}[\"']password\\{0,7}[\"']",
        each(_in_input),
        '<input type="password" id="a" class="b" value="<12>">',
        '<input type="password" id="a"><input value="<12>">',
    ),
    grammar(
        "prompt",
        (
            " (the pass",
            " (the new pass",
            " (the token",
            " (the new token",
            " (the api",
            " (the API",
        ),
        rb" \((?:the|my|our) (?:new )?(?:pass(?:word|phrase)?|token|(?:api|API) (?:key|token))\)",
        each(_before_remark),
        "I changed it to <12> (the password)",
        "See login-form (the password)",
    ),
    shape(
        "login",
        ("asic auth ", "asic auth: ", "asic auth, "),
        r"asic auth(?:(?P<said> (?:is|with|as)|:)|,)? (?:\(?[\"'`]?)[\w.@+-]{1,64}(?::| / )[\"'`]?"
        r"(?P<secret>[^\s\"'`<>\\()]{4,200}+)",
        "basic auth is app:<12>",
        "basic auth is user:password, basic auth module:http2",
        accepts=lambda _, match: (
            is_value(match["secret"], Certainty.SETTING)
            if match["said"]
            else _looks_given(match["secret"].rstrip(b".,;"))
        ),
    ),
    shape(
        "token",
        (
            *("PAT: ", "PAT = ", "PAT=", "PAT is ", "PAT for ", "pat is ", "pat: ", "PAT "),
            *("pat for ", " PAT:", "PAT`"),
        ),
        r"(?<![\w-])(?:PAT|(?<=my )pat|(?<=hub )pat|(?<=lab )pat)(?: for [^\n:=]{1,40}?)?"
        rf"(?: is| ?[:=])?(?:\*\*)? ?(?:\*\*|\\{{0,3}}[\"'`]|{_OPENING})?"
        r"(?P<secret>[A-Za-z0-9_-]{20,255})(?![\w-])",
        "my GitHub PAT: <40>",
        "a PAT: see docs/personal-access-tokens",
        mixed=True,
        accepts=lambda _, match: looks_random(match["secret"]),
    ),
    shape(
        "pair",
        ("reds: ", "reds = ", "reds are ", "reds for ", "redentials: ", "redentials "),
        r"[Cc]red(?:ential)?s(?: for [^\n.:=]{1,40}?)?(?: are|:| =) {1,3}"
        r"(?!(?:see|use|the|in|at|from|via|not|no|are|stored|under|run|set|for|with|and|or)\b)"
        r"[a-z][\w.@-]{1,40} {1,3}[\"'`]?"
        rf"(?P<secret>[^\s\"'`/:,()]{{8,100}}|{_BASE64})(?=[.,;]?(?:[\s\"'`]|\Z))",
        "db creds: postgres <12>",
        "db creds: postgres version-16",
        accepts=lambda _, match: _is_given(match["secret"]),
    ),
    shape(
        "pair",
        ("og in as ", "ogin as ", "ign in as ", "ogging in as ", "ogged in as "),
        r"(?:[Ll]og|[Ss]ign)(?:ged|ging)? ?in as [\"'`]?[\w.@-]{2,40}[\"'`]? \([\"'`]?"
        r"(?P<secret>(?![^\s()]{1,60}@[\w-]{1,40}\.)[^\s\"'`()=/:]{6,100}"
        rf"|{_BASE64})[\"'`]?\)",
        "log in as admin (<12>)",
        "log in as admin (read-only2)",
        accepts=lambda _, match: _is_given(match["secret"]),
    ),
)
# What any other grammar finds, it knows better.
SENTENCES = (
    grammar(
        "prompt",
        (
            *("pass", "Pass", "pasw", "Pasw", "paso", "pword", "psw", "pwd", "Pwd", "pwrd"),
            *(
                f"{name}{after}"
                for name in ("pw", "Pw", "PW")
                for after in (" ", "'", ",", ":", "?")
            ),
        ),
        _TOLD,
        _told,
        "sudo password, it's <8>",
        "sudo password, it's in the vault",
        may_be_in=partial(is_in, _TOLD),
    ),
    shape(
        "pin",
        (
            *("pin is ", "PIN is ", "Pin is ", "pin: ", "PIN: ", "pin for ", "PIN for ", "asscode"),
            *("pin code", "PIN code"),
        ),
        r"(?<![\w-])(?:[Pp]in|PIN|[Pp]asscode)(?: ?code)?"
        rf"{_OF.decode()}(?: is(?: still| now)?|:)(?:\*\*)? (?:\*\*|[\"'`]|{_OPENING})?"
        r"(?P<secret>[0-9]{4,8})(?=(?:\*\*|[\"'`])?[.,;!?)]{0,2}(?:\s|$)|[\x80-\xff])",
        "the pin is 4821",
        "the pin is 12, pin the version to 4821",
    ),
    grammar(
        "pair",
        (
            *("dmin:", "oot:", "rator:", "ruser:", "dmin/", "oot/", "rator/", "ruser/", "ssh "),
            *("onnect to ", "onnect as ", "onnect with ", "onnect using ", "onnecting ", "og in "),
            "ogin ",
            *("ogging in", "ign in ", "uth as ", "uth with ", "uthenticate", "use user"),
            "use the ",
            *("use login", "use account", "with user", "with login", "as user"),
            *("try user", "try the ", "Use ", "Try "),
        ),
        _PAIR,
        each(_in_pair),
        "use user admin with sunshine42 for basic auth",
        "use user admin with sudo for basic auth, connect with redis and python3, admin:read",
        may_be_in=partial(is_in, _PAIR),
    ),
    grammar(
        "pair",
        tuple(
            f"{name}{end}"
            for name in ("dmin", "oot", ".com", "stgres", "buntu")
            for end in ("\n", "\\n", "\r", "\\r")
        ),
        _IN_THREE_LINES,
        each(_in_pair),
        "db.example.com\nadmin\nsunshine42",
        "db.example.com\nadmin\neditor2",
    ),
)
