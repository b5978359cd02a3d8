"""Edits of a JSON text: what is not edited stays as it was sent."""

import pytest

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
    assert edit.apply(TEXT) == after


def test_a_field_is_added_to_an_empty_object() -> None:
    assert Add("", "x", b"[]").apply(b" {} ") == b' {"x": []} '


def test_the_innermost_edit_is_made_first() -> None:
    edits = [Rename("/b", "x"), Rename("/b/c", "y"), Rename("/b/c/1/d", "z")]
    assert applied(edits, b'{"b":{"c":[1,{"d":2}]}}') == b'{"x":{"y":[1,{"z":2}]}}'
