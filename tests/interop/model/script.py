"""What the stand-in for a model says: two prompts are known, and what follows each is written down."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import sleep
from typing import Any

from interop.programs.turn import COUNT, WORK

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
FIRST, NEXT = "I will read the notes first.", "Now I mend them. Is that “all right”? 🦀"
LAST = "All done.\n\n| before | after |\n|---|---|\n| teh | the |\n\nNaïve café, 日本語.\n"

Call = tuple[str, dict[str, Any]]  # the tool's name and its arguments


@dataclass(frozen=True)
class Asked:
    """A request to the model: what the user wants, and how many tools have been run since."""

    prompt: str
    results: int
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """What the model says, and the tool that it wants run then, if any."""

    text: str
    call: Call | None = None
    pause: float = 0.0  # seconds after each word

    def words(self) -> Iterator[str]:
        """Yield the text piece by piece, at the pace at which it is to be sent."""
        for word in self.text.split(" "):
            yield f"{word} "
            if self.pause:
                sleep(self.pause)


def reply(asked: Asked, calls: Sequence[Call]) -> Reply:
    """Return what is said next; `calls` are the tools that the work takes, in order."""
    if asked.prompt == COUNT:
        return Reply(" ".join(NUMBERS * 12), pause=0.25)
    if asked.prompt != WORK or not asked.tools:  # agents ask for titles and the like besides
        return Reply("Notes")
    if asked.results < len(calls):
        return Reply(NEXT if asked.results else FIRST, calls[asked.results])
    return Reply(LAST)


def prompt_in(text: str) -> str:
    """Return which of the known prompts stands in a text, maybe among much else."""
    return next((known for known in (WORK, COUNT) if known in text), "")
