import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort

from acp_spy.capture.codec import (
    HEADER_START,
    LONGEST_TEXT,
    decode,
    encode,
    encode_chunk,
    encode_readable,
    is_utf8,
    read_format,
)
from acp_spy.capture.records import MOST_SECONDS, Closed, Exit, Header, Stderr
from acp_spy.wire.frame import Frame, Peer, Via
from acp_spy.wire.framing import Framer

times = st.floats(min_value=0, max_value=MOST_SECONDS)
peers = st.sampled_from(Peer)
texts = st.text(st.characters(exclude_categories=["Cs"]))

# ----------------------------------------------------------------------------- odd JSON, as text

blanks = st.sampled_from(["", "", "", " ", "\t", "  ", "\r"])
numbers = st.sampled_from(["0", "-0", "1.0", "1E400", "1e-7", "9" * 40, "9" * 5000, "-1"])
strings = st.lists(
    st.sampled_from(
        [
            *(r"\ud800", r"\udc00", r"\ud83d\ude00", r"\u0000", r"\"", r"\\", r"\/", r"\n"),
            *("[[{", "}]", "\u2028", "\u0085", "\x7f", "\ufeff", "é", "😀", "a"),
        ]
    ),
    max_size=4,
).map(lambda parts: f'"{"".join(parts)}"')


def spell_array(values, blank):
    return f"[{blank}{f'{blank},{blank}'.join(values)}{blank}]"


def spell_object(pairs, blank):
    """Spell an object in which a key may stand twice."""
    spelled = [f"{key}{blank}:{blank}{value}" for key, value in pairs]
    return f"{{{blank}{f'{blank},'.join(spelled)}{blank}}}"


odd_json = st.recursive(
    st.sampled_from(["null", "true", "false"]) | numbers | strings,
    lambda values: (
        st.builds(spell_array, st.lists(values, max_size=3), blanks)
        | st.builds(spell_object, st.lists(st.tuples(strings, values), max_size=3), blanks)
    ),
    max_leaves=10,
)
depths = st.sampled_from([1, 2, 199, 200, 201, 5000])
nested_json = st.builds(
    lambda inner, depth, pair: pair[0] * depth + inner + pair[1] * depth,
    odd_json,
    depths,
    st.sampled_from([("[", "]"), ('{"a":', "}"), ('{"[{\\"":', "}"), ("[[],", "]")]),
)
json_lines = st.builds(
    lambda before, text, after: (before + text + after).encode(),
    st.sampled_from(["", "", "", "", " ", "\ufeff", "\0", "\r"]),
    odd_json | nested_json,
    st.sampled_from(["\n", "\n", "\n", "\n", "\r\n", " \n", "", "\n\n", "\0\n", "x\n", "\r"]),
)
damaged_lines = st.builds(
    lambda line, where, byte: line[: where % (len(line) + 1)] + byte + line[where:],
    json_lines,
    st.integers(min_value=0, max_value=100),
    st.binary(min_size=1, max_size=2),
)
raws = st.one_of(st.binary(), json_lines, damaged_lines)


def read_as_others_do(line):
    """Read a line as a program does that has nothing but the standard library."""
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert b"\r" not in line
    # Python alone refuses integers of more than 4300 digits, and lets one say so.
    return json.loads(line.decode(), parse_int=lambda digits: int(digits[:20]))


def nesting_of(value):
    match value:
        case dict():
            return 1 + max(map(nesting_of, value.values()), default=0)
        case list():
            return 1 + max(map(nesting_of, value), default=0)
        case _:
            return 0


# ----------------------------------------------------------------------------- the promise


@given(st.integers(min_value=1), times, peers, raws)
def test_a_frame_of_any_bytes_comes_back_exactly(seq, t, sender, raw):
    frame = Frame(seq, t, sender, raw)
    assert decode(encode([frame])) == frame


