"""
What of an HTTP head is recorded, and how, without its credentials.

A credential is replaced, not left out: that it was sent, and of which kind or name, is worth
knowing. `--keep-credentials` keeps them.
"""

import re
from collections.abc import Iterable

REPLACEMENT = "redacted"
# The headers that matter to ACP; what else there is would be noise, or somebody's secret.
RECORDED = frozenset(
    {
        *("accept", "acp-connection-id", "acp-protocol-version", "acp-session-id", "allow"),
        *("authorization", "content-encoding", "content-type", "cookie", "last-event-id"),
        *("location", "origin", "retry-after", "sec-websocket-extensions"),
        *("sec-websocket-protocol", "sec-websocket-version", "server", "set-cookie"),
        *("user-agent", "www-authenticate"),
    }
)
_LONGEST = 1024  # characters of a value
# A parameter of a URL whose name says that its value is a credential.
_PARAMETER = re.compile(
    r"(?i)(?<=[?&;#])((?:code|[^=&;#]*(?:token|key|secret|pass|pwd|auth|credential|session|sig|jwt"
    r"|ticket|otp)[^=&;#]*))=[^&;#]*"
)
_USER = re.compile(r"(?<=//)[^/?#\s]*@")
# A browser can send no other header with a WebSocket: `qwen-bearer.TOKEN`, `bearer, TOKEN`.
_BEARER = re.compile(
    r"(?i)([\w-]*(?:bearer|token|auth|key|jwt)[\w-]*\."
    r"|(?<![\w.-])[\w-]*(?:bearer|token|authorization|key|jwt)\s*,\s*)[^\s,]+"
)
# Or the token alone, beside the name of a protocol: `acp, TOKEN`. No name of a protocol is random.
_RANDOM = re.compile(
    r"(?<![^\s,])(?=[^\s,]*[0-9])(?:(?=[^\s,]*[a-z])(?=[^\s,]*[A-Z])[^\s,]{20,}|[0-9a-f-]{24,})"
    r"(?![^\s,])"
)


def recorded(headers: Iterable[tuple[str, str]], *, keep: bool = False) -> dict[str, str]:
    """Return the headers that are recorded; `headers` has names in lower case."""
    found: dict[str, str] = {}
    for name, value in headers:
        if name in RECORDED:
            shown = value if keep else without_secret(name, value)
            found[name] = f"{found[name]}, {shown}" if name in found else shown[:_LONGEST]
    return found


def without_secret(name: str, value: str) -> str:
    """Return the value of a header as it may be recorded."""
    if name == "authorization":
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {REPLACEMENT}" if space else REPLACEMENT
    if name == "cookie":
        return ";".join(map(_without_value, value.split(";")))
    if name == "set-cookie":
        pair, semicolon, attributes = value.partition(";")
        return _without_value(pair) + semicolon + attributes
    if name == "sec-websocket-protocol":
        return _RANDOM.sub(REPLACEMENT, _BEARER.sub(rf"\1{REPLACEMENT}", value))
    if name == "location":
        return without_credentials(_USER.sub(f"{REPLACEMENT}@", value))
    return value


def _without_value(cookie: str) -> str:
    name, equals, _ = cookie.partition("=")
    return f"{name}={REPLACEMENT}" if equals else REPLACEMENT if cookie.strip() else cookie


def without_credentials(path: str) -> str:
    """Return a path or URL with the values of parameters such as `?token=` replaced."""
    return _PARAMETER.sub(rf"\1={REPLACEMENT}", path) if "=" in path else path
