"""`acp-spy live`, and `acp-spy` alone: the console."""

import os
from typing import Annotated

import typer

from acp_spy.capture.files import is_capture
from acp_spy.capture.opening import without_links
from acp_spy.cli.capture_input import find_input, refuse_pipe
from acp_spy.cli.commands import has_terminal
from acp_spy.cli.shared_options import CaptureFolder, named_folder
from acp_spy.errors import AcpSpyError


def live(
    capture: Annotated[
        str | None,
        typer.Argument(
            metavar="CAPTURE",
            help="Open this capture. Default: the list of captures in the capture folder.",
            show_default=False,
        ),
    ] = None,
    folder: CaptureFolder = "",
) -> int:
    """
    The list has the captures that are being recorded on top, each with its diagnosis and with what
    it waits for; new ones appear by themselves. Enter opens one: its rows as in `acp-spy view`, the
    details of each, findings, statistics and stderr, while it is recorded. `?` shows the keys.
    `acp-spy` without arguments does the same.
    """
    where = named_folder(folder, "list")
    if not has_terminal():
        raise AcpSpyError(
            "cannot open the console: stdin and stdout must be a terminal, and not a dumb one",
            hint="use `acp-spy list` and `acp-spy view`, or set TERM to the kind of your terminal",
        )
    path = _path(capture) if capture is not None else ""
    from acp_spy.console.starting import start

    started = start()
    from acp_spy.console.app import run_console  # takes as long to load as the other process

    return run_console(where, path, started)


def _path(named: str) -> str:
    refuse_pipe(named, "open")
    # No other link is followed later.
    path = os.path.abspath(without_links(find_input(named, is_followed=True)))
    if not os.path.exists(path):
        raise AcpSpyError(
            f"cannot open `{named}`: no such file",
            hint="run `acp-spy list` for the captures, or `acp-spy live` to choose one",
        )
    if not os.path.isfile(path):
        raise AcpSpyError(f"cannot open `{named}`: it is not a regular file", hint="name a capture")
    if not is_capture(path):
        raise AcpSpyError(
            f"cannot open `{named}`: it is not a capture",
            hint="convert it with `acp-spy import`, or show it with `acp-spy view`",
        )
    return path
