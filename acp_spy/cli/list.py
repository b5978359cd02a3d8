"""`acp-spy list`: what is in the capture folder, the newest first."""

import os
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
    A capture is `running` while its proxy lives, `ended` when the agent's end is in it, and else
    `cut off`: the proxy was killed, or could write no further; `imported` if it was another tool
    that did not keep the end. Findings are those that were recorded: `3E 1W 2N` are errors,
    warnings and notes. Other commands take a name as it stands.
    """
    where = capture_folder(folder)
    if folder and not os.path.isdir(where):  # the usual folder is made by the first recording
        raise AcpSpyError(f"`{where}` is no folder", hint="acp-spy list --dir DIR")
    summaries = [summarize(entry) for entry in captures(where)]
    if form == "json":
        from acp_spy.view.captures import json

        write_lines(json.render(where, summaries).splitlines())
    else:
        from acp_spy.view.captures import text

        show(lambda console: text.render(where, summaries, console))
