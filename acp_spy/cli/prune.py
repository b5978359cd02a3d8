"""`acp-spy prune`: remove old captures from the capture folder."""

import time
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from acp_spy.capture.folder import Entry, captures
from acp_spy.capture.links import open_folder
from acp_spy.capture.pruning import may_go, remove, seconds_of
from acp_spy.cli.console import FINE, report
from acp_spy.cli.output import quiet_pipe, write_lines
from acp_spy.cli.shared_options import CaptureFolder, named_folder
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.stale_sockets import remove_socket
from acp_spy.units import counted, size
from acp_spy.wire.inert import inert


def prune(
    *,
    keep: Annotated[
        int | None,
        typer.Option(metavar="COUNT", help="Keep the COUNT newest captures.", show_default=False),
    ] = None,
    older_than: Annotated[
        str,
        typer.Option(
            metavar="AGE",
            help="Remove captures last written longer ago than AGE: `30d`, `12h`, `45m`, `10s`.",
            show_default=False,
        ),
    ] = "",
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", metavar="", help="Print what would be removed, and remove nothing."
        ),
    ] = False,
    folder: CaptureFolder = "",
) -> int:
    """
    With both `--keep` and `--older-than`, a capture is removed only if both allow it. Captures that
    are being recorded, files that are not captures, and targets of links are never removed.
    """
    if keep is None and not older_than:
        raise AcpSpyError(
            "specify `--keep` or `--older-than`",
            hint="run `acp-spy prune --keep 20` or `acp-spy prune --older-than 30d`;"
            " add `--dry-run` to see what would be removed",
        )
    if keep is not None and keep < 0:
        raise AcpSpyError("`--keep` must be 0 or more", hint="run `acp-spy prune --help`")
    before = time.time() - seconds_of(older_than) if older_than else None
    where = named_folder(folder, "prune")
    entries: list[Entry] = []
    old, idle, removed = entries, entries, entries
    failures: list[AcpSpyError] = []
    try:
        with open_folder(where) as place:
            entries = captures(place.path, place.folder)
            old = may_go(entries, keep=keep, unwritten_since=before)
            idle = [entry for entry in old if not entry.running]
            removed = [entry for entry in idle if dry_run or _remove(entry, place.folder, failures)]
    except FileNotFoundError:
        pass  # then there is nothing to remove
    except OSError as error:  # a link that others may have put there
        raise AcpSpyError(f"cannot prune `{where}`: {error.strerror}") from None
    with quiet_pipe():  # a reader that closes the pipe does not cancel the removal
        for line in _report_lines(where, entries, removed, dry_run=dry_run):
            write_lines([line], paged=False)
        if running := len(old) - len(idle):
            typer.echo(f"kept {counted(running, 'capture')} still being recorded")
    return max(map(report, failures), default=FINE)


def _remove(entry: Entry, folder: int | None, failures: list[AcpSpyError]) -> bool:
    try:
        if not remove(entry, folder):
            return False
        remove_socket(entry.path)
        return True
    except OSError as error:
        failures.append(AcpSpyError(f"cannot remove `{entry.path}`: {error.strerror}"))
        return False


def _report_lines(
    where: str, entries: Sequence[Entry], removed: Sequence[Entry], *, dry_run: bool
) -> Iterator[str]:
    done = "would remove" if dry_run else "removed"
    for entry in removed:
        yield f"{done} {inert(entry.name)}  {size(entry.size)}"
    freed = size(sum(entry.size for entry in removed))
    left = counted(len(entries) - len(removed), "capture")
    yield f"{done} {counted(len(removed), 'capture')}, {freed}; {left} left in {inert(where)}"
