"""
What was found in one capture: the one model that every format reads.

A mistake that is made a thousand times is one mistake in a thousand places. Only the format for
programs lists them all, so only for it they are all kept.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.lint.rule import Finding, Rule, Severity
from acp_spy.view.findings.excerpt import Excerpt
from acp_spy.wire.frame import Peer

if TYPE_CHECKING:
    from acp_spy.lint.linter import Crash

FIRST_PLACES = 5
LEVELS = (Severity.ERROR, Severity.WARNING, Severity.NOTE)  # the worst first

# A literal with a digit in it is an id, a size or a time, as a rule; names have none.
_VALUE = re.compile(r"`[^`]*[0-9][^`]*`|[0-9]+(?:\.[0-9]+)?")
MistakeKey = tuple[str, str, str, Severity, Peer]


class Mistake(msgspec.Struct):
    """The same finding in one place or in many: the first, how many, and where the first are."""

    first: Finding
    count: int = 0
    places: list[int] = msgspec.field(default_factory=list)  # the first frames, each once
    goes_on: bool = False  # there are more frames than these
    varies: bool = False  # not all say the same to the letter

    def add(self, finding: Finding) -> None:
        """Take in one more place."""
        self.count += 1
        self.varies = self.varies or finding.text != self.first.text
        if finding.seq in self.places:
            return
        if len(self.places) < FIRST_PLACES:
            self.places.append(finding.seq)
        else:
            self.goes_on = True

    @property
    def others(self) -> str:
        """Where else, in words; empty when nowhere."""
        if self.count == 1:
            return ""
        times = f"{self.count} times" + (", with other values" if self.varies else "")
        if len(self.places) == 1:
            return f"{times}, all in this frame"
        more = ", ".join(map(str, self.places[1:])) + (", ..." if self.goes_on else "")
        return f"{times}, also in {'frames' if len(self.places) > 2 else 'frame'} {more}"


class Report(msgspec.Struct):
    """
    What was found in the capture at `path`.

    `findings` has every place, in the order of discovery, for formats that list them; it is
    empty for the others. `excerpts` has what can be shown of the frames that mistakes name, and
    `lines` their lines in the file.
    `fail_on` is the mildest severity that fails; `None` when nothing does.
    """

    path: str
    rules: Collection[Rule]
    fail_on: Severity | None = Severity.ERROR
    frames: int = 0
    shown_path: str = ""  # without its secrets, for formats that are made to be shared
    masked_places: int = 0  # in what was checked for such a format
    note: str = ""  # what the capture itself says about what it lacks
    diagnosis: Diagnosis | None = None
    pending: tuple[str, ...] = ()  # while the recording runs: what is waited for
    dialect: Mapping[str, str] = msgspec.field(
        default_factory=lambda: {"client": "acp", "agent": "acp"}
    )
    findings: list[Finding] = msgspec.field(default_factory=list)
    crashes: "Sequence[Crash]" = ()  # rules that raised: what they would have found is not known
    excerpts: dict[tuple[int, str], Excerpt] = msgspec.field(default_factory=dict)
    lines: dict[int, int] = msgspec.field(default_factory=dict)
    _mistakes: dict[MistakeKey, Mistake] = msgspec.field(default_factory=dict)

    def add(self, found: Iterable[Finding], *, every: bool = False) -> None:
        """Take in what was found; keep `every` place of it, or only the first ones."""
        for finding in found:
            self._mistakes.setdefault(mistake_key(finding), Mistake(finding)).add(finding)
            if every:
                self.findings.append(finding)

    @property
    def name(self) -> str:
        """The path as it may be shown."""
        return self.shown_path or self.path

    @property
    def mistakes(self) -> list[Mistake]:
        """Each mistake once, by the frame that it is first found in."""
        return sorted(self._mistakes.values(), key=lambda mistake: mistake.first.seq)

    def fails(self, finding: Finding) -> bool:
        """Whether `finding` is bad enough to fail."""
        return self.fail_on is not None and LEVELS.index(finding.severity) <= LEVELS.index(
            self.fail_on
        )

    @property
    def failed(self) -> bool:
        """Whether anything is."""
        return any(self.fails(mistake.first) for mistake in self._mistakes.values())

    def shown_places(self) -> Iterator[tuple[int, str]]:
        """Give the places worth showing: a frame's seq, and a JSON Pointer into it."""
        for mistake in self._mistakes.values():
            yield mistake.first.seq, mistake.first.path
            if mistake.first.see is not None:
                yield mistake.first.see, ""

    def excerpt_of(self, finding: Finding) -> Excerpt | None:
        """Return what can be shown of the frame of `finding`."""
        return self.excerpts.get((finding.seq, finding.path))

    def line_of(self, seq: int) -> int:
        """Return the line of the capture file that has this frame; the first, if none has."""
        return self.lines.get(seq, 1)


def mistake_key(finding: Finding) -> MistakeKey:
    """Return what makes two findings one mistake: all but the values, and the places in lists."""
    text, path = _VALUE.sub("0", finding.text), _VALUE.sub("0", finding.path)
    return finding.code, text, path, finding.severity, finding.blame


def grouped(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """Return each mistake once, as it is first found, with how often."""
    groups: dict[MistakeKey, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(mistake_key(finding), []).append(finding)
    return [(group[0], len(group)) for group in groups.values()]
