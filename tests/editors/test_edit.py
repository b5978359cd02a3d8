"""Settings as people have them: an entry goes in and comes out, and nothing else moves."""

import json
import textwrap
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_spy.editors.edit import CannotEdit, entry_in, put, remove
from acp_spy.editors.jsonc import NotJson, read

KEYS = ("agent_servers",)
ENTRY = {"command": "/bin/acp-spy", "args": ["--", "agent"]}

# Shapes from which an entry is taken out to the byte, with nothing to remember the former by.
EXACT = {
    "others": '{\n  "theme": "One",\n  "agent_servers": {\n    "a": {"command": "a"}\n  }\n}\n',
    "no agents yet": '{\n  "theme": "One"\n}\n',
    "comments": (
        "// my settings\n{ // here\n  // the theme\n"
        '  "theme": "One", /* light */ // yes\n'
        '  "agent_servers": { // mine\n    // first\n    "a": {}, // last\n  }, // end\n}\n// bye'
    ),
    "a block comment over lines": '{ /* one\n two */\n  "a": 1\n}',
    "tabs": '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
    "four": '{\n    "agent_servers": {\n        "a": {}\n    }\n}',
    "one line": '{"a": 1, "agent_servers": {"b": {}}}',
    "one line with blanks": '{ "agent_servers" : { "b": {} , } , "c": [1,2,] , }',
    "crlf": '{\r\n  "a": 1,\r\n  "agent_servers": {\r\n    "b": {}\r\n  }\r\n}\r\n',
    "braces and slashes in strings": '{\n  "a": "} // \\" /* {",\n  "agent_servers": {\n    "b": 1\n  }\n}',
    "key first in its line with the brace": '{"a": 1,\n "b": 2}',
    "blank lines": '\n\n{\n\n  "a": 1\n\n}\n\n',
    "long": "{\n" + ",\n".join(f'  "k{n}": {n}' for n in range(2000)) + "\n}\n",
}
# Shapes that are empty where the entry goes: the text comes back but for blanks.
EMPTY = [
    "{}",
    "{ }",
    "{\n}",
    '{"agent_servers": {}}',
    '{\n  "agent_servers": {\n  }\n}\n',
    "{ // c\n}",
]


@pytest.mark.parametrize("text", EXACT.values(), ids=EXACT.keys())
def test_what_is_put_in_comes_out_to_the_byte(text):
    changed = put(text, KEYS, "spy", ENTRY)
    assert entry_in(changed, KEYS, "spy") == ENTRY
    assert remove(changed, KEYS, "spy") == text


@pytest.mark.parametrize("text", [*EXACT.values(), *EMPTY])
def test_all_else_stays_as_it_is(text):
    before, after = read(text).plain, read(put(text, KEYS, "spy", ENTRY)).plain
    assert after["agent_servers"].pop("spy") == ENTRY
    if not after["agent_servers"]:
        before.pop("agent_servers", None)
        after.pop("agent_servers")
    assert after == before


@pytest.mark.parametrize("text", [*EXACT.values(), *EMPTY, "", " \n"])
def test_a_second_time_changes_nothing(text):
    once = put(text, KEYS, "spy", ENTRY)
    assert put(once, KEYS, "spy", ENTRY) == once


@pytest.mark.parametrize("text", EMPTY)
def test_an_object_that_was_empty_has_nothing_but_blanks_left(text):
    left = remove(put(text, KEYS, "spy", ENTRY), KEYS, "spy")
    assert read(left).plain == {}
    assert ("// c" in left) == ("// c" in text)


def test_how_it_looks():
    text = '// mine\n{\n    // the theme\n    "theme": "One",\n}\n'
    assert put(text, KEYS, "spy", ENTRY) == textwrap.dedent(
        """\
        // mine
        {
            "agent_servers": {
                "spy": {
                    "command": "/bin/acp-spy",
                    "args": [
                        "--",
                        "agent"
                    ]
                }
            },
            // the theme
            "theme": "One",
        }
        """
    )


def test_a_file_that_is_not_there_yet():
    assert json.loads(put("", KEYS, "spy", ENTRY)) == {"agent_servers": {"spy": ENTRY}}


def test_another_command_replaces_the_former_in_place():
    text = put(EXACT["comments"], KEYS, "spy", ENTRY)
    other = {"command": "/bin/acp-spy", "args": ["--", "other"]}
    changed = put(text, KEYS, "spy", other)
    assert entry_in(changed, KEYS, "spy") == other
    assert changed == text.replace('"agent"', '"other"')


COMMENTED = """\
{
  "agent_servers": {
    "mine": { // the fast one
      // started with npx
      "command": "npx", // not bunx
      "args": [
        // always yes
        "-y",
        "agent", // the newest
      ],
      "env": { "X": "1" },
    },
  },
}
"""


