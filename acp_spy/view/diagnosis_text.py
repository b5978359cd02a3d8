"""A diagnosis in the lines of a terminal: the head of everything that shows a capture."""

from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.view.style import Piece, broken, paint
from acp_spy.wire.inert import inert

_MOST_LINES = 8


def diagnosis_lines(diagnosis: Diagnosis, width: int, *, colour: bool) -> list[str]:
    """Return the kind in words and what is wrong, in lines broken to the width."""
    words = diagnosis.words
    first, *rest = broken(f"{words}: {inert(diagnosis.text)}", width, _MOST_LINES)
    head: list[Piece] = [
        (diagnosis_style(diagnosis), first[: len(words)]),
        ("", first[len(words) :]),
    ]
    return [paint(head, colour=colour), *rest]


def diagnosis_style(diagnosis: Diagnosis) -> str:
    """Return how its words are painted."""
    return "error" if diagnosis.is_wrong else "agent"
