"""
Who may see what the live page is served: the browser that was given the link, and nobody else.

The link has a token that works once: starting a browser shows its URL to everybody who may list
processes. Another user gets nothing for it, where the system tells who that is (`peer_user.py`).
The page exchanges it for a key, which it keeps in the storage of its origin. That is no cookie,
because a browser sends the cookies of 127.0.0.1 to every port of it. A page of another origin can
neither read the storage nor send the header with the key.
"""

import secrets

from acp_spy.remote.addresses import Guard

_SCHEME = "Bearer "


class OwnPagesOnly(Guard, frozen=True):
    """Refuses every request that names another server (DNS rebinding), or is of another page."""

    port: int = 0

    def refusal(self, host: str, origin: str, site: str = "") -> str:  # noqa: ARG002
        """Return why a request is refused; any `site` may have a link to a page without data."""
        if host.lower() not in {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}:
            return f"the Host header names `{host}`, which is not this server"
        if origin and origin != f"http://{host.lower()}":
            return f"the Origin `{origin}` is not allowed"
        return ""


class Access:
    """`token` is for the link, and works once."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self._is_used = False
        self._key = secrets.token_urlsafe(32)

    def renew(self) -> str:
        """Return another token, for another link; the one before does not work any more."""
        self.token, self._is_used = secrets.token_urlsafe(24), False
        return self.token

    def enter(self, authorization: str) -> str | None:
        """Return the key for the token, empty if it was used; `None` for another token."""
        if not _has(authorization, self.token):
            return None
        is_used, self._is_used = self._is_used, True
        return "" if is_used else self._key

    def admits(self, authorization: str) -> bool:
        """Whether a request has the key."""
        return _has(authorization, self._key)


def _has(authorization: str, secret: str) -> bool:
    return secrets.compare_digest(authorization.encode(), f"{_SCHEME}{secret}".encode())
