"""`acp-spy list`: what is in the capture folder, the newest first."""

import os
import time
from typing import Annotated, Literal

import typer

from acp_spy.capture.folder import captures
from acp_spy.capture.locate import capture_folder
from acp_spy.cli.output import show, write_lines
from acp_spy.errors import AcpSpyError
from acp_spy.view.captures.summary import summarize


def list(  # noqa: A001 - a command is a function of its name
    folder: Annotated[
        str,
        typer.Option(
            "--dir",
            metavar="DIR",
            help="List DIR, not the capture folder ($ACP_SPY_DIR, else the user's state folder).",
            show_default=False,
        ),
    ] = "",
    form: Annotated[
        Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")
    ] = "text",
) -> None:
    """
    A capture is `running` while it is being recorded (its length is the time so far), `ended` if it
    has the agent's exit, `imported` if another tool recorded it without the exit, and otherwise
    `cut off`: the proxy was killed, or could not write on. Findings are those that were recorded:
    `3E 1W 2N` are errors, warnings and notes. Other commands accept the names that are listed.
    """
    where = capture_folder(folder)
    if folder and not os.path.isdir(where):  # the usual folder is made by the first recording
        raise AcpSpyError(
            f"cannot list `{where}`: not a folder", hint="use `acp-spy list --dir DIR`"
        )
    now = time.time()
    summaries = [summarize(entry, now) for entry in captures(where)]
    if form == "json":
        from acp_spy.view.captures import json

        write_lines(json.render(where, summaries).splitlines())
    else:
        from acp_spy.view.captures import text

        show(lambda console: text.render(where, summaries, console))
