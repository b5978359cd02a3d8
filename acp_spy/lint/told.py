"""
What of a frame is told by naming its sender's dialect, so that no other rule tells it again.

Who hears that the agent speaks crow, told by `@type` in its updates, need not hear a second time
that `@type` is wrong. What is not among the evidence is a finding of its own.
"""

import json

from acp_spy.conversation.state import Step
from acp_spy.dialect.detect import Tongue
from acp_spy.protocol.breach import Breach, BreachKind

NAMES_DIALECTS = "DIA001"  # the rule that tells; without it nothing is told
JSONRPC = "jsonrpc"  # the word for a dialect whose messages are without it

_NOTHING: frozenset[str] = frozenset()


def tongue_told(step: Step) -> Tongue | None:
    """Return the dialect that the frame gives away, if there has been enough to say so."""
    told = step.state.tongues.told(step.frame.sender, step.clues)
    if told.dialect and any(clue.evidence in _evidence(told) for clue in step.clues):
        return told
    return None


def told_words(step: Step) -> frozenset[str]:
    """Return the methods, keys and values in a frame that are told as its sender's dialect."""
    told = step.state.tongues.told(step.frame.sender, step.clues)
    if told.dialect is None:
        return _NOTHING
    evidence = _evidence(told)
    words = {
        word for clue in step.clues if clue.evidence in evidence for word in clue.evidence.betrays
    }
    return frozenset(words if told.dialect.has_jsonrpc else {*words, JSONRPC})


def is_told(step: Step, breach: Breach) -> bool:
    """Tell whether a breach is about nothing but such a word."""
    words = step.told
    if not words:
        return False
    if breach.key in words or any(breach.got.endswith(json.dumps(word)) for word in words):
        return True
    dialect = step.state.tongues.told(step.frame.sender, step.clues).dialect
    if breach.kind is not BreachKind.MISSING_TAG or dialect is None:
        return False
    return any(dialect.words.get(word) == breach.key for word in words)


def _evidence(told: Tongue) -> list[object]:
    return [clue.evidence for clue in told.clues]
