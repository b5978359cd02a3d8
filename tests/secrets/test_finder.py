"""A secret is found wherever in a line it stands, and the place that is told is where it stood."""

import json
import re
import sys
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.keys import spelled_out

from acp_spy.capture.records import Header, Stderr
from acp_spy.secrets import finder as find
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.placeholders import Placeholders, is_placeholder
from acp_spy.secrets.prefilter import Prefilter
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.shape_search import SHAPES
from acp_spy.wire.json_text import unescaped
from acp_spy.wire.pointer import lookup

ANTHROPIC = spelled_out("sk-ant-api03-<95>")
HOLDS_SECRET = st.sampled_from(
    [
        ANTHROPIC,
        f'é"\n{ANTHROPIC}\t',
        f"[{{ \\{ANTHROPIC} }}]",
        f"<{ANTHROPIC}>",
        f"Bearer {ANTHROPIC}",
    ]
)
TELLING_NAMES = st.sampled_from(["env", "apiKey", "args", "value", "params"])
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
ANY_VALUE = st.recursive(
    PLAIN | HOLDS_SECRET,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | TELLING_NAMES | HOLDS_SECRET, inner, max_size=4)
    ),
)


def found_in(line, **wishes):
    """Return each secret in `line`: its place, and what is there."""
    found = Finder(**wishes).find(line)
    return [(secret.pointer, line[secret.start : secret.end].decode()) for secret in found]


def without(line, found):
    for secret in reversed(found):
        line = line[: secret.start] + b"9" * (secret.end - secret.start) + line[secret.end :]
    return line


def disguised(text):
    return text.replace(ANTHROPIC, "".join(f"\\u{ord(letter):04x}" for letter in ANTHROPIC))


@given(
    ANY_VALUE,
    st.booleans(),
    st.sampled_from([str, disguised]),
    st.sampled_from([(",", ":"), (" ,\t", " : ")]),
)
def test_a_secret_in_any_leaf_of_any_json_value_is_found(value, ascii_only, spelled, separators):
    text = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
    line = spelled(text).encode() + b"\n"
    found = Finder().find(line)
    left = without(line, found)
    assert ANTHROPIC.encode() not in unescaped(left)
    assert same_shape(value, json.loads(left))
    for secret in found:
        lookup(value, secret.pointer)


def same_shape(one, other):
    if isinstance(one, dict):
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list):
        return all(same_shape(*pair) for pair in zip(one, other, strict=True))
    return json_type(one) is json_type(other)


def json_type(value):
    return int if isinstance(value, float) else type(value)


@given(
    ANY_VALUE,
    st.sampled_from([str, disguised]),
    st.sampled_from(["", "\x1b[0m", "[12:30:01] ", "[info ", 'he said "so": ', "{ "]),
    st.sampled_from(["", "]", "}", '"', " and so on"]),
    st.integers(0, 3),
)
def test_a_secret_in_a_torn_or_glued_line_is_found(value, spelled, before, after, torn_off):
    text = spelled(json.dumps(value))
    line = (before + text[: len(text) - torn_off] + after).encode()
    assert ANTHROPIC.encode() not in unescaped(without(line, Finder().find(line)))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f'"{ANTHROPIC}"\n', [("", ANTHROPIC)]),
        (f'  "so: {ANTHROPIC}"', [("", ANTHROPIC)]),
        (f'["{ANTHROPIC}",{{"a":1}}]', [("/0", ANTHROPIC)]),
        (f'[[],"x",{{"a":["{ANTHROPIC}"]}}]', [("/2/a/0", ANTHROPIC)]),
        (
            '[{"params":{"apiKey":"k"}},{"apiKey":"l"}]',
            [("/0/params/apiKey", "k"), ("/1/apiKey", "l")],
        ),
        ('{"apiKey":"k","a~/b":{"apiKey":"l"}}', [("/apiKey", "k"), ("/a~0~1b/apiKey", "l")]),
    ],
)
def test_the_place_is_told_from_the_top_of_the_line(line, found):
    assert found_in(line.encode()) == found


