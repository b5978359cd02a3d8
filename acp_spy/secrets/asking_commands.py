"""
Commands that ask for a secret: `grep API_TOKEN .env | cut -d= -f2`, `jq -r .access_token`.

What they print may be one, though nothing beside it says so: in another message, or in the line
below, where a text shows a terminal. There it must be a command that does nothing but print, and
the line must look like a secret.
"""

import re
from collections.abc import Iterator
from functools import partial

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.secret_names import Strength, strength_of
from acp_spy.secrets.shape import Found, each, grammar, is_in
from acp_spy.secrets.values import Certainty, is_long_weak_password, is_value, looks_random

FILE_NAME = rb"[\w./-]*\.[a-z]{2,5}(?![\w.=-])"
_NAME = expression(rb"[A-Za-z_][\w-]*(?:\.[\w-]+)*")
_ENDINGS = frozenset((b"txt", b"key", b"json", b"yml", b"yaml", b"env", b"conf"))
# These print what is in a file.
_READS = (
    rb"(?:^|[\s;&|(/])(?:cat|head|tail|sed|awk|less|more|bat|nl|cut|strings|type|gc|Get-Content) "
)
READS_FILE = expression(rb"\A\$ (?i:read|view)(?:_?(?i:file))?:? |" + _READS)  # or a title
_READS_KEY = expression(
    _READS + rb"[^;|\n]{0,200}?(?<![\w.-])(?:id_(?:rsa|dsa|ecdsa|ed25519)\w{0,20}"
    rb"|[\w-]{0,40}priv\w{0,10}\.pem|[\w.-]{0,40}key\.pem|[\w.-]{1,40}\.(?:key|p8|ppk))(?![\w.-])"
)
# These print names and sums, and no content, unless they have another do so.
_LISTS_ONLY = expression(
    rb"(?:^|[;&|(] ?)(?:ls|find|tree|fd|sha[0-9]*sum|md5sum|cksum|openssl dgst"
    rb"|git (?:log|rev-parse|rev-list|hash-object)|wc"
    rb"|(?:[ef]?grep|rg)(?= (?:[^\n|;&]{0,120} )?(?:-[A-Za-z]{0,6}[lLc]|--files|--count)))\b"
    rb"(?![^\n]*(?: -exec(?:dir)?| -x|\bxargs)(?: -[^\s]{1,20}| [0-9]{1,4}){0,4} ?"
    rb"(?:/?[\w./]*/)?(?:cat|head|tail|sed|awk|less|more|bat|nl|cut|strings|jq|yq|sh|bash)\b)"
)
_AFTER_ANOTHER = expression(rb"(?<!\\);|&&|\|\||(?<![&>])&(?![&>])")
# These print nothing of what they name.
_SILENT = expression(
    rb"\s*(?:(?:export|local|readonly|declare|typeset|unset|source|\.|cd|mkdir|rm|cp|mv|touch|ln"
    rb"|ch(?:mod|own)|test|if|elif|while|\[{1,2}|git (?:add|branch|checkout|clone|commit|fetch"
    rb"|merge|pull|push|rebase|reset|stash|switch|tag)) |echo (?![^\n]*[$`])|#"
    rb"|\w{1,60}=(?:\S*|\$\([^)]*\)|\"[^\"]*\")\s*$)"
)
PRINTS_COMMITS = expression(rb"\bgit (?:log|rev-parse|rev-list|show-ref)\b")


def is_silent(line: bytes) -> bool:
    """Whether no command in a line of a script prints what it names."""
    return all(_SILENT.match(each) for each in _AFTER_ANOTHER.split(line))


def certainty_of(command: bytes) -> Certainty | None:
    """Return how sure it is that a command prints a secret; `None` if it names none."""
    if _LISTS_ONLY.search(command):
        parts = map(bytes.strip, _AFTER_ANOTHER.split(command))
        printing = [each for each in parts if not (_LISTS_ONLY.search(each) or _SILENT.match(each))]
        command = b"; ".join(printing)
    names = _NAME.findall(command)
    certainty = max(map(_certainty, names), default=None, key=lambda each: each or 0)
    if not certainty and _READS_KEY.search(command):
        return Certainty.KEY  # of a part of it, nothing else says so
    return certainty


