"""`acp-spy serve`: offer a stdio agent over HTTP and WebSocket, and record it."""

import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from acp_spy.cli.agent_command import AgentCommand as Command
from acp_spy.cli.agent_command import command_after_dashes
from acp_spy.cli.console import mask_secrets, note
from acp_spy.cli.remote_options import (
    AllowOrigin,
    AllowRemote,
    KeepCredentials,
    Listen,
    NewCaptures,
    NoCheck,
    RecordFolder,
    Redact,
    Verbose,
)
from acp_spy.errors import AcpSpyError
from acp_spy.remote.addresses import DEFAULT_PATH, Guard, Target, parse_listen, parse_origins

if TYPE_CHECKING:
    from acp_spy.engine.tap import Tap

__all__ = ["Command", "serve", "serve_command"]


def serve(
    context: typer.Context,
    *,
    listen: Listen = "127.0.0.1:0",
    max_connections: Annotated[
        int, typer.Option(metavar="N", help="Refuse more connections than this at once.")
    ] = 32,
    idle: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="End a connection that nobody has used for so long."),
    ] = 1800.0,
    output: NewCaptures = "",
    folder: RecordFolder = "",
    redact: Redact = False,
    verbose: Verbose = False,
    no_check: NoCheck = False,
    keep_credentials: KeepCredentials = False,
    allow_remote: AllowRemote = False,
    allow_origin: AllowOrigin = None,
) -> None:
    """
    For example: `acp-spy serve --listen 127.0.0.1:7000 -- my-agent --acp`. Clients connect to the
    URL that is printed, by HTTP or WebSocket. Each connection starts the agent once, and has its
    own capture; the agent ends with its connection. End it with Ctrl-C.
    """
    if redact:
        mask_secrets()
    command = command_after_dashes(context)
    if max_connections < 1 or not idle > 0:
        raise AcpSpyError(
            "`--max-connections` and `--idle` must be greater than 0", hint="omit them"
        )
    parse_listen(listen, allow_remote=allow_remote)  # before anything is loaded
    origins = parse_origins(allow_origin or ())
    from acp_spy.cli.remote_capture import opener

    open_tap = opener(output, folder, command, redact=redact, is_started_here=True)
    serve_command(
        command,
        listen,
        open_tap,
        no_check=no_check,
        verbose=verbose,
        limits=(max_connections, idle),
        keep_credentials=keep_credentials,
        allow_remote=allow_remote,
        origins=origins,
    )


def serve_command(
    command: list[str],
    listen: str,
    open_tap: "Callable[[], Tap]",
    *,
    no_check: bool = True,
    verbose: bool = False,
    limits: tuple[int, float] = (32, 1800.0),
    keep_credentials: bool = False,
    allow_remote: bool = False,
    origins: tuple[str, ...] = (),
) -> None:
    """Serve `command` until it is interrupted."""
    host, port = parse_listen(listen, allow_remote=allow_remote)
    if shutil.which(command[0]) is None:
        hint = "check its name, or give its path"
        if " " in command[0] and len(command) == 1:
            hint = "give the command and its arguments as separate words"
        raise AcpSpyError(f"cannot serve `{command[0]}`: command not found", hint=hint)
    from acp_spy.cli.remote_capture import LiveOutput
    from acp_spy.remote.agent_server import Limits, ServedConversations, run_serve
    from acp_spy.remote.exchange import Rules
    from acp_spy.remote.service import Service

    live = LiveOutput(is_off=no_check, verbose=verbose)
    conversations = ServedConversations(open_tap, live.begin, live.checking.end)
    guard = Guard(host, allow_remote, origins)
    own = Target("http", host, port, DEFAULT_PATH, "")
    service = Service(own, conversations, Rules(keep_credentials), guard, note, log=live.log)

    def ready(port: int) -> None:
        live.offer("http", host, port, DEFAULT_PATH)
        note(f"serving `{command[0]}`; give clients the URL above, end with Ctrl-C")

    with live.listening(listen, conversations):
        run_serve(service, command, (host, port), Limits(*limits), ready, live.checking)
