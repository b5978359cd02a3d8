"""`acp-spy diff`: what changed between two captures."""

from typing import Annotated

import typer

from acp_spy.cli.capture_input import STDIN, find_input
from acp_spy.cli.console import BUG, FINE, FOUND, report_bugs
from acp_spy.cli.output import show, write_lines
from acp_spy.cli.shared_options import TextOrJson
from acp_spy.comparison.capture_diff import diff_captures
from acp_spy.comparison.read import LoadedCapture, Part, load_for_diff
from acp_spy.errors import AcpSpyError


def diff(
    one: Annotated[
        str,
        typer.Argument(
            metavar="A", help="The first capture, or `-` for stdin.", show_default=False
        ),
    ],
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="B",
            help="The second capture, or `-` for stdin; not needed with `--delivered`.",
            show_default=False,
        ),
    ] = None,
    form: TextOrJson = "text",
    *,
    as_delivered: Annotated[
        bool,
        typer.Option(
            "--delivered",
            metavar="",
            help="With one capture: compare what was sent with what was delivered, where a script,"
            " a fault, a fix or a person changed it. With two: compare what was delivered.",
        ),
    ] = False,
) -> int:
    """
    Shows messages that were removed, added, changed or moved, findings that are new or fixed, how
    the agent ended, and response times; what takes much longer is marked as slower. Times do not
    count as a difference. The chunks of a streamed text are compared as one text. The order of
    frames is compared only within one session and one sender.

    Exit status: 0 if nothing differs, 1 if something does, 2 if a capture cannot be read.
    """
    if other is None and not as_delivered:
        raise AcpSpyError(
            "`diff` compares two captures",
            hint="run `acp-spy diff A.jsonl B.jsonl`; `acp-spy diff A.jsonl --delivered` compares"
            " what was sent with what was delivered",
        )
    if one == other == STDIN:
        raise AcpSpyError(
            "cannot read both captures from stdin", hint="give the path of one of them"
        )
    if other is None:
        result = diff_captures(_read(one, "sent"), _read(one, "delivered"))
    else:
        part: Part = "delivered" if as_delivered else ""
        result = diff_captures(_read(one, part), _read(other, part))
    if form == "json":
        from acp_spy.comparison import json

        write_lines(json.render(result).splitlines())
    else:
        from acp_spy.comparison import text

        show(lambda console: text.render(result, console))
    if not result.is_equal:
        return FOUND
    return BUG if result.one.crashes or result.other.crashes else FINE


def _read(named: str, part: Part) -> LoadedCapture:
    path = find_input(named)
    loaded = load_for_diff(path, part)
    report_bugs(loaded.crashes, path)
    return loaded