@given(raws)
def test_a_frame_is_one_line_of_json_for_everybody(raw):
    line = encode([Frame(7, 0.25, Peer.AGENT, raw)])
    record = read_as_others_do(line)
    (field,) = set(record) - {"type", "seq", "t", "sender"}
    held = record.pop(field)
    assert record == {"type": "frame", "seq": 7, "t": 0.25, "sender": "agent"}
    match field:
        case "message":
            verbatim = line.partition(b'"message":')[2].removesuffix(b"}\n")
            assert raw == verbatim + b"\n"
            assert nesting_of(held) <= 200
        case "text":
            assert held.encode() == raw
        case "base64":
            with pytest.raises(UnicodeDecodeError):
                raw.decode()
        case _:
            pytest.fail(f"a field that the format does not have: {field}")


@given(odd_json)
def test_json_on_a_line_of_its_own_is_a_message(text):
    """Unless it holds a carriage return or a lone surrogate escape: others would stumble."""
    value = json.loads(text, parse_int=len, object_pairs_hook=list)
    is_text = "\r" in text or has_lone_surrogate(value)
    line = encode([Frame(1, 0.0, Peer.CLIENT, text.encode() + b"\n")])
    assert (b'"sender":"client","text":' if is_text else b'"sender":"client","message":') in line


def has_lone_surrogate(value):
    match value:
        case str():
            return any("\ud800" <= character <= "\udfff" for character in value)
        case list() | tuple():
            return any(map(has_lone_surrogate, value))
        case _:
            return False


@given(times, st.binary() | texts.map(str.encode))
def test_stderr_of_any_bytes_comes_back_exactly(t, raw):
    line = encode([Stderr(t, raw)])
    assert decode(line) == Stderr(t, raw)
    record = read_as_others_do(line)
    assert record["type"] == "stderr"
    assert record["t"] == t
    assert len(record) == 3
    assert "base64" in record or record["text"].encode() == raw


headers = st.builds(
    Header,
    tool=texts,
    started=texts,
    command=st.lists(texts, max_size=4).map(tuple),
    cwd=texts,
    note=texts,
)
counts = st.dictionaries(st.sampled_from(["client", "agent", "stderr"]), st.integers(1, 2**50))
statuses = st.integers(min_value=-64, max_value=255)


@given(
    st.one_of(headers, st.builds(Closed, times, peers), st.builds(Exit, times, statuses, counts))
)
def test_every_other_record_comes_back_exactly(record):
    line = encode([record])
    assert decode(line) == record
    assert read_as_others_do(line)["type"] == type(record).__name__.lower()


few_frames = st.builds(
    Frame,
    st.integers(min_value=1, max_value=9),
    st.sampled_from([-1.0, 0.0, 0.5]),
    peers,
    st.sampled_from([b"{}\n", b"x\n", b"\xff"]),
)
few_records = few_frames | st.builds(Stderr, st.just(0.5), st.just(b"x\n")) | headers


@given(st.lists(few_records))
def test_records_written_together_are_the_lines_of_each(records):
    """Frames of one chunk share their stamp; it must not be taken for that of others."""
    assert encode(records) == b"".join(encode([record]) for record in records)


# ----------------------------------------------------------------------------- the spelling


tricky_lines = st.sampled_from(
    [
        *(b"{}\n", b"{}{}\n", b"\n", b" \n", b'{"a":\n', b"1}{}\n", b"1}\n", b"1 2\n"),
        *(b"{}", b"{}\r\n", b"  [\n", b" [\n", b"]\n", b"] [\n", b"]  [\n", b"]1\n", b"] 1\n"),
        *(b'"%d"\n', b'"%%"\n', b'"{\\n}"\n'),
    ]
)


@given(st.lists(tricky_lines | json_lines | raws, min_size=1, max_size=6), times, peers)
def test_a_chunk_is_spelled_as_its_frames_are(lines, t, sender):
    """The fast way, which looks at all frames at once, is the slow way."""
    assert_spelled_as_frames(b"".join(lines), t, sender)


