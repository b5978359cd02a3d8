"""
Which dialect a peer speaks, judged by the evidence so far.

Each piece of evidence counts once, however often it is seen: a thousand updates prove no more than
one. So there is a bound to what is kept, too.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from acp_spy.dialect.declaration import Dialect, Evidence, Line
from acp_spy.dialect.known import AUTO, DIALECTS, OFFICIAL, documented
from acp_spy.dialect.reading import OFFICIAL_UPDATES, reach
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import CALL, Message, Request, Response

RECOGNIZED = 3  # from this score on a peer is said to speak a dialect
UNDERSTOOD = 2  # and from this one on its messages are read as if it did

_BARE = frozenset(("usage_update", "available_commands_update"))  # no dialect has words for them
_CHUNKS = frozenset(("agent_message_chunk", "agent_thought_chunk", "user_message_chunk"))


class Clue(msgspec.Struct, frozen=True):
    """A piece of evidence, and the frame where it was first seen."""

    dialect: Dialect
    evidence: Evidence
    seq: int


class PeerDialect(msgspec.Struct, frozen=True):
    """What a peer speaks, as far as is known: `dialect` is none for official ACP."""

    name: str = OFFICIAL
    score: int = 0
    dialect: Dialect | None = None
    clues: tuple[Clue, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The evidence in words, with frames."""
        return tuple(f"{clue.evidence.words} (frame {clue.seq})" for clue in self.clues)


Clues = tuple[Clue, ...]
_Listeners = dict[str, tuple[tuple[Dialect, Evidence], ...]]


def _by_method(kind: str) -> _Listeners:
    """Return the evidence to look for in messages of each method."""
    table: _Listeners = {}
    for dialect in DIALECTS:
        for evidence in dialect.evidence:
            for method in getattr(evidence, kind):
                table[method] = (*table.get(method, ()), (dialect, evidence))
    return table


_CALLS, _ANSWERS = _by_method("calls"), _by_method("answers")


class Detector:
    """
    Weighs what two peers say. `weigh` changes nothing; `take` keeps what it returned.

    `settled` is the dialect that both must speak, when the user named one.
    """

    settled: Dialect | None = None

    def __init__(self) -> None:
        self.is_suspicious = False
        self._clues: dict[Peer, Clues] = {Peer.CLIENT: (), Peer.AGENT: ()}
        self._spoken = {peer: PeerDialect() for peer in Peer}
        self._reported = {peer: PeerDialect() for peer in Peer}
        self._understood: dict[Peer, Dialect | None] = dict.fromkeys(Peer)

    def spoken_by(self, peer: Peer) -> PeerDialect:
        """Return what a peer speaks: official ACP, unless there is enough against it."""
        return self._spoken[peer]

    def weigh(
        self,
        message: Message,
        body: Any,
        method: str = "",
        seq: int = 0,
        raw: bytes = b'"jsonrpc"',
    ) -> Clues:
        """Return what in a message is evidence, new or seen before."""
        if type(message) is Response:
            listeners, is_plain = _ANSWERS.get(method), _PLAIN_ANSWERS.get(method)
            if not message.result:
                return ()
        elif isinstance(message, CALL):
            method = message.method
            listeners, is_plain = _CALLS.get(method), _PLAIN_CALLS.get(method)
        else:
            return ()
        if not listeners or (is_plain is not None and is_plain(body)):
            return ()
        line = Line(method, body, isinstance(message, Request), b'"jsonrpc"' in raw)
        return tuple(
            Clue(dialect, evidence, seq) for dialect, evidence in listeners if evidence.holds(line)
        )

    def take(self, sender: Peer, clues: Clues) -> None:
        """Take in evidence; what was seen before proves nothing more."""
        new = self._new(sender, clues)
        if new:
            self.is_suspicious = True
            self._reported[sender] = self.reported(sender, new)
            self._understood[sender] = self.understood(sender, new)
            self._spoken[sender] = self._best(sender, new, RECOGNIZED)
            self._clues[sender] += new

    def reported(self, peer: Peer, clues: Clues = ()) -> PeerDialect:
        """
        Return what a peer was found to speak, with the evidence that sufficed to report it.

        Nothing is added to it later, so that it can be said in the same words again.
        """
        reported, new = self._reported[peer], self._new(peer, clues)
        found = self._best(peer, new, RECOGNIZED) if new else self._spoken[peer]
        return reported if reported.dialect is found.dialect else found

    def understood(self, peer: Peer, clues: Clues = ()) -> Dialect | None:
        """Return the dialect that a peer's messages are best read in; none for official ACP."""
        if clues and (new := self._new(peer, clues)):
            return self._best(peer, new, UNDERSTOOD).dialect
        return self._understood[peer] if self.is_suspicious else None

    def _new(self, peer: Peer, clues: Clues) -> Clues:
        known = self._clues[peer]
        return tuple(
            clue for clue in clues if not any(old.evidence is clue.evidence for old in known)
        )

    def _best(self, peer: Peer, new: Clues, least: int) -> PeerDialect:
        best = PeerDialect()
        seen = self._clues[peer] + new
        for dialect in DIALECTS:
            against = tuple(clue for clue in seen if clue.dialect is dialect)
            score = sum(clue.evidence.weight for clue in against)
            if score >= least and score > best.score:
                best = PeerDialect(dialect.name, score, dialect, against)
        return best


