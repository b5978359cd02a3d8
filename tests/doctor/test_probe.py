"""What doctor answers to an agent that asks for permission."""

import pytest

from acp_spy.doctor.probe import _rejection


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ([{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}], "n"),
        (
            [{"optionId": "a", "kind": "reject_always"}, {"optionId": "o", "kind": "reject_once"}],
            "o",
        ),
        ([{"optionId": "a", "kind": "reject_always"}], "a"),
        ([{"optionId": "odd", "kind": ["x"]}, "no object", {"kind": "reject_once"}], None),
        ([], None),
    ],
)
def test_permission_is_rejected_whatever_is_offered(options, chosen):
    outcome = {"outcome": "selected", "optionId": chosen} if chosen else {"outcome": "cancelled"}
    assert _rejection(options) == {"outcome": outcome}
