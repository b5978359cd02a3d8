"""
Which words of a frame are explained by its sender's dialect, so that no other rule reports them.

If the agent is reported to use crow because of `@type` in its updates, the wrong `@type` is not
reported a second time. What is not part of the evidence is a finding of its own.
"""

import json

from acp_spy.conversation.state import Step
from acp_spy.dialect.detect import PeerDialect
from acp_spy.protocol.mismatch import Mismatch, MismatchKind

NAMES_DIALECTS = "DIA001"  # the rule that reports a dialect; without it nothing is explained
JSONRPC = "jsonrpc"  # the word for a dialect whose messages are without it

_NOTHING: frozenset[str] = frozenset()


def revealed_dialect(step: Step) -> PeerDialect | None:
    """Return the dialect that the frame is evidence of, if there has been enough to report it."""
    reported = step.state.dialects.reported(step.frame.sender, step.clues)
    if reported.dialect and any(clue.evidence in _evidence(reported) for clue in step.clues):
        return reported
    return None


def dialect_words(step: Step) -> frozenset[str]:
    """Return the methods, keys and values in a frame that its sender's dialect explains."""
    reported = step.state.dialects.reported(step.frame.sender, step.clues)
    if reported.dialect is None:
        return _NOTHING
    evidence = _evidence(reported)
    words = {
        word for clue in step.clues if clue.evidence in evidence for word in clue.evidence.betrays
    }
    return frozenset(words if reported.dialect.has_jsonrpc else {*words, JSONRPC})


def is_dialect_word(step: Step, words: frozenset[str], mismatch: Mismatch) -> bool:
    """Tell whether a mismatch is about nothing but one of these words."""
    if not words:
        return False
    if mismatch.key in words or any(mismatch.got.endswith(json.dumps(word)) for word in words):
        return True
    dialect = step.state.dialects.reported(step.frame.sender, step.clues).dialect
    if mismatch.kind is not MismatchKind.MISSING_TAG or dialect is None:
        return False
    return any(dialect.words.get(word) == mismatch.key for word in words)


def _evidence(reported: PeerDialect) -> list[object]:
    return [clue.evidence for clue in reported.clues]
