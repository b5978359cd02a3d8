"""`acp-spy http`: record a conversation between a client and an agent that is reached by HTTP."""

from typing import Annotated

import typer

from acp_spy.cli.console import mask_secrets, note
from acp_spy.cli.remote_options import (
    AllowOrigin,
    AllowRemote,
    Ca,
    KeepCredentials,
    Listen,
    NewCaptures,
    NoCheck,
    RecordFolder,
    Redact,
    Verbose,
)
from acp_spy.remote.addresses import DEFAULT_PATH, Guard, parse_listen, parse_origins, parse_target


def http(
    target: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="URL of the agent, for example `http://127.0.0.1:8080/acp`.",
            show_default=False,
        ),
    ],
    *,
    listen: Listen = "127.0.0.1:0",
    output: NewCaptures = "",
    folder: RecordFolder = "",
    redact: Redact = False,
    verbose: Verbose = False,
    no_check: NoCheck = False,
    ca: Ca = "",
    keep_credentials: KeepCredentials = False,
    allow_remote: AllowRemote = False,
    allow_origin: AllowOrigin = None,
) -> None:
    """
    Give the client the URL that is printed instead of the agent's. Every request and response,
    SSE event and WebSocket message is forwarded unchanged and recorded, one capture per
    conversation. If the client hangs, run `acp-spy why`. End it with Ctrl-C.
    """
    if redact:
        mask_secrets()
    where = parse_target(target, "remove them, and let the client send an `Authorization` header")
    host, port = parse_listen(listen, allow_remote=allow_remote)
    # Not before the arguments are right: this takes time.
    from acp_spy.cli.remote_capture import LiveOutput, opener
    from acp_spy.remote.conversations import Conversations
    from acp_spy.remote.exchange import Rules
    from acp_spy.remote.run_http import run_http
    from acp_spy.remote.service import Service, tls_for

    open_tap = opener(output, folder, [where.shown], where.authority, redact=redact)
    guard = Guard(host, allow_remote, parse_origins(allow_origin or ()))
    tls = tls_for(where, ca)
    live = LiveOutput(is_off=no_check, verbose=verbose)
    conversations = Conversations(open_tap, live.begin, live.checking.end)
    service = Service(where, conversations, Rules(keep_credentials), guard, note, tls, live.log)
    path = where.path or DEFAULT_PATH

    def ready(port: int) -> None:
        live.offer("ws" if where.is_websocket else "http", host, port, path)
        note(f"forwarding to {where.shown}; give the client the URL above, end with Ctrl-C")

    with live.listening(listen, conversations):
        run_http(service, host, port, ready, live.checking)
