"""
The linter: moments of a conversation in, findings out, live and offline the same.

A rule is shown only what it asked for. With two hundred rules and a hundred frames a millisecond,
which rules listen to a frame is looked up, not asked.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.capture.records import Closed, Disconnect, HttpExchange, Record, Stderr
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Conversation, Ending, Step
from acp_spy.conversation.successor import SUCCESSOR, outer_path
from acp_spy.conversation.tracker import Moment, Tracker
from acp_spy.dialect.known import AUTO
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.cause_finder import CauseFinder
from acp_spy.lint.dialect_rules import rules_for
from acp_spy.lint.dialect_words import NAMES_DIALECTS
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Finding, Remark, Rule, shortened
from acp_spy.lint.topics import OF_CHUNK, kind, topics
from acp_spy.wire.frame import Peer


class Crash(msgspec.Struct, frozen=True):
    """A rule raised: a bug of ours, neither a finding nor a clean result."""

    code: str
    seq: int
    error: str
    count: int = 1


_MOST_KINDS = 10_000
# Rules and their checks, in three groups: checks that are given only the moment, one
# thing, and two, each with what it is given. To ask them so is faster than `check(moment, *given)`.
Listeners = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]


class Linter:
    """
    Show it each moment of a conversation before the tracker advances, then the ending.

    `only_steps` says that some rule wants to see plain chunks of text, too, as steps.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        spec: str = AUTO,
        dialect: str = AUTO,
        budgets: Budgets = Budgets(),  # noqa: B008 - it is frozen
    ) -> None:
        expected = budgets.set_ones.keys()
        self._rules = tuple(
            rule
            for rule in rules_for(rules, dialect)
            if not rule.budgets.set_ones or rule.budgets.set_ones.keys() & expected
        )
        self._spec, self._dialect = spec, dialect
        self._successor: Linter | None = None  # of what is wrapped for a proxy's successor
        self._causes = CauseFinder()
        self._facts = Facts(
            spec, explain_dialects=any(rule.code == NAMES_DIALECTS for rule in self._rules)
        )
        self._facts.budgets = budgets
        self._crashes: dict[str, Crash] = {}
        self._memory: dict[str, dict[Any, Any]] = {rule.code: {} for rule in self._rules}
        self._by_topic: dict[str, list[int]] = {}
        for place, rule in enumerate(self._rules):
            for topic in rule.on:
                self._by_topic.setdefault(topic, []).append(place)
        self._places = {rule.code: place for place, rule in enumerate(self._rules)}
        self._by_kind: dict[tuple[Any, ...], Listeners] = {}
        self._state = Conversation()  # of the last step; it goes on with the conversation
        # There are plain chunks in version 1 only.
        self.only_steps = spec not in (AUTO, "v1", "v1-unstable") or any(self._listeners(*OF_CHUNK))
        self._seq = 0
        self._t = 0.0

    @property
    def crashes(self) -> list[Crash]:
        """The rules that have raised: each with its first time, and how often."""
        inside = self._successor.crashes if self._successor else []
        return [*self._crashes.values(), *inside]

    def judge(self, moment: Moment | Ending) -> list[Finding]:
        """Return what is wrong with `moment`, in the state that it meets."""
        if type(moment) is Step:  # nearly all that are shown to it
            found = self._judge_step(moment)
            return found if moment.inner is None else found + self._judge_inner(moment.inner)
        if type(moment) is Chunk:  # if a rule wanted to see them, they would be steps
            return []
        self._seq = self._state.last.seq
        match moment:
            case Stderr(t=t):
                self._t = t
                self._facts.clear()
                return self._explained(self._ask(self._listeners("stderr"), moment), moment)
            case Closed(t=t):
                self._t = t
                self._facts.clear()
                return self._explained(self._ask(self._listeners("closed"), moment), moment)
            case HttpExchange(t=t):
                self._t = t
                self._facts.look_at_exchange(moment)
                return self._explained(self._ask(self._listeners("exchange"), moment), moment)
            case Disconnect(t=t):
                self._t = t
                self._facts.clear()
                return self._explained(self._ask(self._listeners("disconnect"), moment), moment)
            case Ending(t=t):
                self._t = t
                self._facts.look_at_end(moment)
                found = self._explained(self._ask(self._listeners("end"), moment), moment)
                return found if moment.inner is None else found + self._judge_inner(moment.inner)
            case _:
                return []

    def _judge_inner(self, moment: Step | Ending) -> list[Finding]:
        """Return what is wrong between a proxy and its successor, as findings of this capture."""
        if self._successor is None:
            rules = [rule for rule in self._rules if judges_content(rule)]
            self._successor = Linter(rules, self._spec, self._dialect)
        return [
            msgspec.structs.replace(
                finding,
                blame=finding.blame.other,
                text=f"in `{SUCCESSOR}`: {finding.text}",
                path=outer_path(finding.path),
                hop="successor",
            )
            for finding in self._successor.judge(moment)
        ]

    def _judge_step(self, step: Step) -> list[Finding]:
        frame, facts = step.frame, self._facts
        self._seq, self._t = frame.seq, frame.t
        self._state = step.state
        facts.look_at(step)
        kind_of_step = kind(facts)
        listeners = self._by_kind.get(kind_of_step)
        if listeners is None:
            if len(self._by_kind) > _MOST_KINDS:
                self._by_kind.clear()  # somebody makes names up
            listeners = self._by_kind[kind_of_step] = self._listeners(*topics(facts))
        found = self._ask(listeners, step)
        return self._explained(found, step) if found or self._causes.held else found

    def _explained(self, findings: list[Finding], moment: Moment | Ending) -> list[Finding]:
        """Return the findings to report, each with its cause."""
        if not findings and not self._causes.held:
            return findings
        if len(findings) > 1:
            findings.sort(key=lambda finding: self._places[finding.code])
        return self._causes.fold(findings, moment, self._state, self._facts)

    def _listeners(self, *about: str) -> Listeners:
        other_version = 1 if self._state.is_draft else 2
        places = sorted({place for topic in about for place in self._by_topic.get(topic, ())})
        groups: tuple[list[Any], list[Any], list[Any]] = [], [], []
        for rule in (self._rules[place] for place in places):
            if rule.version != other_version:
                offered = {"facts": self._facts, "memory": self._memory[rule.code]}
                given = [offered[name] for name in rule.takes]
                groups[len(given)].append((rule, rule.check, *given))
        nothing, one, two = map(tuple, groups)
        return nothing, one, two

    def _ask(self, listeners: Listeners, moment: Any) -> list[Finding]:
        """Return what the rules find: rule by rule, but not in their order."""
        findings: list[Finding] = []
        given_nothing, given_one, given_two = listeners
        try:
            for rule, check in given_nothing:
                for remark in check(moment):
                    findings.append(self._sign(rule, remark, moment))  # noqa: PERF401
            for rule, check, given in given_one:
                for remark in check(moment, given):
                    findings.append(self._sign(rule, remark, moment))  # noqa: PERF401
            for rule, check, first, second in given_two:
                for remark in check(moment, first, second):
                    findings.append(self._sign(rule, remark, moment))  # noqa: PERF401
        except MemoryError:  # not the rule's fault
            raise
        except Exception as error:  # noqa: BLE001 - a bug of ours must stop nothing, nor be hidden
            crash = self._crashes.get(rule.code, Crash(rule.code, self._seq, repr(error), 0))
            self._crashes[rule.code] = msgspec.structs.replace(crash, count=crash.count + 1)
            findings += self._ask(_after(rule, listeners), moment)
        return findings

    def _sign(self, rule: Rule, remark: Remark, moment: Any) -> Finding:
        frame = moment.frame if isinstance(moment, Step) else None
        sender = frame.sender if frame else getattr(moment, "sender", Peer.AGENT)
        return Finding(
            seq=remark.on if remark.on is not None else self._seq,
            code=rule.code,
            name=rule.name,
            severity=rule.severity_of(remark),
            blame=remark.blame or sender,
            text=shortened(remark.text),
            path=remark.at,
            see=remark.see,
            hint=shortened(remark.hint),
            t=self._t,
        )


