"""
The linter: records in, findings out, live and offline the same.

A rule is shown only what it asked for. With two hundred rules and a hundred frames a millisecond,
who listens to a frame is looked up, not asked.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.capture.records import Closed, Exit, Record, Stderr
from acp_spy.conversation.chunk import Chunk, hear_chunk
from acp_spy.conversation.state import Step
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.by_document import Doubt, asked
from acp_spy.lint.model import Check, Finding, Remark, Rule
from acp_spy.lint.oddity import LONG_LINE, LONG_SILENCE
from acp_spy.lint.schema import find_breaches
from acp_spy.lint.told import NAMES_DIALECTS, told_words
from acp_spy.lint.topics import OF_CHUNK, kind, topics
from acp_spy.wire.frame import Frame, Peer


class Crash(msgspec.Struct, frozen=True):
    """A rule raised: a bug of ours, neither a finding nor a clean bill."""

    code: str
    seq: int
    error: str
    count: int = 1


_MOST_KINDS = 10_000
# A rule, its check, and the memory that the check is given besides the moment, if it takes one.
Listener = tuple[Rule, Check, dict[Any, Any] | None]


class Linter:
    """Feed it the records of one capture in their order, then close it."""

    def __init__(self, rules: Iterable[Rule], spec: str = "auto", dialect: str = "auto") -> None:
        self.tracker = Tracker(dialect)
        self._crashes: dict[str, Crash] = {}
        # What the last frame meant, for whoever shows it: a step, or a plain chunk of text.
        self.step: Step | None = None
        self.chunk: Chunk | None = None
        self._rules = tuple(asked(rules, dialect))
        self._doubt = Doubt() if self.tracker.state.tongues.settled else None
        self._names_dialects = any(rule.code == NAMES_DIALECTS for rule in self._rules)
        self._spec = spec
        self._memory: dict[str, dict[Any, Any]] = {rule.code: {} for rule in self._rules}
        self._by_topic: dict[str, list[int]] = {}
        for place, rule in enumerate(self._rules):
            for topic in rule.on:
                self._by_topic.setdefault(topic, []).append(place)
        self._by_kind: dict[tuple[Any, ...], tuple[Listener, ...]] = {}
        # A plain chunk of text is heard in passing where no rule wants to look at one.
        self._may_hear = spec in ("auto", "v1", "v1-unstable") and not self._who_listens(*OF_CHUNK)
        self._seq = 0
        self._t = 0.0
        self._status: int | None = None
        self._ended = False
        self._reason = ""

    def feed(self, record: Record) -> list[Finding]:
        """Return what is wrong with `record`, in the state that it meets."""
        if type(record) is Frame:  # nearly all are, and a match statement is not fast
            return self._feed_frame(record)
        match record:
            case Stderr(t=t):
                self._t = t
                return self._ask(self._who_listens("stderr"), record)
            case Closed(t=t, sender=sender):
                self._t = t
                self.tracker.close(sender)
                return self._ask(self._who_listens("closed"), record)
            case Exit(t=t, status=status, reason=reason):
                self._t, self._status, self._ended = t, status, True
                self._reason = reason
                return []
            case _:
                return []

    @property
    def crashes(self) -> list[Crash]:
        """The rules that have raised: each with its first time, and how often."""
        return list(self._crashes.values())

    @property
    def ended(self) -> bool:
        """Whether the agent's exit has been recorded."""
        return self._ended

    def close(self) -> list[Finding]:
        """Return what is wrong with the end."""
        ending = self.tracker.end(
            self._t, self._status, cut_off=not self._ended, reason=self._reason
        )
        return self._trusted(self._ask(self._who_listens("end"), ending))

    def _feed_frame(self, frame: Frame) -> list[Finding]:
        self._seq, self._t = frame.seq, frame.t
        if self._may_hear and len(frame.raw) <= LONG_LINE:
            state = self.tracker.state
            if frame.t - state.t < LONG_SILENCE:
                self.chunk = chunk = hear_chunk(state, frame)
                if chunk is not None:
                    self.step = None
                    return []
        step = self.step = self.tracker.look(frame)
        step.spec = self._spec
        step.breaches = find_breaches(step)
        if self._names_dialects and (step.clues or self.tracker.state.tongues.is_suspicious):
            step.told = told_words(step)
        kind_of_step = kind(step)
        listeners = self._by_kind.get(kind_of_step)
        if listeners is None:
            if len(self._by_kind) > _MOST_KINDS:
                self._by_kind.clear()  # somebody makes names up
            listeners = self._by_kind[kind_of_step] = self._who_listens(*topics(step))
        findings = self._ask(listeners, step) if listeners else []
        self.tracker.advance(step)
        return self._trusted(findings) if findings else findings

    def _trusted(self, findings: list[Finding]) -> list[Finding]:
        return self._doubt.without_follow_ons(findings) if self._doubt else findings

    def _who_listens(self, *about: str) -> tuple[Listener, ...]:
        other_version = 1 if self.tracker.state.is_draft else 2
        places = sorted({place for topic in about for place in self._by_topic.get(topic, ())})
        return tuple(
            (rule, rule.check, self._memory[rule.code] if rule.takes_memory else None)
            for rule in (self._rules[place] for place in places)
            if rule.version != other_version
        )

    def _ask(self, listeners: tuple[Listener, ...], moment: Any) -> list[Finding]:
        findings = []
        for rule, check, memory in listeners:
            try:
                for remark in check(moment) if memory is None else check(moment, memory):
                    findings.append(self._sign(rule, remark, moment))  # noqa: PERF401
            except MemoryError:  # no fault of the rule
                raise
            except Exception as error:  # noqa: BLE001 - a bug of ours must stop nothing, nor be hidden
                first = self._crashes.get(rule.code, Crash(rule.code, self._seq, repr(error), 0))
                again = msgspec.structs.replace(first, count=first.count + 1)
                self._crashes[rule.code] = again
        return findings

    def _sign(self, rule: Rule, remark: Remark, moment: Any) -> Finding:
        if self._doubt:
            self._doubt.hear(rule, remark)
        frame = moment.frame if isinstance(moment, Step) else None
        sender = frame.sender if frame else getattr(moment, "sender", Peer.AGENT)
        return Finding(
            seq=remark.on if remark.on is not None else self._seq,
            code=rule.code,
            name=rule.name,
            severity=rule.severity_of(remark),
            blame=remark.blame or sender,
            text=remark.text,
            path=remark.at,
            see=remark.see,
            hint=remark.hint,
            t=self._t,
        )
