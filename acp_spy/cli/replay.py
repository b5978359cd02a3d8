"""`acp-spy replay`: a capture as mock agent, or as mock client."""

import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from acp_spy.capture.delivered import seen_by
from acp_spy.capture.files import load
from acp_spy.capture.locate import capture_path, header_for
from acp_spy.cli.agent_command import AgentCommand, MockAgentCommand, Replay, command_after_dashes
from acp_spy.cli.capture_input import find_input, is_stdin, refuse_pipe
from acp_spy.cli.commands import PROGRAM, URLS
from acp_spy.cli.console import mask_secrets, note, write_by
from acp_spy.cli.proxy import explain_start_failure, leads_to, record_to, take_output
from acp_spy.cli.remote_options import Ca, Header, HeaderEnv
from acp_spy.cli.shared_options import Delivered
from acp_spy.engine import process, stdio
from acp_spy.engine.tap import Tap
from acp_spy.errors import AcpSpyError, refuse_non_utf8
from acp_spy.live_replay.stage import Reporting, run_agent
from acp_spy.live_replay.verdict import Verdict, has_something_else
from acp_spy.replay.agent_exit import with_cause
from acp_spy.replay.divergence import (
    NO_MESSAGE,
    Divergence,
    Note,
    explanation,
    explanation_of_note,
)
from acp_spy.replay.line import END
from acp_spy.replay.options import Expectation, OnDivergence, Options, parse_timing
from acp_spy.replay.player import Player
from acp_spy.replay.script import Script
from acp_spy.wire.frame import Peer

if TYPE_CHECKING:
    from acp_spy.replay.masked_divergence import MaskedDivergences

replay = typer.Typer(cls=Replay, no_args_is_help=True)

_INTERRUPTED = 128 + signal.SIGINT
_OURSELVES = [sys.executable, "-P", "-m", "acp_spy"]

CapturePath = Annotated[
    str, typer.Argument(metavar="CAPTURE", help="The capture to replay.", show_default=False)
]
Match = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MATCHER",
        help="What must match in addition to kind and method: `params` (except `_meta` and the"
        " client's version), `prompt` (its text), `exact`. Can be repeated.",
        show_default=False,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        metavar="POINTER",
        help="Ignore this part of a message, for example `/params/cwd`. Can be repeated.",
        show_default=False,
    ),
]
Timing = Annotated[
    str,
    typer.Option(
        metavar="SPEED",
        help="`fast`: send without pauses; `recorded`: with the recorded pauses; `Nx`: N times as"
        " fast, for example `2x`.",
    ),
]
Timeout = Annotated[
    float,
    typer.Option(metavar="SECONDS", help="Stop after this time without progress; 0 for never."),
]
Divergent = Annotated[
    OnDivergence,
    typer.Option(
        "--on-divergence",
        metavar="ACTION",
        help="`error`: respond with an error, continue, and fail at the end; `stop`: fail at once;"
        " `warn`: only report it.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", metavar="", help="Require the recorded order of all messages.")
]
MapCwd = Annotated[
    bool,
    typer.Option(
        "--map-cwd/--no-map-cwd",
        metavar="",
        help="Replace the recorded working folder with the live one in all paths.",
    ),
]
VerdictPath = Annotated[
    str,
    typer.Option(
        "--verdict",
        metavar="FILE",
        help="Append the result to FILE as JSON Lines, for a test that does not start the replay"
        " itself.",
        show_default=False,
    ),
]
# For the pytest plugin, which prints what is in the verdict itself.
Quiet = Annotated[bool, typer.Option("--quiet", metavar="", hidden=True)]


