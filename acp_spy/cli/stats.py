"""`acp-spy stats`: statistics of a conversation."""

from typing import Annotated

import typer

from acp_spy.cli.capture_input import find_input
from acp_spy.cli.output import show, write_lines
from acp_spy.cli.shared_options import TextOrJson
from acp_spy.view.stats.collect import stats as collect_stats


def stats(
    capture: Annotated[
        str | None,
        typer.Argument(
            metavar="CAPTURE",
            help="The capture, or `-` for stdin. Default: the newest in the capture folder.",
            show_default=False,
        ),
    ] = None,
    form: TextOrJson = "text",
) -> None:
    """
    For each method: the number of requests, errors, and response times. For each turn: the time to
    the first update, the rate of the stream, tool calls, waits for permission, and stalls, which
    are pauses of 5 s or more while the agent waited for nobody. While the
    recording runs, times are those so far.
    """
    path = find_input(capture)
    found = collect_stats(path)
    if form == "json":
        from acp_spy.view.stats import json

        write_lines(json.render(path, found.state, found).splitlines())
    else:
        from acp_spy.view.stats import text

        show(lambda console: text.render(path, found.state, found, console))
