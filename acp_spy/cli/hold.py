"""`acp-spy hold`: act on the frames that a run holds, and on its traffic, from another terminal."""

import os
import select
import sys
import time
from typing import Annotated, Any

import msgspec
import typer

from acp_spy.cli.console import FINE, FOUND, report, write
from acp_spy.cli.output import write_lines, write_parts
from acp_spy.cli.shared_options import TextOrJson
from acp_spy.cli.view import Command as FilterCommand
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds import actions
from acp_spy.middleware.holds.client import ControlClient, NoRunError, UnreadableError, connect
from acp_spy.middleware.holds.editing import forget_saved, read_text, send_text
from acp_spy.view.held_frames import describe_all, describe_event
from acp_spy.view.json_output import to_json
from acp_spy.wire.inert import inert, inert_json

_PAUSE = 0.2  # seconds between two looks

hold = typer.Typer(no_args_is_help=True)

CaptureName = Annotated[
    str | None,
    typer.Option(
        "--capture",
        metavar="CAPTURE",
        help="The capture of the run, if it is not the newest one in the capture folder that has a"
        " control socket.",
        show_default=False,
    ),
]
Frames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FRAME",
        help="The number of a held frame; without it, the only one.",
        show_default=False,
    ),
]
OneFrame = Annotated[
    str | None,
    typer.Argument(
        metavar="FRAME",
        help="The number of a held frame; without it, the only one.",
        show_default=False,
    ),
]
All = Annotated[bool, typer.Option("--all", metavar="", help="All frames that are held.")]


@hold.command(name="list")
def list_(*, capture: CaptureName = None, form: TextOrJson = "text") -> int:
    """
    List the frames that are held, the oldest first.

    Exit status: 0, or 1 if nothing is held.
    """
    with connect(capture) as client:
        reply = client.ask("list")
    if form == "json":
        shown = {key: reply[key] for key in ("filter", "timeout", "viewers", "held")}
        write_parts([to_json({"capture": client.hello["capture"], **shown})])
    else:
        write_lines(describe_all(reply))
    return FINE if reply["held"] else FOUND


@hold.command()
def watch(*, capture: CaptureName = None, form: TextOrJson = "text") -> int:
    """
    Attach: frames are held from now on, and shown as they come.

    Type a command and Enter: `list`, `show 12`, `release 12`, `release all`, `edit 12`, `drop 12`,
    `error 12 -32000 "no"`, `aside 12`, `filter method:session/*`, `fault drop p:0.1`,
    `fault remove 1`, `inject agent '{...}'`, `quit`. Without a number, the
    only held frame is meant. Waits for a run, if there is none. Ends with Ctrl-C, and when the run
    ends; then everything that is held goes on, unless another viewer is attached. `--format json`
    prints one event per line.
    """
    try:
        run = _wait_for_run() if capture is None else connect(capture)
    except KeyboardInterrupt:
        return FINE
    with run as client:
        attached = client.ask("attach")
        is_json = form == "json"
        if is_json:
            _print_json({"event": "attached", **attached})
        else:
            write(f"attached to {client.hello['capture']}; press Ctrl-C to detach")
            write_lines(describe_all({**attached, "viewers": 1}), paged=False)
        try:
            _watch(client, is_json=is_json)
        except KeyboardInterrupt:
            write("detached")
        except _RunHasEnded:
            write("the run has ended")
    return FINE


@hold.command()
def release(frames: Frames = None, *, everything: All = False, capture: CaptureName = None) -> None:
    """Deliver held frames, as they are or as they were edited."""
    with connect(capture) as client:
        write_lines(actions.release(client, frames or [], everything=everything))


@hold.command()
def edit(
    frame: OneFrame = None,
    *,
    given: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="The new message: a file, `-` for stdin, or JSON. Without it, $EDITOR opens the"
            " message.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", metavar="", help="Send it as it is, even if it is not JSON-RPC."),
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", metavar="", help="Keep the frame held, with the new text.")
    ] = False,
    capture: CaptureName = None,
) -> None:
    """
    Change a held frame, and deliver it.

    The message can have several lines; it is sent as one. If it is not JSON-RPC, or its id has
    changed, nothing is sent, and the frame is held as it was.
    """
    with connect(capture) as client:
        words = [frame] if frame else []
        if given is None:
            lines = actions.edit(client, words, keep=keep)
        else:
            seq = client.ask("get", **actions.which(words))["seq"]
            lines = send_text(client, seq, _text_of(given), force=force, keep=keep)
            forget_saved(given)
        write_lines(lines)


@hold.command()
def drop(
    frames: Frames = None,
    *,
    everything: All = False,
    error: Annotated[
        tuple[int, str] | None,  # `None` and an empty one, if it is not given
        typer.Option(
            "--error",
            metavar="CODE MESSAGE",
            help="Answer a held request with this error; the other peer never sees the request. A"
            " held response becomes this error.",
            show_default=False,
        ),
    ] = None,
    capture: CaptureName = None,
) -> None:
    """Do not deliver held frames. The sender of a request gets no response, or an error."""
    with connect(capture) as client:
        write_lines(actions.drop(client, frames or [], everything=everything, error=error))


@hold.command()
def revert(frame: OneFrame = None, *, capture: CaptureName = None) -> None:
    """Forget what was edited (`edit --keep`): the frame will be delivered as it was sent."""
    with connect(capture) as client:
        write_lines(actions.revert(client, [frame] if frame else []))


@hold.command()
def aside(frame: OneFrame = None, *, capture: CaptureName = None) -> None:
    """
    Keep a frame held, and let pass what waits behind it.

    Later frames of the same session and direction wait behind a held frame. This lets them
    overtake it: a permission can arrive after the cancel that was sent after it.
    """
    with connect(capture) as client:
        write_lines(actions.aside(client, [frame] if frame else []))