@replay.command(cls=MockAgentCommand)
def agent(
    capture: CapturePath,
    *,
    match: Match = None,
    ignore: Ignore = None,
    strict: Strict = False,
    timing: Timing = "fast",
    timeout: Timeout = 30.0,
    on_divergence: Divergent = "error",
    map_cwd: MapCwd = True,
    as_delivered: Delivered = False,
    verdict: VerdictPath = "",
    quiet: Quiet = False,
    listen: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT",
            help="Act as a remote agent: listen there for HTTP and WebSocket; each connection has"
            " its own replay.",
            show_default=False,
        ),
    ] = "",
) -> int:
    """
    Act as the recorded agent on stdin and stdout: a mock agent for a real client.

    Configure `acp-spy replay agent run.jsonl` as the agent command of a client. Every request gets
    the recorded response, with the live id, session and folder. A message that was not recorded
    gets an error that says what was expected, and is reported on stderr.

    Exit status: that of the recorded agent if it exited by itself, else 0; 1 after a divergence, 2
    for wrong use or a capture that cannot be read.
    """
    stdio.secure()
    _refuse_other(verdict)
    if leads_to(verdict, 0, 1):
        raise AcpSpyError(
            f"cannot write the verdict `{verdict}`: it is a stream of this process",
            hint="give the name of a file",
        )
    if listen:
        refuse_pipe(capture, "serve replays of")
        words = [*_repeated("--match", match), *_repeated("--ignore", ignore)]
        words += ["--strict"] if strict else []
        words += ["--timing", timing, "--timeout", str(timeout), "--on-divergence", on_divergence]
        words += ["--map-cwd" if map_cwd else "--no-map-cwd"]
        words += ["--verdict", verdict] if verdict else []
        words += ["--delivered"] if as_delivered else []
        # Report what is wrong with it now, and not to each client.
        _script(capture, Peer.AGENT, as_delivered=as_delivered)
        return _serve(["replay", "agent", capture, *words], listen)
    with _verdict(verdict, Peer.AGENT, capture, quiet=quiet) as outcome:
        options = _options(match, ignore, strict, timing, timeout, on_divergence, map_cwd)
        script = _script(capture, Peer.AGENT, as_delivered=as_delivered)
        player = Player(script, options)
        try:
            reporting = _reporting(options, outcome, script, quiet=quiet)
            return outcome.end(run_agent(player, reporting))
        except KeyboardInterrupt:
            return _INTERRUPTED


