"""`acp-spy doctor`: start an agent through the proxy, and check that it works."""

import os
import shlex
import sys
import time
from typing import Annotated

import typer

from acp_spy.capture.locate import capture_path
from acp_spy.cli.agent_command import AgentCommand, command_after_dashes
from acp_spy.cli.console import FINE, FOUND, mask_secrets, write
from acp_spy.cli.output import quiet_pipe, write_lines
from acp_spy.cli.shared_options import NewCapture, TextOrJson
from acp_spy.doctor.diagnosis import Diagnosis, as_json, as_text, conclusion
from acp_spy.doctor.examination import LONGEST, examine_agent, folder_for_agent, new_capture
from acp_spy.doctor.probe import Probe
from acp_spy.errors import AcpSpyError, refuse_non_utf8
from acp_spy.secrets.redactor import Redactor
from acp_spy.view.layout import layout_of_terminal
from acp_spy.view.style import paint
from acp_spy.wire.inert import inert

_TO_SEE = "To see the conversation: acp-spy view"

Command = AgentCommand


def doctor(
    context: typer.Context,
    *,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to wait for each response.")
    ] = 30.0,
    prompt: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Also send this prompt, and report what came. The agent may call a model, which"
            " may cost money. Permission requests are rejected.",
            show_default=False,
        ),
    ] = None,
    empty_folder: Annotated[
        bool,
        typer.Option(
            "--empty-folder",
            metavar="",
            help="Start the agent in a new, empty folder: a command with relative paths fails"
            " there, as it does in an editor.",
        ),
    ] = False,
    output: NewCapture = "",
    form: TextOrJson = "text",
) -> int:
    """
    For example: `acp-spy doctor -- claude-agent-acp`. It sends `initialize`, then `session/new` for
    the current folder, then closes the agent's stdin. Without `--prompt` no prompt is sent, so no
    model is called. It reports the start time, the agent's name and capabilities, noise on stdout,
    findings, and whether the agent exits when its stdin is closed. Secrets in the report are
    masked; the capture has them.

    Exit status: 0 if no check failed, even if the agent requires a login; 1 if a check failed; 2
    for wrong use.
    """
    command = command_after_dashes(context)
    mask_secrets()  # an error may quote the command
    if not 0 < timeout <= LONGEST:
        raise AcpSpyError(
            f"`--timeout` must be more than 0 and at most {LONGEST} seconds",
            hint="run `acp-spy doctor --help`",
        )
    if prompt == "":
        raise AcpSpyError(
            "the text of `--prompt` is empty", hint="give a text, or remove `--prompt`"
        )
    refuse_non_utf8("the prompt", prompt or "", hint="give it in UTF-8")
    # The report, which is masked, has the name of the capture.
    wanted = capture_path(output, "", time.time(), Redactor().command(command))
    with folder_for_agent(empty=empty_folder) as folder, new_capture(wanted) as capture:
        refuse_non_utf8("the folder", folder, hint="change to another, or add `--empty-folder`")
        probe = Probe(command, capture, timeout, folder, prompt or "")
        try:
            diagnosis = examine_agent(probe)
        except KeyboardInterrupt:
            write(f"stopped while waiting for {probe.waiting_for}\n")
            if os.fstat(probe.descriptor).st_size:
                write(f"{_TO_SEE} {shlex.quote(probe.capture)}\n")
            raise
    with quiet_pipe():
        if form == "json":
            sys.stdout.write(as_json(diagnosis) + "\n")
        else:
            _print(diagnosis)
        sys.stdout.flush()
    return FINE if diagnosis.healthy else FOUND


def _print(diagnosis: Diagnosis) -> None:
    layout = layout_of_terminal()
    name = inert(shlex.join(diagnosis.command))
    lines = [paint([("bold", name)], colour=layout.colour), ""]
    lines += as_text(diagnosis, max(layout.width, 40), colour=layout.colour)
    lines += ["", inert(conclusion(diagnosis))]
    if diagnosis.seen.was_started:
        lines.append(f"{_TO_SEE} {inert(shlex.quote(diagnosis.capture))}")
    write_lines(lines, paged=False)
