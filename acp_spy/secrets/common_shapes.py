"""
Shapes of secrets of any vendor: tokens, private keys, and values after the name of a secret.

The expression of a shape that has a name begins near the end of the name, which is faster; an
`accepts` function reads the rest of the name backwards from there, and decides.
"""

import re

from acp_spy.secrets.secret_names import is_secret_name, takes_secret
from acp_spy.secrets.shape import shape

_LONGEST_NAME = 64
_IN_NAMES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_REST_OF_NAME = re.compile(rb"[\w-]*")
_SPACED = re.compile(rb"\s[=:]\s*$")
_JUMP = re.compile(rb"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_PATH = re.compile(rb"(?:~|\.{1,2})/|/(?:home|Users|root|etc|usr|var|opt|run|tmp|mnt|srv)/")
_IN_URLS = frozenset(("key", "sig", "auth"))


def _is_named(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether a match that begins within a name has that of a secret."""
    before = text[max(0, match.start() - _LONGEST_NAME) : match.start()]
    rest = _REST_OF_NAME.match(text, match.start(), match.end())
    assert rest is not None
    if _PATH.match(match["secret"]):
        return False  # where it is kept
    name = before[len(before.rstrip(_IN_NAMES)) :] + rest[0]
    return is_secret_name(name.decode(errors="replace"))


def _is_assignment(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether the name before it is a secret's, and the value is not a piece of a program."""
    if not _is_named(text, match):
        return False
    start = match.start("secret")
    if text[start - 1 : start] in (b'"', b"'", b"`"):
        return True
    value = match["secret"]
    if b"." in value:  # `key: ed25519.Ed25519PrivateKey`
        return any(_jumps(part) > 2 for part in value.split(b"."))
    is_spaced = _SPACED.search(text, match.start(), start) is not None
    return not is_spaced or _jumps(value) > 1


def _jumps(value: bytes) -> int:
    """Return how often letters and digits take turns: in a name hardly ever more than once."""
    return len(_JUMP.findall(value))


def _is_named_exactly(_: bytes, match: re.Match[bytes]) -> bool:
    """Whether the name that was matched is that of a secret."""
    return is_secret_name(match["name"].decode(errors="replace"))


def _is_option(_: bytes, match: re.Match[bytes]) -> bool:
    """Whether the option that was matched takes a secret."""
    return takes_secret(f"--{match['name'].decode(errors='replace')}")


def _is_parameter(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether the parameter of a URL that was matched is a secret."""
    name = match["name"].decode(errors="replace").lower()
    is_known = name in _IN_URLS or name.endswith("signature")
    return is_known or _is_named_exactly(text, match)


COMMON = (
    shape(
        "jwt",
        "eyJ",
        r"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{12,}+\.(?:eyJ[A-Za-z0-9_-]{12,}+\.[A-Za-z0-9_-]*+"
        r"|[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]{8,}+){3})",  # encrypted: in five parts
        "eyJ<33>.eyJ<70>.<43>",
        "eyJ<33>",
    ),
    shape(
        "private-key",
        "PRIVATE",
        # Up to END whatever is between, as lines may be numbered or quoted, if there is a long
        # run in it; without an END as long as it looks like a key.
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*+"
        r"((?=(?:[^-]|-(?!----))*?[A-Za-z0-9+/]{40})"
        r"(?:[^-]++|-(?!----(?:BEGIN|END)))*+(?=-----END [A-Z ]{0,30}PRIVATE)"
        r"|(?=[\w+/=\s\\:,.()-]{40})(?:[\w+/=\s\\:,.()]++|-(?!----))++)",
        "-----BEGIN RSA PRIVATE KEY-----\n<64>\n<64>\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n<64>\n-----END PUBLIC KEY-----",
    ),
    shape(
        "age-key",
        "AGE-SECRET-KEY-1",
        r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+",
        "AGE-SECRET-KEY-1<upper 58>",
        "AGE-SECRET-KEY-1...",
    ),
    shape(
        "authorization",
        "Bearer bearer BEARER Basic basic BASIC uthorization",
        # Not (?i): without a set of first letters the search is five times slower.
        r"(?<![A-Za-z])(?:[Bb]earer|BEARER|[Bb]asic|BASIC"
        r"|[Aa]uthorization\\*[\"']?[:=]\s{0,3}\\*[\"']?token)"
        r"\s{1,3}([A-Za-z0-9._~+/=-]{16,}+)",
        "Authorization: Bearer <32>",
        "Authorization: Bearer YOUR_TOKEN_GOES_HERE",
        mixed=True,
    ),
    shape(
        "url-password",
        "@",
        r":(?<=[a-z0-9+]:)\\?/\\?/[^\s/:@\"'<>?#\\]{0,256}:([^\s/@\"'<>?#\\]{1,256})@",
        "postgres://alice:<12>@db.example.com/main",
        "http://localhost:8080/@scope/name",
    ),
    shape(
        "url-token",
        "@",
        r"https?:\\?/\\?/([A-Za-z0-9_-]{20,256})@",
        "https://<40>@git.example.com/project.git",
        "https://git@git.example.com/project.git",
        mixed=True,
    ),
    shape(
        "url-parameter",
        "key= Key= KEY= oken= OKEN= ecret= ECRET= ssword= SSWORD= sig= Sig= SIG= ature= ential="
        " ENTIAL= auth= pwd=",
        r"[?&;](?P<name>[\w.-]{0,40}?(?:key|Key|KEY|oken|OKEN|ecret|ECRET|ssword|SSWORD"
        r"|sig|Sig|SIG|ature|ential|ENTIAL|auth|pwd))=(?P<secret>[^\s&\"'<>#;\\]{12,}+)",
        "https://example.com/v1?alt=sse&key=<39>",
        "https://example.com/?key=enter&sort_key=user_id_12345",
        mixed=True,
        accepts=_is_parameter,
    ),
    shape(
        "cookie",
        "ookie: OOKIE:",
        r"(?:[Cc]ookie|COOKIE):[ \t]{0,3}([^\s\"'<>][^\r\n\"'<>]{15,}+)",
        "Set-Cookie: session=<32>; Path=/",
        "Cookie: none",
        mixed=True,
    ),
    shape(  # in a line for a shell
        "option",
        "-key -Key -KEY _key _Key _KEY piKey pikey oken OKEN ecret ECRET assw ASSW assphrase"
        " redential -pat -auth _pat _auth",
        r"--(?=[A-Za-z])(?P<name>[\w-]{0,24}?(?:[-_]key|[-_]Key|[-_]KEY|pi[Kk]ey|oken|OKEN|ecret|ECRET"
        r"|assw(?:or)?d|ASSW(?:OR)?D|assphrase|redentials?|(?<=[-_])(?:pat|auth|key)))[= ][\"']?"
        r"(?P<secret>[^\s\"'$<-][^\s\"'<>]{7,}+)",
        "acme --api-key <12> --verbose",
        "acme --api-key your-api-key --key-file <12> --primary-key user_id_12345",
        mixed=True,
        accepts=_is_option,
    ),
    shape(
        "curl-password",
        "-u --user",
        r"curl\b[^\r\n]{0,200}?\s(?:-u|--user)[ =]?\\*[\"']?[^\s:\"'\\]{1,64}:"
        r"([^\s\"'$\\]{4,}+)",
        "curl -s -u alice:<12> https://example.com",
        "curl -s -u alice:$PASSWORD https://example.com",
    ),
    shape(
        "variable",
        "OKEN= ECRET= SSWORD= SSWD= KEY= _PAT= _PASS= ENTIALS=",
        r"(?:OKEN|ECRET|SSWORD|SSWD|KEY|_PAT|_PASS|ENTIALS)="
        r"[\"']?(?P<secret>[^\s\"'$&;|<>()\\]{8,}+)",
        "export ACME_TOKEN='<12>'",
        "ACME_TOKEN=${OTHER_TOKEN_1} CACHE_KEY=<12>",
        mixed=True,
        accepts=_is_named,
    ),
    shape(
        "assignment",
        # `tokens` are counted in every turn. What follows `token` may be escaped.
        (
            *("oken=", "oken:", "oken ", 'oken"', "oken'", "oken`", "oken\\", "oken\t", "OKEN"),
            *("ecret", "ECRET", "_key", "_Key", "_KEY", "-key", "-Key", "-KEY"),
            *("pikey", "piKey", "PIKEY", "ssKey", "sskey", "teKey", "thKey", "ngKey", "onKey"),
            *("assw", "ASSW", "assphrase", "ASSPHRASE"),
        ),
        r"(?:oken|OKEN|ecret|ECRET|[_-](?:[Kk]ey|KEY)|pi[Kk]ey|PIKEY|ss[Kk]ey|(?:te|th|ng|on)Key"
        r"|assw(?:or)?d|ASSW(?:OR)?D|assphrase|ASSPHRASE)"
        r"\\*[\"'`]?(?:: ?str(?:ing)?)?[ \t]{0,3}[=:][ \t]{0,3}\\*[\"'`]?"
        r"(?P<secret>(?:[A-Za-z0-9_+/=~-]|\.(?=[A-Za-z0-9])){16,4096}+)(?![(\[])",
        "acme_api_key: <24>",
        "token = next_token_or_none, cache_key: <24>",
        mixed=True,
        accepts=_is_assignment,
    ),
    shape(  # of .npmrc
        "npm-auth",
        "_auth",
        r"\b_auth[ \t]{0,3}=[ \t]{0,3}[\"']?([A-Za-z0-9+/]{16,}+={0,2})(?![\w.-])",
        "_auth=<24>==",
        "_auth=${NPM_AUTH_1234567890}",
        mixed=True,
    ),
    shape(
        "netrc-password",
        "assw",
        r"machine\s{1,9}[\w.:-]{1,200}\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}(\S{1,400})",
        "machine example.com login alice password <12>",
        "machine learning, login and password",
    ),
    shape(
        "xml-password",
        "</",
        r"<(?P<name>[\w:.-]{1,60})>(?P<secret>[^<>\s]{8,400})</",
        "<password><12></password>",
        "<path><12></path>",
        mixed=True,
        accepts=_is_named_exactly,
    ),
)
