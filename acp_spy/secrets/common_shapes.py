"""
Shapes of secrets of any vendor: tokens, private keys, and values after the name of a secret.

The expression of a shape that has a name begins near the end of the name, which is faster; an
`accepts` function reads the rest of the name backwards from there, and decides.
"""

import re
from collections.abc import Iterator

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.generated_passwords import end_of_generated
from acp_spy.secrets.named_values import in_server_url
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.secret_names import Strength, strength_of
from acp_spy.secrets.shape import begins, each, grammar, judged, shape
from acp_spy.secrets.values import Certainty, is_value, looks_random

_IN_URLS = frozenset(("key", "sig", "auth", "code", "appid", "code_verifier", "assertion"))


def _is_parameter(_: bytes, match: re.Match[bytes]) -> bool:
    """Whether the parameter of a URL that was matched is a secret."""
    name = match["name"].decode(errors="replace")
    strength = strength_of(name)
    if strength in (Strength.PASSWORD, Strength.SECRET):
        return is_value(match["secret"], Certainty.PASSWORD)
    lower = name.lower()
    is_known = lower in _IN_URLS or lower.endswith("signature") or strength is Strength.KEY
    least = 16 if lower == "code" else 12
    return is_known and len(match["secret"]) >= least and is_value(match["secret"], Certainty.KEY)


