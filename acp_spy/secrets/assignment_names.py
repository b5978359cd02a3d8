"""
The name of an assignment: which words make it that of a secret, and where it begins.

The expression finds the word that says it, such as `password`; the rest of the name is read by
hand, backwards.
"""

import re
import string
from collections.abc import Iterable

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret_names import (
    SUFFIXES,
    Strength,
    is_undecided_key,
    strength_of,
    takes_secret,
)
from acp_spy.secrets.shape import compiled

# `accessKey`, `stripeKey`; no `keyboard` and no `Keyboard`.
HUMPS_OF_KEYS = tuple(f"{letter}Key" for letter in string.ascii_lowercase)
# `tokenValue`; no `tokenBucket`.
_AFTER_TOKEN = ("B64", *(word.capitalize() for word in sorted(SUFFIXES - {"b"})))


def _spelled(*words: str) -> tuple[str, ...]:
    """Return words in small and in large letters, as names and variables have them."""
    return (*words, *(word.upper() for word in words))


def _followed_by(word: str, ends: Iterable[str]) -> tuple[str, ...]:
    """Return a word with each of `ends`, or each sign of it: alone, it is in every other line."""
    return tuple(word + end for end in ends)


# By the first letter of the word that makes it a secret's name, with the keywords for each: so only
# those are searched for that are in a line. Not (?i): without a set of first letters the search
# is five times slower. `tokens` are counted in every turn, so what follows `token` counts.
_STEMS = (
    (
        (
            r"[pP](?:ass|ASS|wd|WD|[wW](?![A-Za-z])|sk(?![a-z])|SK(?![A-Z])|sw(?![a-z])|SW(?![A-Z])"
            r"|AT(?![A-Za-z])|at(?![A-Za-z])|IN(?![A-Za-z])|in(?![A-Za-z])|epper|EPPER)"
        ),
        (
            *("Pass", "Pwd", "Pw", "PIN", "_PAT", ":pw", "$pw", "[pw"),
            *_spelled("pass", "pwd", "_pw", "pw=", "psk", "_psw", "pepper"),
            *_followed_by("pw", (" :=", " =", ": ", ":\n", ":\\", " is ", " for ", "|", "  ")),
            *_followed_by(" pw", (" ", "\\", "\n", "\r")),
            *_followed_by(".pw", ("\\", "\n", "\r", '"')),
            *('"pw"', "'pw'", '"pw\\'),
            *_followed_by("-pat", " ="),
            *_followed_by("_pat", '=:"'),
            *_followed_by("_pin", "= :\"'"),
            *('pin "', "pin '", '"pin"', "'pin'", 'pin\\"'),
        ),
    ),
    (
        r"[sS](?:ecret|ECRET|eed|EED|alt|ALT|enha|ENHA)",
        (
            *_spelled("ecret", "enha"),
            *("seed p", "Seed", "SEED", "_salt", "SALT"),
            *_followed_by("salt", "=:"),
        ),
    ),
    (
        r"[tT](?:oken|OKEN|otp|OTP|OK(?==))",
        (
            *_followed_by("oken", "=: \"'`\\\t_*><[](){},%-\n\r\x1b|?&.;0123456789\uff1a"),
            *_followed_by("oken", _AFTER_TOKEN),
            *_followed_by("okens", (": [", " = [", "=[", '":[', '": [', '\\":[', '\\": [', "': [")),
            *("OKEN", "TOK=", *_spelled("totp")),
        ),
    ),
    (
        r"[kK](?:ey|EY|ennwort)",
        (
            *_spelled("_key", "-key", "pikey"),
            *("_Key", "-Key", " key", " Key", "PIKey", "sskey", "KEY=", "KEY =", "ennwort"),
            *HUMPS_OF_KEYS,
        ),
    ),
    (
        r"[aA](?:uth|UTH)",
        (*_spelled("uthoriz", "_auth"), "-auth", "X-Auth", "uthCode", "uth_code"),
    ),
    (
        r"[cC](?:red|RED|ontrase(?:\xc3\xb1a)?|ONTRASE(?:\xc3\x91A)?|ookie|OOKIE|ode_?[vV]erifier)",
        (
            *("redential", "REDENT", "ode_verifier", "odeVerifier", "\u00f1", r"\u00f1", "ONTRASE"),
            *_spelled("_cred", "ookie"),
        ),
    ),
    (r"[jJ](?:wt|WT)", (*_spelled("jwt"), "Jwt")),
    (r"[hH](?:mac|MAC(?=[=:]))", (*_followed_by("hmac", "=,:\"'\\ "), *_followed_by("HMAC", "=:"))),
    (r"[mMdD](?:nemonic|NEMONIC|evice_code)", (*_spelled("nemonic"), "evice_code")),
)
_REST = r"[\w-]{0,64}(?:\.[\w-]{1,40}){0,4}(?=[\s\"'`:=\\\])<>,%&*|\x1b(?{\[]|->|\xef\xbc\x9a)"
NAMES = tuple(((stem + _REST).encode(), keywords) for stem, keywords in _STEMS)
_LONGEST_NAME = 64
_IN_NAMES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
# Also in a line in which strings are still escaped.
_SAID = expression(
    rb"(?: (?:is|was|should be|will be):?|:)(?:[\s`\"'*]|\\[nrt\"]){1,12}(?=[\w+/=-]{16})"
)
_SAID_OF_KEYS = frozenset(b"this the our new production prod staging live".split())
_WHOSE = expression(
    rb"(?:\b(?:my|your)|(?:use|with) this|use the)(?: (?:real|actual|own|new|personal))? $"
)
_WORDS_BEFORE = expression(rb"(?:[A-Za-z]{2,20} ){1,3}$")