def assert_spelled_as_frames(chunk, t, sender):
    framer = Framer()
    lines = [line for line in (*framer.feed(chunk), framer.close()) if line]
    frames = [Frame(seq, t, sender, line) for seq, line in enumerate(lines, 7)]
    assert not lines or b"".join(encode_chunk(7, t, sender, lines)) == encode(frames)


@pytest.mark.parametrize("t", [0.0, 0.000001, 0.000099, 0.0001, 0.1, 12.0, 3600.000001, 9e7])
def test_the_time_of_a_single_frame_is_spelled_like_any_other(t):
    assert_spelled_as_frames(b"{}\n", t, Peer.AGENT)


@given(st.lists(tricky_lines | json_lines, min_size=1, max_size=6), times, peers)
def test_a_chunk_that_did_not_come_on_stdio_is_spelled_as_its_frames_are(lines, t, sender):
    via = Via("http", "session", "c%d", "s", 200)
    frames = [Frame(seq, t, sender, line, (), via) for seq, line in enumerate(lines, 7)]
    assert b"".join(encode_chunk(7, t, sender, lines, via)) == encode(frames)


@pytest.mark.parametrize("first", [1, 7, 998, 999, 1000, 123_456, 999_998])
def test_the_numbers_of_a_long_chunk_go_up(first):
    lines = [b"{}\n"] * 1005
    frames = [Frame(seq, 0.5, Peer.AGENT, line) for seq, line in enumerate(lines, first)]
    assert b"".join(encode_chunk(first, 0.5, Peer.AGENT, lines)) == encode(frames)


@given(st.lists(tricky_lines, min_size=2, max_size=6))
@settings(max_examples=effort.examples(200))
def test_lines_that_could_pass_for_each_other_do_not(lines):
    assert_spelled_as_frames(b"".join(lines), 0.5, Peer.AGENT)


def test_the_records_are_spelled_so():
    records = [
        Header(
            tool="acp-spy 0.1.0",
            started="2026-01-05T09:30:00.250000Z",
            command=("agent", "--acp"),
            cwd="/project",
        ),
        Frame(1, 0.000001, Peer.CLIENT, b'{"id": 1}\n'),
        Frame(2, 12.5, Peer.AGENT, b"[info]\n"),
        Frame(3, 12.5, Peer.AGENT, b"\xff\n"),
        Stderr(13.0, b"caf\xc3\xa9\n"),
        Stderr(13.0, b"\xe9"),
        Closed(14.0, Peer.CLIENT),
        Exit(15.0, 0),
        Exit(15.0, -9, {"client": 3}),
    ]
    assert encode(records).decode() == (
        '{"type":"header","format":1,"tool":"acp-spy 0.1.0",'
        '"started":"2026-01-05T09:30:00.250000Z","command":["agent","--acp"],"cwd":"/project"}\n'
        '{"type":"frame","seq":1,"t":1e-06,"sender":"client","message":{"id": 1}}\n'
        '{"type":"frame","seq":2,"t":12.5,"sender":"agent","text":"[info]\\n"}\n'
        '{"type":"frame","seq":3,"t":12.5,"sender":"agent","base64":"/wo="}\n'
        '{"type":"stderr","t":13.0,"text":"café\\n"}\n'
        '{"type":"stderr","t":13.0,"base64":"6Q=="}\n'
        '{"type":"closed","t":14.0,"sender":"client"}\n'
        '{"type":"exit","t":15.0,"status":0}\n'
        '{"type":"exit","t":15.0,"status":-9,"undelivered":{"client":3}}\n'
    )


def test_a_note_is_written_when_there_is_one():
    assert encode([Header(note="imported")]) == (
        b'{"type":"header","format":1,"tool":"","started":"","command":[],"cwd":"",'
        b'"note":"imported"}\n'
    )


