"""A diagnosis in the lines of a terminal: the head of everything that shows a capture."""

from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.view.style import Piece, broken, paint
from acp_spy.wire.inert import inert

_MOST_LINES = 8


def diagnosis_pieces(diagnosis: Diagnosis) -> list[Piece]:
    """Return the kind in words, and what is wrong."""
    return [(_style(diagnosis), diagnosis.words), ("", f": {inert(diagnosis.text)}")]


def diagnosis_lines(diagnosis: Diagnosis, width: int, *, colour: bool) -> list[str]:
    """Return the same as lines, broken to the width."""
    words = diagnosis.words
    first, *rest = broken(f"{words}: {inert(diagnosis.text)}", width, _MOST_LINES)
    head: list[Piece] = [(_style(diagnosis), first[: len(words)]), ("", first[len(words) :])]
    return [paint(head, colour=colour), *rest]


def _style(diagnosis: Diagnosis) -> str:
    return "error" if diagnosis.is_wrong else "agent"
