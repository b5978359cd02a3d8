"""Edits of a JSON text: what is not edited stays as it was sent."""

import pytest
from fuzz.loop import LONGEST, limit

from acp_spy.wire.edit import Add, Edit, Nest, Remove, Rename, Replace, applied

TEXT = b'{"a" : 1,"b": {"c":[1,  {"d":"\\u00e9"}]} , "e": null}'


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Rename("/b/c/1/d", "x"), b'{"a" : 1,"b": {"c":[1,  {"x":"\\u00e9"}]} , "e": null}'),
        (Replace("/b/c/0", b"{}"), b'{"a" : 1,"b": {"c":[{},  {"d":"\\u00e9"}]} , "e": null}'),
        (
            Add("/b/c/1", "x", b"1"),
            b'{"a" : 1,"b": {"c":[1,  {"x": 1, "d":"\\u00e9"}]} , "e": null}',
        ),
        (Remove("/e"), b'{"a" : 1, "b": {"c":[1,  {"d":"\\u00e9"}]}}'),
        (
            Nest("", ("b", "e"), "in"),
            b'{"a" : 1, "in": {"b": {"c":[1,  {"d":"\\u00e9"}]}, "e": null}}',
        ),
        (Rename("/none", "x"), TEXT),
        (Rename("/b/c/0", "x"), TEXT),
        (Remove("/none/e"), TEXT),
    ],
)
def test_an_edit_changes_its_place_alone(edit: Edit, after: bytes) -> None:
    assert applied([edit], TEXT) == after


def test_a_field_is_added_to_an_empty_object() -> None:
    assert applied([Add("", "x", b"[]")], b" {} ") == b' {"x": []} '


def test_the_innermost_edit_is_made_first() -> None:
    edits = [Rename("/b", "x"), Rename("/b/c", "y"), Rename("/b/c/1/d", "z")]
    assert applied(edits, b'{"b":{"c":[1,{"d":2}]}}') == b'{"x":{"y":[1,{"z":2}]}}'


def test_changes_of_one_object_are_made_one_after_the_other() -> None:
    edits = [Add("/a", "x", b"1"), Add("/a", "y", b"2"), Remove("/a/b"), Rename("/a/c", "d")]
    assert applied(edits, b'{"a":{"b":0,"c":0}}') == b'{"a":{"y": 2, "x": 1, "d":0}}'


def test_many_edits_of_one_text_are_made_in_one_pass() -> None:
    """One pass for each would take minutes."""
    many = 20_000
    text = b"[" + b",".join([b'{"a":{},"b":1}'] * many) + b"]"
    edits = [
        each
        for item in range(many)
        for each in (
            Rename(f"/{item}/a", "x"),
            Replace(f"/{item}/b", b"2"),
            Add(f"/{item}/a", "y", b"3"),
        )
    ]
    with limit(LONGEST):
        made = applied(edits, text)
    assert made == b"[" + b",".join([b'{"x":{"y": 3},"b":2}'] * many) + b"]"
