"""
Finds the cause of a finding, by the table in `causes.py`.

A cause is known before what follows from it, or at the same moment; or what follows waits until it
is. So findings are the same live and offline, and none that was reported changes afterwards.

A finding is never folded into a milder one: whether a check fails does not depend on the table.
"""

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any

import msgspec

from acp_spy.capture.records import HttpExchange
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Ending, Exchange, Step
from acp_spy.conversation.tracker import Moment
from acp_spy.lint.causes import NOT_UNDERSTOOD, Row, Scope, causes_of, consequences_of
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Because, Finding, Severity
from acp_spy.lint.unusual import KNOWN
from acp_spy.protocol import events as ev
from acp_spy.protocol.foreign_methods import foreign
from acp_spy.protocol.spelling import nearest
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, text

_METHODS = tuple(sorted(KNOWN))
_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_MOST_CAUSES, _MOST_WAITING = 4096, 256  # somebody may make mistakes without end
_MOST_ASKED = 32  # the oldest requests of a kind; a cancel is for all prompts of a session
_ANY = "any"  # session, tool call


class _Cause(msgspec.Struct):
    """A finding that others may follow from, and the one that it follows from itself."""

    seq: int
    code: str
    rank: int
    parent: "_Cause | None" = None

    @property
    def root(self) -> "_Cause":
        cause = self
        while cause.parent is not None:
            cause = cause.parent
        return cause


class _Place(msgspec.Struct, frozen=True):
    """What a finding is about, as far as the table needs it."""

    seq: int
    blame: Peer
    turn: int  # how many prompts there were before
    opened: int  # how many sessions were opened before
    method: str = NOT_UNDERSTOOD
    request: int | None = None
    see: int | None = None
    session: str | None = None
    is_open: bool = False  # the session
    tool_call: str | None = None
    terminal: str | None = None  # whose id is wrong
    starts_turn: bool = False
    awaited: int | None = None  # the request that the finding has waited for
    silent: Peer | None = None  # it has answered neither this request nor a later one
    in_handshake: bool = False
    at_end: bool = False


class CauseFinder:
    """Show it the findings of each moment in their order; it returns them with their causes."""

    def __init__(self) -> None:
        self._known: dict[Hashable, _Cause] = {}
        self._waiting: dict[int, list[tuple[Finding, _Place]]] = {}  # by the frame of a request
        self._repaired: dict[int, bool] = {}  # frames: nothing follows from their mistakes
        self.held = 0  # how many findings wait until more is known

    def fold(
        self, findings: list[Finding], moment: Moment | Ending, state: Conversation, facts: Facts
    ) -> list[Finding]:
        """Return the findings to report now; some may have waited, others may have to."""
        self._repaired = state.repaired
        ready = self._released(moment)
        # Looked for once, not for each finding: somebody who means harm has a million of each.
        opened = _opened(state) if findings else 0
        pending = _by_frame(state) if findings and isinstance(moment, Ending) else {}
        for finding in findings:
            place = _place(finding, moment, state, facts, opened, pending)
            awaited = self._awaited(finding, place, state)
            if awaited is None or self.held >= _MOST_WAITING:
                ready.append((finding, place))
            else:
                place = msgspec.structs.replace(place, awaited=awaited)
                self._waiting.setdefault(awaited, []).append((finding, place))
                self.held += 1
        noted = [(finding, place, self._note(finding, place)) for finding, place in ready]
        # What follows comes after its cause, also if both are found at once.
        return sorted((self._folded(*each) for each in noted), key=_is_folded)

    def _released(self, moment: Moment | Ending) -> list[tuple[Finding, _Place]]:
        """Return the findings that have waited for this moment."""
        released: list[tuple[Finding, _Place]] = []
        if isinstance(moment, Ending):
            released = [each for held in self._waiting.values() for each in held]
            self._waiting.clear()
        elif isinstance(moment, Step) and moment.exchange is not None:
            released = self._waiting.pop(moment.exchange.seq, [])
        self.held -= len(released)
        return released

    def _awaited(self, finding: Finding, place: _Place, state: Conversation) -> int | None:
        """Return the pending request whose response may show the cause of `finding`."""
        if place.at_end:
            return None
        for _, row in causes_of(finding.code):
            for method in row.about if row.waits else ():
                for session in (place.session, None):
                    for exchange in islice(state.pending.about(method, session), _MOST_ASKED):
                        if exchange.seq != place.request and _is_worth_waiting(exchange, state):
                            return exchange.seq
        return None

    def _note(self, finding: Finding, place: _Place) -> _Cause:
        """Remember a finding that others may follow from."""
        cause = _Cause(finding.seq, finding.code, _RANK[finding.severity])
        for number, row in consequences_of(finding.code):
            if _can_be_cause(finding, place, row):
                for key in _keys_of_cause(row.scope, place):
                    known = self._known.get((number, key))
                    if known is None or row.since_seen or known.root.rank > cause.rank:
                        remember(self._known, (number, key), cause, most=_MOST_CAUSES)
        return cause

    def _folded(self, finding: Finding, place: _Place, cause: _Cause) -> Finding:
        """Return `finding` with its cause, if it has one."""
        for number, row in causes_of(finding.code):
            for key in _keys_of_consequence(row.scope, place):
                known = self._known.get((number, key))
                if known is None or not _can_follow(finding, known, row):
                    continue
                root = known.root
                if root is cause or root.rank > cause.rank or root.seq in self._repaired:
                    continue
                if root.code == cause.code and row.scope is not Scope.SILENCE:
                    continue  # it is the same mistake again
                cause.parent = root
                return msgspec.structs.replace(finding, because=Because(root.seq, root.code))
        return finding


