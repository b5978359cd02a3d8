"""
What was found in one capture: the one model that every format reads.

A mistake that is made a thousand times is one mistake in a thousand places. Only the format for
programs lists them all, so only for it they are all kept. What follows from a mistake is kept with
it, and is not another one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.lint.rule import Because, Finding, Rule, Severity
from acp_spy.units import counted
from acp_spy.view.findings.excerpt import Excerpt
from acp_spy.wire.frame import Peer

if TYPE_CHECKING:
    from acp_spy.capture.delivered import Side
    from acp_spy.lint.linter import Crash

FIRST_PLACES = 5
LEVELS = (Severity.ERROR, Severity.WARNING, Severity.NOTE)  # the worst first

# A literal with a digit in it is an id, a size or a time, as a rule; names have none.
_VALUE = re.compile(r"`[^`0-9]*+[0-9][^`]*+`|[0-9]+(?:\.[0-9]+)?")
# Rules about a key that is missing, or defined elsewhere: it is one mistake, wherever it is made.
_OF_A_KEY = {"SCH008": " is defined ", "SCH011": " missing"}
MistakeKey = tuple[str, str, str, Severity, Peer, str]


class Mistake(msgspec.Struct):
    """The same finding in one place or in many: the first, how many, and where the first are."""

    first: Finding
    count: int = 0
    places: list[int] = msgspec.field(default_factory=list)  # frames, each once
    goes_on: bool = False  # there are more frames than these
    varies: bool = False  # not all say the same to the letter
    last: int = 0  # the last frame
    following: int = 0  # how many findings follow from it
    followed: "dict[MistakeKey, Mistake]" = msgspec.field(default_factory=dict)

    @property
    def consequences(self) -> "Collection[Mistake]":
        """Findings that follow from it: one of each kind, with its places."""
        return self.followed.values()

    def add(self, finding: Finding, *, every: bool = False) -> None:
        """Take in one more place; remember `every` one, or only the first ones."""
        self.count += 1
        self.last = finding.seq
        self.varies = self.varies or finding.text != self.first.text
        if finding.seq in self.places[:FIRST_PLACES] or finding.seq in self.places[-1:]:
            return
        if every or len(self.places) < FIRST_PLACES:
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
        goes_on = self.goes_on or len(self.places) > FIRST_PLACES
        more = ", ".join(map(str, self.places[1:FIRST_PLACES])) + (", ..." if goes_on else "")
        return f"{times}, also in {'frames' if len(self.places) > 2 else 'frame'} {more}"

    @property
    def follows(self) -> str:
        """What follows from it, in words; empty when nothing does."""
        if not self.consequences:
            return ""
        parts = [
            f"{each.first.code} {each.first.name} ({_where(each)})" for each in self.consequences
        ]
        verb = "follows" if self.following == 1 else "follow"
        return f"{counted(self.following, 'finding')} {verb} from it: {', '.join(parts)}"


def _where(mistake: Mistake) -> str:
    if not mistake.first.seq:
        return "at the end"
    more = f", {mistake.count} times" if mistake.count > 1 else ""
    return f"frame {mistake.first.seq}{more}"


class Report(msgspec.Struct):
    """
    What was found in the capture at `path`.

    `excerpts` has what can be shown of the frames that mistakes name, and
    `lines` their lines in the file.
    `fail_on` is the mildest severity that fails; `None` when nothing does.
    """

    path: str
    rules: Collection[Rule]
    fail_on: Severity | None = Severity.ERROR
    side: "Side" = "sent"  # of the frames: which was checked
    frames: int = 0
    shown_path: str = ""  # if that is another: without its secrets, for formats to be shared
    masked_places: int = 0  # in what was checked for such a format
    note: str = ""  # what the capture itself says about what it lacks
    diagnosis: Diagnosis | None = None
    pending: tuple[str, ...] = ()  # while the recording runs: what is waited for
    dialect: Mapping[str, str] = msgspec.field(
        default_factory=lambda: {"client": "acp", "agent": "acp"}
    )
    crashes: "Sequence[Crash]" = ()  # rules that raised: what they would have found is not known
    excerpts: dict[tuple[int, str], Excerpt] = msgspec.field(default_factory=dict)
    lines: dict[int, int] = msgspec.field(default_factory=dict)
    _mistakes: dict[MistakeKey, Mistake] = msgspec.field(default_factory=dict)
    # The first with a code, and with a code in a frame: from which others may follow.
    _causes: dict[tuple[str, int | None], Mistake] = msgspec.field(default_factory=dict)

    def add(self, found: Iterable[Finding], *, every: bool = False) -> None:
        """Take in what was found; keep `every` place of it, or only the first ones."""
        for finding in found:
            key, cause = mistake_key(finding), self._cause_of(finding)
            if cause is None:
                mistake = self._mistakes.setdefault(key, Mistake(finding))
                self._note_cause(mistake, finding.seq)
            else:
                cause.following += 1
                mistake = cause.followed.setdefault(key, Mistake(finding))
            mistake.add(finding, every=every)

    def _note_cause(self, mistake: Mistake, seq: int) -> None:
        """Of many places only the first are known, and the last."""
        code, last = mistake.first.code, mistake.last
        is_forgotten = mistake.goes_on and last not in mistake.places
        if is_forgotten and self._causes.get((code, last)) is mistake:
            del self._causes[code, last]
        self._causes.setdefault((code, None), mistake)
        self._causes.setdefault((code, seq), mistake)

    def merge(self, other: "Report", mask: Callable[[str], str]) -> None:
        """Take in what other rules have found in the same capture; `mask` hides its secrets."""
        for mistake in other.mistakes:
            key = mistake_key(mistake.first)  # two secrets are two mistakes
            mistake.first = msgspec.structs.replace(mistake.first, text=mask(mistake.first.text))
            self._mistakes[key] = mistake
        self.crashes = [*self.crashes, *other.crashes]

    def _cause_of(self, finding: Finding) -> Mistake | None:
        """Return the mistake that `finding` follows from; it has been taken in before."""
        if finding.because is None:
            return None
        seq, code = finding.because.seq, finding.because.code
        return self._causes.get((code, seq)) or self._causes.get((code, None))

    @property
    def name(self) -> str:
        """The path as it may be shown."""
        return self.shown_path or str(self.path)

    @property
    def mistakes(self) -> list[Mistake]:
        """Each mistake once, by the frame that it is first found in."""
        return sorted(self._mistakes.values(), key=lambda mistake: mistake.first.seq)

    def fails(self, finding: Finding) -> bool:
        """Whether `finding` is bad enough to fail; what follows from another is not."""
        if finding.because:
            return False
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
    if end := _OF_A_KEY.get(finding.code):
        text = finding.text.partition(end)[0]
        return finding.code, text, "", finding.severity, finding.blame, finding.by
    text, path = _VALUE.sub("0", finding.text), _VALUE.sub("0", finding.path)
    return finding.code, text, path, finding.severity, finding.blame, finding.by


def grouped(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """Return each mistake once, as it is first found, with how often."""
    groups: dict[tuple[MistakeKey, Because | None], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((mistake_key(finding), finding.because), []).append(finding)
    return [(group[0], len(group)) for group in groups.values()]
