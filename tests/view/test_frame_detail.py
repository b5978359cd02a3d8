"""The places in a frame that findings are about."""

import json

import msgspec
import pytest

from acp_spy.view.frame_detail import _all_places, place_in_lines
from acp_spy.wire.pointer import nearest_span, spell

VALUE = {
    "params": {
        "text": '"params": {\n  ]',
        "empty": {},
        "none": [],
        "list": [1, {"a": [], "text": "x"}, [2, 3], {}],
        'od"d': {"ü": 1, "": {"text": 2}},
    },
    "text": None,
}


def paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from paths(value[name], (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from paths(item, (*path, number))
        yield from ((*path, step) for step in (len(value), "00", "9" * 30))
    yield (*path, "missing", "here")


@pytest.mark.parametrize("is_ascii", [True, False])
def test_a_place_is_found_by_indents_as_by_tokens(is_ascii):
    pretty = msgspec.json.format(json.dumps(VALUE, ensure_ascii=is_ascii).encode(), indent=2)
    for path in paths(VALUE):
        pointer = spell(*path)
        span = nearest_span(pretty, pointer)
        assert place_in_lines(pretty, pointer) == (span and span.start), pointer


@pytest.mark.parametrize("is_ascii", [True, False])
def test_very_many_places_are_in_the_same_lines(is_ascii):
    pretty = msgspec.json.format(json.dumps(VALUE, ensure_ascii=is_ascii).encode(), indent=2)
    find = _all_places(pretty)

    def line_of(at):
        return None if at is None else pretty.count(b"\n", 0, at)

    for path in paths(VALUE):
        pointer = spell(*path)
        # Neither the whole frame, nor an empty object in a list: the list is near enough.
        if path and path[:3] != ("params", "list", 3):
            assert line_of(find(pointer)) == line_of(place_in_lines(pretty, pointer)), pointer
