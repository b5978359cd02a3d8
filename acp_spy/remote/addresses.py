"""Addresses that a command is given: URLs of agents, places to listen at, who may come."""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec

from acp_spy.errors import AcpSpyError
from acp_spy.remote.credentials import without_credentials

_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
DEFAULT_PATH = "/acp"
# Nothing else: a name that others would read in another way is not one that can be trusted.
_HOST_AND_PORT = re.compile(r"(?:\[([^\[\]\s]+)\]|([^\[\]:@/?#\\\s]+))(?::[0-9]*)?")
_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::([0-9]{1,5}))?")
_OF_GUARD = frozenset({"host", "origin", "sec-fetch-site"})


class Target(msgspec.Struct, frozen=True):
    """Where an agent is: the parts of its URL. `shown` is the URL without credentials."""

    scheme: str
    host: str
    port: int
    path: str
    shown: str

    @property
    def is_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.scheme in ("https", "wss")

    @property
    def is_websocket(self) -> bool:
        """Whether the URL asks for a WebSocket."""
        return self.scheme in ("ws", "wss")

    @property
    def authority(self) -> str:
        """Host and port, as in a `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """What a browser calls the origin of its pages."""
        return f"{'https' if self.is_tls else 'http'}://{self.authority}"


_IN_HEADER = "give them in a header: `--header-env Authorization=VARIABLE`"


def parse_target(url: str, credentials_hint: str = _IN_HEADER) -> Target:
    """Return the parts of the URL of an agent; `credentials_hint` says where credentials go."""
    example = "give a URL such as `http://127.0.0.1:8080/acp` or `wss://example.com/acp`"
    shown = without_credentials(url)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # what it says quotes a part, which may be one of a password
        named = "this URL" if "@" in url else f"`{shown}` as a URL"
        error = f"cannot use {named}: its host or port is not valid"
        raise AcpSpyError(error, hint=example) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise AcpSpyError(f"cannot use `{shown}` as a URL of an agent", hint=example)
    if parts.username or parts.password:
        raise AcpSpyError(
            f"cannot use `{shown}`: a URL must not contain a user or a password",
            hint=credentials_hint,
        )
    path = (parts.path or "") + (f"?{parts.query}" if parts.query else "")
    if not all("!" <= letter <= "~" for letter in path):
        raise AcpSpyError(
            f"cannot use `{shown}` as a URL: its path has a letter that a URL cannot have",
            hint="percent-encode it: a space is `%20`",
        )
    port = port if port is not None else _PORTS[parts.scheme]
    return Target(parts.scheme, parts.hostname, port, path, shown)


def parse_listen(text: str, *, allow_remote: bool) -> tuple[str, int]:
    """Return host and port of a place to listen at, which others cannot reach unless allowed."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or len(port) > 5 or int(port) > 65535:
        raise AcpSpyError(
            f"cannot listen at `{text}`: expected HOST:PORT",
            hint="give an address such as `--listen 127.0.0.1:7000`",
        )
    if not allow_remote and not is_local(host):
        raise AcpSpyError(
            f"cannot listen at `{text}`: other machines could connect",
            hint="listen at `127.0.0.1`, or add `--allow-remote`",
        )
    return host, int(port)


def parse_origins(texts: Iterable[str]) -> tuple[str, ...]:
    """Return origins of pages, as browsers spell them: in small letters, without a usual port."""
    return tuple(map(_parse_origin, texts))


def _parse_origin(text: str) -> str:
    match = _ORIGIN.fullmatch(text.lower())
    if not match:  # `null` is every page that hides where it is from, and `*` is every page
        raise AcpSpyError(
            f"cannot allow `{without_credentials(text)}`: it is not the origin of a page",
            hint="give scheme, host and port only, such as `https://example.com:8443`;"
            " a host of other letters as `xn--...`",
        )
    scheme, host, port = match.groups()
    is_usual = port is None or _PORTS.get(scheme) == int(port)
    return f"{scheme}://{host}" if is_usual else f"{scheme}://{host}:{port}"


@lru_cache(maxsize=64)
def is_local(host: str) -> bool:
    """Whether `host` is this machine, and cannot be reached from another."""
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard(msgspec.Struct, frozen=True):
    """
    Who may come to what we serve: a page in a browser on this machine must not, unless allowed.

    A page reaches us by its own name for our address (DNS rebinding), which shows in `Host`, or
    directly, which shows in `Origin`, or, if it asks for what it cannot read, such as an image,
    only in `Sec-Fetch-Site`. Another port of this machine is another page: it may be anybody's.
    In `Host` a port may be any, since a tunnel or a container has its own.
    """

    host: str
    allow_remote: bool = False
    origins: tuple[str, ...] = ()

    def is_shared_with(self, origin: str) -> bool:
        """Whether a page of another origin may read what we respond."""
        return origin in self.origins

    def refusal_of(self, headers: Iterable[tuple[str, str]]) -> str:
        """Return why a request is refused, by its headers with names in lower case."""
        named: dict[str, str] = {}
        for name, value in headers:
            if name in _OF_GUARD:
                if name in named:  # who comes after us may believe the other one
                    return f"it has two {name.title()} headers"
                named[name] = value
        site = named.get("sec-fetch-site", "")
        return self.refusal(named.get("host", ""), named.get("origin", ""), site)

    def refusal(self, host: str, origin: str, site: str = "") -> str:
        """Return why a request with these headers is refused; empty if it is not."""
        name = _host_name(host)
        if not host and not self.allow_remote:
            return "it has no Host header"
        if not self.allow_remote and not is_local(name) and name != self.host:
            return f"the Host header names `{host}`, which is not this machine"
        is_own = is_local(name) or name == self.host  # else any name may lead here
        if not origin:
            if site == "same-origin" and not is_own:
                is_own = any(each.partition("://")[2] == host for each in self.origins)
            is_fine = site in ("", "none") or (site == "same-origin" and is_own)
            return "" if is_fine else "a page of another origin asks for it"
        if self.is_own_page(host, origin) or origin in self.origins:
            return ""
        return f"the Origin `{origin}` is not allowed"

    def is_own_page(self, host: str, origin: str) -> bool:
        """Whether it is a page of our own address that asks, by these headers."""
        name = _host_name(host)
        scheme, _, authority = origin.lower().partition("://")
        is_own = is_local(name) or name == self.host
        return is_own and scheme in _PORTS and authority == host.lower()


@lru_cache(maxsize=64)  # each request has one, and nearly always the same
def _host_name(text: str) -> str:
    match = _HOST_AND_PORT.fullmatch(text)
    return (match[1] or match[2]).lower() if match else ""
