"""The file names in a git patch. Text inside the hunks is skipped."""

import re
from collections.abc import Iterator

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NAMES = ("--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ")


def headers(text: str) -> Iterator[str]:
    """Yield each line of a patch outside its hunks."""
    old = new = 0
    for line in text.split("\n"):
        if old > 0 or new > 0:
            old -= line[:1] in (" ", "-", "")
            new -= line[:1] in (" ", "+", "")
        elif found := _HUNK.match(line):
            old, new = (int(n[:9]) if n is not None else 1 for n in found.groups())
        else:
            yield line


def names(text: str) -> Iterator[str]:
    """Yield each file name in a patch, as written."""
    for line in headers(text):
        for start in _NAMES:
            if line.startswith(start):
                name = line.removeprefix(start).split("\t")[0].rstrip("\r")
                yield name.strip('"')
