"""Leaves with their paths, whatever the text; offsets that survive escapes."""

import json

import pytest
from fuzz.loop import LONGEST, limit
from hypothesis import given
from hypothesis import strategies as st

from acp_spy.wire.json_text import json_within, leaves, places_in, spelled_plainly, unescaped
from acp_spy.wire.pointer import lookup, spell

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.booleans())
def test_each_path_leads_to_its_leaf(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    for leaf in leaves(text):
        if not leaf.is_name:
            spelled = text[leaf.start - leaf.is_string : leaf.end + leaf.is_string]
            assert lookup(value, spell(*leaf.path)) == json.loads(spelled)


@given(st.binary(max_size=100) | st.text('{}[]":,\\ax1', max_size=60).map(str.encode))
def test_what_is_no_json_is_read_as_far_as_it_goes(text):
    for leaf in leaves(text):
        assert 0 <= leaf.start <= leaf.end <= len(text)


@given(st.text(), st.text(), st.text(), st.booleans())
def test_a_stretch_of_the_meaning_is_found_in_the_text(before, inside, after, ascii_only):
    content = json.dumps(before + inside + after, ensure_ascii=ascii_only)[1:-1].encode()
    meaning = unescaped(content)
    assert meaning == (before + inside + after).encode()
    ends = [len(before.encode()), len((before + inside).encode())]
    start, end = places_in(content, ends)
    assert unescaped(content[start:end]) == inside.encode()


def test_escapes_that_are_none_and_lone_surrogates_stand_for_themselves():
    assert unescaped(rb"a\qb\ud800c\u00") == b"aqb" + b"\xed\xa0\x80" + b"cu00"


def test_comments_are_passed_over():
    text = b"""{  // one two three
  "env": {
    // don't use "this
    "A": "x",  /* nor { that */
    "U": "https://a/b", "V": 7 // end
  }
}"""
    found = {spell(*leaf.path): text[leaf.start : leaf.end] for leaf in leaves(text)}
    assert found == {"/env": b"env", "/env/A": b"x", "/env/U": b"https://a/b", "/env/V": b"7"}
    assert [*json_within(b"see:\n" + text + b"\nend")] == [(5, 5 + len(text))]


def test_a_pair_in_a_comment_is_read():
    text = b'{\n "a": 1,\n // "b": "c",\n "d": "https://e"\n}'
    values = {leaf.path[-1]: text[leaf.start : leaf.end] for leaf in leaves(text)}
    assert values == {"a": b"1", "b": b"c", "d": b"https://e"}


def test_comments_and_many_values_take_no_long_time():
    """Quadratic, these would take minutes, so that no clock is needed."""
    lines = b'{"level": "info"} // ok\n' * 40_000
    assert sum(1 for _ in json_within(lines)) == 40_000
    assert sum(1 for _ in leaves(b'{"a": 1,\n' + b"/* " * 400_000)) == 2


@pytest.mark.parametrize("line", [b"9[", b"9{", b"[9|", b"9|//[", b"9//////[", b"9||||[", b"9\t["])
def test_lines_that_might_begin_json_are_passed_over_once(line):
    """From each of them to the end would take minutes."""
    with limit(LONGEST):
        assert sum(1 for _ in json_within(b"\n".join([line] * 100_000) + b" x")) <= 100_000


PARTS = (
    '{"a": 1}',
    '[\n  {"a": "b"},\n  ["c"]\n]',
    '{"a": 1}, {"b": 2}',
    '  7→{"a": {"b": []}}',
)


@pytest.mark.parametrize("between", ["\n", '\n\nSome prose with " and { in it.\n'])
def test_json_within_a_text_ends_where_its_last_bracket_does(between):
    text = between.join(PARTS)
    found = [text.encode()[start:end].decode() for start, end in json_within(text.encode())]
    assert found == list(PARTS)


def test_json_that_is_not_closed_ends_at_a_fence_or_with_the_text():
    text = b'```json\n{"a": {"b": 1}\n```\nand {\n[ "c",\n'
    assert [text[start:end] for start, end in json_within(text)] == [
        b'{"a": {"b": 1}\n',
        b'[ "c",\n',
    ]


@pytest.mark.parametrize("text", [b'"{}"', b'["a"]\n', b'{\n"a": "```\\n"}'])
def test_a_text_that_is_json_is_found_as_a_whole(text):
    assert [*json_within(text)] == [(0, len(text))]


@given(st.text('{}[]":,\\a1\n` ', max_size=60).map(str.encode))
def test_what_json_is_within_comes_in_turn(text):
    end = 0
    for start, next_end in json_within(text):
        assert end <= start < next_end <= len(text)
        end = next_end


def test_a_letter_is_spelled_plainly_after_any_number_of_backslashes():
    """Each is tried once: of 300,000, the square would take minutes."""
    many = b"\\" * 300_000
    assert spelled_plainly(many + b"x " + many + b"u0041 \\/") == many + b"x A /"
