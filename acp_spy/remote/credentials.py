"""
What of an HTTP head is recorded, and how, without its credentials.

A credential is replaced, not left out: that it was sent, and of which kind or name, is worth
knowing. `--keep-credentials` keeps them.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
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
# What is replaced in a text: the name of the parameter, if it has one, and its value in parts.
_Notes = list[tuple[str, list[str]]]


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
            scheme, rest = _scheme(value)
            yield from [rest] if scheme else value.replace(",", " ").split()
        elif name in RECORDED:
            yield from _replaced(partial(_without_secret, name), value)
        elif _IS_CREDENTIAL.search(name):
            yield value
    yield from _replaced(without_credentials, path)


def _replaced(replace: Callable[[str, "_Notes"], str], text: str) -> Iterator[str]:
    """
    Give what is replaced in a text when it is recorded: it is masked in messages, too.

    To be safe, `?author=ann` is replaced as well. Such a value is only masked if it looks random.
    """
    notes: _Notes = []
    replace(text, notes)
    for name, parts in notes:
        value = unquote("".join(parts).strip('"'))
        is_session = "session" in name.lower() and not _IS_CREDENTIAL.search(name)
        is_sure = name.lower() in ("", "code") or _ENDS_AS_CREDENTIAL.search(name)
        if value and not is_session and (is_sure or _is_random(value)):
            yield value
            if len(parts) > 1:  # other servers end it there
                yield unquote(parts[0])


def _in_cookies(header: str, *, is_set: bool) -> Iterator[str]:
    """Give the values of cookies that look random, then the other cookies, without attributes."""
    others: list[str] = []
    for at, item in enumerate(_MARK_OF_COOKIE.split(header)[::2]):
        name, equals, value = item.strip().partition("=")
        value = (value if equals or is_set else name).strip('" ')
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


def _without_secret(name: str, value: str, notes: _Notes | None = None) -> str:
    notes = [] if notes is None else notes
    if name == "authorization":
        scheme, _ = _scheme(value)
        return f"{scheme} {REPLACEMENT}" if scheme else REPLACEMENT
    if name == "cookie":
        return ";".join(map(_without_value, value.split(";")))
    if name == "set-cookie":
        return _without_values(value)
    if name == "www-authenticate":
        value = _without_parameters(value, notes)
    return without_credentials(value, notes)  # there may be a URL in any of them


def _scheme(authorization: str) -> tuple[str, str]:
    """Return the scheme of a credential, if it has one, and the rest."""
    scheme, space, rest = authorization.partition(" ")
    return (scheme, rest) if space and scheme.replace("-", "").isalnum() else ("", authorization)


def _without_parameters(challenge: str, notes: _Notes) -> str:
    """Return a challenge without credentials: `hmac="..."`, or what follows `Negotiate`."""
    shown: list[str] = []
    is_quoted = False  # whether we are within quotes that are a credential
    for word in _BETWEEN_PARAMETERS.split(challenge):
        if is_quoted:
            is_quoted = '"' not in word
            notes[-1][1].append(word)
            continue
        name, equals, value = word.partition("=")
        if value.strip("=") and _ENDS_AS_CREDENTIAL.search(name):
            is_quoted = value.count('"') == 1
            shown.append(f"{name}{equals}{REPLACEMENT}")
            notes.append((name, [value]))
        elif _is_random(word.strip("=")):
            shown.append(REPLACEMENT)
            notes.append(("", [word]))
        else:
            shown.append(word)
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


def without_credentials(url: str, notes: _Notes | None = None) -> str:
    """
    Return a URL or path with its user, and values of parameters such as `?token=`, replaced.

    What is replaced is added to `notes`.
    """
    notes = [] if notes is None else notes
    if "@" in url:
        first, *others = url.split("//")
        url = "//".join([first, *(_without_user(each, notes) for each in others)])
    if "=" not in url:
        return url
    first, *rest = _MARK.split(url)
    shown = [first]
    is_secret = False
    for mark, parameter in zip(rest[::2], rest[1::2], strict=True):
        if is_secret and mark in "?;":  # most servers read it as a part of the value
            notes[-1][1].extend((mark, parameter))
            continue
        name, equals, value = parameter.partition("=")
        is_secret = bool(equals) and _is_of_credential(unquote(name))
        if is_secret:
            notes.append((unquote(name), [value]))
        shown += mark, f"{name}={REPLACEMENT}" if is_secret else parameter
    return "".join(shown)


def _is_of_credential(parameter: str) -> bool:
    return parameter.lower() == "code" or _CREDENTIAL.search(parameter) is not None


def _without_user(after_slashes: str, notes: _Notes) -> str:
    end = _END_OF_AUTHORITY.search(after_slashes)
    authority = after_slashes[: end.start()] if end else after_slashes
    user, at, host = authority.rpartition("@")
    if not at:
        return after_slashes
    name, colon, password = user.partition(":")
    notes.append(("", [password]) if colon else ("user", [name]))
    return f"{REPLACEMENT}@{host}{after_slashes[len(authority) :]}"
