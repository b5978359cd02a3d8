"""Options that several commands have."""

from typing import Annotated, Literal

import typer

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
