"""Each text is sent once."""

from collections.abc import Iterator

from acp_spy.conversation.state import Repetition, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)

_TEXT = "The test failed because of a wrong path. It is fixed now."
_PIECES = transcript(
    CHUNK.replace("Done.", "The test failed because of a wrong path. "),
    CHUNK.replace("Done.", "It is fixed now."),
)

_NOT_BOTH = "send the chunks of a stream, or the whole text, but not both"
_HOW = {
    Repetition.CHUNK: ("the same text again, as", _NOT_BOTH),
    Repetition.WHOLE: ("all of the text again, since", _NOT_BOTH),
    Repetition.PAIRS: ("each chunk twice, such as", "send each chunk once; look for two listeners"),
    Repetition.GROWING: (
        "in each chunk all of the text, since",
        "send only what is new since the last chunk",
    ),
}


@rule(
    code="LIF058",
    name="repeated-text",
    severity=Severity.WARNING,
    summary="The agent sent the same text twice",
    on=("result:session/prompt", "error:session/prompt"),
    version=1,
    covers=("X-03", "X-04"),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#3-agent-reports-output",
    since="0.2",
    bad=transcript(
        HANDSHAKE, NEW_SESSION, PROMPT, _PIECES, CHUNK.replace("Done.", _TEXT), END_TURN
    ),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, _PIECES, END_TURN),
)
def repeated_text(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports a text that repeats what the agent said just before it: the last chunk again, if it has
    40 characters or more; all chunks again as one, if they have 16; four chunks in a row that come
    twice each, not counting those of one or two characters; or chunks that each contain all of the
    text so far. Each turn is reported once.

    ## Why it matters
    Chunks are appended to each other. The user reads the same text twice.

    ## Use instead
    Send each text once. If the model returns the whole text at the end of a stream, do not send it.
    """
    turn = None
    if step.session is not None:
        turn = step.session.turns.of(step.exchange)
    if turn is None or turn.repeat is None:
        return
    repeat = turn.repeat
    what, hint = _HOW[repeat.how]
    more = f" (and {repeat.count - 1} more like it)" if repeat.count > 1 else ""
    yield Remark(
        f"the agent sent {what} frame {repeat.first_seq}{more}: {quoted(repeat.text)};"
        " expected each text once",
        at="/params/update/content/text",
        on=repeat.seq,
        see=repeat.first_seq,
        hint=hint,
    )
