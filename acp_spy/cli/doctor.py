"""`acp-spy doctor`: start an agent through the proxy, and check that it works."""

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from acp_spy.capture.file_names import numbered
from acp_spy.capture.files import load
from acp_spy.capture.locate import capture_path
from acp_spy.cli.agent_command import AgentCommand, command_after_dashes
from acp_spy.cli.console import FINE, FOUND, write
from acp_spy.cli.output import quiet_pipe, write_lines
from acp_spy.cli.shared_options import NewCapture, TextOrJson
from acp_spy.doctor.diagnosis import Diagnosis, as_json, as_text, conclusion
from acp_spy.doctor.health_checks import Check, examine
from acp_spy.doctor.observation import observe
from acp_spy.doctor.probe import Probe
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import check
from acp_spy.relative_paths import absolute_words, local_module
from acp_spy.view.layout import layout_of_terminal
from acp_spy.view.style import paint
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

_LONGEST = 86_400  # seconds: the kernel refuses to wait for numbers that are much larger
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
    findings, and whether the agent exits when its stdin is closed.

    Exit status: 0 if no check failed, even if the agent requires a login; 1 if a check failed; 2
    for wrong use.
    """
    command = command_after_dashes(context)
    if not 0 < timeout <= _LONGEST:
        raise AcpSpyError(
            f"`--timeout` must be more than 0 and at most {_LONGEST} seconds",
            hint="run `acp-spy doctor --help`",
        )
    if prompt == "":
        raise AcpSpyError(
            "the text of `--prompt` is empty", hint="give a text, or remove `--prompt`"
        )
    wanted = capture_path(output, "", time.time(), command)
    path = os.path.abspath(next(name for name in numbered(wanted) if not os.path.lexists(name)))
    with _folder(empty=empty_folder) as folder:
        probe = Probe(command, path, timeout, folder, prompt or "")
        try:
            outcome = probe.run()
        except KeyboardInterrupt:
            write(f"stopped while waiting for {probe.waiting_for}\n")
            if os.path.isfile(path):
                write(f"{_TO_SEE} {shlex.quote(path)}\n")
            raise
    if not os.path.isfile(path):
        output_of_proxy = outcome.stderr.decode(errors="replace").strip()
        raise AcpSpyError(f"cannot record the conversation: {output_of_proxy or 'unknown reason'}")
    capture = load(path)
    seen = observe(capture, outcome)
    # What we answer to a faulty agent is not the agent's fault.
    findings = tuple(found for found in check(capture.records) if found.blame is Peer.AGENT)
    checks = (*_relative_paths(command), *examine(seen, findings, timeout))
    diagnosis = Diagnosis(capture.header.command, path, seen, checks, findings)
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


def _relative_paths(command: list[str]) -> Iterator[Check]:
    """Warn of a command that an editor cannot start, because it starts it in another folder."""
    changed = [
        (word, absolute)
        for word, absolute in zip(command, absolute_words(command), strict=True)
        if word != absolute
    ]
    for word, absolute in changed:
        text = f"`{word}` is relative to this folder; an editor starts the agent in another one"
        yield Check("command", "note", text, f"use `{absolute}`")
    if module := local_module(command):
        text = (
            f"`-m {module}` finds the module in this folder; an editor starts the agent elsewhere"
        )
        yield Check("command", "note", text, "install the module, or use the path of its script")


@contextmanager
def _folder(*, empty: bool) -> Iterator[str]:
    """Give the folder to start the agent in: a new one, removed at the end, or the current one."""
    if not empty:
        yield os.getcwd()
        return
    with TemporaryDirectory(prefix="acp-spy-doctor-", ignore_cleanup_errors=True) as new:
        yield os.path.realpath(new)
