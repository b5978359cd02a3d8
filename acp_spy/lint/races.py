"""Frames of different peers may cross on their way, which is not a mistake of either."""

from acp_spy.conversation.state import Step

GRACE = 0.25  # seconds
_GRACE_IF_NEXT = 1.0  # if no frame came between the two
_FASTEST = 0.002  # seconds; no recorded agent reacts sooner


def has_crossed(step: Step, t: float, seq: int | None) -> bool:
    """
    Return whether `step` was sent before its sender could react to frame `seq`, at time `t`.

    If both have the same time, the capture may have none: then it is only the next frame.
    """
    passed = step.frame.t - t
    return 0 < passed <= _FASTEST or (passed == 0 and seq == step.frame.seq - 1)


def may_have_crossed(step: Step, t: float | None, seq: int | None) -> bool:
    """Return whether `step` may have been sent before its sender read frame `seq`, at time `t`."""
    if t is None:
        return False
    passed = step.frame.t - t
    return passed <= GRACE or (
        seq is not None and step.frame.seq == seq + 1 and passed <= _GRACE_IF_NEXT
    )
