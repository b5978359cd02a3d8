"""
The linter: records in, findings out, live and offline the same.

A rule is shown only what it asked for. With two hundred rules and a hundred frames a millisecond,
who listens to a frame is looked up, not asked.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from acp_spy.capture.records import Closed, Exit, Header, Record, Stderr
from acp_spy.conversation.state import Step
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.model import Check, Finding, Remark, Rule
from acp_spy.lint.oddity import is_odd
from acp_spy.lint.schema import find_breaches
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response


class Crash(msgspec.Struct, frozen=True):
    """A rule raised: a bug of ours, neither a finding nor a clean bill."""

    code: str
    seq: int
    error: str


_MOST_KINDS = 10_000
_MOST_CRASHES = 1_000
Listener = tuple[Rule, Check, dict[Any, Any]]


class Linter:
    """Feed it the records of one capture in their order, then close it."""

    def __init__(self, rules: Iterable[Rule], spec: str = "auto") -> None:
        self.tracker = Tracker()
        self.crashes: list[Crash] = []
        self.step: Step | None = None  # what the last frame meant, for whoever shows it
        self._rules = tuple(rules)
        self._spec = spec
        self._memory: dict[str, dict[Any, Any]] = {rule.code: {} for rule in self._rules}
        self._by_kind: dict[tuple[Any, ...], tuple[Listener, ...]] = {}
        self._seq = 0
        self._t = 0.0
        self._status: int | None = None
        self._ended = False

    def feed(self, record: Record) -> list[Finding]:
        """Return what is wrong with `record`, in the state that it meets."""
        match record:
            case Frame():
                return self._feed_frame(record)
            case Stderr(t=t):
                self._t = t
                return self._ask(self._who_listens(("stderr",)), record)
            case Closed(t=t, sender=sender):
                self._t = t
                self.tracker.close(sender)
                return self._ask(self._who_listens(("closed",)), record)
            case Exit(t=t, status=status):
                self._t, self._status, self._ended = t, status, True
                return []
            case Header():
                return []

    def close(self) -> list[Finding]:
        """Return what is wrong with the end."""
        ending = self.tracker.end(self._t, self._status, cut_off=not self._ended)
        return self._ask(self._who_listens(("end",)), ending)

    def _feed_frame(self, frame: Frame) -> list[Finding]:
        self._seq, self._t = frame.seq, frame.t
        step = self.step = self.tracker.look(frame)
        step.breaches = find_breaches(step, self._spec)
        # What a frame is about follows from these, and nearly all frames are of a few kinds.
        message = step.message
        kind = (
            type(message),
            step.method,
            type(step.event),
            _variant(step.body) if step.method == "session/update" else "",
            is_odd(step),
            bool(step.glued_at),
            bool(step.breaches),
            step.exchange is None,
            isinstance(message, Response) and bool(message.result),
        )
        listeners = self._by_kind.get(kind)
        if listeners is None:
            if len(self._by_kind) > _MOST_KINDS:
                self._by_kind.clear()  # somebody makes names up
            listeners = self._by_kind[kind] = self._who_listens(topics(step))
        findings = self._ask(listeners, step) if listeners else []
        self.tracker.advance(step)
        return findings

    def _who_listens(self, about: tuple[str, ...]) -> tuple[Listener, ...]:
        return tuple(
            (rule, rule.check, self._memory[rule.code])
            for rule in self._rules
            if not set(rule.on).isdisjoint(about)
        )

    def _ask(self, listeners: tuple[Listener, ...], moment: Any) -> list[Finding]:
        findings = []
        for rule, check, memory in listeners:
            try:
                for remark in check(moment, memory):
                    findings.append(self._sign(rule, remark, moment))  # noqa: PERF401
            except Exception as error:  # noqa: BLE001 - a bug of ours must stop nothing, nor be hidden
                if len(self.crashes) < _MOST_CRASHES:
                    self.crashes.append(Crash(rule.code, self._seq, repr(error)))
        return findings

    def _sign(self, rule: Rule, remark: Remark, moment: Any) -> Finding:
        frame = moment.frame if isinstance(moment, Step) else None
        sender = frame.sender if frame else getattr(moment, "sender", Peer.AGENT)
        return Finding(
            seq=remark.on if remark.on is not None else self._seq,
            code=rule.code,
            name=rule.name,
            severity=remark.severity or rule.severity,
            blame=remark.blame or sender,
            text=remark.text,
            path=remark.at,
            see=remark.see,
            hint=remark.hint,
            t=self._t,
        )


def topics(step: Step) -> tuple[str, ...]:
    """
    Return what a step is about, for rules to listen to.

    - `frame`: every frame; `unreadable`: no message; `glued`: something in front of a message
    - `request`, `notification`, `response`, and each with a method: `request:session/prompt`,
      `notification:session/cancel`; `result:session/prompt` and `error:session/prompt` for an
      answer to that method; `unmatched` for an answer to nothing
    - `update:tool_call`: a `session/update` of that variant
    - the name of its event: `TurnEnded`
    - `breach`: the schema is not kept; `odd`: not spelled as nearly all frames are
    - `clue`: something in it betrays a dialect

    Besides steps there are `stderr`, `closed` (records) and `end` (an `Ending`).
    """
    message = step.message
    found = ["frame"]
    if isinstance(message, Request):
        found += ("request", f"request:{step.method}")
    elif isinstance(message, Notification):
        found += ("notification", f"notification:{step.method}")
        if step.method == "session/update" and (variant := _variant(step.body)):
            found.append(f"update:{variant}")
    elif isinstance(message, Response):
        found.append("response")
        if step.exchange is None:
            found.append("unmatched")
        else:
            found.append(f"{'result' if message.result else 'error'}:{step.method}")
    else:
        found.append("unreadable")
    return (*found, *_marks(step))


def _marks(step: Step) -> Iterator[str]:
    """Give what is remarkable about a step, whatever its message."""
    if is_odd(step):
        yield "odd"
    if step.glued_at:
        yield "glued"
    if step.event is not None:
        yield type(step.event).__name__
    if step.breaches:
        yield "breach"
    if step.clues:
        yield "clue"


def _variant(params: Any) -> str:
    update = params.get("update") if isinstance(params, dict) else None
    variant = update.get("sessionUpdate") if isinstance(update, dict) else None
    return variant if isinstance(variant, str) else ""