@pytest.mark.parametrize(
    "line",
    [
        '{"method":"authenticate","params":{"methodId":"pin","data":{"pin":"hunter2"}}}',
        '{"params":{"data":{"pin":"hunter2"}},"method":"auth\\/login"}',
        '{"\\u006dethod":"auth\\u002flogin","params":{"data":"hunter2"}}',
        '[{"method":"x","params":{"a":"b"}},{"method":"authenticate","params":{"data":"hunter2"}}]',
        '\x1b[0m{"method":"authenticate","params":{"data":"hunter2"}}',
        '{"method":"authenticate","params":{"data":"hunter2',
        '[{"method":"authenticate","params":{"data":"hunter2',
        # Lines of a log, one by one, or in one.
        (
            '> {"method":"x","params":{"a":"b"}}\n> {"method":"authenticate","params":{"data":"hunter2"}}\n'
            '> {"params":{"c":{"d":5}},"method":"y"}'
        ),
        (
            '{"text":"{\\"method\\":\\"authenticate\\",\\"params\\":{\\"data\\":\\"hunter2\\"}}\\n'
            '{\\"method\\":\\"x\\",\\"params\\":{\\"a\\":\\"b\\"}}"}'
        ),
    ],
)
def test_what_one_signs_in_with_is_found_in_batches_and_in_what_is_torn_or_glued(line):
    assert [text for _, text in found_in(line.encode())] == ["hunter2"]


def test_a_method_is_one_of_a_message_and_not_of_what_it_quotes():
    line = b'{"method":"x","params":{"call":{"method":"authenticate","params":{"a":"b"}}}}'
    assert found_in(line) == []


def test_a_place_of_the_users_is_one_of_a_message_also_in_a_batch():
    line = b'[{"params":{"note":"a"}},{"params":{"note":"b"}}]'
    assert found_in(line, pointers=["/params/note"]) == [
        ("/0/params/note", "a"),
        ("/1/params/note", "b"),
    ]
    assert found_in(line, pointers=["/1/params"]) == [("/1/params/note", "b")]


def test_what_the_user_knows_is_found_in_a_line_that_is_a_bare_number():
    assert found_in(b" 4711\n", values=[re.compile("4711")]) == [("", "4711")]
    assert found_in(b"4712\n", values=[re.compile("4711")]) == []


def test_a_secret_that_is_known_by_its_place_is_found_in_disguise():
    finder = Finder()
    finder.find(b'{"env":{"A":"my0wnSecret77"}}')
    assert len(finder.find(rb'{"text":"so \u006dy0wnSecret77 it is"}')) == 1


def test_what_a_users_expression_finds_is_told_in_bytes():
    values = [re.compile("é+(?=.*?(x.))|b(.)")]
    line = "éé-ééb1 xé é x2".encode()
    assert found_in(line, values=values) == [("", "xé"), ("", "x2")]
    assert found_in(
        "öID-1öö \udcffID-2".encode(errors="surrogateescape"), values=[re.compile(r"ID-\d")]
    ) == [
        ("", "ID-1"),
        ("", "ID-2"),
    ]


@pytest.mark.long
def test_a_users_expression_that_matches_everywhere_is_no_burden():
    """With the whole line encoded for each match this would need many minutes: no clock is needed."""
    line = "é1".encode() * 100_000
    assert len(Finder(values=[re.compile(r"\d")]).find(line)) == 100_000


def test_places_take_no_more_room_than_the_line():
    line = b'{"%b":[%b]}' % (b"n" * 50_000, b",".join([b'{"apiKey":"k"}'] * 10_000))
    found = Finder().find(line)
    assert len(found) == 10_000
    assert found[0].pointer == f"/{'n' * 50_000}/0/apiKey"
    assert found[-1].pointer == ""
    assert sum(len(secret.pointer) for secret in found) < len(line) + 60_000