def _is_url_password(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether it is a password, and not a port with a path, or a word of documents."""
    password = match["secret"]
    start, end = match.span("secret")
    if (sign := _ENDS_URL.search(password)) and end_of_generated(
        text, start, start + sign.start()
    ) < end:
        return False
    first = re.split(rb"[/?#]", password, maxsplit=1)[0]
    if first != password and (first.isdigit() or not first or b"://" in password):
        return False
    return is_value(password, Certainty.PASSWORD) or password in (b"x", b"pw")


def _of_server(_: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give the parts of the path of a server's URL that look random."""
    for part in in_server_url(match[0]):
        if looks_random(part.text):
            yield match.start() + part.start, match.start() + part.end, part.kind


_ENDS_URL = expression(rb"[\"'<>]")
_CALL = expression(rb"[A-Za-z_][\w.]*[(\[]")
# How a cookie is deleted: nothing else is in the header.
_FORGOTTEN = expression(
    rb"(?i)[\w.-]{1,80}=(?:\"\")?(?:; ?(?:(?:path|domain|expires|max-age|samesite|priority)=[^;=]*"
    rb"|secure|httponly|partitioned))*;?\s*"
)
_KINDS_OF_AUTH = ("asic", "roxy", "ttp")  # basic, proxy, http, in any case
_LONGEST_TAIL = 16 * 1024
# A line of a key as a file is shown: with a number, in a diff, quoted.
_LINE_OF_KEY = expression(
    rb"(?:[ \t|>+*\"'.]++|\d{1,6}[ \t|:]++)*+([A-Za-z0-9+/=]{2,80}+)(?:\\r)?[ \t\r]*+"
)
_LEAST_OF_TAIL = 12
_LONG_RUN = expression(rb"[A-Za-z0-9+/=]{24}")


def _is_masked(key: bytes) -> bool:
    """Whether an earlier run has masked the key: what is before its lines is no more of it."""
    rest = PLACEHOLDER.sub(b" ", key)
    return rest != key and not _LONG_RUN.search(rest)


def _tail_of_key(text: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give the lines before END of a private key whose beginning was cut off."""
    first = max(0, match.start() - _LONGEST_TAIL)
    spans: list[tuple[int, int]] = []
    at = match.start()
    for newline in (b"\n", b"\\n"):
        end = text.rfind(newline, first, at)
        while end >= first:
            start = text.rfind(newline, first, end)
            start = start + len(newline) if start >= 0 else first
            line = _LINE_OF_KEY.fullmatch(text, start, end)
            if line is None:
                break
            spans.append(line.span(1))
            end = start - len(newline)
        if spans:
            break
    if spans and max(end - start for start, end in spans) >= _LEAST_OF_TAIL:
        yield spans[-1][0], spans[0][1], "private-key"


COMMON = (
    shape(
        "jwt",
        "eyJ",
        rf"eyJ{begins('eyJ')}"
        r"[A-Za-z0-9_-]{12,4000}+\.(?:eyJ[A-Za-z0-9_-]{12,}+\.[A-Za-z0-9_-]*+"
        r"|[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]{8,}+){3})",  # encrypted: in five parts
        "eyJ<33>.eyJ<70>.<43>",
        "eyJ<33>",
        is_key=True,
    ),
    shape(
        "private-key",
        "PRIVATE",
        # Up to END whatever is between, as lines may be numbered or quoted, if there is a long
        # run in it; without an END as long as it looks like a key.
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*+"
        r"((?=(?:[^-]|-(?!----))*?[A-Za-z0-9+/]{40})"
        r"(?:[^-]++|-(?!----(?:BEGIN|END)))*+(?=-----END [A-Z ]{0,30}PRIVATE)"
        r"|(?=[\w+/=\s\\:,.()-]{40})(?:[\w+/=\\:,.()]++|\s++(?![:,])|-(?!----))++"
        r"|[A-Za-z0-9+/]{12,39}+\s*\Z)",  # or cut in its first line
        "-----BEGIN RSA PRIVATE KEY-----\n<64>\n<64>\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n<64>\n-----END PUBLIC KEY-----",
        accepts=lambda _, match: not _is_masked(match[1]),
    ),
    grammar(
        "private-key",
        "PRIVATE",
        rb"-----END [A-Z ]{0,30}PRIVATE",
        each(_tail_of_key),
        "<64>\n<64>\n-----END RSA PRIVATE KEY-----",
        "line\n-----END PRIVATE KEY-----",
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
        "Bearer bearer BEARER Basic basic BASIC",
        # Not (?i): without a set of first letters the search is five times slower.
        r"(?<![A-Za-z])(?:[Bb]earer|BEARER|[Bb]asic|BASIC)"
        r"(?:\s{1,3}|%20|\+)([A-Za-z0-9._~+/=-]{16,}+)",
        "Authorization: Bearer <32>",
        "Authorization: Bearer YOUR_TOKEN_GOES_HERE",
        mixed=True,
    ),
    shape(  # put together: "Bearer " + "x", "Bearer %s" % "x", "Bearer {}".format("x")
        "authorization",
        tuple(
            f"{scheme}{after}"
            for scheme in ("earer", "asic", "oken")
            for after in (" '", ' "', ' \\"', " %s", " {}")
        ),
        r"\b(?:[Bb]earer|[Bb]asic|[Tt]oken) (?:'|\\?\"|(?:%s|\{\})\\{0,7}[\"'])"
        r"[ ]?(?:\+|\.{1,2}|<>|&|,|%|\|\||\.format\()?[ ]?"
        r"\\{0,7}[\"'`](?P<secret>[A-Za-z0-9._~+/=-]{16,512}+)(?=\\{0,7}[\"'`])",
        "headers = {'Authorization': 'Bearer ' + '<32>'}",
        "'Bearer ' + 'your-token-goes-here-please'",
        mixed=True,
        accepts=lambda _, match: is_value(match["secret"], Certainty.KEY),
    ),
    shape(
        "authorization",
        "uthorization UTHORIZATION",
        # Whatever the scheme is, to the end of the line or of the string.
        r"(?:[Aa]uthorization|AUTHORIZATION)\\{0,7}[\"'`]?\s?[:=]\s{0,3}\\{0,7}[\"'`]?"
        r"(?:(?!redacted-)[A-Za-z][\w-]{1,30}[ \t]{1,3})?"
        r"(?P<secret>(?:[\w-]{1,30}=(?:\\{0,7}\"[^\"\n]{0,512}\"|[^\s\",]{1,512}),?[ ]?){2,20}"
        r"|[^\s\"'`<>\\,]{8,4096})",
        "Authorization: ApiKey <50>==",
        "Access-Control-Allow-Headers: Authorization, Content-Type",
        mixed=True,
        accepts=lambda _, match: (
            not _CALL.match(match["secret"])
            and (b"=" in match["secret"] or is_value(match["secret"], Certainty.KEY))
        ),
    ),
    shape(
        "url-password",
        "@",
        # The password ends at the last `@` before what may be a host, or before the next URL.
        r":(?<=[A-Za-z0-9+]:)\\?/\\?/[^\s/:@\"'<>?#]{0,256}:"
        r"(?P<secret>(?:[^\s\"'<>:]|:(?!//)){1,256}(?=@)|\S{8,64}(?=@))"
        # The host may be in any script, a variable, cut off, or put together from elsewhere.
        r"@(?=[\w.\[{$%<&#\"'`*|-]|[\x80-\xff]|\.{2}|\Z)",
        "postgres://alice:<12>@db.example.com/main",
        "http://localhost:8080/@scope/name",
        accepts=_is_url_password,
    ),
    shape(
        "url-token",
        "@",
        r"https?:\\?/\\?/([A-Za-z0-9_-]{20,256})(?::(?:x-oauth-basic)?)?@(?!o\d+\.ingest\.)",
        "https://<40>@git.example.com/project.git",
        "https://git@git.example.com/project.git",
        mixed=True,
    ),
    shape(
        "url-parameter",
        "key= Key= KEY= oken= OKEN= ecret= ECRET= ssword= SSWORD= sig= Sig= SIG= ature= ential="
        " ENTIAL= auth= pwd= code= ppid= pass= Code= asswd= erifier= oken%3D assertion= hmac=",
        r"[?&;#](?P<name>[\w.-]{0,40}?(?:key|Key|KEY|oken|OKEN|ecret|ECRET|ssword|SSWORD"
        r"|sig|Sig|SIG|ature|ential|ENTIAL|auth|pwd|[cC]ode|ppid|pass|asswd|erifier|assertion|hmac))"
        r"=(?P<secret>[^\s&\"'<>#;\\]{3,}+)",
        "https://example.com/v1?alt=sse&key=<39>",
        "https://example.com/?key=enter&sort_key=user_id_12345&code=E1234",
        accepts=_is_parameter,
    ),
    shape(
        "url-parameter",
        "?k= &k=",
        r"https?://[^\s\"'<>?]{1,200}\?(?:[^\s\"'<>&]{0,100}&){0,8}k=(?P<secret>[A-Za-z0-9_-]{16,200}+)",
        "https://example.com/v1?k=<24>",
        "https://example.com/search?k=mechanical-keyboards-2026",
        mixed=True,
        accepts=lambda _, match: (
            looks_random(match["secret"]) and is_value(match["secret"], Certainty.KEY)
        ),
    ),
    shape(
        "cookie",
        'ookie: OOKIE: OOKIE" OOKIE\\ ookie" ookie\\',
        r"(?:[Cc]ookie|COOKIE)(?:\\{0,7}\"\s{0,3}:\s{0,3}\[?\s{0,40}\\{0,7}\"|:[ \t]{0,3})"
        r"([^\s\"'<>\[\\](?:[^\r\n\"'<>\\`]|`(?![\s,.;:!?]|$)){15,}+)",
        "Set-Cookie: session=<32>; Path=/",
        "Cookie: none, XInputCopyCookie: Failed to copy evtype 22",
        mixed=True,
        accepts=lambda _, match: (
            (b"=" in match[1] or b" " not in match[1].strip())
            and not _FORGOTTEN.fullmatch(match[1])
        ),
    ),
    shape(  # of opencode, and others that keep `access` and `refresh`
        "login",
        '"refresh" "refresh\\ "access" "access\\ "api" "api\\',
        r"\"(?:(?:refresh|access)|api\\{0,7}\",\s{0,40}\\{0,7}\"key)\\{0,7}\"\s{0,3}:\s{0,3}"
        r"\\{0,7}\"(?P<secret>[A-Za-z0-9._~+/|=-]{24,4096}+)\\{0,7}\"",
        '{"type": "oauth", "access": "<40>"}',
        '{"access": "read-and-write-for-everybody-2", "refresh": "every-twenty-four-hours-1"}',
        mixed=True,
        accepts=judged(Certainty.KEY),
        of_object=True,
    ),
    shape(  # of Kaggle: the key of an account
        "login",
        '"key":" "key": \\"key\\":',
        r"\"username\\{0,7}\"\s{0,3}:\s{0,3}\\{0,7}\"[\w.@-]{1,64}\\{0,7}\",\s{0,40}"
        r"\\{0,7}\"key\\{0,7}\"\s{0,3}:\s{0,3}\\{0,7}\"([0-9a-f]{32,64})\\{0,7}\"",
        '{"username": "alice", "key": "<hex 32>"}',
        '{"name": "alice", "key": "<hex 32>"}',
        of_object=True,
    ),
    shape(
        "login",
        "::add-mask::",
        r"::add-mask::(?P<secret>[^\s\"'`$<>\\]{4,512}+)",
        "::add-mask::<20>",
        "::add-mask::${{ steps.x.outputs.token }}, ::add-mask::$TOKEN",
    ),
    shape(
        "login",
        (
            *(
                f"{kind}{auth}"
                for kind in _KINDS_OF_AUTH
                for auth in ("_auth", "-auth", "Auth", "auth")
            ),
            *("ASIC_AUTH", "ROXY_AUTH", "TTP_AUTH", "serpwd", "SERPWD"),
        ),
        rf"(?:(?:{'|'.join(_KINDS_OF_AUTH)})(?:[_-]auth|[aA]uth)|(?:ASIC|ROXY|TTP)_AUTH|serpwd|SERPWD)"
        r"\\{0,7}[\"']?[ \t]{0,3}(?:[:=,]|=>)[ \t]{0,3}\\{0,7}[\"']?"
        r"[\w.@+-]{1,64}:(?P<secret>[^\s\"'`<>\\]{4,200}+)",
        "basic_auth: admin:<8>",
        "basic_auth: optional:boolean",
        accepts=lambda _, match: is_value(match["secret"], Certainty.SETTING),
    ),
    shape(  # of .npmrc
        "npm-auth",
        "_auth",
        r"\b_auth[ \t]{0,3}=[ \t]{0,3}[\"']?([A-Za-z0-9+/]{16,}+={0,2})(?![\w.-])",
        "_auth=<24>==",
        "_auth=${NPM_AUTH_1234567890}",
        mixed=True,
    ),
    grammar(  # of an MCP server: in settings that are no JSON, a command line, a sentence
        "url-path",
        "//mcp. /mcp /sse",
        rb"https?://(?:mcp\.[\w.~%/:@+-]{1,300}"
        rb"|[\w.~%/:@+-]{1,300}?/(?:mcp|sse)/?(?![\w/-]))"
        rb"(?<![.:])",
        each(_of_server),
        "https://mcp.example.com/s/<40>/mcp",
        "https://mcp.example.com/v1/sequentialthinking/mcp",
    ),
)
