"""
What of an HTTP head is recorded, and how, without its credentials.

A credential is replaced, not left out: that it was sent, and of which kind or name, is worth
knowing. `--keep-credentials` keeps them.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from acp_spy.wire.cut import cut_at_word

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
# No pattern here repeats anything: what a stranger sends must not take longer than it is long.
_CREDENTIAL = re.compile(
    r"(?i)token|key|secret|pass|pwd|auth(?:orization|entication)?|credential|session|sig|jwt"
    r"|ticket|otp|bearer|hmac"
)
_PROTOCOLS = "sec-websocket-protocol"
_MARK_OF_COOKIE = re.compile(r"([;,])")
_OF_COOKIE = frozenset(
    {
        *("domain", "expires", "httponly", "max-age", "partitioned", "path", "priority"),
        *("samesite", "secure"),
    }
)
# Of a parameter in a challenge: `authorization_uri` and `error_code` are no credentials.
_ENDS_AS_CREDENTIAL = re.compile(
    r"(?i)(?:token|key|secret|pass|password|pwd|auth|credentials?|session|sig|signature|mac|jwt"
    r"|ticket|otp|bearer|response|cookie)\Z"
)
# Of any other header, or a parameter of a path: not `sec-websocket-key`, which is for one use.
_IS_CREDENTIAL = re.compile(r"(?i)(?:(?:api|access)[-_]?key|token|secret|password)\Z")
_BETWEEN_PARAMETERS = re.compile(r"([,;\s])")
_MARK = re.compile(r"([?&;#])")  # before a parameter of a URL
_END_OF_AUTHORITY = re.compile(r"[/?#]")
_SEPARATOR = re.compile(r"[^A-Za-z0-9]")
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdef-")
_LEAST_RANDOM = 20  # characters


def recorded(
    headers: Iterable[tuple[str, str]],
    *,
    keep: bool = False,
    request: Iterable[tuple[str, str]] = (),
) -> dict[str, str]:
    """
    Return the headers that are recorded; `headers` has names in lower case.

    For those of a response, `request` has those of its request: what was a credential there is one
    here, whatever it looks like by itself.
    """
    found: dict[str, list[str]] = {}
    for name, value in headers:
        if name in RECORDED:
            found.setdefault(name, []).append(value)
    if keep:
        return {name: cut_at_word(", ".join(values), _LONGEST) for name, values in found.items()}
    secrets = set()
    if _PROTOCOLS in found:  # one list, wherever it is split
        secrets = _bearers(", ".join(value for name, value in request if name == _PROTOCOLS))
    return {
        name: cut_at_word(_without_secrets(name, values, secrets), _LONGEST)
        for name, values in found.items()
    }


def credentials_in(headers: Iterable[tuple[str, str]], path: str = "") -> Iterator[str]:
    """
    Return the credentials in headers, with names in lower case, and in the path of a request.

    An id of a session is none. Of cookies, those that look random are; the others come in one text,
    since `lang=en` is none, and of a longer text only such parts are searched for as may be one.
    """
    for name, value in headers:
        if name == _PROTOCOLS:
            for _, text, shown in _protocols(value):
                if text != shown:
                    yield text.removeprefix(shown.removesuffix(REPLACEMENT))
        elif name in ("cookie", "set-cookie"):
            yield from _in_cookies(value, is_set=name == "set-cookie")
        elif name in ("authorization", "proxy-authorization"):
            yield value.partition(" ")[2] or value
        elif _IS_CREDENTIAL.search(name):
            yield value
    for parameter in _MARK.split(path):
        name, _, value = parameter.partition("=")
        if _IS_CREDENTIAL.search(unquote(name)):
            yield unquote(value)


def _in_cookies(header: str, *, is_set: bool) -> Iterator[str]:
    """Give the values of cookies that look random, then the other cookies, without attributes."""
    others: list[str] = []
    for at, item in enumerate(_MARK_OF_COOKIE.split(header)[::2]):
        name, _, value = item.strip().partition("=")
        value = value.strip('" ')
        if is_set and at and name.lower() in _OF_COOKIE:
            continue
        if _is_random(value):
            yield value
        elif value:
            others.append(f"{name}={value}")
    if others:  # a single one would be read as one value, with its name
        yield "; ".join((*others, "Secure"))


def _without_secrets(name: str, values: list[str], secrets: set[str]) -> str:
    """Return the values of all headers of one name as they may be recorded, in one."""
    if name == _PROTOCOLS:
        return _without_bearer(", ".join(values), secrets)
    return ", ".join([_without_secret(name, value) for value in values])


def _without_secret(name: str, value: str) -> str:
    if name == "authorization":
        scheme, space, _ = value.partition(" ")
        is_scheme = space and scheme.replace("-", "").isalnum()
        return f"{scheme} {REPLACEMENT}" if is_scheme else REPLACEMENT
    if name == "cookie":
        return ";".join(map(_without_value, value.split(";")))
    if name == "set-cookie":
        return _without_values(value)
    if name == "www-authenticate":
        value = _without_parameters(value)
    return without_credentials(value)  # there may be a URL in any of them


def _without_parameters(challenge: str) -> str:
    """Return a challenge without credentials: `hmac="..."`, or what follows `Negotiate`."""
    shown: list[str] = []
    is_quoted = False  # whether we are within quotes that are a credential
    for word in _BETWEEN_PARAMETERS.split(challenge):
        if is_quoted:
            is_quoted = '"' not in word
            continue
        name, equals, value = word.partition("=")
        if value.strip("=") and _ENDS_AS_CREDENTIAL.search(name):
            is_quoted = value.count('"') == 1
            shown.append(f"{name}{equals}{REPLACEMENT}")
        else:
            shown.append(REPLACEMENT if _is_random(word.strip("=")) else word)
    return "".join(shown)


def _without_value(cookie: str) -> str:
    name, equals, _ = cookie.partition("=")
    return f"{name}={REPLACEMENT}" if equals else REPLACEMENT if cookie.strip() else cookie


def _without_values(cookies: str) -> str:
    """
    Return a `Set-Cookie` without the values of its cookies.

    It has one, and its attributes; some servers join several by commas. A comma is also in a date.
    """
    first, *rest = _MARK_OF_COOKIE.split(cookies)
    shown = [_without_value(first)]
    is_date = False  # whether the item before is the first half of one
    for mark, item in zip(rest[::2], rest[1::2], strict=True):
        name = item.partition("=")[0].strip().lower()
        is_shown = name in _OF_COOKIE or (is_date and mark == "," and "=" not in item)
        shown += mark, item if is_shown else _without_value(item)
        is_date = name == "expires"
    return "".join(shown)


def _bearers(protocols: str) -> set[str]:
    """Return those of a list of WebSocket protocols that are a credential, whole or in part."""
    return {text for _, text, shown in _protocols(protocols) if text != shown}


def _without_bearer(protocols: str, secrets: set[str]) -> str:
    """Return a list of WebSocket protocols without a credential among them; `secrets` are known."""
    found = _protocols(protocols)
    secrets = secrets | {text for _, text, shown in found if shown == REPLACEMENT}
    return ",".join(
        [
            space + (REPLACEMENT if text in secrets and text == shown else shown)
            for space, text, shown in found
        ]
    )


def _protocols(protocols: str) -> list[tuple[str, str, str]]:
    """
    Return each of a list of WebSocket protocols: the space before it, itself, and as it is shown.

    A browser can send no other header with a WebSocket: `qwen-bearer.TOKEN`, `bearer, TOKEN`, or
    only `TOKEN`.
    """
    found = []
    is_next = False  # whether the item before only names the kind of credential
    for item in protocols.split(","):
        text = item.strip()
        if not text:
            found.append((item, "", ""))
            continue
        word = _CREDENTIAL.search(text)
        separator = _SEPARATOR.search(text, word.end()) if word else None
        shown = text
        if is_next:
            shown = REPLACEMENT
        elif separator:
            shown = text[: separator.end()] + REPLACEMENT
        elif _is_random(text):
            shown = REPLACEMENT
        found.append((item[: len(item) - len(item.lstrip())], text, shown))
        is_next = word is not None and separator is None
    return found


def _is_random(protocol: str) -> bool:
    """Whether this is the name of no protocol: long, with digits and letters of both cases."""
    has_digit = not _DIGITS.isdisjoint(protocol)
    has_both_cases = protocol.lower() != protocol != protocol.upper()
    is_hex = _HEX.issuperset(protocol)
    return len(protocol) >= _LEAST_RANDOM and has_digit and (has_both_cases or is_hex)


def without_credentials(url: str) -> str:
    """Return a URL or path with its user, and values of parameters such as `?token=`, replaced."""
    if "@" in url:
        first, *others = url.split("//")
        url = "//".join([first, *map(_without_user, others)])
    if "=" not in url:
        return url
    first, *rest = _MARK.split(url)
    shown = [first]
    is_secret = False
    for mark, parameter in zip(rest[::2], rest[1::2], strict=True):
        if is_secret and mark in "?;":  # most servers read it as a part of the value
            continue
        name, equals, _ = parameter.partition("=")
        is_secret = bool(equals) and _is_of_credential(unquote(name))
        shown += mark, f"{name}={REPLACEMENT}" if is_secret else parameter
    return "".join(shown)


def _is_of_credential(parameter: str) -> bool:
    return parameter.lower() == "code" or _CREDENTIAL.search(parameter) is not None


def _without_user(after_slashes: str) -> str:
    end = _END_OF_AUTHORITY.search(after_slashes)
    authority = after_slashes[: end.start()] if end else after_slashes
    _, at, host = authority.rpartition("@")
    return f"{REPLACEMENT}@{host}{after_slashes[len(authority) :]}" if at else after_slashes
