import json

import pytest
from fuzz.commands import grows_no_faster
from hypothesis import given
from hypothesis import strategies as st
from support.work import calls_of

from acp_spy.capture.foreign.repair_json import repair

VALUE = {
    "sessionId": "s-1",
    "n": [1, 2.5, None, True, {}],
    "text": 'a "b" \\ é\n😀',
    "last": {"x": []},
}


@pytest.mark.parametrize(
    ("cut", "repaired"),
    [
        ('{"a": 1, "b": [tr', b'{"a": 1, "b": []}'),
        ('{"a": 1, "b": [true', b'{"a": 1, "b": [true]}'),
        ('{"a": 1, "b": 12', b'{"a": 1}'),
        ('{"a": 1, "b', b'{"a": 1}'),
        ('{"a": 1, "b": ', b'{"a": 1}'),
        ('{"a": "xy', b'{"a": "xy"}'),
        ('{"a": "xy\\', b'{"a": "xy"}'),
        ('{"a": "xy\\\\', b'{"a": "xy\\\\"}'),
        ('{"a": "xy\\u00', b'{"a": "xy"}'),
        ('{"a": "xy\\ud83d', b'{"a": "xy"}'),
        ('{"a": "xy\\ud83d\\ude', b'{"a": "xy"}'),
        ('{"a": {"b": {}', b'{"a": {"b": {}}}'),
        ("{", b"{}"),
        ('"xy', b'"xy"'),
        ("12", b""),
        ("", b""),
        ("}", b""),
        ("{]", b""),
        ("hello", b""),
    ],
)
def test_what_is_left_is_closed(cut, repaired):
    assert repair(cut) == repaired


@pytest.mark.parametrize("escape", [True, False])
def test_wherever_it_was_cut_it_can_be_read(escape):
    whole = json.dumps(VALUE, ensure_ascii=escape)
    for end in range(1, len(whole) + 1):
        read = json.loads(repair(whole[:end]))
        assert list(read) == list(VALUE)[: len(read)]
        assert list(read.values())[:-1] == list(VALUE.values())[: max(len(read) - 1, 0)]
    assert read == VALUE


@given(st.text('{}[]",:\\ud8tr1 '))
def test_it_never_fails_and_gives_json_or_nothing(text):
    repaired = repair(text)
    assert repaired == b"" or json.loads(repaired) is not NotImplemented


def test_many_open_brackets_take_no_more_calls_each_than_few():
    def cost(brackets):
        return calls_of(lambda: repair("[" * brackets)).total

    assert grows_no_faster(cost, 100) == ""
