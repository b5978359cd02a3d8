"""
The rules of docs/replay.md once more, in the plainest way: what each live line must lead to.

Written without a line of `acp_spy.replay`, and without its cleverness: no clock, no order between
sessions, no bytes kept. So that what a player does can be compared with what it should have done.
"""

import json
import re
from dataclasses import dataclass

from support.replay_frames import (
    ANSWER,
    END,
    NOISE,
    REQUEST,
    Recorded,
    body,
    is_for_leave,
    kind_of,
    leave,
    made_up,
    most_alike,
    read,
    same_id,
    session_of,
    shape,
)
from support.replays import decoded

from acp_spy import Peer

TAKEN, UNCOUNTED = "taken", "not counted"
LATER, USED, NEVER = "recorded, but later", "recorded, but already used", "never recorded"
DIFFERS, UNANSWERABLE = "differs from the recording", "cannot be answered"


@dataclass(eq=False)
class Fate:
    """What must become of one live line; `told` if a person must hear of a difference."""

    what: str
    recorded: Recorded | None = None
    told: bool = False


class Rules:
    """What the live side has sent so far, and what follows. `role` is played, the other is live."""

    def __init__(self, capture, role):
        self.role = role
        frames = [each for each in read(capture) if each.kind != END or role is Peer.AGENT]
        self.played = [each for each in frames if each.sender is role]
        self.live = [each for each in frames if each.sender is not role]
        self.needs = {each: self._needs(each, frames[:at]) for at, each in enumerate(frames)}
        self.happened = {}  # what was recorded of the live side: the line that came for it, or None
        self.refused = []  # live requests that get an error
        self.given_back = set()  # recorded requests that came, and get an error instead
        self.missed = []

    def _needs(self, told, before):
        """Return what must have happened before a frame may go out, or may come."""
        before = [each for each in before if each.concerns(told)]
        mine = told.sender is self.role
        if told.kind == ANSWER and (self.role is Peer.CLIENT or not mine):
            return {told.question}
        if not mine:  # side by side with the other live ones: any order
            calls = [each for each in before if each.sender is self.role]
            return {each for each in calls if self.role is Peer.AGENT or each.kind != ANSWER}
        return {each for each in before if self._is_awaited(each)}

    def _is_awaited(self, told):
        """Whether the played side cannot go on without it. How much an agent tells is its own."""
        return self.role is Peer.AGENT or told.kind in (REQUEST, ANSWER)

    @property
    def out(self):
        """What of the played side can have gone out by now."""
        happened = set(self.happened)
        for told in self.played:
            if self.needs[told] <= happened:
                happened.add(told)
        return happened - set(self.live)

    # ------------------------------------------------------------------------- hearing

    def hear(self, raw):
        message = decoded(raw)
        kind = kind_of(message)
        fate = self._answer(message) if kind == ANSWER else self._call(kind, message)
        if fate.what == TAKEN or (fate.what == DIFFERS and self.role is Peer.CLIENT):
            self.happened[fate.recorded] = message
            if kind == ANSWER and self.role is Peer.CLIENT:
                self._end_turn(fate.recorded)
        elif fate.what == DIFFERS:
            concerned = [each for each in self._unanswered() if each.concerns(fate.recorded)]
            self.refused += [self.happened[each] for each in concerned]
            self.given_back |= set(concerned)
        elif kind == REQUEST and not any(same_id(each, message) for each in self._waiting()):
            self.refused.append(message)  # else the error would answer the first of the two
        if fate.what == UNANSWERABLE:
            self.happened[fate.recorded] = message
            self.given_back.add(fate.recorded)
        return fate

    def end(self):
        """Take the end of the live stream; return the numbers of what has not come."""
        for told in self.live:
            if told.kind == END:
                self.happened[told] = None
        missing = [each for each in self.live if each not in self.happened]
        return self.missed + [each.number for each in missing if self._is_awaited(each)]

    def _waiting(self):
        return [self.happened[each] for each in self._unanswered()]

    def _unanswered(self):
        answered = {each.question for each in self.out if each.kind == ANSWER} | self.given_back
        came = [each for each, line in self.happened.items() if line is not None]
        return [each for each in came if each.kind == REQUEST and each not in answered]

    def _end_turn(self, answer):
        """Nothing of a turn that is over is waited for any more; what was asked in it is missed."""
        since = answer.question.number
        for told in self.live:
            is_inside = since < told.number < answer.number and told.sessions == answer.sessions
            if is_inside and told.kind != ANSWER and told not in self.happened:
                self.happened[told] = None
                self.missed += [told.number] if self._is_awaited(told) else []

    # ------------------------------------------------------------------------- finding

    def _call(self, kind, message):
        if kind == NOISE:  # of an agent: a client makes none here
            return Fate(UNCOUNTED)
        alike = [
            each
            for each in self.live
            if each.kind == kind and each.message["method"] == message["method"]
        ]
        mine = [each for each in alike if self._session(each) == session_of(message)]
        left = [each for each in mine if each not in self.happened]
        possible = [each for each in left if self.needs[each] <= self.out | set(self.happened)]
        if possible:
            return self._compare(most_alike(possible, message), message)
        if self.role is Peer.CLIENT and kind != REQUEST:
            return Fate(UNCOUNTED)
        if left:
            return Fate(LATER, most_alike(left, message))
        return Fate(USED, mine[-1]) if mine else Fate(NEVER)

    def _session(self, told):
        """Return what the live side calls the session of a recorded call."""
        return self.names.get(session_of(told.message), session_of(told.message))

    def _answer(self, message):
        for told in self.live:
            if told.kind == ANSWER and same_id(told.question.message, message):
                if told in self.happened:
                    return Fate(USED, told)
                if told.question in self.out:
                    return self._compare(told, message)
        return Fate(NEVER)

    # ------------------------------------------------------------------------- comparing

    def _compare(self, told, message):
        is_alike = shape if self.role is Peer.CLIENT else leave
        if told.kind == ANSWER and not is_alike(told, message):
            return Fate(DIFFERS, told)
        may_choose = self.role is Peer.CLIENT and is_for_leave(told)
        if may_choose and self._choice(told, message) is None:
            return Fate(UNANSWERABLE, told, told=True)
        is_listened_to = self.role is Peer.AGENT or told.kind == REQUEST
        recorded = decoded(self._renamed(told, self.names).encode())
        return Fate(TAKEN, told, told=is_listened_to and body(recorded) != body(message))

    def _choice(self, told, message):
        """Return which of the live options is the recorded choice: the same id or, else, kind."""
        (answer,) = (each for each in self.played if each.question is told)
        chosen = answer.message["result"]["outcome"]["optionId"]
        kinds = {each["optionId"]: each["kind"] for each in told.message["params"]["options"]}
        offered = [each for each in message["params"]["options"] if each["kind"] == kinds[chosen]]
        offered.sort(key=lambda each: each["optionId"] != chosen)
        return offered[0]["optionId"] if offered else None

    # ------------------------------------------------------------------------- saying

    @property
    def names(self):
        """What the live side calls what was recorded: names that it has made up, and the folder."""
        pairs = {}
        for told, line in self.happened.items():
            if line is not None and told.kind != END:
                live = made_up(line)
                pairs |= {name: live[key] for key, name in made_up(told.message).items()}
        return pairs

    def wire(self):
        """Return what must have been said: the bytes of each played frame, in no order."""
        said, names = {}, self.names
        for told in self.out:
            if told.kind == END or self.given_back & {told.question}:
                continue
            if told.question and self.happened[told.question] is None:
                continue  # nobody has asked
            said[told.number] = self._spelled(told, names)
        return said

    def _renamed(self, told, names):
        text = told.raw.decode()
        for one, other in names.items():
            if one not in text:
                continue
            text = re.sub(rf'(?<=["\s]){re.escape(one)}(?=["/])', other, text)
        return text

    def _spelled(self, told, names):
        text = self._renamed(told, names)
        if told.question:
            asked = self.happened[told.question]
            text = re.sub(r'("id": ?)\d+', lambda found: found[1] + json.dumps(asked["id"]), text)
            if is_for_leave(told.question):
                chosen = json.dumps(self._choice(told.question, asked))
                text = re.sub(r'("optionId": ?)".*?"', lambda found: found[1] + chosen, text)
        return text.encode()
