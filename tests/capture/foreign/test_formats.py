"""What is particular to each format, beyond the conversation that all of them hold."""

import base64
import json
import tracemalloc

import pytest
from support.effort import some_of
from support.foreign import FOLDER, frames, records

from acp_spy.capture.files import load, read
from acp_spy.capture.records import Stderr
from acp_spy.wire.frame import Peer


def lines(*objects):
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def messages(data, form=""):
    return [(frame.sender.value, json.loads(frame.raw)) for frame in frames(data, form)]


def note(data, form=""):
    return records(data, form)[0].note


# ----------------------------------------------------------------------------- conductor


def event(kind, source, to, **more):
    return {"type": kind, "ts": 0.5, "from": source, "to": to, "protocol": "acp", **more}


def test_a_conductor_writes_null_for_params_that_are_absent():
    asked = event("request", "client", "proxy:0", id="x", method="logout", params=None)
    output = event("notification", "proxy:0", "client", method="_x/y", params=[1])
    assert messages(lines(asked, output)) == [
        ("client", {"jsonrpc": "2.0", "id": "x", "method": "logout"}),
        ("agent", {"jsonrpc": "2.0", "method": "_x/y", "params": [1]}),
    ]


def test_a_component_that_a_conductor_does_not_have_is_an_error():
    odd = event("request", "Client", "Server", id=1, method="x")
    with pytest.raises(Exception, match="line 2: `Client` or `Server` is no"):
        records(lines(event("request", "Client", "Agent", id=1, method="x"), odd), "conductor")


def test_values_of_a_trace_are_taken_over_to_the_letter():
    text = b'{"type":"request","ts":0,"from":"Client","to":"Agent","id":1.0,"method":"x","params":{"n":1E400,"n":12345678901234567890}}\n'
    (frame,) = frames(text)
    assert (
        frame.raw
        == b'{"jsonrpc":"2.0","id":1.0,"method":"x","params":{"n":1E400,"n":12345678901234567890}}\n'
    )


# ----------------------------------------------------------------------------- sacp-tee


def test_noise_in_the_text_log_is_kept():
    text = '→ {"id":0,"method":"x"}\n← Loading... 50 %\n'.encode()
    assert [(frame.sender, frame.raw) for frame in frames(text)] == [
        (Peer.CLIENT, b'{"id":0,"method":"x"}\n'),
        (Peer.AGENT, b"Loading... 50 %\n"),
    ]


def test_a_line_without_an_arrow_is_an_error():
    with pytest.raises(Exception, match="line 2: it begins with neither `→ ` nor"):
        records("→ {}\nhello\n".encode())


def test_a_torn_arrow_is_passed_over():
    assert len(frames("→ {}\n".encode() + b"\xe2\x86")) == 1


def test_a_call_of_the_chain_itself_is_unwrapped():
    def entry(direction, message):
        return {
            "timestamp": "2026-01-05T09:30:00Z",
            "direction": direction,
            "message": message,
        }

    inner = {"method": "session/update", "params": {"sessionId": "s"}}
    wrapped = {"method": "_proxy/successor/notification", "params": inner}
    first = {"id": 1, "method": "_proxy/initialize", "params": None}
    assert messages(lines(entry("downstream", first), entry("downstream", wrapped))) == [
        ("client", {"jsonrpc": "2.0", "id": 1, "method": "initialize"}),
        ("agent", {"jsonrpc": "2.0", **inner}),
    ]


def test_a_time_that_is_none_is_an_error():
    entry = {"timestamp": "noon", "direction": "upstream", "message": {"id": 1, "result": {}}}
    with pytest.raises(Exception, match="line 1: `noon` is not a time"):
        records(lines(entry))


# ----------------------------------------------------------------------------- acp-devtools


def export(*raws, **session):
    return json.dumps(
        {
            "version": 1,
            "exportedAt": 1,
            "tool": {"name": "acp-devtools", "version": "9"},
            "session": {"id": 1, "startedAt": 1000, **session},
            "messages": [
                {"timestamp": 1500, "direction": "agent-to-editor", "raw": raw, "payload": None}
                for raw in raws
            ],
        }
    ).encode()


