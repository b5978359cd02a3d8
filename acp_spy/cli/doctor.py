"""`acp-spy doctor`: start an agent, say hello, and tell whether it is well."""

import os
import shlex
import sys
import time
from typing import Annotated, Literal

import typer
from rich.console import Console

from acp_spy.capture.file_names import numbered
from acp_spy.capture.files import load
from acp_spy.capture.locate import capture_path
from acp_spy.cli.agent_command import AgentCommand, command_after_dashes
from acp_spy.cli.console import FINE, FOUND
from acp_spy.cli.output import quiet_pipe
from acp_spy.doctor.diagnosis import Diagnosis, as_json, as_text
from acp_spy.doctor.health_checks import examine
from acp_spy.doctor.observation import observe
from acp_spy.doctor.probe import Probe
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import check
from acp_spy.view.layout import layout_of_terminal
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

Command = AgentCommand


def doctor(
    context: typer.Context,
    *,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long to wait for each answer.")
    ] = 30.0,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Record into FILE, not into a new file in the capture folder.",
            show_default=False,
        ),
    ] = "",
    form: Annotated[
        Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")
    ] = "text",
) -> int:
    """
    For example: `acp-spy doctor -- claude-agent-acp`. It sends `initialize` and, if that goes well,
    `session/new` for the current folder, and closes the agent's stdin. No prompt is sent, so no
    model is asked. Then it tells what it saw: how long the start took, who the agent is and what it
    offers, noise on stdout, findings, and whether the agent ends when its stdin does.

    Exit status: 0 if the agent is well, even if it wants a login first; 1 if something is wrong;
    2 for wrong use.
    """
    command = command_after_dashes(context)
    wanted = capture_path(output, "", time.time(), command)
    path = os.path.abspath(next(name for name in numbered(wanted) if not os.path.lexists(name)))
    outcome = Probe(command, path, timeout).run()
    if not os.path.isfile(path):
        said = outcome.stderr.decode(errors="replace").strip()
        raise AcpSpyError(f"nothing could be recorded: {said or 'no reason was given'}")
    capture = load(path)
    seen = observe(capture, outcome)
    # What we answer to an agent that is beside itself is no fault of the agent's.
    findings = tuple(found for found in check(capture.records) if found.blame is Peer.AGENT)
    checks = examine(seen, findings, timeout)
    diagnosis = Diagnosis(capture.header.command, path, seen, checks, findings)
    with quiet_pipe():
        if form == "json":
            sys.stdout.write(as_json(diagnosis) + "\n")
        else:
            _print(diagnosis)
        sys.stdout.flush()
    return FINE if diagnosis.healthy else FOUND


def _print(diagnosis: Diagnosis) -> None:
    out = Console(highlight=False)
    name = inert(shlex.join(diagnosis.command))
    out.print(f"{name}\n", markup=False, style="bold", soft_wrap=True)
    layout = layout_of_terminal()
    for line in as_text(diagnosis, max(layout.width, 40), colour=layout.colour):
        out.out(line, highlight=False)
    failed = [check.name for check in diagnosis.checks if check.verdict == "fail"]
    verdict = f"Not well: {', '.join(failed)}." if failed else "The agent is well."
    if diagnosis.seen.complaint and not diagnosis.seen.frames:
        out.print(f"\n{verdict}", markup=False)  # there was no conversation
        return
    path = shlex.quote(diagnosis.capture)
    out.print(f"\n{verdict} The conversation: acp-spy view {path}", markup=False, soft_wrap=True)
