"""
Why an answer matches no request: one reason for each, so that one rule speaks of it.

Each rule has a `Pairing` of its own in its memory. Lines that nobody could read are remembered by
the ids in them: the answer to a request that was lost is no mistake of the one who answers.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Exchange, Step
from acp_spy.lint.envelope import error_code, odd_members
from acp_spy.lint.oddity import is_odd
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request, Response, read_message

Reason = Literal["no id", "refusal", "changed", "invented", "own", "again", "lost", "unknown"]

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
MOST_IDS = 256
_ID = re.compile(rb"""["']id["']\s*:\s*("[^"\\]{0,80}"|'[^'\\]{0,80}'|-?[0-9.]{1,40})""")


class Pairing:
    """Show it what could not be read, and every request; ask it about what is unmatched."""

    def __init__(self) -> None:
        self._lost: dict[tuple[Peer, bytes], bool] = {}
        self._reused: dict[tuple[Peer, bytes], bool] = {}

    def note(self, step: Step) -> None:
        """Take in a step that explains answers that come later."""
        sender, message = step.frame.sender, step.message
        if isinstance(message, Request):
            if (sender, message.id) in step.state.pending:
                remember(self._reused, (sender, message.id), most=MOST_IDS)
        elif not isinstance(message, Response) or step.glued_at:
            for found in _ID.finditer(step.frame.raw[:4096]):
                remember(self._lost, (sender, plain(found[1])), most=MOST_IDS)

    def lost(self, sender: Peer, ident: bytes) -> bool:
        """Tell whether a line of `sender` with that id could not be read."""
        return (sender, plain(ident)) in self._lost

    def reason(self, step: Step, message: Response) -> tuple[Reason, Exchange | None]:
        """Say why this answer matches no request, and which it may have meant."""
        sender, state, ident = step.frame.sender, step.state, message.id
        refusal = error_code(step) in (PARSE_ERROR, INVALID_REQUEST)
        if ident in (b"", b"null"):
            return ("refusal" if refusal and ident else "no id"), None
        for exchange in meant_by(state, sender.other, ident):
            return "changed", exchange
        if refusal:
            return "invented", None
        if own := state.pending.get((sender, ident)):
            return "own", own
        if self.lost(sender.other, ident) or (sender.other, ident) in self._reused:
            return "lost", None
        for exchange in reversed(state.answered):
            if exchange.sender is sender.other and exchange.id == ident:
                return "again", exchange
        return "unknown", None


def only_open(step: Step) -> Exchange | None:
    """Return the one request that the sender of a step owes an answer to, if it is one."""
    asker = step.frame.sender.other
    owed = (exchange for key, exchange in step.state.pending.items() if key[0] is asker)
    first_two = list(islice(owed, 2))
    return first_two[0] if len(first_two) == 1 else None


def answers_on_stderr(raw: bytes) -> Iterator[bytes]:
    """Give the ids of the answers that were written to stderr, each on a line of its own."""
    for line in raw.splitlines() if b'{"' in raw else ():
        message = read_message(line) if line.startswith(b'{"') else None
        if isinstance(message, Response):
            yield message.id


def pairing(memory: dict[Any, Any]) -> Pairing:
    """Return the one that lives in a rule's memory."""
    kept: Pairing | None = memory.get("pairing")
    if kept is None:
        kept = memory["pairing"] = Pairing()
    return kept


def unmatched(step: Step, memory: dict[Any, Any], *wanted: Reason) -> Exchange | bool | None:
    """
    Return the exchange that an unmatched answer may have meant, or `True`, if its reason is one of
    `wanted`; else nothing.
    """
    kept = pairing(memory)
    message = step.message
    if not isinstance(message, Response) or step.exchange is not None:
        kept.note(step)
        return None
    if is_odd(step) and not odd_members(step):
        return None  # a log record, or another protocol
    reason, exchange = kept.reason(step, message)
    return (exchange or True) if reason in wanted else None


def plain(ident: bytes) -> bytes:
    """Return an id without what changes when its type does: `"1"`, `1.0` and `1` are one."""
    bare = ident.strip(b"\"'")
    return bare.removesuffix(b".0") if bare[:1].isdigit() or bare[:1] == b"-" else bare


def meant_by(state: Conversation, asker: Peer, ident: bytes) -> Iterator[Exchange]:
    """Give the open requests of `asker` with this id, whatever has become of its type."""
    bare = plain(ident)
    for spelled in (bare, b'"%b"' % bare, b"%b.0" % bare, b'"%b.0"' % bare):
        if exchange := state.pending.get((asker, spelled)):
            yield exchange
