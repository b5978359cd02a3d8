import pytest

from acp_spy.capture.records import Closed, Exit, Header, Stderr
from acp_spy.view.timeline import Row, rows
from acp_spy.wire.frame import Frame, Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT


def converse(*lines):
    """Return the rows of a conversation: `->` is said by the client, `<-` by the agent."""
    senders = {"->": CLIENT, "<-": AGENT}
    frames = []
    for seq, line in enumerate(lines, start=1):
        arrow, _, text = line.partition(" ")
        frames.append(Frame(seq, float(seq), senders[arrow], text.encode() + b"\n"))
    return list(rows(frames))


def test_a_conversation_is_told_row_by_row():
    assert converse(
        '-> {"id":0,"method":"initialize","params":{"protocolVersion":1}}',
        '<- {"id":0,"result":{"protocolVersion":1}}',
        '<- {"method":"session/update","params":{"sessionId":"s-1"}}',
        '-> {"method":"session/cancel"}',
    ) == [
        Row(1.0, "initialize", '{"protocolVersion":1}', 1, CLIENT),
        Row(2.0, "answer to initialize", '{"protocolVersion":1}', 2, AGENT),
        Row(3.0, "session/update", '{"sessionId":"s-1"}', 3, AGENT),
        Row(4.0, "session/cancel", "", 4, CLIENT),
    ]


def test_both_peers_may_count_from_zero():
    told = converse(
        '-> {"id":0,"method":"session/prompt"}',
        '<- {"id":0,"method":"fs/read_text_file"}',
        '-> {"id":0,"result":{}}',
        '<- {"id":0,"result":{}}',
    )
    assert [row.what for row in told[2:]] == [
        "answer to fs/read_text_file",
        "answer to session/prompt",
    ]


def test_an_id_is_what_was_sent_and_not_what_python_makes_of_it():
    told = converse(
        '-> {"id":1,"method":"one"}',
        '-> {"id":"1","method":"another"}',
        '<- {"id":"1","result":{}}',
        '<- {"id":1.0,"result":{}}',
        '<- {"id":1,"result":{}}',
    )
    assert [row.what for row in told[2:]] == [
        "answer to another",
        "answer to id 1.0",
        "answer to one",
    ]


def test_a_request_is_answered_once():
    told = converse(
        '-> {"id":1,"method":"m"}',
        '<- {"id":1,"result":{}}',
        '<- {"id":1,"result":{}}',
        '-> {"id":1,"result":{}}',
    )
    assert [row.what for row in told[1:]] == ["answer to m", "answer to id 1", "answer to id 1"]


@pytest.mark.parametrize(
    ("fields", "what", "gist"),
    [
        ('"result":null', "answer to m", "null"),
        ('"result":false', "answer to m", "false"),
        ('"error":{"code":-32601}', "error to m", '{"code":-32601}'),
        ('"error":null', "error to m", "null"),
        ('"result":null,"error":{}', "error to m", "{}"),
        ('"result":{},"error":null', "answer to m", "{}"),
    ],
)
def test_an_answer_is_a_result_or_an_error(fields, what, gist):
    row = converse('-> {"id":1,"method":"m"}', f'<- {{"id":1,{fields}}}')[1]
    assert (row.what, row.gist) == (what, gist)


def test_an_answer_without_an_id_answers_nothing():
    assert converse('<- {"error":{}}') == [Row(1.0, "error to id (none)", "{}", 1, AGENT)]


def test_what_is_no_message_is_shown_with_the_reason():
    assert converse("<- Debugger attached.", "<- ", "<- [1]") == [
        Row(1.0, "not JSON", "Debugger attached.", 1, AGENT, is_message=False),
        Row(2.0, "a blank line", "", 2, AGENT, is_message=False),
        Row(3.0, "JSON, but not an object", "[1]", 3, AGENT, is_message=False),
    ]


def test_what_is_no_text_is_shown_by_its_bytes():
    (row,) = rows([Frame(1, 0.5, AGENT, b"caf\xe9\r\n")])
    assert row == Row(0.5, "not UTF-8: byte 4 is 0xe9", r"caf\xe9", 1, AGENT, is_message=False)


def test_everything_beside_the_frames_is_told_too():
    records = [
        Header(),
        Stderr(0.5, b"ready\r\n"),
        Stderr(0.5, b"\xff"),
        Closed(1.0, CLIENT),
        Exit(2.0, 3),
        Exit(2.0, -9),
    ]
    assert list(rows(records)) == [
        Row(0.5, "stderr", "ready", is_message=False),
        Row(0.5, "stderr", r"\xff", is_message=False),
        Row(1.0, "closed its stream", sender=CLIENT, is_message=False),
        Row(2.0, "agent exited", "status 3", is_message=False),
        Row(2.0, "agent exited", "killed by signal 9", is_message=False),
    ]


def test_rows_come_as_the_records_do():
    """A capture need not fit into memory, nor have ended."""

    def records():
        yield Stderr(0.5, b"ready\n")
        pytest.fail("asked for more than was wanted")

    assert next(rows(records())).gist == "ready"