def _after(rule: Rule, listeners: Listeners) -> Listeners:
    """Return those that are asked after `rule`."""
    groups: list[tuple[Any, ...]] = []
    for group in listeners:
        places = [place for place, listener in enumerate(group, 1) if listener[0] is rule]
        if places:
            groups = [() for _ in groups]
        groups.append(group[places[0] :] if places else group)
    nothing, one, two = groups
    return nothing, one, two


# Rules of JSON-RPC that are about a message's meaning. All others are about ids and lines: those
# are the wrapper's, and a project's budgets count it, too.
_ABOUT_CONTENT = frozenset(
    ("unknown-method", "wrong-direction", "wrong-message-kind", "wrong-code-for-unknown-method")
)


def judges_content(rule: Rule) -> bool:
    """Whether a rule is about what a message means, and so about a wrapped one as well."""
    return rule.family not in ("FRM", "RPC", "NET", "BUD") or rule.name in _ABOUT_CONTENT


class Checker:
    """A tracker and a linter: feed it the records of one capture in their order, then close it."""

    def __init__(self, linter: Linter, tracker: Tracker) -> None:
        self.linter = linter
        self.tracker = tracker

    @property
    def crashes(self) -> list[Crash]:
        """The rules that have raised."""
        return self.linter.crashes

    def feed(self, record: Record) -> list[Finding]:
        """Return what is wrong with `record`."""
        tracker = self.tracker
        if tracker.pass_text(record):
            return []
        moment = tracker.look(record)
        findings = [] if type(moment) is Chunk else self.judge(moment)
        tracker.advance(moment)
        return findings

    def judge(self, moment: Moment) -> list[Finding]:
        """Return what is wrong with anything but a plain chunk of text, in which nothing can be."""
        return self.linter.judge(moment)

    def close(self) -> list[Finding]:
        """Return what is wrong with the end."""
        return self.linter.judge(self.tracker.end())