def test_an_export_without_blanks_is_read_too():
    compact = json.dumps(json.loads((FOLDER / "acp-devtools.json").read_bytes())).encode()
    assert records(compact)[1:] == list(load(FOLDER / "acp-devtools.json").records)


def test_noise_and_a_lone_surrogate_in_an_export_are_kept():
    data = export("Loading...", '{"x":"\\ud800"}', "\ud800")
    assert [frame.raw for frame in frames(data)] == [
        b"Loading...\n",
        b'{"x":"\\ud800"}\n',
        b"\xed\xa0\x80\n",
    ]
    assert {frame.t for frame in frames(data)} == {0.5}


def test_what_the_export_has_redacted_is_said():
    assert note(export('{"authorization":"<REDACTED>"}')).endswith(
        "; messages with something redacted: 1"
    )


def test_a_command_that_is_no_shell_line_is_one_word():
    assert records(export("x", agentCommand="it's"))[0].command == ("it's",)


# ----------------------------------------------------------------------------- Zed


def test_a_response_of_zed_is_an_error_if_it_looks_like_one():
    def item(value):
        return {"_direction": "incoming", "_type": "response", "id": 1, "params": value}

    data = json.dumps([item({"code": 1, "message": "x"}), item({"code": "1"}), item(None)])
    assert [message for _, message in messages(data.encode())] == [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "result": {"code": "1"}},
        {"jsonrpc": "2.0", "id": 1, "result": None},
    ]


def test_a_message_of_zed_is_one_line():
    """Its copy is spread over many; a line feed in a message would be the end of it."""
    for frame in load(FOLDER / "zed.json").frames:
        assert frame.raw.count(b"\n") == 1


# ----------------------------------------------------------------------------- acp-inspector


def test_frames_of_the_bridge_may_be_base64_and_have_no_time():
    frame = {
        "type": "frame",
        "connection": "ws-1",
        "direction": "agent -> client",
        "encoding": "base64",
        "frame": base64.b64encode(b"caf\xe9").decode(),
    }
    assert [(f.raw, f.t) for f in frames(lines(frame))] == [(b"caf\xe9\n", 0.0)]
    with pytest.raises(Exception, match="line 1: `frame` is not base64"):
        records(lines({**frame, "frame": "?"}))


# ----------------------------------------------------------------------------- gptme

STAMP = b"2026-01-05 09:30:00,250 - gptme.acp.protocol - DEBUG - "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"--> initialize (id=0)", {"id": 0, "method": "initialize"}),
        (b"--> x (id=a-1) params=[1]", {"id": "a-1", "method": "x", "params": [1]}),
        (b"--> x (id=007)", {"id": "007", "method": "x"}),
        (b"<-- response (id=3)", {"id": 3, "result": None}),
        (b'<-- response (id=3) error={"code": 1}', {"id": 3, "error": {"code": 1}}),
        (b'<-- initialize (id=0) result={"a": 1}', {"id": 0, "result": {"a": 1}}),
        (b"<-- notification x/y", {"method": "x/y"}),
        (b"<-- notification x/y params=just text", {"method": "x/y", "params": "just text"}),
    ],
)
def test_lines_of_gptme(line, message):
    for data in (line + b"\n", STAMP + line + b"\r\n"):
        ((_, read),) = messages(data)
        assert read == {"jsonrpc": "2.0", **message}


def test_a_message_of_no_known_shape_stands_there_whole():
    assert messages(STAMP + b'--> raw={"x": 1}\n') == [("client", {"x": 1})]


def test_a_message_that_the_log_cut_is_closed():
    *_, output, _ = load(FOLDER / "gptme-cut.log").frames
    message = json.loads(output.raw)
    assert message["method"] == "session/update"
    assert message["params"]["sessionId"] == "s-1"
    text = message["params"]["update"]["content"]["text"]
    assert text.startswith("Once upon a time Once ")
    assert 50 < len(text) < 200


def test_a_log_in_which_every_line_stands_twice_is_read_once():
    """As it does when two handlers of gptme's logging write to the same place."""
    once = (FOLDER / "gptme.log").read_bytes().splitlines(keepends=True)
    twice = b"".join(line * (2 if b"acp.protocol" in line else 1) for line in once)
    assert records(twice) == records(b"".join(once))
    cut = (FOLDER / "gptme-cut.log").read_bytes().splitlines(keepends=True)
    assert note(b"".join(line * 2 for line in cut[1:])).endswith("stopped: 1")


