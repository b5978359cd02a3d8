"""
Lines for a terminal: pieces with a style each, cut or broken to the width, coloured or not.

By hand, because a capture has hundreds of thousands of rows and rich takes a tenth of a
millisecond for each. What a style looks like stands here and nowhere else.
"""

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from acp_spy.view.findings.fitting import cut_end, fill, reach

Piece = tuple[str, str]  # style, and text that is inert already

_MOST_MARKS = 8  # characters in a cell
CODES = {
    "dim": "2",
    "bold": "1",
    "title": "1;4",
    "client": "36",
    "agent": "32",
    "thought": "3",
    "struck": "2;9",
    "noise": "33",
    "failed": "31",
    "slow": "35",
    "error": "1;31",
    "warning": "1;33",
    "note": "1;34",
    "name": "34",
    "string": "32",
    "number": "36",
}


def width_of(text: str) -> int:
    """Return how many cells `text` takes."""
    return len(text) if text.isascii() else cell_len(text)


def paint(pieces: Sequence[Piece], *, colour: bool) -> str:
    """Return the pieces as one line."""
    line = "".join([text for _, text in pieces]).rstrip()
    if not colour:
        return line
    painted: list[str] = []
    room = len(line)
    for style, text in pieces:
        shown = text[:room]
        room -= len(shown)
        painted.append(f"\x1b[{CODES[style]}m{shown}\x1b[0m" if style and shown else shown)
    return "".join(painted)


def cut(pieces: Sequence[Piece], width: int) -> Sequence[Piece]:
    """Return as much of the pieces as fits, with dots where something is missing."""
    total = 0
    for _, text in pieces:
        total += width_of(text)
    if total <= width:
        return pieces
    kept: list[Piece] = []
    room = width
    for index, (style, text) in enumerate(pieces):
        taken = width_of(text)
        is_last = index == len(pieces) - 1
        # One cell is kept for the dots, unless this is the end and fits to the last cell.
        if taken > room - (not is_last):
            kept.append((style, cut_end(text + "…", room)))
            break
        kept.append((style, text))
        room -= taken
    return kept


def wrapped(pieces: Sequence[Piece], width: int) -> Iterator[list[Piece]]:
    """Give the lines that the pieces become, broken between words, or in one that fits nowhere."""
    line: list[Piece] = []
    breaks = _breaks("".join(text for _, text in pieces), width)
    at, end = 0, next(breaks, None)
    for style, piece in pieces:
        done = 0
        while end is not None and at + len(piece) > end:
            line.append((style, piece[done : end - at]))
            yield line
            line, done = [], end - at
            end = next(breaks, None)
        line.append((style, piece[done:]))
        at += len(piece)
    yield line


def _breaks(text: str, width: int) -> Iterator[int]:
    """Give the places where a line ends and another begins."""
    room = width
    for match in re.finditer(r"\s*+\S*+\s*+", text):
        start = match.start()
        stop = start + len(match[0].rstrip())
        end = reach(text, start, stop, room)
        if end < stop and start:
            yield start
            room = width
            end = reach(text, start, stop, room)
        # What is left of a word is never measured whole: a long one has thousands of lines.
        while end < stop:
            yield end
            start, end = end, reach(text, end, stop, width)
        room -= width_of(text[start : match.end()])


def broken(text: str, width: int, most: int) -> list[str]:
    """
    Return the first `most` lines of `text` that are not empty, broken between words.

    The last ends with dots if more would follow.
    """
    width = max(width, 10)
    lines: list[str] = []
    for line in text.split("\n"):
        lines += _lines_of(line.rstrip(), width, most - len(lines))
        if len(lines) > most:
            break
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    return [
        *lines[: most - 1],
        cut_end(f"{last} …", width) if width_of(last) + 2 > width else f"{last} …",
    ]


def _lines_of(text: str, width: int, most: int) -> Iterator[str]:
    """Give the lines that `text` becomes, up to one more than `most`."""
    at = 0
    for _ in range(most + 1):
        # No more is looked at than can be seen, even where letters carry marks.
        window = text[at : at + _MOST_MARKS * width]
        if not window:
            return
        if at + len(window) == len(text) and width_of(window) <= width:
            yield window
            return
        head = fill(window, width)
        blank = head.rfind(" ") + 1
        # A word that is longer than half a line may as well be broken.
        head = head[:blank] if blank > len(head) // 2 else head
        yield head.rstrip()
        at += len(head)
        while at < len(text) and text[at].isspace():
            at += 1
