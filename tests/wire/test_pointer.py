import json

import pytest
from fuzz.loop import LONGEST, limit
from hypothesis import given
from hypothesis import strategies as st

from acp_spy.wire.pointer import Span, lookup, nearest_span, span, spans, spell, steps

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def pointers(value, *above):
    """Give a pointer to every value within `value`."""
    yield spell(*above)
    match value:
        case dict():
            items = value.items()
        case list():
            items = enumerate(value)
        case _:
            items = ()
    for step, item in items:
        yield from pointers(item, *above, step)


def found(text, pointer):
    where = span(text.encode(), pointer)
    return text.encode()[where.start : where.end].decode() if where else None


@pytest.mark.parametrize(
    ("taken", "pointer"),
    [
        ((), ""),
        (("params", "prompt", 0), "/params/prompt/0"),
        (("",), "/"),
        (("a/b", "m~n", "~1"), "/a~1b/m~0n/~01"),
    ],
)
def test_steps_are_spelled_as_the_standard_has_it(taken, pointer):
    assert spell(*taken) == pointer
    assert steps(pointer) == [str(step) for step in taken]


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("", {"a": [1, {"b/c": None}]}), ("/a/0", 1), ("/a/1/b~1c", None), ("/a/1", {"b/c": None})],
)
def test_a_value_is_looked_up(pointer, value):
    assert lookup({"a": [1, {"b/c": None}]}, pointer) == value


@pytest.mark.parametrize("pointer", ["/b", "/a/2", "/a/-", "/a/01", "/a/-1", "/a/0/x", "/a/١"])
def test_what_leads_nowhere_is_a_lookup_error(pointer):
    with pytest.raises(LookupError):
        lookup({"a": [1, 2]}, pointer)


TEXT = '{"id": 1, "params": {"a\\"b": ["x]", {"é": "漢字"} , -1.5e3], "n":null}}'


@pytest.mark.parametrize(
    ("pointer", "fragment"),
    [
        ("", TEXT),
        ("/id", "1"),
        ('/params/a"b', '["x]", {"é": "漢字"} , -1.5e3]'),
        ('/params/a"b/0', '"x]"'),
        ('/params/a"b/1/é', '"漢字"'),
        ('/params/a"b/2', "-1.5e3"),
        ("/params/n", "null"),
        ("/params/n/x", None),
        ('/params/a"b/3', None),
        ('/params/a"b/-', None),
        ("/nothing", None),
    ],
)
def test_a_place_is_found_in_the_text_itself(pointer, fragment):
    assert found(TEXT, pointer) == fragment


def test_the_name_of_a_member_has_a_place_too():
    assert span(b'{ "a" : 1 }', "/a") == Span(8, 9, (2, 5))
    assert span(b"[7]", "/0") == Span(1, 2)


def test_of_two_members_with_one_name_the_last_counts():
    """As it does for those who decode the message."""
    assert found('{"a": 1, "a": 2}', "/a") == "2"


@pytest.mark.parametrize(
    ("pointer", "fragment"),
    [("/params/n/x", b"null"), ("/params/z", b"{"), ("/nothing", None), ("", None)],
)
def test_what_is_missing_is_nearest_to_what_lacks_it(pointer, fragment):
    text = TEXT.encode()
    where = nearest_span(text, pointer)
    assert (where and text[where.start : where.end].startswith(fragment)) == (
        None if fragment is None else True
    )


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[", '{"a"', '{"a":', '{"a":}', "nonsense", "]", '{"a":"x']
)
def test_a_place_in_broken_json_is_nowhere(text):
    assert span(text.encode(), "/a/0") is None


@given(values, st.sampled_from([None, 1]))
def test_every_place_in_any_json_is_found(value, indent):
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    for pointer in pointers(value):
        assert json.loads(found(text, pointer)) == lookup(value, pointer)


@given(st.binary(), st.sampled_from(["", "/", "/a", "/0/0"]))
def test_any_bytes_are_searched_without_an_error(text, pointer):
    where = span(text, pointer)
    assert where is None or 0 <= where.start < where.end <= len(text)
    nearest_span(text, pointer)


def test_a_large_message_is_searched_at_once():
    text = json.dumps({"a": ["x" * 1_000_000] * 5, "b": [[]] * 100_000, "c": 1}).encode()
    assert span(text, "/c") is not None


def test_deep_nesting_is_no_danger():
    text = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b',"b":1}'
    assert span(text, "/b") is not None


@given(values)
def test_many_places_are_found_as_each_is_alone(value):
    text = json.dumps(value).encode()
    places = [*pointers(value), "/a/b", "/0/0"]
    assert spans(text, places) == {place: at for place in places if (at := span(text, place))}


@pytest.mark.parametrize("opening", [b'{"a":', b"["])
def test_a_deep_place_is_found_in_one_pass(opening):
    """One pass for each of its steps would take minutes."""
    deep = 20_000
    step = "/a" if opening == b'{"a":' else "/0"
    text = opening * deep + b"1"
    torn = text + (b"}" if opening == b'{"a":' else b"]") * (deep - 1)
    with limit(LONGEST):
        assert nearest_span(text, step * deep) is None
        found = span(torn, step * deep)
    assert found
    assert torn[found.start : found.end] == b"1"
