import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_spy.wire import jsonrpc
from acp_spy.wire.jsonrpc import (
    Notification,
    Request,
    Response,
    Unreadable,
    find_glued,
    read_message,
    read_plain,
)
from acp_spy.wire.values import decoded

# Words of which, joined at random, some come out as messages, and most as almost one.
words = st.sampled_from(
    [
        *('{"id":1,"method":"m"', '{"method":', '"result":', '"error":', '"params":', '"id":'),
        *("{", "}", "[", "]", ",", ":", '"', "\\", " ", "\t", "\r", "\n", "\0", "\ufeff", "\u2028"),
        *("null", "true", "1", "1.0", "-", "01", '""', '"m"', r'"\ud800"', r"\u12", "é"),
    ]
)
almost_json = st.lists(words, max_size=12).map(lambda found: "".join(found).encode())


@given(st.one_of(st.binary(), almost_json, st.tuples(almost_json, st.binary()).map(b"".join)))
def test_reading_never_raises(payload):
    message = read_message(payload)
    assert isinstance(message, Request | Notification | Response | Unreadable)
    if isinstance(message, Unreadable):
        assert message.reason
        assert message.reason.isprintable()
    else:
        assert isinstance(json.loads(payload), dict)


heads = st.sampled_from(
    [
        *('{"jsonrpc":"2.0","method":"session/update","params":', '{"jsonrpc":"2.0","params":'),
        *('{"jsonrpc":"2.0","id":1,"method":"m","params":', '{"jsonrpc":"2.0","id":1,"result":'),
        *('{"jsonrpc":"2.0","id":"é","result":', '{"jsonrpc":"2.0","id":01,"result":'),
        *('{"jsonrpc":"2.0","result":', '{"jsonrpc":"2.0","id":1,"error":'),
        *('{"jsonrpc":"2.0","method":"\\u006d","params":', '{"jsonrpc": "2.0","id":1,"result":'),
    ]
)
objects = st.lists(words, max_size=6).map(lambda found: '{"a":[{' + "".join(found) + "}]}")
bodies = st.sampled_from(["{}", '{"a":1}', '{"a":1,"a":{}}', "{} ", '{},"params":{}', "[]"])
ends = st.sampled_from(["}\n", "}\n", "}\r\n", "}", ',"params":{}}\n', "} \n", "}}\n"])


@given(st.tuples(heads, bodies | objects, ends).map(lambda found: "".join(found).encode()))
@example(b'{"jsonrpc":"2.0","method":"session/update","params":{"a":"\xff"}}\n')
def test_what_is_read_plainly_is_what_is_read(line):
    plain = read_plain(line)
    if plain is not None:
        message, body = plain
        assert message == read_message(line[:-1])
        value = message.result if isinstance(message, Response) else message.params
        assert body == decoded(value)
        assert line.endswith(value + b"}\n")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"jsonrpc":"2.0","method":"session/update","params":{}}\n', Notification),
        (b'{"jsonrpc":"2.0","method":"m/\xc3\xa9","params":{}}\n', None),
        (b'{"jsonrpc":"2.0","id":-7,"method":"m","params":{"x":"\xc3\xa9"}}\n', Request),
        (b'{"jsonrpc":"2.0","id":"a-1","result":{}}\n', Response),
        (b'{"jsonrpc":"2.0","id":1.0,"result":{}}\n', None),
        (b'{"jsonrpc":"2.0","id":1,"result":null}\n', None),
        (b'{"jsonrpc":"2.0","id":1,"result":{},"result":{}}\n', None),
    ],
)
def test_which_messages_are_plain(line, kind):
    plain = read_plain(line)
    assert (type(plain[0]) if plain else None) is kind


@given(st.lists(words, max_size=3).map("".join) | st.text(max_size=20))
@example("2026-11-14 10:00:01")
@example("-1")
@example(' "a" ')
def test_what_is_said_not_to_be_json_is_not(line):
    message = read_message(line.encode(errors="surrogatepass"))
    if message == Unreadable("not JSON"):
        with pytest.raises(msgspec.DecodeError):
            msgspec.json.decode(line.encode())
        assert line.strip()[:1] not in ("{", "[")


nests = pytest.mark.parametrize(
    ("start", "end"),
    [
        ("[", ""),
        ("[", "]"),
        ('{"a":', ""),
        ('{"method":', "}"),
        ('{"method":[', "]}"),
        (' [{"id":', "}]"),
    ],
)


@nests
def test_nesting_beyond_all_limits_is_told(start, end):
    payload = (start * 500_000 + "1" * bool(end) + end * 500_000).encode()
    assert read_message(payload) == Unreadable("nested too deep to read")


@nests
def test_nesting_about_the_limits_does_not_raise(start, end):
    """Where they are depends on the version of Python, and on who called us."""
    for depth in (200, 500, *range(900, 1_010), 5_000, 9_999):
        payload = (start * depth + "1" * bool(end) + end * depth).encode()
        assert isinstance(read_message(payload), Unreadable)


