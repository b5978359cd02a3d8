"""What people write to an agent, and the fields of pages in which a password is typed."""

import re
from collections.abc import Iterator

from acp_spy.secrets.shape import Found, each, grammar, judged, shape
from acp_spy.secrets.values import Certainty, is_value, is_weak_password

_LONGEST_TAG = 600  # bytes before and after the type of an input
_VALUE = re.compile(
    rb"(?:\bvalue|\bdefaultValue)=\{?\\{0,7}[\"'](?P<value>[^\"'\\<>\r\n]{3,200})\\{0,7}[\"']"
)
_TAG_END = re.compile(rb"(?<!=)>")  # not of `e => f(e)`
_LAST_WORD = re.compile(rb"(?:^|[\s\"'`])([^\s\"'`()]{6,100})[\"'`]?\Z")


def _is_given(word: bytes) -> bool:
    return is_weak_password(word) or is_value(word, Certainty.SENTENCE, is_bare=True)


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
        ("asic auth is ", "asic auth: ", "asic auth with ", "asic auth as ", "asic auth ("),
        r"asic auth(?: (?:is|with|as)|:)? \(?[\"'`]?[\w.@+-]{1,64}:"
        r"(?P<secret>[^\s\"'`<>\\()]{4,200}+)",
        "basic auth is app:<12>",
        "basic auth is user:password",
        accepts=judged(Certainty.SETTING),
    ),
    shape(
        "pair",
        ("reds: ", "reds = ", "reds are ", "reds for ", "redentials: ", "redentials "),
        r"[Cc]red(?:ential)?s(?: for [^\n.:=]{1,40}?)?(?: are|:| =) {1,3}"
        r"(?!(?:see|use|the|in|at|from|via|not|no|are|stored|under|run|set|for|with|and|or)\b)"
        r"[a-z][\w.@-]{1,40} {1,3}(?P<secret>[^\s\"'`/:,()]{8,100})(?=[.,;]?(?:\s|\Z))",
        "db creds: postgres <12>",
        "db creds: postgres version-16",
        accepts=lambda _, match: _is_given(match["secret"]),
    ),
    shape(
        "pair",
        ("og in as ", "ogin as ", "ign in as ", "ogging in as ", "ogged in as "),
        r"(?:[Ll]og|[Ss]ign)(?:ged|ging)? ?in as [\"'`]?[\w.@-]{2,40}[\"'`]? \([\"'`]?"
        r"(?P<secret>(?![^\s()]{1,60}@[\w-]{1,40}\.)[^\s\"'`()=/:]{6,100})[\"'`]?\)",
        "log in as admin (<12>)",
        "log in as admin (read-only2)",
        accepts=lambda _, match: _is_given(match["secret"]),
    ),
)
