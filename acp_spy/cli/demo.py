"""`acp-spy demo`: a conversation, recorded and shown, with nothing installed but acp-spy."""

import os
import shlex
import shutil
import subprocess
import sys
import time

from rich.console import Console

from acp_spy.capture.file_names import numbered
from acp_spy.capture.locate import capture_path
from acp_spy.capture.opening import FoundPath
from acp_spy.cli.shared_options import NewCapture
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.select import select
from acp_spy.view import text
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.findings import full
from acp_spy.view.findings.check_file import add_excerpts, check_file
from acp_spy.view.layout import layout_of_terminal
from acp_spy.wire.inert import inert, inert_lines

_TIMEOUT = 60


def demo(
    output: NewCapture = "",
) -> None:
    """
    Both are real processes with the real proxy between them. The agent makes three common
    mistakes: a log line on stdout, an update without its `update` wrapper, and `type` instead of
    `sessionUpdate`. The client ignores them, as most clients do.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        raise AcpSpyError(
            "cannot run the demo: the current folder was removed", hint="change to another folder"
        ) from None
    agent = [sys.executable, "-P", "-m", "acp_spy.demo.agent"]
    wanted = capture_path(output, "", time.time(), ["demo"])
    if os.path.exists(wanted) and not os.path.isfile(wanted):
        raise AcpSpyError(
            f"cannot record to `{wanted}`: it is not a regular file", hint="give a new name"
        )
    path = next(name for name in numbered(wanted) if not os.path.lexists(name))
    proxy = [sys.executable, "-P", "-m", "acp_spy", "-o", path, "--", *agent]
    client = [sys.executable, "-P", "-m", "acp_spy.demo.client", *proxy]
    try:
        done = subprocess.run(client, stderr=subprocess.PIPE, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise AcpSpyError(f"cannot run the demo: it did not end within {_TIMEOUT} s") from None
    if done.returncode or not os.path.exists(path):
        said = done.stderr.decode(errors="replace").strip()
        raise AcpSpyError(f"cannot run the demo: it exited with status {done.returncode}: {said}")
    out = Console(highlight=False)
    path = FoundPath(path)  # in a folder of others, it may be a link by now
    report = check_file(path, tuple(select(CATALOGUE.values())))
    add_excerpts(report)
    out.print("What is wrong in the conversation, and who must fix it:\n", style="bold")
    layout = layout_of_terminal()
    for line in full.render([report], layout):
        out.out(inert_lines(line), highlight=False, end="")
    out.print("\nThe conversation itself:\n", style="bold")
    for line in text.render(CaptureView(path, layout=layout)):
        out.out(inert_lines(line), highlight=False, end="")
    out.print(_next_steps(path), markup=False, soft_wrap=True)


def _next_steps(path: str) -> str:
    capture = inert(file_word(path))
    return f"""
Recorded: {inert(path)}
Try next:
  {_program()} view {capture} finding:any
  jq -c 'select(.type == "frame") | .message.method' {capture}
  {_program()} check --format concise {capture}
  {_program()} rule FRM004
  {_program()} raw {capture} --sender agent
The same on a full screen, with keys and mouse, live while it is recorded:
  {_program()} live {capture}
The same as a page in the browser, live:
  {_program()} view {capture} --serve
In your editor: put `acp-spy --` in front of the agent command, or run `{_program()} setup`:
  acp-spy -- AGENT"""


def _program() -> str:
    """Return how the person can call us from where they are."""
    if shutil.which("acp-spy"):
        return "acp-spy"
    beside = os.path.join(os.path.dirname(sys.executable), "acp-spy")
    found = [beside] if os.path.exists(beside) else [sys.executable, "-P", "-m", "acp_spy"]
    return shlex.join(found)