# ----------------------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ('{"id":1,"method":"m"}', Request(b"1", "m")),
        ('{"id":1,"method":"m","params":null}', Request(b"1", "m", b"null")),
        ('{"id":1,"method":"m","params":{}}', Request(b"1", "m", b"{}")),
        ('{"id":1,"method":"m","params":[]}', Request(b"1", "m", b"[]")),
        ('{"id":1,"method":""}', Request(b"1", "")),
        ('{"method":"m"}', Notification("m")),
        ('{"method":"m","params":null}', Notification("m", b"null")),
        ('{"method":"m","params":{}}', Notification("m", b"{}")),
        ('{"id":1,"result":null}', Response(b"1", b"null")),
        ('{"id":1,"result":{}}', Response(b"1", b"{}")),
        ('{"id":1,"result":false}', Response(b"1", b"false")),
        ('{"id":1,"result":""}', Response(b"1", b'""')),
        ('{"id":1,"error":{"code":1}}', Response(b"1", b"", b'{"code":1}')),
        ('{"id":1,"error":null}', Response(b"1", b"", b"null")),
        ('{"id":1,"result":null,"error":null}', Response(b"1", b"null", b"null")),
        ('{"id":null,"error":{}}', Response(b"null", b"", b"{}")),
        ('{"error":{}}', Response(b"", b"", b"{}")),
    ],
)
def test_absent_and_null_and_empty_are_three_things(payload, message):
    assert read_message(payload.encode()) == message


@pytest.mark.parametrize("ident", ["1", "1.0", '"1"', "null", "-0", "1e0", "[1]"])
def test_an_id_is_the_text_that_was_sent(ident):
    asked = read_message(f'{{"id" : {ident} , "method" : "m"}}'.encode())
    answered = read_message(f'{{"result": 1, "id": {ident} }}'.encode())
    assert asked == Request(ident.encode(), "m")
    assert answered == Response(ident.encode(), b"1")


@pytest.mark.parametrize(
    ("asked", "answered"),
    [('"a/1"', r'"a\/1"'), ('"é<1>"', r'"\u00e9\u003C1>"'), (r'"a\"\n"', r'"a\u0022\u000A"')],
)
def test_an_id_may_be_answered_in_another_spelling(asked, answered):
    request = read_message(f'{{"id":{asked},"method":"m"}}'.encode())
    assert read_message(f'{{"id":{answered},"result":1}}'.encode()).id == request.id


@pytest.mark.parametrize("ident", [r'["\/"]', r'{"\u0061": 1}'])
def test_an_id_that_is_no_text_stays_as_it_was_sent(ident):
    assert read_message(f'{{"id":{ident},"method":"m"}}'.encode()).id == ident.encode()


def test_ids_that_python_takes_for_one_stay_apart():
    idents = [b"1", b"1.0", b"true", b'"1"', b"1e0"]
    asked = {read_message(b'{"id":%b,"method":"m"}' % ident).id for ident in idents}
    assert asked == set(idents)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # A lone surrogate cannot be read, and has its own test.
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text("abc"), values),
    max_leaves=8,
)
spellings = st.builds(
    lambda value, blank, colon, ascii_only: (
        blank + json.dumps(value, separators=("," + blank, ":" + colon), ensure_ascii=ascii_only)
    ),
    json_values,
    st.sampled_from(["", " ", "\t", "\r"]),
    st.sampled_from(["", " "]),
    st.booleans(),
)
methods = st.text(st.characters(exclude_categories=["Cs"]))


def as_id(spelling):
    """Return how an id is kept: a text without escapes that it does not need."""
    bare = spelling.strip()
    is_escaped = bare[:1] == '"' and "\\" in bare
    return (json.dumps(json.loads(bare), ensure_ascii=False) if is_escaped else bare).encode()


@given(st.none() | spellings, st.none() | spellings, methods, st.randoms())
def test_calls_are_read_whatever_they_carry(ident, params, method, random):
    fields = ['"jsonrpc": "2.0"', f'"method": {json.dumps(method)}', '"extra": [{}]']
    fields += [f'"id":{ident}'] if ident is not None else []
    fields += [f'"params":{params}'] if params is not None else []
    random.shuffle(fields)
    message = read_message(f"{{{','.join(fields)}}}".encode())
    assert message.method == method
    assert message.params == ("" if params is None else params.strip()).encode()
    if ident is None:
        assert type(message) is Notification
    else:
        assert type(message) is Request
        assert message.id == as_id(ident)


@given(st.none() | spellings, spellings, st.sampled_from(["result", "error"]))
def test_answers_are_read_whatever_they_carry(ident, value, kind):
    start = "" if ident is None else f'"id":{ident},'
    message = read_message(f'{{{start}"{kind}":{value}}}'.encode())
    expected = {"result": b"", "error": b"", kind: value.strip().encode()}
    assert message == Response(b"" if ident is None else as_id(ident), **expected)


