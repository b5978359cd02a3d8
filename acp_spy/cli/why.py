"""`acp-spy why`: one answer about a capture, the evidence, and what to do next."""

from typing import Annotated

import typer

from acp_spy.capture.locate import capture_folder
from acp_spy.cli.capture_input import find_input, running_or_newest
from acp_spy.cli.console import FINE, FOUND, report_bugs, write
from acp_spy.cli.output import write_lines
from acp_spy.cli.rule_settings import settings_with
from acp_spy.cli.shared_options import TextOrJson
from acp_spy.lint.ruleset import ruleset_for
from acp_spy.view.findings import why as shown
from acp_spy.view.findings.check_file import add_excerpts, check_file
from acp_spy.view.layout import layout_of_terminal


def why(
    capture: Annotated[
        str | None,
        typer.Argument(
            metavar="CAPTURE",
            help="The capture, or `-` for stdin. Default: the newest in the capture folder that is"
            " being recorded, or else the newest.",
            show_default=False,
        ),
    ] = None,
    form: TextOrJson = "text",
) -> int:
    """
    The answer has a kind, a short paragraph, the frames that show it, and a hint. While the
    recording runs, durations are those so far. `acp-spy check` lists everything that breaks the
    protocol; this names the one cause of what the user sees. Rules are selected by the settings
    file, as for `check`.

    Exit status: 0 if everything works, or nothing is stuck yet; 1 if something is wrong; 2 if the
    capture cannot be read.
    """
    settings = settings_with(None, None, None)
    path = running_or_newest(capture_folder()) if capture is None else find_input(capture)
    if capture is None:
        write(f"reading the newest capture: {path}\n")
    found = check_file(
        path, ruleset_for(settings).rules or (), spec=settings.spec, dialect=settings.dialect
    )
    assert found.diagnosis is not None
    if form == "json":
        write_lines(shown.as_json(found).splitlines())
    else:
        add_excerpts(found, found.diagnosis.seq)
        write_lines(shown.as_text(found, layout_of_terminal()))
    bug = report_bugs(found.crashes, path)
    return FOUND if found.diagnosis.is_wrong else bug or FINE
