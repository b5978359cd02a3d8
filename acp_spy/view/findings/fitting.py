"""Cut a line to the width that there is, around the place that it is about."""

from bisect import bisect_right

from rich.cells import cell_len, get_character_cell_size

_DOTS = "…"
_JOINER = "\u200d"


def fit(before: str, place: str, after: str, room: int) -> tuple[str, str, str]:
    """
    Return the three parts of a line cut so that they take at most `room` cells.

    The place is what must be seen. What is before it gets up to a third of the room, or more
    where the rest needs less.
    """
    room = max(room, 8)
    if cell_len(before + place + after) <= room:
        return before, place, after
    if not place:
        return cut_end(before + after, room), "", ""
    lead = max(room // 3, room - cell_len(place + after))
    before = cut_start(before, lead)
    place = cut_end(place, room - cell_len(before))
    return before, place, cut_end(after, room - cell_len(before + place))


def cut_end(text: str, room: int) -> str:
    """Return as much of the beginning of `text` as fits, with dots where it is cut."""
    if cell_len(text) <= room:
        return text
    return fill(text, room - 1) + _DOTS if room > 0 else ""


def cut_start(text: str, room: int) -> str:
    """Return as much of the end of `text` as fits, with dots where it is cut."""
    if cell_len(text) <= room:
        return text
    return _DOTS + fill(text[::-1], room - 1)[::-1] if room > 0 else ""


def fill(text: str, room: int) -> str:
    """Return as much of the beginning of `text` as fits; no more of it is looked at."""
    return text[: reach(text, 0, len(text), room)]


def reach(text: str, start: int, stop: int, room: int) -> int:
    """Return where the part of `text` ends that begins at `start`, fits, and is before `stop`."""
    stop = min(stop, len(text))
    # With the character after it, which may belong to the last one that fits.
    if text[start : min(start + room + 1, stop)].isascii():
        return min(start + room, stop)
    end, used = start, 0
    while end < stop:
        used += get_character_cell_size(text[end])
        if used > room:
            break
        end += 1
    # Some characters make the one before them wider, and one joins its neighbors.
    if _JOINER in text[start:end] or cell_len(text[start:end]) > room:
        return _reach_of_joined(text, start, stop, room)
    return end


def _reach_of_joined(text: str, start: int, stop: int, room: int) -> int:
    """Return the same for characters whose widths depend on each other; only rich knows how."""
    step = room + 1
    while step < stop - start and cell_len(text[start : start + step]) <= room:
        step *= 2
    # By halves, because a letter may have thousands of marks: one less each time is their square.
    sizes = range(min(step, stop - start) + 1)
    return (
        start + bisect_right(sizes, room, key=lambda size: cell_len(text[start : start + size])) - 1
    )