class Settled(Detector):
    """Takes it as given that both peers speak this dialect; official ACP for none."""

    def __init__(self, dialect: Dialect | None) -> None:
        super().__init__()
        self.settled = dialect
        self.is_suspicious = dialect is not None
        spoken = PeerDialect(dialect.name, dialect=dialect) if dialect else PeerDialect()
        self._spoken = dict.fromkeys(Peer, spoken)

    def weigh(self, *_: Any, **__: Any) -> Clues:
        """Return nothing: whatever is said, it is known already."""
        return ()

    def understood(self, _peer: Peer, _clues: Clues = ()) -> Dialect | None:
        """Return the dialect that messages are to be read in."""
        return self.settled


def detector_for(name: str) -> Detector:
    """Return what finds out (`auto`) or knows (`acp`, or a dialect's name) what is spoken."""
    return Detector() if name == AUTO else Settled(documented().get(name))


def is_plain_update(update: Any) -> bool:
    """Tell whether an update is as official ACP spells it, and no evidence: nearly all are."""
    if type(update) is not dict:
        return False
    name, content = update.get("sessionUpdate"), update.get("content")
    if type(name) is not str or name not in OFFICIAL_UPDATES:
        return False
    if type(content) is dict:
        return name in _CHUNKS and content.get("type") == "text"
    if name in _BARE:
        return True
    return "toolCallId" in update and update.get("kind") not in ("file", "command")


def _is_plain_prompt(params: Any) -> bool:
    """Whether a prompt has nothing but text."""
    if type(params) is not dict or len(params) != 2 or "sessionId" not in params:
        return False
    prompt = params.get("prompt")
    if type(prompt) is not list:
        return False
    for block in prompt:
        if type(block) is not dict or len(block) != 2 or "text" not in block:
            return False
        if block.get("type") != "text":
            return False
    return True


def _is_plain_end(result: Any) -> bool:
    """Whether the response to a prompt has nothing but an official reason."""
    if type(result) is not dict or len(result) != 1 or "stopReason" not in result:
        return False
    return result["stopReason"] not in ("done", "canceled")


# What nearly all messages of a method are like, in which there is no evidence.
_PLAIN_CALLS: dict[str, Callable[[Any], bool]] = {
    "session/update": lambda params: is_plain_update(reach(params, "update")),
    "session/prompt": _is_plain_prompt,
}
_PLAIN_ANSWERS: dict[str, Callable[[Any], bool]] = {"session/prompt": _is_plain_end}
