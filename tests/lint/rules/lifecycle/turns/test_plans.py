"""Plans: each is sent whole."""

from support.lifecycle import places, update


def test_a_plan_of_another_turn_is_a_new_plan():
    first = update(sessionUpdate="plan", entries=[{"content": "A"}, {"content": "B"}])
    second = update(sessionUpdate="plan", entries=[{"content": "C"}])
    turn = (
        '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}\n'
        '-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt",'
        ' "params": {"sessionId": "s1", "prompt": []}}'
    )
    assert places(first, turn, second, turn, first) == []
    assert places(first, second, first) == [("LIF128", 8)]
