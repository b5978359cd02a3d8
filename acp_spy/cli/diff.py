"""`acp-spy diff`: what changed between two captures."""

from typing import Annotated, Literal

import typer

from acp_spy.capture.files import read
from acp_spy.cli.captures import find_input
from acp_spy.cli.console import BUG, FINE, FOUND, report_bugs
from acp_spy.cli.output import show, write_lines
from acp_spy.view.difference.model import compare_captures
from acp_spy.view.difference.reading import Told, read_capture


def diff(
    one: Annotated[
        str,
        typer.Argument(
            metavar="A", help="The capture to compare with; `-` is stdin.", show_default=False
        ),
    ],
    other: Annotated[
        str, typer.Argument(metavar="B", help="The capture that is compared.", show_default=False)
    ],
    form: Annotated[
        Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")
    ] = "text",
) -> int:
    """
    What was said and is gone, added, changed or moved; findings that came and went; how the agent
    ended; and, though they do not count, how long the answers took. The pieces of a streamed text
    are compared as one. Frames of different sessions, and of the two peers, have no order.

    Exit status: 0 when nothing differs, 1 when something does, 2 when a capture cannot be read.
    """
    told = compare_captures(_read(one), _read(other))
    if form == "json":
        from acp_spy.view.difference import json

        write_lines(json.render(told).splitlines())
    else:
        from acp_spy.view.difference import text

        show(lambda console: text.render(told, console))
    if not told.is_equal:
        return FOUND
    return BUG if told.one.crashes or told.other.crashes else FINE


def _read(named: str) -> Told:
    path = find_input(named)
    told = read_capture(path, read(path))
    report_bugs(told.crashes, path)
    return told
