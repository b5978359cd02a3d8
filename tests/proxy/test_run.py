"""Who carries a conversation: trio, or nobody but the carrier; never one after the other."""

import pytest

from acp_spy.engine import work
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.ready import FOR_EVER
from acp_spy.proxy.run import Run


class Conversation:
    """Carries nothing, and counts how often it was asked for what is due."""

    def __init__(self):
        self.carrier = Carrier()
        self.is_over = self.is_ending = False
        self.patience = FOR_EVER
        self.handling = None

    def do_due(self, **_silent):
        self.is_over = self.is_ending = True


@pytest.mark.parametrize(("by_trio", "alone"), [(True, 0), (False, 1)])
def test_what_trio_has_followed_to_its_end_is_not_waited_for_again(by_trio, alone, monkeypatch):
    monkeypatch.setattr(Run, "_by_trio", lambda *_: by_trio)
    monkeypatch.setattr(work, "_SILENCE", 0)
    carried = []
    monkeypatch.setattr(work, "carry_alone", lambda _, is_enough=None: carried.append(is_enough))
    conversation = Conversation()
    Run(None, None, -1, pytest.fail).follow(conversation)
    assert carried[1:] == [None] * alone
    conversation.carrier.close()