def has_secret_name(names: bytes, raw: bytes) -> bool:
    """Whether there is the name of a secret in a line, in which strings are still escaped."""
    return any(
        find_name(raw, match)[2] is not Strength.NONE for match in compiled(names).finditer(raw)
    )


def find_name(text: bytes, match: re.Match[bytes]) -> tuple[int, bytes, Strength]:
    """Return where the name begins in which `match` is, the name, and what it says."""
    start = match.start()
    before = text[max(0, start - _LONGEST_NAME) : start]
    prefix = before[len(before.rstrip(_IN_NAMES)) :]
    is_escaped = before[: len(before) - len(prefix)].endswith(b"\\")
    if is_escaped and prefix[:1] in (b"n", b"r", b"t") and not prefix.startswith(b"redacted-"):
        prefix = prefix[1:]  # of `\n`, in a repr
    name = (prefix + match[0]).rstrip(b".-")
    strength = strength_of(name.lstrip(b"-.").decode("latin-1"))
    if strength is Strength.NONE:
        is_said = _SAID.match(text, match.end()) is not None
        strength = _strength_of_words(before[: len(before) - len(prefix)], name, is_said=is_said)
    if name in (b"KEY", b"TOK"):  # of a variable: an object may have any `key`
        strength = Strength.KEY
    if name[:1] == b"-" and is_undecided_key(name.decode("latin-1")):  # --primary-key user_id
        strength = Strength.NONE
    if strength is Strength.NONE and name[:1] == b"-" and takes_secret(name.decode("latin-1")):
        strength = Strength.KEY
    return start - len(prefix), name, strength


def _strength_of_words(before: bytes, name: bytes, *, is_said: bool) -> Strength:
    """
    Return that of a name of several words: `Secret Access Key`, `mot de passe`.

    `is_said` if the text goes on with what it is: `the key is`, `this key:`.
    """
    if name.lower() not in (b"key", b"passe", b"token", b"phrase") or not (
        words := _WORDS_BEFORE.search(before[-60:])
    ):
        return Strength.NONE
    if words[0].lower().endswith(b"using rsa "):  # its fingerprint follows
        return Strength.NONE
    if name == b"passe":
        return Strength.PASSWORD if words[0].lower().endswith(b"mot de ") else Strength.NONE
    if name == b"key" and (
        _WHOSE.search(words[0].lower())
        or before.lower().endswith((b"here is the ", b"here's the ", b"this is the "))
        or (is_said and words[0].lower().split()[-1] in _SAID_OF_KEYS)
    ):
        return Strength.KEY
    words_of_name = (words[0].replace(b" ", b"_") + name).decode("latin-1")
    strength = strength_of(words_of_name)
    return strength if strength is not Strength.NONE else strength_of(words_of_name.lower())
