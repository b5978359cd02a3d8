"""How text of a peer is shown; what that looks like in each output is tested there."""

from support.work import calls_of

from acp_spy.wire.inert import inert_json


def test_what_is_not_seen_costs_two_calls_however_often_it_comes():
    assert inert_json('"\u200b\U000e0001é##[error]"') == r'"\u200b\udb40\udc01é#\u0023[error]"'
    calls = [calls_of(lambda count=count: inert_json("\u200b" * count)) for count in (1000, 2000)]
    assert calls[1].total - calls[0].total <= 2 * 1000
