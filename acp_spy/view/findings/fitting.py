"""Cut a line to the width that there is, around the place that it is about."""

from rich.cells import cell_len, get_character_cell_size

_DOTS = "…"


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
    if text[:room].isascii():
        return text[:room]
    used = end = 0
    for character in text:
        used += get_character_cell_size(character)
        if used > room:
            break
        end += 1
    while end and cell_len(text[:end]) > room:  # some characters make the one before them wider
        end -= 1
    return text[:end]