def test_only_what_differs_of_an_entry_is_changed_and_back():
    own = entry_in(COMMENTED, KEYS, "mine")
    behind = {**own, "command": "/bin/acp-spy", "args": ["--", "npx", "-y", "agent"]}
    changed = put(COMMENTED, KEYS, "mine", behind)
    assert changed == COMMENTED.replace('"npx", //', '"/bin/acp-spy", //').replace(
        '        "-y"', '        "--",\n        "npx",\n        "-y"'
    )
    assert put(changed, KEYS, "mine", own) == COMMENTED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{ "command": "a" }', '{ "args": ["--", "a"], "command": "spy" }'),
        ('{"command": "a", "args": []}', '{"command": "spy", "args": ["--", "a"]}'),
        ('{"command": "a", "args": ["b"],}', '{"command": "spy", "args": ["--", "a", "b"],}'),
        ('{"args": [ /* b */ "b" ], "command": "a"}', '{"args": [ /* b */ "--", "a", "b" ], "command": "spy"}'),
    ],
)  # fmt: skip
def test_an_entry_in_one_line_stays_in_one_line(before, after):
    before, after = (f'{{"agent_servers": {{"mine": {each}}}}}' for each in (before, after))
    own = entry_in(before, KEYS, "mine")
    behind = {**own, "command": "spy", "args": ["--", "a", *own.get("args", [])]}
    assert put(before, KEYS, "mine", behind) == after
    assert put(after, KEYS, "mine", own) == before


@pytest.mark.parametrize(
    ("text", "left"),
    [
        # The last one, with and without the comma that somebody else has put behind it.
        ('{\n  "a": 1,\n  "agent_servers": {"spy": 1}\n}', '{\n  "a": 1\n}'),
        ('{\n  "a": 1, // one\n  "agent_servers": {"spy": 1}\n}', '{\n  "a": 1 // one\n}'),
        ('{\n  "a": 1,\n  "agent_servers": {"spy": 1},\n}', '{\n  "a": 1,\n}'),
        ('{"a": 1, "agent_servers": {"spy": 1}}', '{"a": 1 }'),
        # In the middle, after somebody has put others before it.
        (
            '{"agent_servers": {\n  "a": 1,\n  "spy": 1,\n  "b": 2\n}}',
            '{"agent_servers": {\n  "a": 1,\n  "b": 2\n}}',
        ),
        # Comments of others are not thrown away.
        (
            '{"agent_servers": {\n  // keep me\n  "spy": 1\n}}',
            '{"agent_servers": {\n  // keep me\n}}',
        ),
    ],
)
def test_it_comes_out_after_others_have_edited_around_it(text, left):
    assert remove(text, KEYS, "spy") == left


def test_taking_out_what_is_not_there_changes_nothing():
    assert remove(EXACT["comments"], KEYS, "spy") == EXACT["comments"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "it is not a JSON object"),
        ('{"agent_servers": []}', "`agent_servers` is not an object"),
        ('{"agent_servers": null}', "`agent_servers` is not an object"),
        ('{"agent_servers": {}, "agent_servers": {}}', "the key `agent_servers` occurs 2 times"),
        ('{"agent_servers": {"spy": 1, "spy": 2}}', "the key `spy` occurs 2 times"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3: expected `,` or `}`"),
        ('{\n  "a" 1}', "line 2: expected `:`"),
        ('{"a": 1} x', "line 1: text after the end of the JSON value"),
        ('{"a": ', "line 1: expected a value"),
        ('{"a": 01}', "line 1: `01` is not JSON"),
        ("{'a': 1}", "line 1: expected a string"),
        ('{"a": "\n"}', "line 1: expected a string"),
        ('{"a": "\\x"}', 'line 1: `"\\x"` is not JSON'),
        ('{"a": /* 1}', "line 1: expected a value"),
        ('{"a": NaN}', "line 1: expected a value"),
        ('{"a":' * 101 + "1" + "}" * 101, "line 1: nested too deeply"),
        ("theme = One\n", "line 1: expected a value"),
    ],
)
def test_what_cannot_be_edited_is_refused_with_the_reason(text, why):
    with pytest.raises(CannotEdit) as refused:
        put(text, KEYS, "spy", ENTRY)
    assert str(refused.value) == why


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    others=st.dictionaries(st.text(max_size=5), JSON, min_size=1, max_size=3),
    agents=st.none() | st.dictionaries(st.text(max_size=5), JSON, max_size=2),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_any_settings_come_back_to_the_byte(others, agents, indent, newline):
    settings = {key: value for key, value in others.items() if key not in (*KEYS, "spy")} or {
        "x": 1
    }
    if agents:
        settings["agent_servers"] = {key: agents[key] for key in agents if key != "spy"} or {"a": 1}
    text = json.dumps(settings, indent=indent).replace("\n", newline)
    assert remove(put(text, KEYS, "spy", ENTRY), KEYS, "spy") == text


@given(st.text(alphabet='{}[]",:/* \n\\ab1-', max_size=30))
def test_any_text_is_read_or_refused(text):
    with suppress(NotJson):
        read(text)


@given(JSON)
def test_what_is_json_is_read_as_json_is(value):
    assert read(json.dumps(value, indent=1)).plain == value


def test_a_name_that_hides_letters_is_spelled_out():
    name = "a\u3164\u202eb\U000e0101"
    text = put("{}", KEYS, name, ENTRY)
    assert r'"a\u3164\u202eb\udb40\udd01"' in text
    assert remove(text, KEYS, name) == "{}"