def test_lines_that_happen_to_be_equal_are_both_kept():
    same = STAMP + b'<-- notification session/update params={"x": 1}\n'
    assert len(frames(STAMP + b"--> initialize (id=0)\n" + same * 2)) == 3


# ----------------------------------------------------------------------------- Python SDK

CALL = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"x": None}}


@pytest.mark.parametrize(
    "line",
    [
        f"StreamEvent(direction=<StreamDirection.INCOMING: 'incoming'>, message={CALL!r})",
        f"StreamDirection.INCOMING {CALL!r}",
        f"INFO:wire:incoming: {json.dumps(CALL)}",
        f"[2026-01-05T09:30:00.5] incoming {CALL!r}",
        json.dumps({"direction": "incoming", "message": CALL}),
        json.dumps({"dir": "in", "frame": CALL, "ts": 1767605400.25}),
        json.dumps({"direction": "StreamDirection.INCOMING", "message": CALL, "at": "noon"}),
        json.dumps({"direction": "incoming", "message": json.dumps(CALL)}),
    ],
)
def test_the_usual_ways_to_log_an_event(line):
    assert messages(line.encode() + b"\n") == [("client", CALL)]


def test_the_methods_tell_whose_log_it_is():
    incoming, outgoing = f"incoming {CALL!r}\n".encode(), f"outgoing {CALL!r}\n".encode()
    assert [sender for sender, _ in messages(incoming)] == ["client"]
    assert [sender for sender, _ in messages(outgoing)] == ["client"]
    update = b'{"direction":"incoming","message":{"jsonrpc":"2.0","method":"session/update"}}\n'
    assert [sender for sender, _ in messages(update)] == ["agent"]


def test_if_no_method_tells_the_note_says_so():
    data = b'{"direction":"incoming","message":{"jsonrpc":"2.0","method":"_x/y"}}\n'
    assert note(data).endswith("; it is not known whose log it is; assumed to be the agent's")


def test_other_lines_are_the_agents_stderr_or_nobodys():
    incoming, outgoing = f"incoming {CALL!r}\n".encode(), f"outgoing {CALL!r}\n".encode()
    assert Stderr(0.0, b"starting\n") in records(b"starting\n" + incoming)
    of_client = records(b"starting\n" + outgoing)
    assert len(of_client) == 2
    assert of_client[0].note.endswith("; other lines of the client's log left out: 1")


def test_a_line_that_was_no_json_is_kept_as_it_was():
    data = lines({"dir": "in", "frame": CALL}, {"dir": "out", "frame": "not json"})
    assert frames(data)[1].raw == b"not json\n"


# ----------------------------------------------------------------------------- NDJSON


def test_the_bytes_of_plain_ndjson_are_kept():
    text = b'{ "id":1, "method":"initialize"}\r\n\n  \n[info]\n{"id":1,"result":{"a":1,"a":2}}'
    assert [frame.raw for frame in frames(text)] == [
        b'{ "id":1, "method":"initialize"}\r\n',
        b"[info]\n",
        b'{"id":1,"result":{"a":1,"a":2}}',
    ]


# ----------------------------------------------------------------------------- memory


LINES = {
    "ndjson": b'{"jsonrpc":"2.0","method":"session/update","params":"%s"}\n' % (b"x" * 900),
    "sacp-tee": "← ".encode() + b"x" * 900 + b"\n",
    "gptme": b"<-- notification session/update params=[]\n" + b"x" * 900 + b"\n",
    "python-sdk": b'{"dir":"out","frame":{"method":"x","p":"%s"}}\n' % (b"x" * 900),
}


@pytest.mark.parametrize("form", some_of(LINES, "ndjson"))
def test_a_long_file_of_lines_takes_no_more_memory_than_a_short_one(form, tmp_path):
    path = tmp_path / "long"
    path.write_bytes(LINES[form] * 2500)  # 2.3 MB
    for _ in read(FOLDER / "ndjson.ndjson"):
        pass  # what is loaded once is not counted
    tracemalloc.start()
    try:
        count = sum(1 for _ in read(path, form))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count > 2500
    assert peak < 1_500_000
