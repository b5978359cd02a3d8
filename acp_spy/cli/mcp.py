"""`acp-spy mcp`: captures for coding agents, as tools of an MCP server on stdio."""

import os
import signal
import sys
from typing import Annotated

import typer

from acp_spy.cli.commands import is_posix, no_posix
from acp_spy.cli.console import FINE, write
from acp_spy.cli.shared_options import CaptureFolder, named_folder
from acp_spy.errors import AcpSpyError


def mcp(
    captures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CAPTURE",
            help="Captures and folders that can be read in addition to the capture folder.",
            show_default=False,
        ),
    ] = None,
    *,
    folder: CaptureFolder = "",
    allow_run: Annotated[
        bool,
        typer.Option(
            "--allow-run",
            metavar="",
            help="Also offer tools that start processes: `doctor` starts an agent by any command.",
        ),
    ] = False,
) -> int:
    """
    A coding agent that has this server can find out why another agent hangs or fails. Put
    `acp-spy mcp` into the MCP settings of the agent, for example: `claude mcp add acp-spy --
    acp-spy mcp`. The tools only read, and only captures in the capture folder and those that are
    named here. Secrets are masked, and long answers are cut, with a note of what was left out.
    It needs the package `mcp`: `pip install 'acp-spy[mcp]'`.

    Exit status: 0 when the client has closed stdin, 2 for wrong use.
    """
    where = named_folder(folder, "read")
    for path in captures or ():
        if not os.path.exists(path):
            raise AcpSpyError(
                f"cannot read `{path}`: No such file or directory",
                hint="give the paths of captures, or of folders with captures",
            )
    if allow_run and not is_posix():
        raise no_posix("run `acp-spy mcp --allow-run`")
    try:
        from acp_spy.mcp_server.captures import Captures
        from acp_spy.mcp_server.serve import make_server, run
    except ImportError as error:
        why = "the package `mcp` is not installed" if error.name == "mcp" else str(error)
        raise AcpSpyError(
            f"cannot start the MCP server: {why}",
            hint="install it with `pip install 'acp-spy[mcp]'`",
        ) from None
    if sys.stdin is None:
        raise AcpSpyError("cannot start the MCP server: stdin is closed")
    if sys.stdin.isatty():
        write("waiting for an MCP client on stdin; press Ctrl-C to stop\n")
    server = make_server(Captures(where, captures or ()), allow_run=allow_run)
    # A thread reads stdin, and cannot be interrupted: Ctrl-C ends the process at once.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        run(server)
    finally:
        signal.signal(signal.SIGINT, before)
    return FINE