def test_a_method_that_is_spelled_with_escapes_is_that_method():
    assert read_message(rb'{"\u006dethod": "\u0061\/b\ud83d\ude00"}') == Notification("a/b😀")


def test_the_last_of_two_equal_keys_counts():
    assert read_message(b'{"method": "a", "method": "b"}') == Notification("b")


def test_blanks_around_a_message_do_no_harm():
    assert read_message(b' \t{"method": "m"} \r') == Notification("m")


# ----------------------------------------------------------------------------- reasons


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "a blank line"),
        (b" \t\r", "a blank line"),
        (b"Debugger attached.", "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b'\0{"method":"m"}', "not JSON"),
        (b'{"method":"\xff"}', "not UTF-8: byte 12 is 0xff"),
        (b"\x1f\x8b\x08", "not UTF-8: byte 2 is 0x8b"),
        (b'{"a":"\xed\xa0\x80"}', "not UTF-8: byte 7 is 0xed"),
        (b"42", "JSON, but not an object"),
        (b"null", "JSON, but not an object"),
        (b'"method"', "JSON, but not an object"),
        (b'[{"method":"m"}]', "JSON, but not an object"),
        (b"{}", "JSON, but neither a call nor an answer"),
        (b'{"id":1,"params":{}}', "JSON, but neither a call nor an answer"),
        (b'{"method":null}', "`method` is not a string"),
        (b'{"method":1,"id":1}', "`method` is not a string"),
        (b'{"method":["m"]}', "`method` is not a string"),
    ],
)
def test_what_cannot_be_read_says_why(payload, reason):
    assert read_message(payload) == Unreadable(reason)


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        ("[info] ready", "invalid character"),
        ('{"method":"m"', "truncated"),
        ('{"method":"m"} x', "trailing characters"),
        ('{"method":"m"}{"method":"m"}', "trailing characters"),
        ('{"method":"\x01"}', "invalid character"),
        ('{"method":"m","params":01}', "invalid number"),
        ('{"method":"m","params":NaN}', "invalid character"),
        (r'{"method":"\ud800', "truncated"),
    ],
)
def test_what_is_almost_json_says_what_is_wrong_with_it(payload, complaint):
    message = read_message(payload.encode())
    assert isinstance(message, Unreadable)
    assert message.reason.startswith("not JSON: ")
    assert complaint in message.reason


@pytest.mark.parametrize(
    "string",
    [
        r"\ud800",
        r"\ud800x",
        r"\ud800 and a long text after it",
        r"\ud800\n",
        r"\ud800\u0041",
        r"\ud800\ud800",
        r"\udc00",
        r"\udc00\ud800",
    ],
)
@pytest.mark.parametrize("around", ['{"method":"%s"}', '{"%s":1}', '["%s"]', '{"a":"%s","b":"c"} '])
def test_a_lone_surrogate_escape_is_not_called_broken_json(around, string):
    """It is JSON, as RFC 8259 has it, but no text: most readers refuse it."""
    assert read_message((around % string).encode()) == Unreadable(
        "JSON with a string that cannot be read (a lone surrogate escape?)"
    )


@pytest.mark.parametrize(
    ("payload", "failed"),
    [
        (b'{"id":1,"result":null}', False),
        (b'{"id":1,"error":{"code":1,"message":""}}', True),
        (b'{"id":1,"error":null}', True),
        (b'{"id":1,"result":{},"error":null}', False),
        (b'{"id":1,"result":{},"error":{}}', True),
    ],
)
def test_null_beside_a_result_is_no_failure(payload, failed):
    assert read_message(payload).failed is failed


CALL = b'{"id":1,"method":"m"}'


@pytest.mark.parametrize("before", [b"> ", b'{"a":1} ', CALL, CALL * 500, b'{"id"' * 10])
def test_a_message_behind_something_else_is_found(before):
    start, message = find_glued(before + CALL)
    assert (start, message) == (len(before), Request(b"1", "m"))


def test_of_two_places_where_a_message_may_begin_the_first_counts():
    outer = b'{"id":1,"method":"m","params":{"x":' + CALL + b"}}"
    assert find_glued(b"> " + outer) == (2, read_message(outer))


@pytest.mark.parametrize("line", [b'x{"id"' * 50_000, b'x{"id":1,"a":' * 50_000, b"{" * 300_000])
def test_a_line_of_beginnings_is_not_read_again_for_each_of_them(line, monkeypatch):
    tried = []
    decode = jsonrpc._decode_envelope
    monkeypatch.setattr(jsonrpc, "_decode_envelope", lambda rest: tried.append(1) or decode(rest))
    assert find_glued(line) is None
    assert len(tried) <= 32
