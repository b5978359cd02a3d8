"""`acp-spy raw`: one stream of a capture, exactly as it was on the wire."""

import enum
import sys
from typing import Annotated

import typer

from acp_spy.capture.files import read
from acp_spy.capture.records import Stderr
from acp_spy.cli.quiet_pipe import quiet_pipe
from acp_spy.wire.frame import Frame


class Stream(enum.Enum):
    """The three streams that a capture holds."""

    CLIENT = "client"
    AGENT = "agent"
    STDERR = "stderr"


def raw(
    capture: Annotated[
        str, typer.Argument(metavar="CAPTURE", help="The capture to read.", show_default=False)
    ],
    sender: Annotated[
        Stream,
        typer.Option(
            help="Whose bytes: what the client sent, what the agent sent, or the agent's stderr.",
            show_default=False,
        ),
    ],
) -> None:
    """
    Write one stream of a capture to stdout, byte for byte as it was on the wire.

    Line ends, blank lines, noise and bytes that are no UTF-8 come out as they went in. So a
    capture can be fed to any program: `acp-spy raw run.jsonl --sender client | my-agent`.
    """
    with quiet_pipe():
        out = sys.stdout.buffer
        for record in read(capture):
            match record:
                case Frame(sender=peer, raw=data) if peer.value == sender.value:
                    out.write(data)
                case Stderr(raw=data) if sender is Stream.STDERR:
                    out.write(data)
                case _:
                    pass
        out.flush()