def _is_folded(finding: Finding) -> bool:
    return finding.because is not None


def _is_worth_waiting(exchange: Exchange, state: Conversation) -> bool:
    """Whether to wait for a response: not for the end of a turn that just goes on."""
    if exchange.method != "session/prompt":
        return True
    session = state.sessions.get(exchange.session or "")
    turn = session.turns.of(exchange) if session else None
    return turn is not None and turn.cancelled_at is not None


def _can_be_cause(finding: Finding, place: _Place, row: Row) -> bool:
    if row.about and place.method not in row.about:
        return False
    return not row.at or row.at in finding.path or finding.path.count("/") <= 1


def _can_follow(finding: Finding, cause: _Cause, row: Row) -> bool:
    if row.since_seen and finding.see is not None and cause.seq < finding.see:
        return False
    if not finding.path.startswith(row.within):
        return False
    return cause.seq <= finding.seq or row.in_any_order


def _keys_of_cause(scope: Scope, place: _Place) -> Iterator[Hashable]:
    """Give what a consequence is looked for by."""
    if scope is Scope.TURN:
        session = place.session if place.is_open else None
        for turn in (place.turn, place.turn + 1) if place.starts_turn else (place.turn,):
            yield turn, session
            yield turn, _ANY
    elif scope is Scope.SESSION:
        yield place.session if place.is_open else None
        yield (_ANY,)
    elif scope is Scope.TOOL_CALL:
        yield (place.tool_call,) if place.tool_call else (place.turn, _ANY)
    elif scope in (Scope.REQUEST, Scope.RESPONSE):
        if place.request is not None:
            yield place.request
    elif (key := _simple_key(scope, place)) is not None:
        yield key


def _keys_of_consequence(scope: Scope, place: _Place) -> Iterator[Hashable]:
    """Give what its cause may have been noted under."""
    if scope is Scope.TURN:
        yield place.turn, place.session
        yield place.turn, None if place.session else _ANY
    elif scope is Scope.SESSION:
        yield place.session
        yield None if place.session else (_ANY,)
    elif scope is Scope.TOOL_CALL:
        if place.tool_call:
            yield (place.tool_call,)
        yield place.turn, _ANY
    elif scope is Scope.REQUEST:
        yield from filter(None, (place.request, place.see, place.awaited))
    elif scope is Scope.RESPONSE:
        if place.request is not None and place.request != place.seq:
            yield place.request
    elif scope is Scope.HANDSHAKE and place.method == "initialize":
        return
    elif (key := _simple_key(scope, place)) is not None:
        yield key