def test_all_that_goes_by_a_name_of_the_users_is_found_and_nothing_beside_it():
    line = (
        b'[{"Badge":["a",{"b":"c","d":[5,null]}],"x":"y"},["z",{"x":{"badge":"e"},"badges":"f"}],'
        b'["u","v"],{"x":"badge"}]'
    )
    assert found_in(line, names=["bADGE"]) == [
        ("/0/Badge/0", "a"),
        ("/0/Badge/1/b", "c"),
        ("/0/Badge/1/d/0", "5"),
        ("/1/1/x/badge", "e"),
    ]


def test_secrets_that_overlap_one_after_the_other_are_one():
    """Also when they are many: the text is put together once."""
    line = b"ab" * 100_000
    [found] = Finder(values=[re.compile("(?=(....))")]).find(line)
    assert (found.start, found.end, found.text) == (0, len(line), line)


@pytest.mark.parametrize("piece", ["redacted-", "redacted-a-", "-a", "redacted-1-1-1-"])
def test_what_looks_like_placeholders_without_end_is_no_burden(piece):
    """A quadratic expression would need many minutes for this, so that no clock is needed."""
    redactor = Redactor()
    redactor.learn(Stderr(0.1, piece.encode() * 30_000))
    redactor.record(Stderr(0.1, piece.encode() * 30_000))


def test_secrets_at_every_level_of_a_deep_line_are_found():
    """Also when they are many: no pointer is spelled for what msgspec cannot read so deep."""
    depth = 5_000
    line = b'{"apiKey":"k","a":' * depth + b"1" + b"}" * depth
    assert len(Finder(names=["x"], pointers=["/y"]).find(line)) == depth


def test_every_kind_has_a_placeholder_that_is_known_again():
    for kind in ("env", "header", "login", "account", "secret", *(shape.kind for shape in SHAPES)):
        assert is_placeholder(Placeholders().placeholder(b"x", kind))


# ----------------------------------------------------------------------------- at no more cost


def a_finder(*values):
    """Return a finder for whom the user has said all that can be said."""
    persons = Persons(homes=True, users=True, home="/srv/own/place", user="somebody")
    return Finder(("Wished", "é"), map(re.compile, values), ("/a/*/x", "/b/0"), persons)