@pytest.mark.parametrize(
    "number", [b"1e400", b"-1E999", b"9" * 6000, b"9" * 400 + b".0", b"9" * 1_100_000]
)
def test_a_number_that_few_can_read_is_not_in_a_readable_line(number):
    frame = Frame(7, 1.5, Peer.AGENT, b'{"a":%b}\n' % number)
    line = encode_readable(frame)
    assert json.loads(line)["seq"] == 7
    assert "message" not in json.loads(line)
    assert decode(line) == frame


@given(peers, raws)
def test_a_readable_line_is_read_by_everybody_and_is_the_frame(sender, raw):
    frame = Frame(7, 1.5, sender, raw)
    line = encode_readable(frame)
    json.loads(line)
    assert line == encode([frame]) or b'"text":' in line
    assert decode(line) == frame


def test_no_records_are_no_bytes():
    assert encode([]) == b""


def test_a_capture_begins_as_its_reader_expects():
    assert encode([Header()]).startswith(HEADER_START)


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b"{}\n", "message"),
        (b"null\n", "message"),
        (b"42\n", "message"),
        (b'"a"\n', "message"),
        (b"[ 1 ,\t2 ]\n", "message"),
        (b'{"a":1,"a":2}\n', "message"),
        (b"1" * 100 + b"\n", "message"),
        ('{"a":"\u2028\u0085\x7fé"}\n'.encode(), "message"),
        (rb'{"a":"\ud83d\ude00"}' + b"\n", "message"),
        # Blanks around it would not come back.
        (b" {}\n", "text"),
        (b"{} \n", "text"),
        (b"{}\t\n", "text"),
        (b"{}\r\n", "text"),
        # A carriage return anywhere misleads those who split lines at it.
        (b'{"a":\r1}\n', "text"),
        (b"\r{}\n", "text"),
        # Not one line feed at the end.
        (b"{}", "text"),
        (b"{}\n\n", "text"),
        (b"{\n}\n", "text"),
        (b"", "text"),
        (b"\n", "text"),
        # Not JSON, or not for everybody.
        (b"[info] ready\n", "text"),
        (b'{"a":\n', "text"),
        (b"{}{}\n", "text"),
        (b"{},\n", "text"),
        (b'{"a":"\0"}\n', "text"),
        (b'{"a":"\t"}\n', "text"),
        (b'{"a":NaN}\n', "text"),
        (b'{"a":01}\n', "text"),
        (b'\xef\xbb\xbf{"a":1}\n', "text"),
        (rb'{"a":"\ud800"}' + b"\n", "text"),
        (rb'{"\udc00":1}' + b"\n", "text"),
        # Not UTF-8, even where msgspec would let it pass.
        (b'{"a":"caf\xe9"}\n', "base64"),
        (b'{"a":"\xed\xa0\x80"}\n', "base64"),
        (b'{"a":"\xc0\x80"}\n', "base64"),
        (b"\xff", "base64"),
    ],
)
def test_the_field_says_what_the_bytes_are(raw, field):
    line = encode([Frame(1, 0.0, Peer.CLIENT, raw)])
    assert set(json.loads(line)) == {"type", "seq", "t", "sender", field}
    assert decode(line).raw == raw


@pytest.mark.parametrize(
    ("start", "end", "levels"),
    [
        ("[", "]", 1),
        ('{"a":', "}", 1),
        ('[{"a":', "}]", 2),
        # Brackets in strings nest nothing, whatever the quotes about them look like.
        (r'{"[[{":', "}", 1),
        (r'["\"[[", ', "]", 1),
        (r'["\\", "]]\\\"", ', "]", 1),
    ],
)
def test_200_levels_are_a_message_and_201_are_text(start, end, levels):
    inner = '"%s"' % ("[{" * 300)
    for depth, field in [(198, "message"), (200, "message"), (202, "text"), (600, "text")]:
        times = depth // levels
        raw = f"{start * times}{inner}{end * times}\n".encode()
        assert f'"{field}":'.encode() in encode([Frame(1, 0.0, Peer.CLIENT, raw)])[:60]
    raw = f"[{start * (200 // levels)}{inner}{end * (200 // levels)}]\n".encode()
    assert b'"text":' in encode([Frame(1, 0.0, Peer.CLIENT, raw)])[:60]