@hold.command()
def show(frame: OneFrame = None, *, capture: CaptureName = None) -> None:
    """Print a held frame, as it would be delivered now."""
    with connect(capture) as client:
        write_lines(actions.show(client, [frame] if frame else []))


@hold.command()
def inject(
    to: Annotated[str, typer.Argument(metavar="PEER", help="Who gets it: `client` or `agent`.")],
    message: Annotated[
        str, typer.Argument(metavar="MESSAGE", help="JSON, a file with it, or `-` for stdin.")
    ],
    *,
    capture: CaptureName = None,
) -> None:
    """
    Send a message to a peer, as if the other one had sent it.

    `jsonrpc` may be left out. A request gets an id that neither peer uses, and its response is
    printed: the other peer does not get it. A notification has none: that it was sent is printed.
    """
    text = _text_of(message)
    with connect(capture) as client:
        if not actions.inject(client, to, text):
            write_lines([f"sent to the {to}"])
            return
        while (event := client.next_event())["event"] != "response":
            pass
        if event["message"] is None:
            raise AcpSpyError("cannot read the response", hint="`acp-spy view` shows it, and why")
        write_parts([to_json(event["message"])])


@hold.command(name="filter", cls=FilterCommand)
def filter_(
    tokens: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TOKEN",
            help="Filters as in `acp-spy view`; without any, the filter is shown.",
            show_default=False,
        ),
    ] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", metavar="", help="Hold nothing more.")] = False,
    capture: CaptureName = None,
) -> None:
    """Show, set or clear the filter of a run. What is held stays held."""
    import shlex

    if tokens and clear:
        raise AcpSpyError("`--clear` cannot be used with a filter", hint="use one of them")
    with connect(capture) as client:
        if tokens or clear:
            actions.set_filter(client, tokens or [])
        shown = inert(shlex.join(client.ask("list", brief=True)["filter"]))
        write_lines([shown or "there is no filter: nothing will be held"])


@hold.command()
def fault(
    spec: Annotated[
        str | None,
        typer.Argument(
            metavar="SPEC",
            help="A fault to add, as for `--fault`; without it, the faults are listed.",
            show_default=False,
        ),
    ] = None,
    *,
    remove: Annotated[
        str | None,
        typer.Option(
            "--remove", metavar="N", help="The number of a fault to remove.", show_default=False
        ),
    ] = None,
    capture: CaptureName = None,
) -> None:
    """List, add or remove the faults of a run while it runs."""
    if spec and remove:
        raise AcpSpyError("`--remove` cannot be used with a fault", hint="use one of them")
    with connect(capture) as client:
        write_lines(actions.faults(client, add=spec or "", remove=remove or ""))


def _text_of(given: str) -> str:
    """Return the message in a file, on stdin, or as it is given."""
    if given != "-":
        return given if given.lstrip().startswith(("{", "[")) else read_text(given)
    if sys.stdin is None:
        raise AcpSpyError("cannot read the message: stdin is closed")
    try:
        return sys.stdin.buffer.read().decode()  # a CR stays one
    except UnicodeDecodeError:
        raise AcpSpyError("cannot read the message from stdin: not UTF-8") from None


class _RunHasEnded(Exception):  # noqa: N818 - it is no error
    pass


def _wait_for_run() -> ControlClient:
    """Connect to the newest run that has a socket, or to the next."""
    is_waiting = False
    while True:
        try:
            return connect()
        except NoRunError as error:
            if not is_waiting:
                write(f"waiting: {error.message}; press Ctrl-C to stop")
            is_waiting = True
        time.sleep(_PAUSE)


def _watch(client: ControlClient, *, is_json: bool) -> None:
    """Print events and do what is typed, until the run has ended."""
    reads = _may_read_stdin()
    typed = b""
    while True:
        ready: list[Any] = [client]
        if not client.has_event:
            sources: list[Any] = [client, 0] if reads else [client]
            ready = select.select(sources, [], [])[0]
        if 0 in ready:
            chunk = os.read(0, 64 * 1024)
            reads = bool(chunk)
            *lines, typed = (typed + chunk).split(b"\n")
            for line in lines:
                if line.strip() in (b"quit", b"q", b"exit"):
                    raise KeyboardInterrupt
                _do(client, line.decode(errors="replace"), is_json=is_json)
        elif ready:
            _print_next_event(client, is_json=is_json)


def _print_next_event(client: ControlClient, *, is_json: bool) -> None:
    try:
        event = client.next_event()
    except UnreadableError as error:  # the next one may be readable
        report(error)
        return
    except AcpSpyError:
        raise _RunHasEnded from None
    if is_json:
        _print_json(event)
    elif line := describe_event(event):
        write_lines([line], paged=False)


def _do(client: ControlClient, line: str, *, is_json: bool) -> None:
    try:
        lines = actions.do_line(client, line)
    except AcpSpyError as error:
        report(error)
        return
    if is_json:
        return
    write_lines(lines, paged=False)
    for event in [*client.events]:  # that came before the reply: it says the same
        if event["event"] in ("resumed", "edited", "aside") and event.get("why") != "timeout":
            client.events.remove(event)


def _may_read_stdin() -> bool:
    """Whether to read commands: in the background of a terminal, to read would stop us."""
    if sys.stdin is None:
        return False
    try:
        return not os.isatty(0) or os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _print_json(event: dict[str, Any]) -> None:
    import json

    shown = {key: value for key, value in event.items() if key not in ("id", "ok")}
    # A frame is as it is spelled.
    text = json.dumps(shown, ensure_ascii=False, default=msgspec.json.decode)
    write_parts([inert_json(text) + "\n"])
