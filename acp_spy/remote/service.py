"""What all connections of one listener share: where to, who may come, and what is recorded."""

import os
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import trio

from acp_spy.errors import AcpSpyError, reason_of
from acp_spy.remote.addresses import Guard, Target
from acp_spy.remote.conversations import Conversations
from acp_spy.remote.exchange import Exchange, Headers, Rules
from acp_spy.remote.keep_alive import KeepAlive
from acp_spy.remote.stderr_log import StderrLog
from acp_spy.remote.tls_stream import TlsStream

CONNECT_TIMEOUT = 30.0
_UNKNOWN_ISSUER = (18, 19, 20, 21)  # as OpenSSL numbers it: self-signed, or of a CA not known here


class Service:
    """`complain` takes one line for the person who reads stderr, `log` what agents write there."""

    def __init__(
        self,
        target: Target,
        conversations: Conversations,
        rules: Rules,
        guard: Guard,
        complain: Callable[[str], None],
        tls: ssl.SSLContext | None = None,
        log: StderrLog | None = None,
    ) -> None:
        self.log = log
        self.target = target
        self.conversations = conversations
        self.guard = guard
        self._rules = rules
        self._complain = complain
        self._tls = tls
        self._reported: set[str] = set()
        self.keep_alive = KeepAlive()

    def exchange(self, method: str, path: str, headers: Headers, http: str) -> Exchange:
        """Return what follows a new exchange."""
        return Exchange(self.conversations, self._rules, method, path, headers, http)

    def observe(self, take: Callable[..., object], *args: Any) -> None:
        """Let the recording see something; a bug of ours must not stop the traffic."""
        try:
            take(*args)
        except Exception as error:  # noqa: BLE001 - whatever it is
            self.complain_once(reason_of(error))

    async def guard_against_bugs(self, serve: Callable[[], Awaitable[None]]) -> None:
        """Serve one connection; a bug of ours ends that one, and no other."""
        try:
            await serve()
        except Exception as error:  # noqa: BLE001 - whatever it is
            self.complain_once(reason_of(error))

    def complain_once(self, text: str) -> None:
        """Report something that may happen often."""
        if text not in self._reported and len(self._reported) < 100:
            self._reported.add(text)
            self._complain(text)

    def announce(self, text: str) -> None:
        """Print a line that is known to have no secrets: it does not wait until it is masked."""
        if self.log:
            self.log.announce(text)

    async def connect(self, protocols: tuple[str, ...]) -> Any:
        """Connect to the target. Raises `OSError` or `ssl.SSLError` with a reason."""
        stream = await connect(self.target, self._tls, protocols)
        self.keep_alive.add(stream)
        return stream


async def connect(target: Target, tls: ssl.SSLContext | None, protocols: tuple[str, ...]) -> Any:
    """Connect to `target`, by TLS if its URL says so; `protocols` are offered by ALPN."""
    with trio.move_on_after(CONNECT_TIMEOUT):
        try:
            stream = await trio.open_tcp_stream(target.host, target.port)
        except UnicodeError:  # a part of it is empty, too long, or has letters that no name has
            raise OSError(f"`{target.host}` is not the name of a host") from None
        if not target.is_tls:
            return stream
        context = tls or tls_context()
        context.set_alpn_protocols(list(protocols))
        secured = trio.SSLStream(
            stream, context, server_hostname=target.host, https_compatible=True
        )
        try:
            await secured.do_handshake()
        except BaseException as error:
            await trio.aclose_forcefully(stream)
            if isinstance(error, trio.BrokenResourceError) and error.__cause__:
                raise error.__cause__ from None
            raise
        return TlsStream(secured)
    raise TimeoutError("it does not respond")


def tls_context(ca: str = "") -> ssl.SSLContext:
    """Return how to verify a target: by the system's certificates, and those in the file `ca`."""
    context = ssl.create_default_context()
    if ca:
        context.load_verify_locations(ca)
    return context


def tls_for(target: Target, ca: str) -> ssl.SSLContext | None:
    """Return how to verify a target, also by the certificates in the file `ca`."""
    if not target.is_tls:
        return None
    try:
        return tls_context(os.path.expanduser(ca))
    except OSError as error:
        is_of_tls = hasattr(error, "reason")  # what OpenSSL calls it says nothing to anybody
        why = "it contains no certificate" if is_of_tls else error.strerror
        raise AcpSpyError(
            f"cannot read `{ca}`: {why}", hint="give a file of certificates (PEM)"
        ) from None


def reason(error: BaseException) -> str:
    """Return why a connection failed, in few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        hint = "; `--ca FILE` adds the CA" if error.verify_code in _UNKNOWN_ISSUER else ""
        return f"its certificate is not trusted: {error.verify_message}{hint}"
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
        return "it does not speak TLS; try the URL with `http` or `ws`"
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OSError) and error.__cause__ is not None:
        return reason(error.__cause__)  # trio's list of all addresses that were tried
    if isinstance(error, OSError) and (error.strerror or "").startswith("Error connecting"):
        return os.strerror(error.errno or 0)  # trio's words repeat the address
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
