"""`acp-spy raw`: one stream of a capture, exactly as it was on the wire."""

import sys
from typing import Annotated

import typer

from acp_spy.capture.delivered import seen_by
from acp_spy.capture.files import read
from acp_spy.capture.records import Stderr
from acp_spy.cli.capture_input import find_input
from acp_spy.cli.output import quiet_pipe
from acp_spy.cli.shared_options import Delivered
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.inert import inert_bytes

SENDERS = ("client", "agent", "stderr")


def raw(
    capture: Annotated[
        str,
        typer.Argument(
            metavar="CAPTURE", help="The capture, or `-` for stdin.", show_default=False
        ),
    ],
    sender: Annotated[
        str,
        typer.Option(
            metavar="|".join(SENDERS),
            help="Stream to write (required): the client's messages, the agent's messages, or the"
            " agent's stderr.",
            show_default=False,
        ),
    ] = "",
    *,
    as_delivered: Delivered = False,
) -> None:
    """
    Line ends, blank lines, noise and invalid UTF-8 are written unchanged, so that a capture can be
    piped to any program: `acp-spy raw run.jsonl --sender client | my-agent`. Only on a terminal,
    what it would obey is spelled out.
    """
    if sender not in SENDERS:
        legal = "`client`, `agent` or `stderr`"
        raise AcpSpyError(
            f"`--sender` must be {legal}, not `{sender}`"
            if sender
            else f"missing `--sender`: {legal}",
            hint=f"run `acp-spy raw {file_word(capture)} --sender agent`",
        )
    with quiet_pipe():
        out = sys.stdout.buffer
        shown = inert_bytes if sys.stdout.isatty() else bytes
        records = read(find_input(capture))
        if as_delivered and sender != "stderr":
            records = seen_by(Peer(sender).other, records)
        for record in records:
            match record:
                case Frame(sender=peer, raw=data) if peer.value == sender:
                    out.write(shown(data))
                case Stderr(raw=data) if sender == "stderr":
                    out.write(shown(data))
                case _:
                    pass
        out.flush()
