"""
Why a response matches no request: one reason for each, so that one rule reports it.

Lines that nobody could read are remembered by the ids in them: the response to a request that was
lost is not a mistake of the peer that responds.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Exchange, Step
from acp_spy.lint.envelope import error_code
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request, Response, Unreadable, read_message

Reason = Literal["no id", "refusal", "changed", "invented", "own", "again", "lost", "unknown"]

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
MOST_IDS = 256
_ID = re.compile(rb"""["']id["']\s*:\s*("[^"\\]{0,80}"|'[^'\\]{0,80}'|-?[0-9.]{1,40})""")


class Pairing:
    """Feed it what could not be read, and every request; ask it about what is unmatched."""

    def __init__(self) -> None:
        self._lost: dict[tuple[Peer, bytes], bool] = {}
        self._reused: dict[tuple[Peer, bytes], bool] = {}

    def note(self, step: Step) -> None:
        """Take in a step that explains responses that come later."""
        sender, message = step.frame.sender, step.message
        if type(message) is Request:
            if (sender, message.id) in step.state.pending:
                remember(self._reused, (sender, message.id), most=MOST_IDS)
        elif isinstance(message, Unreadable) or step.glued_at:
            for ident in ids_in(step.frame.raw):
                remember(self._lost, (sender, ident), most=MOST_IDS)

    def lost(self, sender: Peer, ident: bytes) -> bool:
        """Tell whether a line of `sender` with that id could not be read."""
        return (sender, plain(ident)) in self._lost

    def reason(self, step: Step, message: Response) -> tuple[Reason, Exchange | None]:
        """Return why this response matches no request, and which one it may belong to."""
        sender, state, ident = step.frame.sender, step.state, message.id
        refusal = error_code(step) in (PARSE_ERROR, INVALID_REQUEST)
        if ident in (b"", b"null"):
            return ("refusal" if refusal and ident else "no id"), None
        for exchange in meant_by(state, sender.other, ident):
            return "changed", exchange
        if refusal:
            return "invented", None
        own = state.pending.get((sender, ident))
        if self.lost(sender.other, ident) or (sender.other, ident) in self._reused:
            return ("own", own) if own else ("lost", None)
        for exchange in reversed(state.answered):
            if exchange.sender is sender.other and exchange.id == ident:
                return "again", exchange
        if (sender.other, b"null") in state.pending:
            return "lost", None  # a response to it cannot have its id
        return ("own", own) if own else ("unknown", None)


def ids_in(raw: bytes) -> Iterator[bytes]:
    """Give what look like ids at the beginning of a line that could not be read, as `plain`."""
    for found in _ID.finditer(raw[:4096]):
        yield plain(found[1])


def only_open(step: Step, ident: bytes) -> Exchange | None:
    """
    Return the request that a response with the id `ident`, which no open request has, is meant for.

    That is the only one that its sender has to answer, unless another was answered with that id. An
    error without an id may be about any line: it is about the last one that is no response.
    """
    asker = step.frame.sender.other
    if any(each.sender is asker and each.id == ident for each in step.state.answered):
        return None  # a second answer
    first_two = list(islice(step.state.pending.asked_by(asker), 2))
    if len(first_two) != 1:
        return None
    [only] = first_two
    is_about_another = ident in (b"", b"null") and step.state.last_said.get(asker) != only.seq
    return None if is_about_another and error_code(step) is not None else only


def answers_on_stderr(raw: bytes) -> Iterator[bytes]:
    """Give the ids of the responses that were written to stderr, each on its own line."""
    for line in raw.splitlines() if b'{"' in raw else ():
        message = read_message(line) if line.startswith(b'{"') else None
        if isinstance(message, Response):
            yield message.id


def plain(ident: bytes) -> bytes:
    """Return an id without what changes when its type does: `"1"`, `1.0` and `1` are one."""
    bare = ident.strip(b"\"'")
    return bare.removesuffix(b".0") if bare[:1].isdigit() or bare[:1] == b"-" else bare


def meant_by(state: Conversation, asker: Peer, ident: bytes) -> Iterator[Exchange]:
    """Give the pending requests of `asker` with this id, whatever its type."""
    bare = plain(ident)
    for spelled in (bare, b'"%b"' % bare, b"%b.0" % bare, b'"%b.0"' % bare):
        if exchange := state.pending.get((asker, spelled)):
            yield exchange