NAME = "kim"
words = st.sampled_from(
    [
        "a",
        "b",
        "x",
        "wished",
        "WISHED",
        "\u212a",
        "é",
        f"/home/{NAME}/x",
        NAME,
        "/root",
        "somebody",
        "0",
    ]
)
things = st.recursive(
    words | st.integers(0, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(things, max_size=3), st.booleans())
@example([{"a": NAME, "b": f"/home/{NAME}/x"}], True)
def test_what_a_glance_passes_over_holds_nothing(said, ascii_only):
    quick, slow = a_finder(), a_finder()
    slow._may_match_options = lambda _: True
    for thing in said:
        line = json.dumps(thing, ensure_ascii=ascii_only).encode()
        assert quick.find(line) == slow.find(line)


@given(st.lists(things, max_size=3), st.booleans())
@example([{"wished": "somebody"}], False)
def test_to_learn_from_a_line_is_to_find_all_in_it(said, ascii_only):
    quick, slow = a_finder("k.m"), a_finder("k.m")
    for thing in said:
        line = json.dumps({"env": {"A": "q7Zk2Vw9Xn4Rb"}, "it": thing}, ensure_ascii=ascii_only)
        quick.learn(line.encode())
        slow.find(line.encode())
    assert quick._learned.pieces == slow._learned.pieces
    # A name in a value that is secret as a whole is learned, too, though nobody looks for it there.
    assert quick._persons._given.keys() >= slow._persons._given.keys()


@pytest.mark.parametrize("path", ["/home/jos\\u00e9/x", "\\n/home/jos\\u00e9"])
def test_a_person_is_found_before_the_path_that_shows_the_name(path):
    line = f'{{"by":"jos\\u00e9","too":"jos","at":"{path}"}}'.encode()
    assert [secret.text.decode() for secret in a_finder().find(line)] == ["josé", "josé"]


def test_a_line_without_anything_that_is_wished_for_is_not_taken_apart(monkeypatch):
    monkeypatch.setattr(find, "leaves", pytest.fail)
    line = b'{"params":{"c":[%b1]}}' % (b'{"k":1},' * 1000)
    assert a_finder().find(line) == []
    a_finder("x.*").learn(line)


# Each took seconds or minutes for 100 KB: blanks in two ways beside each other, quotes that end a
# string or are in it, lines that are read again for each name, program, or column in them.
SLOW = {
    "blanks": b"password" + b"\t" * 100_000,
    "blank lines": b'{"env":"' + rb"\n" * 50_000 + b'"}',
    "quotes in SQL": b"(id, password) VALUES (1, '" + b"''" * 2_000,
    "blanks in SQL": b"(id, password) VALUES (1, " + b" " * 4_000 + b"'x')",
    "lines of a key": b"1  " * 5_000 + b"!\n-----END PRIVATE KEY-----",
    "comments": b"password=a #" * 2_000,
    "keys for signing": b"jwt.sign(" * 2_000,
    "inputs": b'<input type="password" ' * 5_000,
    "defaults": b"password: z.string(" * 5_000,
    "what is handed over": b"here is the password\n" * 5_000,
    "a deep grid": b'{"columns":["password"],"rows":[["a"]],"x":'
    + b"[" * 20_000
    + b'"b",' * 20_000,
}


@pytest.mark.long
@pytest.mark.parametrize("line", SLOW.values(), ids=SLOW)
def test_no_line_takes_longer_than_in_proportion_to_its_length(line):
    """These would take minutes otherwise, so that no clock is needed."""
    Finder().find(line)


@pytest.mark.long
@pytest.mark.parametrize(
    "piece",
    [
        *(b"token=", b"token=!", b"curl -u a:", b"password|", b'"a password="', b"pass "),
        *(b"${DB_PASSWORD:", b"password) ?: 'x", b"a=b, password=", b"password=env.env."),
        *(b"- Kq8zPw31password:\n", b"- my_password:\n", b"here is the password\n"),
        *(b'<input type="password" ', b"password: z.string(", b" creds: a b", b"a (the password)"),
    ],
)
def test_what_is_read_on_from_each_name_is_not_read_again_for_the_next(piece):
    few, many = (calls_to_find(piece * count) for count in (100, 400))
    assert many < 5 * few
    assert many < 260 * 400


def calls_to_find(line):
    """Return how many functions are called, those of `re` included, to read a line."""
    calls = Counter()
    finder = Finder()
    finder.find(line[:1000])  # what is compiled once

    def count(_, event, __):
        calls[event] += 1

    sys.setprofile(count)
    try:
        finder.find(line)
    finally:
        sys.setprofile(None)
    return calls["call"] + calls["c_call"]


@pytest.mark.parametrize(("value", "is_one"), [("hunter2", True), ("test_login", False)])
def test_of_a_name_that_may_be_anything_the_value_decides(value, is_one):
    line = b'{"method":"x","params":{"rawInput":{"user":"root","pass":"%b"}}}' % value.encode()
    assert [secret.text.decode() for secret in Finder().find(line)] == [value] * is_one


def test_many_plain_words_of_a_command_are_looked_at_together(monkeypatch):
    looked_at = []
    keywords_in = Prefilter.keywords_in

    def counted(prefilter, raw):
        looked_at.append(raw)
        return keywords_in(prefilter, raw)

    monkeypatch.setattr(Prefilter, "keywords_in", counted)
    words = [f"word{number}" for number in range(10_000)]
    words[5000:5003] = ["--token", "Kq8zPw31Vn5R", "x/Kq8zPw31Vn5R/y"]
    found = Finder().find_in_header(Header(command=tuple(words)))["command"]
    secrets = {at: [each.text for each in hits] for at, (_, hits) in enumerate(found) if hits}
    assert secrets == {5001: [b"Kq8zPw31Vn5R"], 5002: [b"Kq8zPw31Vn5R"]}
    assert len(looked_at) < len(words) / 20