@pytest.mark.parametrize(
    ("size", "field"), [(LONGEST_TEXT, b'"text"'), (LONGEST_TEXT + 1, b'"base64"')]
)
def test_what_is_too_long_to_be_read_is_base64(size, field):
    frame = Frame(1, 0.5, Peer.AGENT, b"x" * size)
    line = encode([frame])
    assert field in line[:80]
    assert decode(line) == frame


def test_brackets_beside_each_other_are_not_deep():
    raw = b"[" + b'[{"a":[{}]}], ' * 1_000 + b"[]]\n"
    assert b'"message":' in encode([Frame(1, 0.0, Peer.CLIENT, raw)])[:60]


def test_looking_for_depth_takes_no_more_memory_than_the_message_does():
    """The traffic waits meanwhile. A regular expression took a hundred times its size."""
    raw = json.dumps(['def f(x): return {x: [1]}  # \\ "\n' * 20_000]).encode() + b"\n"
    frame = Frame(1, 0.0, Peer.CLIENT, raw)
    tracemalloc.start()
    try:
        line = encode([frame])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert b'"message":' in line[:60]
    assert peak < 8 * len(raw)


@given(st.binary() | texts.map(str.encode), st.integers(min_value=1, max_value=5))
def test_utf8_is_found_out_in_steps_of_any_size(data, step):
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not is_utf8(data, step)
    else:
        assert is_utf8(data, step)


# ----------------------------------------------------------------------------- reading others


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (b'{"type": "stderr", "t": 1, "text": "x\\n"}', Stderr(1.0, b"x\n")),
        (b'{"text":"","t":1,"type":"stderr"}\n', Stderr(1.0, b"")),
        (b'{"type":"stderr","t":1,"base64":""}\n', Stderr(1.0, b"")),
        (
            b' { "message" : { "a" : 1 } ,"sender":"agent","t":1e0,"seq":5,"type":"frame" } \r\n',
            Frame(5, 1.0, Peer.AGENT, b'{ "a" : 1 }\n'),
        ),
        (
            b'{"type":"frame","seq":1,"t":0,"sender":"client","message":null}\n',
            Frame(1, 0.0, Peer.CLIENT, b"null\n"),
        ),
        (
            b'{"type":"frame","seq":1,"t":0,"sender":"client","text":"\\u00e9","new":[{}]}\n',
            Frame(1, 0.0, Peer.CLIENT, "é".encode()),
        ),
        (b'{"type":"header","format":1}\n', Header()),
        (b'{"type":"exit","t":1,"status":0,"why":"done"}\n', Exit(1.0, 0)),
        (b'{"type":"finding","seq":1,"code":"RPC007"}\n', None),
        (b'{"type":"","t":"?"}\n', None),
        (b'{"t":[{}],"type":"note"}\n', None),
    ],
)
def test_other_writers_spell_it_their_way(line, record):
    assert decode(line) == record


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "Input data was truncated"),
        (b"\n", "Input data was truncated"),
        (b'{"type":"exit","t":1', "Input data was truncated"),
        (b'{"type":"note","t":1', "Input data was truncated"),
        (b"[]\n", "Expected `object`, got `array`"),
        (b"{}\n", "Object missing required field `type`"),
        (b'{"type":1}\n', "Expected `str`, got `int` - at `$.type`"),
        (b'{"type":"exit","t":1}\n', "Object missing required field `status`"),
        (
            b'{"type":"exit","t":"1","status":0}\n',
            "Expected `float`, got `str` - at `$.t`",
        ),
        (
            b'{"type":"closed","t":1,"sender":"me"}\n',
            "Invalid enum value 'me' - at `$.sender`",
        ),
        (
            b'{"type":"closed","t":1,"sender":"agent key q7Zk2V\'w9Xn4R"}\n',
            "Invalid enum value - at `$.sender`",  # it may be a secret
        ),
        (
            b'{"type":"frame","seq":1,"t":1,"sender":"agent"}\n',
            "expected exactly one of `message`, `text` and `base64`",
        ),
        (
            b'{"type":"frame","seq":1,"t":1,"sender":"agent","message":1,"text":"1\\n"}\n',
            "expected exactly one of `message`, `text` and `base64`",
        ),
        (
            b'{"type":"stderr","t":1,"text":"a","base64":"YQ=="}\n',
            "expected exactly one of `message`, `text` and `base64`",
        ),
        (
            b'{"type":"stderr","t":1,"base64":"?"}\n',
            "Invalid base64 encoded string - at `$.base64`",
        ),
        (b'{"type":"stderr","t":1,"text":"\xff"}\n', "not UTF-8"),
        (b'{"type":"\xff"}\n', "not UTF-8"),
    ],
)
def test_what_is_no_record_says_why(line, reason):
    with pytest.raises(ValueError) as caught:
        decode(line)
    assert str(caught.value) == reason


