"""Rules about HTTP and WebSocket: what refuses a message, where it came, and what follows."""

from pathlib import Path

import pytest

from acp_spy.capture.files import load
from acp_spy.capture.records import Capture, Header
from acp_spy.capture.transcript import parse
from acp_spy.lint.posts import plain_text
from acp_spy.lint.rules.lifecycle import _examples as stdio
from acp_spy.lint.rules.network._examples import (
    ALLOWED,
    CONNECT,
    END_TURN,
    NEW_SESSION,
    OPENING,
    PERMISSION,
    PROMPT,
    SOCKET,
    over,
)
from acp_spy.lint.rules.network.cookie_not_returned import cookie_not_returned
from acp_spy.lint.ruleset import check
from acp_spy.secrets.redact import redact
from acp_spy.wire.frame import Peer

REFUSED = Path(__file__).parents[4] / "fixtures" / "remote-refused-response.jsonl"
WISHES = {"LIF005", "LIF009", "LIF055", "LIF111"}
ASKED = PROMPT.splitlines()[0]


def found(*parts):
    """Return what all rules find that does not follow from something else."""
    findings = check(parse("\n".join(parts)))
    return [each for each in findings if each.because is None and each.code not in WISHES]


def codes(*parts):
    return [finding.code for finding in found(*parts)]


def test_a_conversation_over_http_that_is_right_has_no_finding():
    assert codes(OPENING, PROMPT, END_TURN, "<> DELETE c1 202", "-> EOF", "== 0") == []


def test_a_conversation_over_websocket_that_is_right_has_no_finding():
    session = [over("ws c1", line) for line in stdio.NEW_SESSION.splitlines()]
    turn = [over("ws c1", line) for line in (stdio.PROMPT, stdio.CHUNK, stdio.END_TURN)]
    assert codes(SOCKET, *session, *turn, "<> END 1 client", "-> EOF", "== 0") == []


@pytest.mark.parametrize(
    "end",
    [
        *("", "-> EOF\n== 0", "<> END 4 client\n<> END 2 client", "<> END 4 agent\n== 0"),
        "<> DELETE c1 202\n-> EOF\n<> END 2 agent\n<> END 4 agent\n== 0",  # the client gives up
    ],
)
def test_a_refused_response_is_one_error_that_names_header_response_and_status(end):
    refused = '<> 400 {"body": "Missing Acp-Session-Id"}'
    error, *more = found(OPENING, PROMPT, PERMISSION, f"->[post c1] {ALLOWED}", refused, end)
    assert more == []
    assert (error.code, error.seq, error.see, error.blame) == ("NET001", 7, 6, Peer.CLIENT)
    assert error.text == (
        "the response to `session/request_permission` was refused with 400 `Missing"
        " Acp-Session-Id`: the header `Acp-Session-Id: s1` is missing; the agent waits until it"
        " is sent again"
    )
    assert error.hint.startswith("send `Acp-Session-Id: s1` with every response")


def test_what_follows_from_a_refused_response_is_folded_into_it():
    records = load(REFUSED).records
    follows = [each for each in check(records) if each.because is not None]
    assert [(each.code, each.seq, each.because.code) for each in follows] == [
        ("RPC006", 6, "NET001")
    ]


HISTORY = over(
    "session c1 s1",
    '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update":'
    ' {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "Fix the'
    ' test"}}}}',
)
LOADS_AGAIN = (
    '->[post c1 s1] {"jsonrpc": "2.0", "id": 90, "method": "session/load", "params":'
    ' {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}\n<> 202'
)
LOADED_AGAIN = '<-[connection c1] {"jsonrpc": "2.0", "id": 90, "result": {}}'
IN_ORDER = LOADED_AGAIN.replace("connection c1", "session c1 s1")
SAID = over("session c1 s1", stdio.CHUNK)
TURN = (PROMPT, SAID, END_TURN)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ((HISTORY, SAID, LOADED_AGAIN), []),
        ((HISTORY, LOADED_AGAIN, SAID), []),
        ((LOADED_AGAIN, HISTORY, SAID), []),
        ((LOADED_AGAIN,), ["LIF024"]),
        ((LOADED_AGAIN, "@ 60", HISTORY), ["LIF025"]),
        ((IN_ORDER, HISTORY, SAID), ["LIF024"]),
    ],
)
def test_a_response_on_a_stream_of_its_own_may_overtake_the_history(told, expected):
    again = TURN[0].replace('"id": 2', '"id": 3'), SAID, END_TURN.replace('"id": 2', '"id": 3')
    assert sorted(codes(OPENING, *TURN, LOADS_AGAIN, *told, *again)) == expected
    assert sorted(codes(OPENING, *TURN, LOADS_AGAIN, *told)) == expected


