"""Options that the commands for remote agents share."""

from typing import Annotated, Any

import typer

from acp_spy.cli.commands import PROXY_OPTIONS

_HELP = {option.name: option for option in PROXY_OPTIONS}


def _as_proxy(name: str, metavar: str = "") -> Any:
    option = _HELP[name]
    text = option.help.removeprefix("With a URL: ")
    text = text[0].upper() + text[1:]
    return typer.Option(*option.spellings, metavar=metavar or None, help=text, show_default=False)


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
Header = Annotated[list[str] | None, _as_proxy("header", "HEADER")]
HeaderEnv = Annotated[list[str] | None, _as_proxy("header_env", "NAME=VARIABLE")]
Ca = Annotated[str, _as_proxy("ca", "FILE")]
KeepCredentials = Annotated[bool, _as_proxy("keep_credentials")]
