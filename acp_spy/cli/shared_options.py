"""Options that several commands have."""

import os
from typing import Annotated, Literal

import typer

from acp_spy.capture.locate import capture_folder
from acp_spy.errors import AcpSpyError

TextOrJson = Annotated[
    Literal["text", "json"],
    typer.Option("--format", metavar="FORMAT", help="Output format: `text` or `json`."),
]
NewCapture = Annotated[
    str,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Record to FILE instead of a new file in the capture folder.",
        show_default=False,
    ),
]
CaptureFolder = Annotated[
    str,
    typer.Option(
        "--dir",
        metavar="DIR",
        help="Use DIR instead of the capture folder ($ACP_SPY_DIR, or the user's state folder).",
        show_default=False,
    ),
]


def named_folder(folder: str, verb: str) -> str:
    """Return the folder that `--dir` names, which must exist, or the usual capture folder."""
    where = capture_folder(folder)
    if folder and not os.path.isdir(where):  # the usual folder is made by the first recording
        why = "it is not a folder" if os.path.exists(where) else "it does not exist"
        raise AcpSpyError(
            f"cannot {verb} `{where}`: {why}",
            hint="name a folder that exists: `--dir DIR`",
        )
    return where


Delivered = Annotated[
    bool,
    typer.Option(
        "--delivered",
        metavar="",
        help="Take what the peers received in place of what was sent, where a script, a fault or"
        " a fix changed it.",
    ),
]
