"""Elicitations: forms with their answers, and links."""

import pytest
from support.lifecycle import answer, ask, codes, work


def elicit(properties, **more):
    schema = {"type": "object", "properties": properties, **more}
    params = {"mode": "form", "message": "?", "requestedSchema": schema}
    return ask(0, "elicitation/create", **params)


@pytest.mark.parametrize(
    ("field", "value", "is_fine"),
    [
        ({"type": "integer"}, 1, True),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, True, False),
        ({"type": "number", "maximum": 2}, 2.5, False),
        ({"type": "string", "enum": ["a"]}, "b", False),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "a", True),
        ({"type": "string", "minLength": 2}, "a", False),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, ["a"], True),
        ({"type": "array", "items": {"anyOf": [{"const": "a"}]}, "minItems": 1}, ["b"], False),
        ({"type": "_own"}, {"x": 1}, True),
        ({"type": ["string"]}, 1, True),
    ],
)
def test_the_answer_to_a_form_is_checked_field_by_field(field, value, is_fine):
    lines = elicit({"x": field}), answer(0, action="accept", content={"x": value})
    assert codes(*lines) == ([] if is_fine else ["LIF142"])


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ({"type": "integer"}, "4", '`"4"`; expected type `integer`'),
        ({"type": "string", "enum": ["a", "b"]}, "c", '`"c"`; expected one of `"a"`, `"b"`'),
        ({"type": "string", "minLength": 2}, "a", "of length 1; expected at least 2"),
        ({"type": "array", "maxItems": 1}, [1, 2], "of length 2; expected at most 1"),
        ({"type": "number", "maximum": 2}, 2.5, "`2.5`; expected at most 2"),
    ],
)
def test_a_wrong_value_is_shown_as_json_with_what_was_expected(field, value, text):
    lines = elicit({"x": field}), answer(0, action="accept", content={"x": value})
    assert [finding.text for finding in work(*lines)] == [f"field `x` is {text}"]


def test_a_form_that_was_declined_is_not_checked():
    lines = elicit({"x": {"type": "string"}}, required=["x"]), answer(0, action="decline")
    assert codes(*lines) == []


@pytest.mark.parametrize("name", ["max_tokens", "tokenLimit", "keyword", "monkey", "author"])
def test_harmless_fields_are_no_secrets(name):
    assert codes(elicit({name: {"type": "string"}})) == []


@pytest.mark.parametrize(
    ("url", "severity"),
    [
        ("https://example.com/?code=1&state=2&client_id=3", None),
        ("http://localhost:8080/callback", None),
        ("http://127.0.0.1/x", None),
        ("http://example.com/", "warning"),
        ("https://user:pw@example.com/", "error"),
        ("https://example.com/?id_token=x", "error"),
        ("https://[broken", None),
    ],
)
def test_links_are_looked_at_for_credentials(url, severity):
    params = {"mode": "url", "message": "?", "elicitationId": "e1", "url": url}
    found = work(ask(0, "elicitation/create", **params))
    assert [finding.severity.value for finding in found] == ([severity] if severity else [])