def test_a_response_that_is_sent_again_is_not_a_second_one():
    again = (f"->[post c1 s1] {ALLOWED}", "<> 202", END_TURN)
    refused = (f"->[post c1] {ALLOWED}", "<> 400")
    assert codes(OPENING, PROMPT, PERMISSION, *refused, *again) == ["NET001"]


@pytest.mark.parametrize(
    ("place", "exchange", "blame", "words"),
    [
        ("post c1 s2", "<> 400", Peer.CLIENT, "the header `Acp-Session-Id` is `s2`; expected `s1`"),
        ("post", "<> 400", Peer.CLIENT, "the header `Acp-Connection-Id` is missing"),
        ("post c1 s1", "<> 500", Peer.AGENT, "its headers are right"),
        ("post c1 s1", "<> 404", Peer.AGENT, "its headers are right"),
        ("post c1 s1", "<> 401", Peer.CLIENT, "its headers are right"),
        (
            "post c1 s1",
            '<> 415 {"request_headers": {"content-type": "text/plain"}}',
            Peer.CLIENT,
            "the header `Content-Type` is `text/plain`; expected `application/json`",
        ),
    ],
)
def test_the_reason_of_a_refusal_says_who_must_fix_it(place, exchange, blame, words):
    (error,) = found(OPENING, PROMPT, PERMISSION, f"->[{place}] {ALLOWED}", exchange)
    assert (error.code, error.blame) == ("NET001", blame)
    assert words in error.text


def test_a_missing_session_header_is_an_error_even_if_it_is_accepted():
    (error,) = found(OPENING, over("post c1", stdio.PROMPT), "<> 202", END_TURN)
    assert error.code == "NET002"
    assert error.text == "`session/prompt`: the header `Acp-Session-Id: s1` is missing"


def test_a_refused_prompt_is_not_waited_for():
    assert codes(OPENING, over("post c1", stdio.PROMPT), "<> 400", "-> EOF", "== 0") == ["NET002"]
    assert codes(OPENING, ASKED, "<> 429", "-> EOF", "== 0") == ["NET013"]


def test_a_refusal_with_a_message_in_its_body_is_its_response():
    refused = '<> 500 {"response_headers": {"content-type": "application/json"}}'
    error = '<-[post c1 s1] {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "no"}}'
    assert codes(OPENING, ASKED, refused, error) == ["LIF014"]  # a prompt must be accepted


@pytest.mark.parametrize("status", [401, 404, 406, 409, 415, 418, 500, 503])
def test_a_refusal_that_the_bridge_turns_into_an_error_is_one_finding(status):
    error = '"code": -32603, "message": "acp-spy: no", "data": {"origin": "acp-spy"}'
    answer = f'<-[post] {{"jsonrpc": "2.0", "id": 0, "error": {{{error}}}}}'
    start = over("post", stdio.INITIALIZE), f'<> {status} {{"body": "no"}}'
    assert codes(*start, answer, "-> EOF", "== 0") == ["NET013"]
    once_more = codes(*start, answer, *start, answer, "-> EOF", "== 0")  # with the same id
    assert [each for each in once_more if each != "NET013"] == []
    assert "RPC008" in codes(*start, answer.replace('"acp-spy"', '"agent"'))


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('[{"jsonrpc": "2.0", "id": 9, "method": "session/list"}]', 501, "RPC016"),
        ('{"jsonrpc": "2.0", "id": 9, "method": "session/list",}', 400, "FRM015"),
        ('{"jsonrpc": "2.0", "id": 9, "met', 400, "FRM015"),
    ],
)
def test_a_body_that_is_no_message_is_one_error(body, status, code):
    assert codes(CONNECT, f"->[post c1] {body}", f"<> {status}") == [code]


def test_line_ends_in_a_body_are_no_mistake():
    printed = r'~>[post c1] {\n  "jsonrpc": "2.0",\r\n "id": 1,\n "method": "session/list"}\r\n'
    listed = '<-[connection c1] {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}'
    assert codes(CONNECT, printed, "<> 202", listed) == []
    assert codes(CONNECT, r"~>[post c1] \n", "<> 202") == []


