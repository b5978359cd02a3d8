"""Options that the commands for remote agents share."""

import os
import time
from collections.abc import Callable
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from acp_spy.capture.locate import capture_path, header_for
from acp_spy.cli.commands import PROGRAM, PROXY_OPTIONS
from acp_spy.cli.console import note
from acp_spy.engine.tap import Tap
from acp_spy.errors import AcpSpyError

_HELP = {option.name: option for option in PROXY_OPTIONS}


def _as_proxy(name: str, metavar: str = "") -> Any:
    option = _HELP[name]
    return typer.Option(
        *option.spellings, metavar=metavar or None, help=option.help, show_default=False
    )


NewCaptures = Annotated[str, _as_proxy("output", "FILE")]
RecordFolder = Annotated[str, _as_proxy("dir", "DIR")]
Redact = Annotated[bool, _as_proxy("redact")]
Verbose = Annotated[bool, _as_proxy("verbose")]
NoCheck = Annotated[bool, _as_proxy("no_check")]
Listen = Annotated[
    str,
    typer.Option(
        metavar="HOST:PORT", help="Where to listen; port 0 is any free port.", show_default=True
    ),
]
AllowRemote = Annotated[
    bool,
    typer.Option("--allow-remote", help="Allow other machines to connect.", show_default=False),
]
AllowOrigin = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ORIGIN",
        help="Allow pages of this origin, for example `https://example.com`. Repeatable.",
        show_default=False,
    ),
]
Ca = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help="Trust the certificates in FILE (PEM), in addition to those of the system.",
        show_default=False,
    ),
]
KeepCredentials = Annotated[
    bool,
    typer.Option(
        "--keep-credentials",
        help="Record credentials in headers and URLs in clear.",
        show_default=False,
    ),
]


def opener(
    output: str,
    folder: str,
    command: list[str],
    name: str,
    *,
    redact: bool,
    is_started_here: bool = False,
) -> Callable[[], Tap]:
    """
    Return what begins the capture of one more conversation.

    `command` is what the header has, `name` is what the file is named after. The folder is recorded
    if the agent `is_started_here`.
    """
    if output and folder:
        raise AcpSpyError("`--output` cannot be used with `--dir`", hint="use one of them")

    def open_tap() -> Tap:
        wall = time.time()
        redactor = None
        if redact:
            from acp_spy.secrets.redactor import Redactor

            redactor = Redactor()
        tap = Tap(time.monotonic_ns(), complain=note, redactor=redactor)
        path = capture_path(output, folder, wall, [name])
        header = header_for(wall, command, PROGRAM)
        tap.open(path, header if is_started_here else replace(header, cwd=""))
        return tap

    return open_tap


def readable(path: str) -> str:
    """Return the path of a file that can be read."""
    try:
        with open(os.path.expanduser(path), "rb"):
            return os.path.expanduser(path)
    except OSError as error:
        raise AcpSpyError(
            f"cannot read `{path}`: {error.strerror}", hint="give a file of certificates (PEM)"
        ) from None
