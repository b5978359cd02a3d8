"""`acp-spy import`: convert a file from another tool to a capture."""

import os
from collections.abc import Iterator
from itertools import chain
from typing import Annotated

import msgspec
import typer

from acp_spy.capture.codec import encode
from acp_spy.capture.files import make_folder, read
from acp_spy.capture.foreign.known import NAMES
from acp_spy.capture.foreign.read import AUTO
from acp_spy.capture.records import Header, Record
from acp_spy.capture.write_file import write_file
from acp_spy.cli.capture_input import STDIN, spool_stdin
from acp_spy.cli.commands import PROGRAM
from acp_spy.cli.console import write
from acp_spy.cli.output import STDOUT, write_parts
from acp_spy.errors import AcpSpyError
from acp_spy.home import expanded
from acp_spy.units import counted
from acp_spy.wire.frame import Frame, Peer


def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The file to convert, or `-` for stdin.", show_default=False
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="CAPTURE",
            help="Write the capture to this file, or into this folder, instead of stdout. An"
            " existing file is kept: run-2.jsonl is written beside run.jsonl.",
            show_default=False,
        ),
    ] = "",
    form: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help=f"Format of FILE: {', '.join(NAMES)}; `{AUTO}` detects it.",
        ),
    ] = AUTO,
) -> None:
    """
    If FILE has no times or no agent's stderr, the capture has none either; a note in its header
    says so, and is printed here.

    To look at FILE once, do not import it: `view`, `check` and the other commands read it directly.
    """
    if not file:
        raise AcpSpyError(
            "the name of the file is empty", hint="check that the variable in your script is set"
        )
    source = spool_stdin() if file == STDIN else expanded(file, is_file=True)
    records = read(source, form)
    header = next(records)
    if not isinstance(header, Header):
        raise TypeError("read() gives the header first")
    header = msgspec.structs.replace(header, tool=PROGRAM)
    counts = dict.fromkeys(Peer, 0)
    if output and output != STDOUT:
        where = _save(
            _path_for(expanded(output, is_file=True), source), header, _counted(records, counts)
        )
    else:
        where = "stdout"
        every = chain([header], _counted(records, counts))
        write_parts(encode([record]) for record in every)
    client, agent = (counted(counts[peer], "frame") for peer in (Peer.CLIENT, Peer.AGENT))
    write(f"{where}: {client} from the client, {agent} from the agent", f"note: {header.note}")


def _path_for(output: str, source: str) -> str:
    """Return `output`, or if it is a folder, a file in it that is called as `source` is."""
    if not os.path.isdir(output):
        return output
    name = os.path.splitext(os.path.basename(source))[0]
    return os.path.join(output, f"{name}.jsonl")


def _counted(records: Iterator[Record], counts: dict[Peer, int]) -> Iterator[Record]:
    for record in records:
        if isinstance(record, Frame):
            counts[record.sender] += 1
        yield record


def _save(path: str, header: Header, records: Iterator[Record]) -> str:
    """Write a new capture, which is there when it is whole; return what it is called."""
    try:
        make_folder(os.path.dirname(path))
    except OSError as error:
        raise AcpSpyError(f"cannot write `{path}`: {error.strerror}") from None
    parts = (encode([record]) for record in chain([header], records))
    return write_file(path, parts, beside=True)