def test_what_is_not_json_over_a_websocket_is_not_called_a_line_of_stdout():
    (error,) = found(SOCKET, "<-[ws c1] listening on port 8000")
    assert error.code == "FRM004"
    assert "only JSON-RPC messages are allowed on an ACP connection" in error.text


def test_a_long_message_over_http_is_no_long_line():
    text = stdio.CHUNK.replace("Done.", "x" * 1_100_000)
    assert codes(OPENING, PROMPT, over("session c1 s1", text), END_TURN) == []


def test_a_remote_agent_has_no_stdin_that_ends():
    assert codes(OPENING, "<> DELETE c1 202", "-> EOF", "@ 30.0", "== 0") == []


def test_the_first_message_is_initialize():
    assert codes("<> WS 101", over("ws c1", stdio.NEW_SESSION.splitlines()[0]))[0] == "LIF001"


def test_who_has_lost_a_connection_is_found_by_what_came_before():
    deleted = found(OPENING, "<> DELETE c1 202", ASKED, "<> 404")
    forgotten = found(OPENING, ASKED, '<> 404 {"body": "no such connection"}')
    strange = found(OPENING, over("post c9 s1", stdio.PROMPT), "<> 404")
    session = found(CONNECT, "<> GET c1 s7 404")
    blamed = [(each.code, each.blame) for (each,) in (deleted, forgotten, strange, session)]
    assert blamed == [
        ("NET005", Peer.CLIENT),
        ("NET005", Peer.AGENT),
        ("NET005", Peer.CLIENT),
        ("NET005", Peer.CLIENT),
    ]
    assert "session `s7` of connection `c1` is unknown" in session[0].text


@pytest.mark.parametrize(
    ("exchange", "blame"),
    [
        ('<> GET c1 406 {"request_headers": {"accept": "application/json"}}', Peer.CLIENT),
        ('<> GET c1 200 {"response_headers": {"content-type": "text/html"}}', Peer.AGENT),
        ('<> GET c1 200 {"request_headers": {"accept": "*/*"}}', None),
    ],
)
def test_a_stream_has_its_type(exchange, blame):
    findings = found(CONNECT, "<> END 2 client", exchange)
    assert [(each.code, each.blame) for each in findings] == ([("NET006", blame)] if blame else [])


def test_messages_about_no_session_come_on_the_stream_of_the_connection():
    asks, accepted, *_ = NEW_SESSION.splitlines()
    created = over("session c1 s1", stdio.NEW_SESSION.splitlines()[1])
    talk = (CONNECT, asks, accepted, created)
    assert codes(*talk) == ["NET007"]


def test_a_piece_of_text_on_the_wrong_stream_is_noticed_too():
    chunk = over("connection c1", stdio.CHUNK)
    assert codes(OPENING, PROMPT, chunk, END_TURN) == ["NET007"]


def test_the_response_to_load_may_come_on_either_stream():
    load_ = '->[post c1 s1] {"jsonrpc": "2.0", "id": 4, "method": "session/load", "params":'
    load_ += ' {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}'
    for stream in ("session c1 s1", "connection c1"):
        result = f'<-[{stream}] {{"jsonrpc": "2.0", "id": 4, "result": {{}}}}'
        assert "NET007" not in codes(OPENING, load_, "<> 202", result)


def test_a_lost_stream_explains_requests_without_a_response():
    findings = check(parse(f'{OPENING}\n{PROMPT}\n<> END 4 agent {{"lost": true}}\n== 0'))
    first, *others = (each for each in findings if each.code not in WISHES)
    assert (first.code, first.because) == ("NET010", None)
    assert all(each.because is not None for each in others)


def test_a_response_to_a_post_that_was_broken_off_is_called_so_and_is_no_end_of_a_stream():
    lost = '<> 200\n<> END 5 agent {"lost": true}'
    texts = [each.text for each in check(parse(f"{OPENING}\n{ASKED}\n{lost}"))]
    assert "the response to a POST was lost while `session/prompt` was pending" in texts
    (again,) = [
        each for each in found(OPENING, ASKED, lost, "<> GET c1 s1 409") if each.code == "NET008"
    ]
    assert "it has been open since" in again.text


def test_a_second_initialize_that_is_refused_does_not_undo_the_first():
    again = over("post c1", stdio.INITIALIZE), '<> 400 {"body": "initialized already"}'
    second, text = found(OPENING, *again, "->[post c1 s1] nonsense", PROMPT, END_TURN)
    assert (second.code, text.code) == ("LIF002", "FRM004")
    assert "(after the handshake)" in text.text


