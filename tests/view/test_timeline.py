import pytest
from support.rows import rows

from acp_spy.capture.records import Closed, Exit, Header, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.view.timeline import Timeline, late_findings
from acp_spy.wire.frame import Frame, Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT


def shown(transcript, *names):
    """Return these fields of the rows of a conversation in arrow notation."""
    return fields_of(rows(parse(transcript)), *names)


def fields_of(some_rows, *names):
    found = [tuple(getattr(row, name) for name in names) for row in some_rows]
    return [values[0] for values in found] if len(names) == 1 else found


HANDSHAKE = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
"""
PROMPT = '-> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Hi"}]}}'
CHUNK = '<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Ho"}}}}'
DONE = '<- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'


def test_a_conversation_is_told_row_by_row():
    assert shown(
        f"{HANDSHAKE}\n@ 2.5\n{PROMPT}\n{CHUNK}\n@ 4\n{DONE}\n",
        "seq", "kind", "sender", "what", "gist", "latency", "turn", "turn_edge",
    ) == [
        (1, "request", CLIENT, "initialize", "version 1", None, None, ""),
        (2, "response", AGENT, "response to initialize", "version 1", 0.001, None, ""),
        (3, "request", CLIENT, "session/new", "in /project", None, None, ""),
        (4, "response", AGENT, "response to session/new", "s-1", 0.001, None, ""),
        (5, "request", CLIENT, "session/prompt", "Hi", None, 5, "start"),
        (6, "notification", AGENT, "agent_message_chunk", "Ho", None, 5, ""),
        (7, "response", AGENT, "response to session/prompt", "end_turn", pytest.approx(1.5, abs=0.01), 5, "end"),
    ]  # fmt: skip


def test_a_row_knows_its_size_and_the_gap_before_it():
    (first, second) = rows([Stderr(0.5, b"ready\n"), Frame(1, 2.0, AGENT, b"[1]\n")])
    assert (first.gap, first.size) == (0.0, 6)
    assert (second.gap, second.size) == (1.5, 4)


def test_an_answer_names_its_question():
    assert shown(HANDSHAKE, "method", "partner") == [
        ("initialize", None),
        ("initialize", 1),
        ("session/new", None),
        ("session/new", 3),
    ]


def test_a_text_chunk_knows_who_speaks_and_its_piece():
    assert shown(CHUNK, "stream", "text", "session") == [("agent", "Ho", "s-1")]
    assert shown(PROMPT, "stream", "text") == [("", "")]


def test_a_turn_of_version_2_ends_with_the_state_of_its_session():
    assert shown(
        f"""
        {HANDSHAKE.replace('"protocolVersion":1', '"protocolVersion":2')}
        {PROMPT}
        <- {{"jsonrpc":"2.0","id":2,"result":{{"messageId":"m-1"}}}}
        {CHUNK}
        <- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s-1","update":{{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}}}}
        {CHUNK}
        """,
        "seq",
        "turn",
        "turn_edge",
    )[4:] == [(5, 5, "start"), (6, 5, ""), (7, 5, ""), (8, 5, "end"), (9, None, "")]


def test_a_tool_call_is_named_by_its_id():
    update = '{"sessionUpdate":"tool_call","toolCallId":"c-1","title":"Read it","kind":"read"}'
    assert shown(
        f'<- {{"method":"session/update","params":{{"sessionId":"s-1","update":{update}}}}}',
        "tool",
        "gist",
    ) == [("c-1", "Read it (read)")]


def test_both_peers_may_count_from_zero():
    assert shown(
        """
        -> {"id":0,"method":"session/prompt"}
        <- {"id":0,"method":"fs/read_text_file"}
        -> {"id":0,"result":{}}
        <- {"id":0,"result":{}}
        """,
        "what",
    )[2:] == ["response to fs/read_text_file", "response to session/prompt"]


def test_an_id_is_what_was_sent_and_not_what_python_makes_of_it():
    assert shown(
        """
        -> {"id":1,"method":"one"}
        -> {"id":"1","method":"another"}
        <- {"id":"1","result":{}}
        <- {"id":1.0,"result":{}}
        <- {"id":1,"result":{}}
        """,
        "what",
    )[2:] == ["response to another", "response to id 1.0", "response to one"]


def test_a_request_is_answered_once():
    assert shown(
        """
        -> {"id":1,"method":"m"}
        <- {"id":1,"result":{}}
        <- {"id":1,"result":{}}
        -> {"id":1,"result":{}}
        """,
        "what",
    )[1:] == ["response to m", "response to id 1", "response to id 1"]


@pytest.mark.parametrize(
    ("fields", "what", "gist", "failed"),
    [
        ('"result":null', "response to m", "null", False),
        ('"result":false', "response to m", "false", False),
        ('"result":{}', "response to m", "ok", False),
        ('"error":{"code":-32601}', "error response to m", '{"code":-32601}', True),
        ('"error":{"code":1,"message":"no"}', "error response to m", "1 no", True),
        ('"error":null', "error response to m", "null", True),
        ('"result":null,"error":{}', "error response to m", "{}", True),
        ('"result":{},"error":null', "response to m", "ok", False),
    ],
)
def test_an_answer_is_a_result_or_an_error(fields, what, gist, failed):
    row = list(rows(parse(f'-> {{"id":1,"method":"m"}}\n<- {{"id":1,{fields}}}')))[1]
    assert (row.what, row.gist, row.failed) == (what, gist, failed)


def test_an_answer_without_an_id_answers_nothing():
    assert shown('<- {"error":{}}', "what", "gist", "partner", "latency") == [
        ("error response to id (none)", "{}", None, None)
    ]


def test_what_is_no_message_is_shown_with_the_reason():
    assert shown("<- Debugger attached.\n<~ \\n\n<- [1]", "kind", "what", "gist") == [
        ("noise", "not JSON", "Debugger attached."),
        ("noise", "a blank line", ""),
        ("noise", "JSON, but not an object", "[1]"),
    ]  # fmt: skip


def test_what_is_glued_in_front_of_a_message_is_told_with_it():
    assert shown('<- Loading... {"jsonrpc":"2.0","method":"m"}', "kind", "what", "gist") == [
        ("notification", "m", "Loading...  ▸ ")
    ]


def test_what_is_no_text_is_shown_by_its_bytes():
    (row,) = rows([Frame(1, 0.5, AGENT, b"caf\xe9\r\n")])
    assert (row.what, row.gist) == ("not UTF-8: byte 4 is 0xe9", r"caf\xe9")


def test_everything_beside_the_frames_is_told_too():
    records = [
        Header(),
        Stderr(0.5, b"ready\r\n"),
        Stderr(0.5, b"\xff"),
        Closed(1.0, CLIENT),
        Exit(2.0, 3),
        Exit(2.0, -9),
    ]
    assert fields_of(rows(records), "kind", "t", "sender", "what", "gist") == [
        ("stderr", 0.5, None, "stderr", "ready"),
        ("stderr", 0.5, None, "stderr", r"\xff"),
        ("closed", 1.0, CLIENT, "closed its stream", ""),
        ("exit", 2.0, None, "agent exited", "status 3"),
        ("exit", 2.0, None, "agent exited", "killed by signal 9"),
    ]


def test_rows_come_as_the_records_do():
    """A capture need not fit into memory, nor have ended."""

    def records():
        yield Stderr(0.5, b"ready\n")
        pytest.fail("asked for more than was wanted")

    assert next(rows(records())).gist == "ready"


def test_a_finding_stands_with_its_frame():
    (row,) = rows(parse("<- Debugger attached."))
    assert [finding.name for finding in row.findings] == ["non-json-rpc-line"]


def test_a_late_finding_comes_at_the_end_or_by_a_first_look_with_its_frame():
    records = parse(HANDSHAKE + PROMPT)
    for late in (None, late_findings(records)):
        timeline = Timeline(late=late)
        found = [row.findings for record in records for row in timeline.feed(record)]
        unanswered = [finding.name for finding in found[4]]
        at_the_end = [finding.name for finding in timeline.close()]
        assert ("unanswered-request" in unanswered) == (late is not None)
        assert ("unanswered-request" in at_the_end) == (late is None)


def test_turns_are_numbered_through_the_whole_capture_and_a_tool_call_has_its_duration_at_its_end():
    prompt = '-> {{"jsonrpc":"2.0","id":{},"method":"session/prompt","params":{{"sessionId":"{}","prompt":[]}}}}'
    ended = '<- {{"jsonrpc":"2.0","id":{},"result":{{"stopReason":"end_turn"}}}}'
    call = '<- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s-1","update":{{"sessionUpdate":"{}","toolCallId":"c","status":"{}"}}}}}}'
    lines = [
        prompt.format(1, "s-1"),
        prompt.format(2, "s-2"),
        "@ 1",
        call.format("tool_call", "pending"),
        "@ 3.5",
        call.format("tool_call_update", "failed"),
        ended.format(1),
        ended.format(2),
        prompt.format(3, "s-1"),
        call.format("tool_call_update", "failed"),
    ]
    assert shown("\n".join(lines), "turn", "turn_number", "tool_edge", "duration") == [
        (1, 1, "", None),
        (2, 2, "", None),
        (1, 1, "start", None),
        (1, 1, "end", pytest.approx(2.5)),
        (1, 1, "", None),
        (2, 2, "", None),
        (7, 3, "", None),
        (7, 3, "", None),
    ]
