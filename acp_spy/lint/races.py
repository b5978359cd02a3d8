"""Two frames of different peers may have crossed on their way: neither peer is wrong."""

from acp_spy.conversation.state import Step

GRACE = 0.25  # seconds
_GRACE_WITHOUT_A_WORD = 1.0  # when not a frame came between the two


def may_have_crossed(step: Step, t: float | None, seq: int | None) -> bool:
    """Tell whether `step` may have been sent before its sender had read frame `seq` of time `t`."""
    if t is None:
        return False
    passed = step.frame.t - t
    return passed <= GRACE or (
        seq is not None and step.frame.seq == seq + 1 and passed <= _GRACE_WITHOUT_A_WORD
    )
