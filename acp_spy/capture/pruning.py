"""Which captures of a folder may go, and their removal. One that is running may never."""

import os
import re
from collections.abc import Sequence

from acp_spy.capture.folder import Entry, look_at
from acp_spy.errors import AcpSpyError

_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}
_PART = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s{0,9}(ms|[dhms])\s{0,9}")


def may_go(
    entries: Sequence[Entry], *, keep: int | None = None, unwritten_since: float | None = None
) -> list[Entry]:
    """
    Return those of `entries`, given the newest first, that may go, whether running or not.

    It is not among the first `keep`, and was not written to since the time `unwritten_since`: with
    both, a capture stays if either wants it to.
    """
    return [
        entry
        for entry in entries[keep or 0 :]
        if unwritten_since is None or entry.written < unwritten_since
    ]


def remove(entry: Entry, folder: int | None = None) -> bool:
    """
    Remove a capture, unless it is running or none any more. Raises `OSError`.

    With an open `folder`, it is removed there, whatever its path leads to by now.
    """
    now = look_at(entry.path, folder)
    if now is None or now.running:
        return False
    try:
        os.unlink(entry.path if folder is None else entry.name, dir_fd=folder)
    except FileNotFoundError:  # another `prune` was faster
        return False
    return True


def seconds_of(words: str) -> float:
    """Return the seconds of `30d`, `12h`, `45m`, `10s`, `500ms` or `1d 12h`."""
    parts = _PART.findall(words)
    if not parts or _PART.sub("", words.strip()):
        raise AcpSpyError(
            f"`{words}` is not a duration",
            hint="use days, hours, minutes or seconds: `30d`, `12h`, `1d 12h`",
        )
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)