@replay.command(cls=AgentCommand)
def client(
    context: typer.Context,
    capture: CapturePath,
    *,
    expect: Annotated[
        Expectation,
        typer.Option(
            metavar="WHAT",
            help="What must match the recording: the shape of responses and the agent's requests"
            " (`shape`), everything (`exact`), or nothing (`none`).",
        ),
    ] = "shape",
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Record the live run to FILE. An existing file is kept.",
            show_default=False,
        ),
    ] = "",
    match: Match = None,
    ignore: Ignore = None,
    strict: Strict = False,
    timing: Timing = "fast",
    timeout: Timeout = 30.0,
    on_divergence: Divergent = "error",
    map_cwd: MapCwd = True,
    as_delivered: Delivered = False,
    verdict: VerdictPath = "",
    header: Header = None,
    header_env: HeaderEnv = None,
    ca: Ca = "",
    quiet: Quiet = False,
) -> int:
    """
    Start an agent and act as the recorded client: a mock client for a real agent.

    For example: `acp-spy replay client run.jsonl -- my-agent --acp`. A URL instead of a command is
    that of a remote agent; `--header`, `--header-env` and `--ca` are for it. Each recorded request
    is sent after the messages that preceded it. The agent's requests get the recorded responses;
    requests that were not recorded get an error. Divergences are reported on stderr.

    Exit status: 0 without divergences, 1 with divergences, 2 for wrong use or a capture that cannot
    be read, 127 or 126 if the agent cannot be started.
    """
    output, refusal = take_output(output)
    _refuse_other(verdict)
    with _verdict(verdict, Peer.CLIENT, capture, quiet=quiet) as outcome:
        options = _options(match, ignore, strict, timing, timeout, on_divergence, map_cwd, expect)
        script = _script(capture, Peer.CLIENT, as_delivered=as_delivered)
        remote = [*_repeated("--header", header), *_repeated("--header-env", header_env)]
        remote += ["--ca", ca] if ca else []
        command, recorded = _agent(command_after_dashes(context, capture), remote)
        folder = os.getcwd()
        if map_cwd:
            hint = "change to another, or add `--no-map-cwd`"
            refuse_non_utf8("the folder", folder, hint=hint)
        player = Player(script, options, cwd=folder)
        wall, started_ns = time.time(), time.monotonic_ns()
        path = capture_path(output, "", wall, recorded) if output else ""
        started = process.start(command, set(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
        tap = Tap(started_ns, complain=note) if output else None
        if tap:
            record_to(tap, path, refusal, header_for(wall, recorded, PROGRAM))
            if tap.path not in ("", path):
                note(f"`{path}` exists: recording to `{tap.path}`")
        failure = started.start_failure()
        if failure is not None:
            status, reason = explain_start_failure(command, failure)
            if not quiet:
                note(reason)
            outcome.error(f"cannot start the agent: {reason}", peer=Peer.AGENT.value)
            if tap:
                tap.exit(status, {}, reason)
                tap.close()
            return outcome.end(status)
        try:
            # The agent is starting by now: loading trio does not delay it.
            from acp_spy.live_replay.drive import run_client

            reporting = _reporting(options, outcome, script, quiet=quiet)
            status = run_client(player, started, reporting, tap)
        except KeyboardInterrupt:
            return _INTERRUPTED
        finally:
            if tap:
                tap.close()
        if not quiet:
            _sum_up(player, script)
        return outcome.end(status)


def _agent(command: list[str], remote: list[str]) -> tuple[list[str], list[str]]:
    """Return the command to start, and as it is recorded; `remote` are options for a URL."""
    if command[0].startswith(URLS):
        from acp_spy.remote.addresses import parse_target

        bridge = [*_OURSELVES, "--no-check", "-o", os.devnull, *remote, "--", *command]
        return bridge, [parse_target(command[0]).shown]
    if remote:
        raise AcpSpyError(
            f"`{remote[0]}` cannot be used with a command: it is for a remote agent",
            hint="omit it, or give a URL instead of the command",
        )
    return command, command


def _verdict(path: str, peer: Peer, capture: str, *, quiet: bool) -> Verdict:
    """Begin the verdict; if `quiet`, who reads it prints it in a log: so nothing has secrets."""
    if quiet:
        mask_secrets()
    return Verdict(path, peer.value, capture, is_shared=quiet)


def _refuse_other(verdict: str) -> None:
    """Raise `AcpSpyError` if the verdict would be appended to a capture, or to anything else."""
    if not verdict:
        return
    from acp_spy.cli.output import refuse_capture  # the mock of an editor starts without it

    refuse_capture(verdict, can_force=False)
    if has_something_else(verdict):
        raise AcpSpyError(
            f"cannot write the verdict `{verdict}`: something else is in this file",
            hint="give a new name, or that of a verdict to add to",
        )


def _repeated(option: str, values: list[str] | None) -> list[str]:
    return [word for value in values or () for word in (option, value)]


def _serve(words: list[str], listen: str) -> int:
    """Serve a replay: one process of ours for each connection, and nothing is recorded."""
    from acp_spy.cli.serve import serve_command

    serve_command([*_OURSELVES, *words], listen, lambda: Tap(time.monotonic_ns(), complain=note))
    return 0


def _options(
    match: list[str] | None,
    ignore: list[str] | None,
    strict: bool,
    timing: str,
    timeout: float,
    on_divergence: OnDivergence,
    map_cwd: bool,
    expect: Expectation = "shape",
) -> Options:
    return Options(
        match=tuple(match or ()),
        ignore=tuple(ignore or ()),
        strict=strict,
        on_divergence=on_divergence,
        expect=expect,
        map_cwd=map_cwd,
        pace=parse_timing(timing),
        timeout=timeout,
    )


def _script(capture: str, role: Peer, *, as_delivered: bool) -> Script:
    if is_stdin(capture) and role is Peer.AGENT:
        raise AcpSpyError(
            "cannot read the capture from stdin: the client's messages come there",
            hint=f"give the path of the capture instead of `{capture}`",
        )
    path = find_input(capture)
    recorded = load(path)
    if as_delivered:
        recorded = replace(recorded, records=tuple(seen_by(role.other, recorded.records)))
    return Script.of(recorded, role, os.path.basename(path))


def _reporting(options: Options, verdict: Verdict, script: Script, *, quiet: bool) -> Reporting:
    return Reporting(_DivergenceReport(options, verdict, script, quiet=quiet), write_by, verdict)


class _DivergenceReport:
    """
    Reports divergences and notes on stderr, and in the verdict those that count.

    If `quiet`, what is in the verdict is not on stderr: who reads the verdict prints it, in the log
    of a test. So nothing has secrets then.
    """

    def __init__(self, options: Options, verdict: Verdict, script: Script, *, quiet: bool) -> None:
        self._divergences = 0
        self._script = script
        self._is_masked = quiet
        self._masked: MaskedDivergences | None = None
        self._verdict = verdict
        self._counts = options.on_divergence != "warn"
        self._is_quiet = quiet and self._counts

    def __call__(self, event: Divergence | Note) -> None:
        if isinstance(event, Note):
            note(*self._words(event))
            return
        self._divergences += 1
        lines = self._words(event)
        if not self._is_quiet:
            note(*lines)
        if not self._counts:
            return
        if event.kind == NO_MESSAGE:
            lines = with_cause(event.summary, event.stderr).split("\n")
            self._verdict.error(*lines, peer=Peer.AGENT.value)
        else:
            self._verdict.diverge(*lines)

    def _words(self, event: Divergence | Note) -> list[str]:
        if not self._is_masked:
            if isinstance(event, Note):
                return explanation_of_note(event)
            return explanation(event, self._divergences)
        if self._masked is None:
            from acp_spy.replay.masked_divergence import MaskedDivergences  # most tests pass

            self._masked = MaskedDivergences(self._script)
        if isinstance(event, Note):
            return self._masked.explanation_of_note(event)
        return self._masked.explanation(event, self._divergences)


def _sum_up(player: Player, script: Script) -> None:
    name = script.name
    if all(part.line.kind == END for part in script.parts):
        note(f"`{name}` has no frames: there is nothing to compare")
        return
    count = len(player.divergences)
    found = f"{count} divergence{'s' if count > 1 else ''}" if count else "no divergence"
    note(f"{found} from {name}")
