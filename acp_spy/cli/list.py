"""`acp-spy list`: what is in the capture folder, the newest first."""

import time

from acp_spy.capture.folder import captures
from acp_spy.cli.output import show, write_lines
from acp_spy.cli.shared_options import CaptureFolder, TextOrJson, named_folder
from acp_spy.view.captures.summary import (
    MOST_TO_DIAGNOSE,
    MOST_TO_DIAGNOSE_TOGETHER,
    summarize,
)


def list(  # noqa: A001 - a command is a function of its name
    folder: CaptureFolder = "",
    form: TextOrJson = "text",
) -> None:
    """
    A capture is `running` while its proxy runs (its length is the time so far), `ended` when it
    contains the exit of the agent, `cut off` when the proxy was killed or could not write, and
    `imported` when another tool wrote it without the exit. Findings are those that were recorded
    so far, some of them seconds after the exit: `3E 1W 2N` means 3 errors, 1 warning and 2 notes.
    The diagnosis is that of `acp-spy why`, in a few words; `?` for a large capture.
    Other commands accept these names, and `DIR/NAME` after `--dir DIR`.
    """
    where = named_folder(folder, "list")
    now = time.time()
    summaries, left = [], MOST_TO_DIAGNOSE_TOGETHER
    for entry in captures(where):
        most = min(left, MOST_TO_DIAGNOSE)
        summaries.append(summarize(entry, now, most=most))
        left -= entry.size if entry.size <= most else 0
    if form == "json":
        from acp_spy.view.captures import json

        write_lines(json.render(where, summaries).splitlines())
    else:
        from acp_spy.view.captures import text

        show(lambda console: text.render(where, summaries, console))
