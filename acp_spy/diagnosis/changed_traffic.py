"""
The whole of a capture in which only one side of the frames is checked.

What arrived is not only the work of the peers. So the diagnosis is that of all records, whichever
side is checked; and a finding in a line that acp-spy made, or about a response that it kept, is
named as its work. So is any other that is not in what was sent, once acp-spy has dropped, changed
or delayed frames: both sides are checked by the same rules.
"""

from collections.abc import Iterable, Iterator

import msgspec

from acp_spy.capture.delivered import Side, request_in
from acp_spy.capture.records import (
    ANSWERED,
    DROPPED,
    FAILED,
    FLOODED,
    INJECTED,
    REPLACED,
    SLICED,
    Delivery,
    Header,
    Record,
)
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.deliveries import is_reworded
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation
from acp_spy.diagnosis.diagnose import Diagnoser
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.dialect.known import translated
from acp_spy.lint.linter import Checker
from acp_spy.lint.rule import Finding
from acp_spy.wire.frame import Peer

_MOST = 4096  # of each thing that is remembered
_LONGEST_NAMES = 200  # characters of who has made lines at one frame
_ABOUT_RESPONSES = frozenset(("RPC006", "RPC021", "RPC022"))  # rules about one that is missing
_CHANGES_NOTHING = (FAILED, FLOODED, SLICED)  # in what a peer gets, and when
_NEVER_ARRIVES = (ANSWERED, DROPPED, REPLACED)


class ChangedTraffic:
    """
    Let all records of a capture pass it on their way to the side that is checked.

    `checker` checks what was sent: what is wrong there already is the mistake of a peer. `side` is
    the one that is checked: if it is that of one peer, what is wrong with a translated line comes
    from the other one, or from its protocol.
    """

    def __init__(self, checker: Checker, side: Side = "delivered") -> None:
        self._checker = checker
        self._is_both = side == "delivered"
        self._diagnoser = Diagnoser(checker.tracker.state)
        self.add_findings = self._diagnoser.add_findings
        self._header = Header()
        self._sent: dict[tuple[int, str], bool] = {}  # what was found there: frame and rule
        self._made: dict[tuple[int, Peer], str] = {}  # lines: by frame, and who seems to send it
        self._kept: dict[int, str] = {}  # requests that did not arrive, or whose response did not
        self._changed: dict[int, str] = {}  # frames, by whom
        self._missing: dict[int, bool] = {}  # frames that did not arrive as they were sent
        self._reworded: dict[int, bool] = {}  # frames that were only repaired or translated
        self._last_change = ""  # by whom

    @property
    def state(self) -> Conversation:
        """The conversation so far."""
        return self._checker.tracker.state

    def follow(self, records: Iterable[Record]) -> Iterator[Record]:
        """Give the records as they are."""
        tracker = self._checker.tracker
        for record in records:
            moment = tracker.look(record)
            self._note_sent(self._checker.judge(moment))
            if type(moment) is not Chunk:
                self._diagnoser.feed(moment)
            tracker.advance(moment)
            if isinstance(record, Header):
                self._header = record
            elif isinstance(record, Delivery) and not self._is_as_sent(record):
                self._note(record)
            elif isinstance(record, Delivery):
                remember(self._reworded, record.seq, most=_MOST)
                if record.action == INJECTED and request_in(record.raw):  # it asks for itself
                    self._note_made(record, record.to.other)
            yield record
        self._note_sent(self._checker.close())

    def _note_sent(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            remember(self._sent, (finding.seq, finding.code), most=_MOST)

    def _is_as_sent(self, delivery: Delivery) -> bool:
        """Whether what is wrong with a line is wrong with what its sender wrote, too."""
        if not is_reworded(delivery):
            return False
        return not (self._is_both and translated(delivery.to, "") in self._header.note)

    def _note(self, delivery: Delivery) -> None:
        if delivery.action not in _CHANGES_NOTHING:
            self._last_change = delivery.by
            remember(self._changed, delivery.seq, delivery.by, most=_MOST)
        if delivery.action in _NEVER_ARRIVES:
            remember(self._missing, delivery.seq, most=_MOST)
        if delivery.action in (ANSWERED, INJECTED, REPLACED):
            self._note_made(delivery, delivery.to.other)
        if delivery.action == ANSWERED:  # the request was not delivered where it stands
            self._note_made(delivery, delivery.to)
        kept = self.state.withheld.get(delivery.seq)
        if kept is not None and kept.exchange is not None and kept.kind != "notification":
            remember(self._kept, kept.exchange.seq, delivery.by, most=_MOST)

    def _note_made(self, delivery: Delivery, sender: Peer) -> None:
        line, by = (delivery.seq, sender), delivery.by
        known = self._made.get(line, "")  # more than one can be made at a frame
        if len(known) < _LONGEST_NAMES and f", {by}, " not in f", {known}, ":
            remember(self._made, line, f"{known}, {by}" if known else by, most=_MOST)

    def name(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return findings, those with `by` that are the work of acp-spy; the others count."""
        named = []
        for each in findings:
            by = self._hand_in(each)
            named.append(msgspec.structs.replace(each, by=by, hint="") if by else each)
        self.add_findings(each for each in named if not each.by)
        return named

    def _hand_in(self, finding: Finding) -> str:
        seq, is_missing = finding.seq, finding.code in _ABOUT_RESPONSES
        if (seq, finding.code) in self._sent:
            return ""
        if is_missing and self.state.ended_by:
            return self.state.ended_by.by
        if is_missing and (by := self._kept.get(seq) or self._made.get((seq, finding.blame.other))):
            return by  # of the response, or of the request itself
        if by := self._made.get((seq, finding.blame)):
            return by
        if seq in self._reworded or self._is_moved(finding):
            return ""
        return self._changed.get(seq) or self._changed.get(finding.see or 0) or self._last_change

    def _is_moved(self, finding: Finding) -> bool:
        """Whether the same was wrong in a frame that did not arrive: a rule may report it once."""
        return any(code == finding.code and seq in self._missing for seq, code in self._sent)

    def diagnosis(self, now: float | None = None) -> Diagnosis:
        """Return the diagnosis so far; `now` is the time of a recording that runs."""
        return self._diagnoser.diagnosis(now)