def _simple_key(scope: Scope, place: _Place) -> Hashable | None:
    """Return the key that cause and consequence have in common, if there is one."""
    if scope is Scope.CONVERSATION:
        return True
    if scope is Scope.HANDSHAKE:
        return place.in_handshake or None
    if scope is Scope.OPENING:
        return place.opened
    if scope is Scope.FRAME:
        return place.seq
    if scope is Scope.UNOPENED:
        return None if place.is_open else place.session
    if scope is Scope.TERMINAL:
        return (place.turn, place.terminal) if place.terminal else None
    return place.blame if scope is Scope.PEER else place.silent


def _opened(state: Conversation) -> int:
    return sum(session.how != "used" for session in state.sessions.values())


def _by_frame(state: Conversation) -> dict[int, Exchange]:
    return {exchange.seq: exchange for exchange in reversed(state.pending.values())}


def _place(
    finding: Finding,
    moment: Moment | Ending,
    state: Conversation,
    facts: Facts,
    opened: int,
    pending: dict[int, Exchange],
) -> _Place:
    if isinstance(moment, Step):
        return _place_in_step(finding, moment, opened, facts)
    if isinstance(moment, HttpExchange) and facts.posted is not None:
        place = _place_in_step(finding, facts.posted, opened, facts)
        return msgspec.structs.replace(place, starts_turn=False)  # it is counted already
    if not isinstance(moment, Ending):
        return _Place(finding.seq, finding.blame, state.turn_count, opened)
    exchange = pending.get(finding.seq)
    return _Place(
        finding.seq,
        finding.blame,
        state.turn_count,
        opened,
        exchange.method if exchange else NOT_UNDERSTOOD,
        exchange.seq if exchange else None,
        finding.see,
        exchange.session if exchange else None,
        is_open=_is_open(state, exchange.session) if exchange else False,
        silent=_silent_since(state, exchange) if exchange else None,
        in_handshake=type(state.version) is not int,
        at_end=True,
    )


def _place_in_step(finding: Finding, step: Step, opened: int, facts: Facts) -> _Place:
    state, exchange = step.state, step.exchange
    session = exchange.session if exchange else text(fields(step.body).get("sessionId"))
    call = facts.tool_call[1] or _asked_about(exchange)
    if not call and finding.see is not None:
        call = _asked_about(next(iter(state.pending.asked_in(finding.see)), None))
    return _Place(
        finding.seq,
        finding.blame,
        state.turn_count,
        opened,
        _meant_method(step.method, facts),
        exchange.seq if exchange else None,
        finding.see,
        session,
        is_open=_is_open(state, session),
        tool_call=text(call.get("toolCallId")),
        terminal=_terminal_at(finding.path, step),
        starts_turn=isinstance(step.event, ev.TurnStarted),
        in_handshake=type(state.version) is not int,
    )


def _asked_about(exchange: Exchange | None) -> dict[str, Any]:
    """Return the tool call that a permission request is about."""
    return fields(fields(exchange.params if exchange else None).get("toolCall"))


def _terminal_at(path: str, step: Step) -> str | None:
    """Return the id of a terminal that a finding points to."""
    if not path.endswith("/terminalId"):
        return None
    value = step.body
    for key in path.split("/")[2:]:  # without `params`
        value = value[int(key)] if isinstance(value, list) else fields(value).get(key)
    return text(value)


def _meant_method(method: str, facts: Facts) -> str:
    """Return the method of a message: that of ACP, if another name was probably meant as it."""
    if not method or facts.spec.find(method):
        return method or NOT_UNDERSTOOD
    known = foreign(method)
    return (known.instead if known else "") or nearest(method, _METHODS) or method


def _is_open(state: Conversation, session: str | None) -> bool:
    known = state.sessions.get(session) if session else None
    return known is not None and known.how != "used"


def _silent_since(state: Conversation, exchange: Exchange) -> Peer | None:
    """Return the peer that should have answered, if it has answered no later request either."""
    asker = exchange.sender
    answered = any(each.sender is asker and each.seq > exchange.seq for each in state.answered)
    return None if answered else asker.other
