"""Whatever bytes are given to whatever reader: records, or an error for people."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.foreign import FOLDER, records

from acp_spy.capture.codec import decode, encode
from acp_spy.capture.foreign.known import NAMES
from acp_spy.capture.records import Header, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Frame

FILES = {
    path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.name != "README.md"
}
forms = st.sampled_from(["", *NAMES])

# Pieces of every format, put together at random: closer to the mark than bytes are.
pieces = st.sampled_from(
    [
        *("→ ", "← ", "--> ", "<-- ", "response (id=", "notification x", " params=", " result="),
        *("incoming ", "outgoing {'jsonrpc': ", "StreamEvent(direction=", "... (9 chars)"),
        *("{", "}", "[", "]", ":", ",", "\n", "\r\n", " ", '"', "\\", "\\ud800", "\ufeff", "\0"),
        *('"jsonrpc"', '"id"', '"method"', '"params"', '"result"', '"error"', '"2.0"', "1e999"),
        *('"type":"request"', '"type":"frame"', '"ts":1', '"from":"Client"', '"to":"Agent"'),
        *('"direction":"incoming"', '"message":{}', '"_direction":"stderr"', '"messages":[]'),
        *(
            '"version":1',
            '"exportedAt":1',
            '"session":{}',
            '"timestamp":"x"',
            "null",
            "-0",
            "9" * 25,
        ),
    ]
)
scraps = st.lists(pieces, max_size=30).map(lambda parts: "".join(parts).encode())


def read_or_refuse(data, form):
    try:
        header, *rest = records(data, form)
    except AcpSpyError as error:
        refusal = error
    else:
        refusal = None
    if refusal:
        assert refusal.message
        assert refusal.hint
        return
    assert isinstance(header, Header)
    assert header.note.startswith("imported from ")
    assert all(isinstance(record, Frame | Stderr) for record in rest)
    frames = [record for record in rest if isinstance(record, Frame)]
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    times = [record.t for record in rest]
    assert times == sorted(times)
    for record in (header, *rest):
        assert decode(encode([record])) == record


@given(st.binary(max_size=300), forms)
def test_any_bytes(data, form):
    read_or_refuse(data, form)


@given(scraps, forms)
@settings(max_examples=effort.examples(200))
def test_any_scraps(data, form):
    read_or_refuse(data, form)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=effort.examples(10))
def test_any_damage(name, data):
    """Cut anywhere, with a few bytes changed, or with a piece of another file inside."""
    whole = FILES[name]
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    other = FILES[data.draw(st.sampled_from(list(FILES)))]
    middle = data.draw(st.sampled_from([b"", b"\n", b"\xff\x00", b'"', b"[" * 3000, other]))
    read_or_refuse(whole[:start] + middle + whole[end:], data.draw(forms))


def nest(start, end, depth=20_000):
    return start + b"[" * depth + b"]" * depth + end


@pytest.mark.parametrize("form", ["", *NAMES])
@pytest.mark.parametrize(
    "data",
    [
        nest(b'{"jsonrpc":"2.0","id":0,"method":"x","params":', b"}\n"),
        nest(b'{"type":"request","ts":0,"from":"Client","to":"Agent","id":0,"params":', b"}\n"),
        nest(b'[{"_direction":"incoming","params":', b"}]"),
        nest(b'{"version":1,"exportedAt":1,"session":{},"messages":', b"}"),
        nest(b"incoming {'jsonrpc': ", b"}\n"),
        nest(b"--> x (id=0) params=", b"\n"),
        b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"x"}\n',
        b"incoming {'jsonrpc': " + b"9" * 5000 + b"}\n",
        b"incoming {'jsonrpc': {1, 2}, 'x': b'y', 3: 1j}\n",
        b'{"direction":"in","message":{"jsonrpc":"\\ud800"},"ts":1e308}\n',
        b'{"type":"request","ts":-1e308,"from":"Client","to":"Agent","id":0,"method":"x"}\n',
        b'{"type":"frame","direction":"client -> agent","frame":"x","at":1e300}\n',
        b"\n".join(
            b'{"type":"request","ts":%b,"from":"Client","to":"Agent","id":0,"method":"x"}' % time
            for time in (b"-1e308", b"1e308")
        ),
        b'{"timestamp":"9999-12-31T23:59:59+00:00","direction":"upstream","message":{}}\n',
    ],
)
def test_what_is_beyond_all_measure(data, form):
    read_or_refuse(data, form)


@pytest.mark.parametrize(
    "number", ["9" * 400, "-" + "9" * 400, "1e400", "-1e400", "NaN", "-Infinity"]
)
def test_a_time_that_is_none_is_passed_over(number):
    message = '"direction":"in","message":{"jsonrpc":"2.0","id":0,"method":"initialize"}'
    _, frame = records(f'{{{message},"ts":{number}}}\n'.encode())
    assert frame.t == 0


@pytest.mark.parametrize("literal", ["'a\\\x1b'", "0x1for x", "b'\\\x1b'"])
def test_python_prints_no_warnings_about_what_a_log_has(recwarn, literal):
    read_or_refuse(f"incoming {{'jsonrpc':'2.0','id':1,'method':{literal}}}\n".encode(), "")
    assert not recwarn


@pytest.mark.parametrize(
    "start", ["incoming {", "outgoing ", "--> x (id=", "[", '{"', "{'a':", " "]
)
def test_a_line_that_begins_again_and_again(start):
    """Each time a reader went on to its end from each beginning, it would not come to one."""
    read_or_refuse((start * 100_000).encode(), "")


@pytest.mark.parametrize("place", ["agentCommand", "name", "version"])
def test_a_lone_surrogate_in_an_export_can_be_written(place):
    def export(text):
        fields = {"agentCommand": "a", "name": "n", "version": "1", place: text}
        message = {"timestamp": 1, "direction": "editor-to-agent", "raw": "{}"}
        session = {"agentCommand": fields.pop("agentCommand")}
        whole = {"version": 1, "exportedAt": 1, "session": session, "tool": fields}
        return json.dumps({**whole, "messages": [message]}).encode()

    read_or_refuse(export("x\ud800y"), "")
    assert records(export("x\ud800y")) == records(export("x\ufffdy"))


def test_a_command_that_no_system_could_start_is_not_taken_apart():
    """Python's `shlex` takes the square of a word's length."""
    message = {"timestamp": 1, "direction": "editor-to-agent", "raw": "{}"}
    whole = {"version": 1, "exportedAt": 1, "session": {"agentCommand": "a b" * 20_000}}
    header, _ = records(json.dumps({**whole, "messages": [message]}).encode())
    assert header.command == ("a b" * 20_000,)