@pytest.mark.parametrize("time", ["1.1e11", "-1.1e11", "1e308", "-1e308", "1e400", "NaN", '"1"'])
@pytest.mark.parametrize(
    "line",
    [
        '{"type":"frame","seq":1,"t":T,"sender":"agent","message":1}',
        '{"type":"delivery","seq":1,"t":T,"to":"agent","by":"x","action":"dropped"}',
        '{"type":"stderr","t":T,"text":"x"}',
        '{"type":"closed","t":T,"sender":"agent"}',
        '{"type":"exit","t":T,"status":0}',
        '{"type":"exchange","t":T,"id":1,"transport":"http","method":"GET","path":"/"}',
        '{"type":"exchange","t":1,"id":1,"transport":"http","method":"GET","path":"/","seconds":T}',
        '{"type":"disconnect","t":T,"exchange":1,"transport":"ws","stream":"","by":"agent"}',
        '{"type":"disconnect","t":1,"exchange":1,"transport":"ws","stream":"","by":"x","silence":T}',
    ],
)
def test_a_time_of_thousands_of_years_is_not_in_a_record(line, time):
    assert decode(line.replace("T", "1e11").encode())
    assert decode(line.replace("T", "-1e11").encode())
    with pytest.raises(ValueError, match=r"."):
        decode(line.replace("T", time).encode())


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"note","x":%b}\n',
        b'{"x":%b,"type":"note"}\n',
        b'{"type":"exit","t":1,"status":0,"x":%b}\n',
        b'{"type":"frame","seq":1,"t":1,"sender":"agent","message":%b}\n',
    ],
)
def test_a_line_nested_beyond_all_limits_is_no_record(line):
    with pytest.raises(ValueError, match=r"^nested too deeply$"):
        decode(line % (b"[" * 500_000 + b"]" * 500_000))


@given(st.binary() | damaged_lines)
def test_any_line_is_a_record_or_a_value_error(line):
    read_format(line)
    try:
        decode(line)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - both outcomes are right


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b'{"type":"header","format":1}\n', 1),
        (b'{"format": 7, "type": "header", "tool": {}, "command": "x"}', 7),
        (b'{"type":"header"}\n', None),
        (b'{"type":"header","format":"1"}\n', None),
        (b'{"type":"frame","format":1}\n', None),
        (b'{"format":1}\n', None),
        (b'{"type":"header","format":1', None),
        (b'{"type":"header\xff","format":1}\n', None),
        (b'{"type":"header","x":%b,"format":1}\n' % (b"[" * 500_000), None),
        (b"", None),
        (b"[1]\n", None),
        (b"\x7fELF\x02\x01\n", None),
    ],
)
def test_the_format_is_read_from_a_header_whatever_else_it_holds(line, number):
    assert read_format(line) == number
