"""`acp-spy script`: what scripts and faults would do to the frames of a capture."""

import os
import sys
from collections import Counter
from contextlib import redirect_stdout
from typing import Annotated

import typer

from acp_spy.capture.codec import encode
from acp_spy.capture.files import read
from acp_spy.capture.records import FAILED, HELD, Delivery
from acp_spy.capture.write_file import write_file
from acp_spy.cli.capture_input import find_input
from acp_spy.cli.console import FINE, FOUND, note, report
from acp_spy.cli.output import refuse_capture, write_parts
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import Ruleset
from acp_spy.middleware.dry_run import NeverEndsError, dry_run
from acp_spy.middleware.options import make_stages
from acp_spy.units import counted
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.layout import layout_of_terminal
from acp_spy.view.terminal import Terminal
from acp_spy.wire.frame import Frame


def script(
    capture: Annotated[
        str,
        typer.Argument(
            metavar="CAPTURE", help="The capture, or `-` for stdin.", show_default=False
        ),
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE.py", help="The scripts, in their order.", show_default=False),
    ] = None,
    faults: Annotated[
        list[str] | None,
        typer.Option(
            "--fault",
            metavar="SPEC",
            help="A fault, for example 'drop p:0.1'; `acp-spy faults` lists all. Can be given"
            " several times.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        str,
        typer.Option(
            "--seed",
            metavar="N",
            help="With `--fault`: repeat the same random choices.",
            show_default=False,
        ),
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the capture with what was done to FILE.",
            show_default=False,
        ),
    ] = "",
) -> int:
    """
    Shows each frame that the scripts or faults would change, and what would be delivered instead;
    nothing is sent. Delays take no time. Use it to write a script before you put it between client
    and agent: `acp-spy --script FILE.py -- COMMAND`.

    Exit status: 0, or 1 if a script failed.
    """
    options: dict[str, str | list[str]] = {"script": files or [], "fault": faults or []}
    if not any(options.values()):
        raise AcpSpyError(
            "missing script", hint="give FILE.py after the capture, or --fault 'drop p:0.1'"
        )
    path = find_input(capture)
    if output:
        refuse_capture(output, but=path, can_force=False)
        for file in files or ():
            if os.path.exists(output) and os.path.exists(file) and os.path.samefile(output, file):
                raise AcpSpyError(
                    f"cannot write `{output}`: it is the script itself", hint="give a new name"
                )
    with redirect_stdout(sys.stderr):  # what a script prints is not our output
        stages = make_stages({**options, "seed": seed} if seed else options)
        try:
            records = dry_run(read(path), stages, note)
        except NeverEndsError as error:
            os._exit(report(error))  # any other way out runs its task again
    sys.stderr.flush()
    deliveries = [record for record in records if isinstance(record, Delivery)]
    if output:
        write_file(output, (encode([record]) for record in records), but=path)
    else:
        layout = layout_of_terminal()
        view = CaptureView(path, ruleset=Ruleset(()), layout=layout, records=lambda: records)
        terminal = Terminal(layout.width, colour=layout.colour)
        rows = [row for row in view.rows() if row.fate or row.kind == "delivery"]
        write_parts((f"{line}\n" for row in rows for line in terminal.lines(row)), paged=True)
    counts = Counter(each.action for each in deliveries if each.action != HELD)
    done = ", ".join(f"{number} {action}" for action, number in sorted(counts.items()))
    frames = counted(sum(isinstance(record, Frame) for record in records), "frame")
    note(f"{frames}: {done or 'nothing changed'}")
    return FOUND if counts[FAILED] else FINE