def test_streams_that_end_after_a_delete_are_not_lost():
    """The client does not wait for its response any more, and the agent ends what it has open."""
    ends = "<> END 2 agent", "<> END 4 agent"
    findings = found(OPENING, PROMPT, "<> DELETE c1 202", "-> EOF", *ends, "== 0")
    assert "NET010" not in [each.code for each in findings]


def test_a_websocket_that_ends_names_its_code():
    asks = over("ws c1", stdio.NEW_SESSION.splitlines()[0])
    (error,) = found(SOCKET, asks, '<> END 1 agent {"code": 1011}')
    assert "the WebSocket was ended by the agent (code 1011)" in error.text
    assert found(SOCKET, asks, '<> END 1 client {"code": 1001}')[0].code == "RPC006"


def test_an_unreachable_target_is_an_error():
    start = over("post", stdio.INITIALIZE)
    refused = '<> 502 {"by": "proxy", "error": "connection refused"}'
    (error,) = found(start, refused)
    assert (error.code, error.severity.value, error.blame) == ("NET013", "error", Peer.AGENT)
    assert error.text == "`initialize` could not be sent: connection refused"


def test_http_1_is_noted_once_if_many_streams_are_open():
    old = OPENING.replace("<> 202", '<> 202 {"http": "1.1"}') + "\n" + PROMPT + "\n" + END_TURN
    assert codes(old) == []
    streams = [f'<> GET c1 s{number} 200 {{"http": "1.1"}}' for number in range(9)]
    assert codes(CONNECT, *streams) == ["NET011"]
    assert (
        codes(CONNECT, *(each.replace('"1.1"', '"1.1", "http_target": "2"') for each in streams))
        == []
    )
    closed = [line for n, each in enumerate(streams, 3) for line in (each, f"<> END {n} client")]
    assert codes(CONNECT, *closed) == []


def test_a_request_without_a_connection_is_one_error():
    (error,) = found(CONNECT, '<> GET 400 {"body": "Missing Acp-Connection-Id"}')
    assert error.code == "NET004"


def test_a_websocket_that_cannot_be_opened_is_an_error():
    (refused,) = found('<> WS 403 {"body": "Origin not allowed"}')
    assert refused.text == "the WebSocket was refused with 403 `Origin not allowed`"
    assert codes("<> WS 404") == ["NET013"]
    (lost,) = found('<> WS 0 {"error": "connection refused"}')
    assert (lost.code, lost.text) == (
        "NET013",
        "the WebSocket could not be opened: connection refused",
    )


CONNECTED_WITHOUT_STREAM = "\n".join(CONNECT.splitlines()[:-1])
SESSION_WITHOUT_STREAM = "\n".join(NEW_SESSION.splitlines()[:-1])
NEW_SENT = "\n".join(NEW_SESSION.splitlines()[:2])
LOAD = (
    '->[post c1 s1] {"jsonrpc": "2.0", "id": 1, "method": "session/load", "params":'
    ' {"sessionId": "s1", "cwd": "/home/dev", "mcpServers": []}}\n<> 202'
)


@pytest.mark.parametrize(
    ("parts", "stream"),
    [
        ((CONNECT, SESSION_WITHOUT_STREAM, PROMPT), "stream of session `s1`"),
        ((CONNECTED_WITHOUT_STREAM, NEW_SENT), "stream of the connection"),
        ((CONNECTED_WITHOUT_STREAM, LOAD), "stream of the connection"),
    ],
)
@pytest.mark.parametrize("end", ["", "-> EOF", "-> EOF\n== 0"])
def test_a_response_that_comes_on_a_stream_which_nobody_opened_is_one_error(parts, stream, end):
    error, *more = found(*parts, "@ 60", "!! waiting", end)
    assert more == []
    assert (error.code, error.blame) == ("NET017", Peer.CLIENT)
    assert f"never opened the {stream}" in error.text


@pytest.mark.parametrize(
    "parts",
    [
        (OPENING, PROMPT),  # it is open: the agent has not answered yet
        (CONNECT, LOAD),  # some answer it on the stream of the connection
        (CONNECTED_WITHOUT_STREAM, "<> GET c1 s1 200", LOAD),  # some on that of the session
        (CONNECT, SESSION_WITHOUT_STREAM, "<> GET c1 s1 403", PROMPT),  # NET013
        (CONNECT, SESSION_WITHOUT_STREAM, PROMPT, over("connection c1", stdio.CHUNK)),  # NET007
    ],
)
def test_a_stream_that_was_asked_for_is_not_missed(parts):
    assert "NET017" not in codes(*parts, "@ 60", "!! waiting")