def _certainty(name: bytes) -> Certainty | None:
    """Return how sure a name in a command is: of a variable, a field, or a file with an ending."""
    stem, _, ending = name.rpartition(b".")
    names = (name, stem if ending in _ENDINGS else ending)
    strengths = {strength_of(re.sub(rb"[.-]", b"_", each).decode("latin-1")) for each in names}
    if Strength.PASSWORD in strengths:
        return Certainty.SETTING
    return Certainty.KEY if strengths & {Strength.SECRET, Strength.KEY} else None


# What a terminal has before the sign of a prompt: an environment, the user, the folder.
_PROMPT = (
    rb"(?:\([\w.-]{1,40}\) ?)?(?:\[?\w[\w.-]{0,40}@[^\s$#]{1,80}(?: [^\s$#]{1,60})?"
    rb"|[~/][^\s$#]{0,80}|\w{0,6}sh(?:-[0-9.]{1,6})?)? ?"
)
_BEFORE_SIGN = expression(_PROMPT)
_LONGEST_PROMPT = 240
_PRINTING = tuple(b"cat head tail sed awk gawk bat nl cut strings jq yq printenv".split())
_SEARCHING = (b"grep", b"egrep", b"fgrep", b"rg")
_BEFORE_PRINTING = (b"sudo", b"docker exec", b"podman exec", b"kubectl exec")
_STORES = (b"op read", b"op item get")
# Of lines that it searches for, grep prints a part only with an option, or with what is after it.
_PRINTS = (
    rb"(?:(?:%b) (?:[^\r\n|;&]{1,80}? )?)?(?:(?:%b)|(?:%b)(?=[^\r\n]{0,400}?(?:\|| -\w{0,6}o))) "
    % tuple(map(b"|".join, (_BEFORE_PRINTING, (*_PRINTING, *_STORES), _SEARCHING)))
)
# A command that writes to no file, and the word below it: no name of a file, no place in one, and
# no pair, of which the name says more.
_ASKED = (
    rb"[$#] (?P<command>%b(?:[^\r\n>]|(?<= 2)>){3,399}+)(?<!\\)\r?\n[ \t]*[\"']?"
    rb"(?!%b|[\w./-]*:[0-9]+:|[\w.-]{1,80}[=:][^\s=])"
    rb"(?P<secret>[^\s\x1b\"'`|<>]{5,400}+)(?<![$#%%:,;])[\"']?[ \t]*\r?(?:\n|\Z)"
    rb"(?P<alone>(?=\Z|`{3}|[ \t]*\r?\n|%b[$#] ))?" % (_PRINTS, FILE_NAME, _PROMPT)
)
_MAY_BE_ASKED = (
    rb"[$#] %b[^\r\n>]{0,399}?(?:[pP]ass|PASS|[pP]wd|PWD|[sS]ecret|SECRET|[tT]oken|TOKEN|[kK]ey"
    rb"|KEY|[aA]uth|AUTH|[cC]red|CRED|id_|\.(?:key|p8|ppk))" % _PRINTS
)


def _below(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give the line below a command that asks for a secret; of several, only if it looks random."""
    first = max(0, match.start() - _LONGEST_PROMPT)
    first = max(first, text.rfind(b"\n", first, match.start()) + 1)
    word = match["secret"]
    if (
        not _BEFORE_SIGN.fullmatch(text, first, match.start())
        or PLACEHOLDER.search(word)
        or (certainty := certainty_of(match["command"])) is None
    ):
        return
    is_weak = certainty is Certainty.SETTING and is_long_weak_password(word)
    is_one = is_value(word, Certainty.KEY) or is_weak
    if is_one and (match["alone"] is not None or looks_random(word)):
        yield *match.span("secret"), "command-output"


ASKING = (
    grammar(
        "command-output",
        tuple(
            f"{sign} {program.decode()} "
            for sign in "$#"
            for program in (*_BEFORE_PRINTING, *_PRINTING, *_STORES, *_SEARCHING)
        ),
        _ASKED,
        each(_below),
        "$ grep API_TOKEN .env | cut -d= -f2\n<24>\n$ ls",
        "$ grep -rl API_TOKEN src | head -1\nsrc/auth/v2/login\n$ ls",
        may_be_in=partial(is_in, _MAY_BE_ASKED),
    ),
)
