"""Who carries a conversation: trio, or nobody but the carrier; never one after the other."""

import pytest

from acp_spy.engine.carrier import Carrier
from acp_spy.proxy.run import Run


class Conversation:
    """Carries nothing, and counts how often it is asked to be carried to its end."""

    def __init__(self):
        self.carrier = Carrier()
        self.agent_has_ended = False
        self.handling = None
        self.carried = 0

    def carry_alone(self, is_enough=None, _at_most=None):
        self.carried += is_enough is None


@pytest.mark.parametrize(("by_trio", "alone"), [(True, 0), (False, 1)])
def test_what_trio_has_followed_to_its_end_is_not_waited_for_again(by_trio, alone, monkeypatch):
    monkeypatch.setattr(Run, "_by_trio", lambda *_: by_trio)
    conversation = Conversation()
    Run(None, None, -1, pytest.fail).follow(conversation)
    assert conversation.carried == alone
    conversation.carrier.close()