def test_a_stream_may_be_opened_a_little_later_than_it_is_needed():
    assert "NET017" not in codes(CONNECT, SESSION_WITHOUT_STREAM, PROMPT, "@ 5", "!! waiting")


@pytest.mark.parametrize(
    ("status", "expected"),
    [(202, []), (200, [("NET014", Peer.AGENT)]), (405, [("NET013", Peer.AGENT)])],
)
def test_a_delete_is_accepted_with_202(status, expected):
    findings = found(OPENING, PROMPT, END_TURN, f"<> DELETE c1 {status}", "-> EOF", "== 0")
    assert [(each.code, each.blame) for each in findings] == expected


def test_a_client_need_not_wait_for_the_response_to_its_delete():
    gone = '<> DELETE c1 0 {"error": "the client closed the connection"}'
    assert codes(OPENING, PROMPT, END_TURN, gone, "-> EOF", "== 0") == []


@pytest.mark.parametrize(("code", "expected"), [(1000, []), (1001, []), (1011, ["NET010"])])
def test_a_websocket_that_the_agent_closes_with_an_error_is_reported(code, expected):
    end = f'<> END 1 agent {{"code": {code}, "reason": "out of memory"}}'
    assert codes(SOCKET, end, "-> EOF", "== 0") == expected


def test_a_websocket_that_is_closed_because_initialize_was_not_first_is_one_error():
    first = over("ws c1", stdio.NEW_SESSION.splitlines()[0])
    assert codes("<> WS 101", first, '<> END 1 agent {"code": 1002}') == ["LIF001"]


@pytest.mark.parametrize("status", [200, 409])
def test_a_stream_that_is_open_already_is_not_opened_again(status):
    again = f"<> GET c1 s1 {status}"
    (finding,) = found(OPENING, again, PROMPT, END_TURN, "-> EOF", "== 0")
    assert (finding.code, finding.blame) == ("NET008", Peer.CLIENT)
    assert "a second GET for the stream of session `s1` was" in finding.text
    assert codes(OPENING, "<> END 4 client", "<> GET c1 s1 200", PROMPT, END_TURN) == []


@pytest.mark.parametrize("pending", [True, False])
@pytest.mark.parametrize(
    ("code", "blame", "said", "hint"),
    [
        (1003, Peer.CLIENT, "a message of the client of a kind", "send each message as text"),
        (1007, Peer.CLIENT, "a message of the client that the server cannot decode", "send JSON"),
        (1009, Peer.CLIENT, "a message of the client that is too large", "send less at once"),
        (1011, Peer.AGENT, "1011", ""),
    ],
)
def test_a_close_code_about_a_message_of_the_client_blames_the_client(
    pending, code, blame, said, hint
):
    asks = over("ws c1", stdio.NEW_SESSION.splitlines()[0])
    talk = (SOCKET, asks) if pending else (SOCKET,)
    (finding,) = found(*talk, f'<> END 1 agent {{"code": {code}}}')
    assert (finding.code, finding.blame) == ("NET010", blame)
    assert said in finding.text
    assert hint in finding.hint


def test_a_stream_of_another_connection_is_not_that_of_a_request():
    other = over("post c2 s1", stdio.PROMPT.replace('"id": 2', '"id": 4'))
    talk = OPENING, PROMPT, END_TURN, "<> GET c2 200", other, "<> 202"
    (finding,) = found(*talk, "@ 60", "<> END 4 client")
    assert finding.code == "NET017"
    assert finding.hint == (
        "open it with GET, `Accept: text/event-stream`, `Acp-Connection-Id` and"
        " `Acp-Session-Id: s1`"
    )
    for opened in ("<> GET c2 s1 200", "<> GET c2 s1 409"):
        assert "NET017" not in codes(*talk, opened, "@ 60", "<> END 4 client")


def test_a_cookie_that_was_redacted_has_no_name_by_which_it_could_be_missed():
    capture = redact(Capture(Header(), tuple(parse(cookie_not_returned.good))))
    assert "redacted-header-1" in str(capture.records)
    assert "NET016" not in {finding.code for finding in check(capture)}


def test_a_body_is_cut_where_a_word_ends():
    """What is left of a placeholder in `"api_key": "red` would look like a secret again."""
    said = f'{{"error": "your access token is not valid!!", "api_key": "redacted-secret-{1:030}"}}'
    assert plain_text(said).endswith('"api_key": "…')
