"""Rows of conversations over HTTP and WebSocket: exchanges, ends of streams, and what is folded."""

import json
from pathlib import Path

from support.in_process import acp_spy
from support.page_script import run_script
from support.pages import Blocks, page_of

from acp_spy import load
from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.capture.transcript import parse
from acp_spy.lint.rules.network import _examples as network
from acp_spy.view.filters import row_filter
from acp_spy.view.folding import folded
from acp_spy.view.gists.http import disconnect_words, exchange_words, via_words
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Via

REFUSED = Path(__file__).parents[2] / "fixtures" / "remote-refused-response.jsonl"


def rows(*parts):
    timeline = Timeline(None)
    given = parse("\n".join(parts)) if parts else load(REFUSED).records
    return [row for record in given for row in timeline.feed(record)]


def test_a_refused_post_says_which_frame_and_why():
    refused = [row for row in rows() if row.failed]
    assert [(row.kind, row.what, row.gist) for row in refused] == [
        ("exchange", "POST 400", "frame 7 refused: Missing Acp-Session-Id")
    ]
    assert (refused[0].sender.value, refused[0].seq, refused[0].latency) == ("agent", None, 0.002)


def test_a_finding_about_a_post_is_shown_where_its_status_is_known():
    timeline = Timeline()
    made = [row for record in load(REFUSED).records for row in timeline.feed(record)]
    with_error = [row for row in made if any(each.code == "NET001" for each in row.findings)]
    assert [(row.kind, row.what) for row in with_error] == [("exchange", "POST 400")]


def test_that_a_message_was_accepted_is_folded_away_but_not_that_a_stream_was_opened():
    talk = rows(network.OPENING, network.PROMPT, network.CHUNK, network.END_TURN)
    shown = [item.what for item in folded(talk) if getattr(item, "kind", "") == "exchange"]
    assert [row.what for row in talk if row.kind == "exchange"] == [
        *("POST 200", "GET 200", "POST 202", "GET 200", "POST 202")
    ]
    assert shown == ["GET 200", "GET 200"]


def test_what_is_asked_for_is_shown_although_it_was_accepted():
    done = acp_spy("view", REFUSED, "kind:exchange")
    assert (done.out.count("POST 202"), done.out.count("GET 200")) == (2, 2)


def test_an_accepted_post_does_not_split_a_text():
    other = '->[post c1] {"jsonrpc": "2.0", "id": 9, "method": "session/list", "params": {}}'
    talk = rows(network.OPENING, network.PROMPT, network.CHUNK, other, "<> 202", network.CHUNK)
    (text,) = (item for item in folded(talk) if hasattr(item, "first"))
    assert text.count == 2


def test_kinds_are_filtered():
    for kind, count in (("exchange", 6), ("disconnect", 2), ("exchange,disconnect", 8)):
        shown = row_filter([f"kind:{kind}"])
        assert sum(map(shown, rows())) == count
    slow = row_filter(["slower:4ms", "kind:exchange"])
    assert [row.what for row in rows() if slow(row)] == ["POST 200"]


def test_exchanges_in_words():
    def words(method="POST", transport="http", **fields):
        return exchange_words(HttpExchange(1.0, 1, transport, method, "/acp", **fields))

    assert words(request=3, status=202) == ("POST 202", "frame 3")
    unreachable = words(request=1, status=502, by="proxy", error="connection refused")
    assert unreachable == ("POST 502 by acp-spy", "frame 1: connection refused")
    assert words(request=1, error="connection lost") == ("POST failed", "frame 1: connection lost")
    assert words("GET", stream="session", session="s-1", status=409) == (
        "GET 409",
        "stream of session s-1 refused",
    )
    opened = words("GET", "ws", stream="connection", status=101)
    assert opened == ("WebSocket 101", "connection opened")
    assert words("DELETE", status=202) == ("DELETE 202", "/acp")


def test_ends_of_streams_in_words():
    def words(transport="http", stream="session", by="agent", **fields):
        return disconnect_words(Disconnect(1.0, 1, transport, stream, by, **fields))

    assert words(session="s-1", lost=True, events=2) == ("stream lost", "session s-1, 2 events")
    assert words(stream="connection", by="proxy", silence=15.0, comments=1) == (
        "stream closed by acp-spy",
        "the connection, 0 events, 1 comment, longest silence 15.0 s",
    )
    closed = words("ws", "connection", code=1011, reason="bug", events=7)
    assert closed == ("WebSocket closed", "1011 bug, 7 messages")


def test_the_terminal_shows_the_refusal_within_80_columns():
    done = acp_spy("view", REFUSED, env={"COLUMNS": "80"})
    assert "← │ POST 400  2.0 ms  frame 7 refused: Missing Acp-Sessio…" in done.out
    assert "✗ error NET001" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_json_has_the_rows_and_jsonl_the_records():
    made = json.loads(acp_spy("view", REFUSED, "--format", "json").out)
    assert sum(row["kind"] in ("exchange", "disconnect") for row in made["rows"]) == 8
    again = acp_spy("view", REFUSED, "--format", "jsonl")
    assert again.out == REFUSED.read_text()


def test_markdown_and_mermaid_show_what_was_refused():
    assert "frame 7 refused" in acp_spy("view", REFUSED, "--format", "markdown").out
    diagram = acp_spy("view", REFUSED, "--format", "mermaid").out
    assert "A-->>C: POST 400 (2.0 ms) frame 7 refused" in diagram
    assert "C-xA: stream closed session s-1" in diagram


def test_stats_count_exchanges_as_time_and_not_as_frames():
    made = json.loads(acp_spy("stats", REFUSED, "--format", "json").out)
    assert (made["frames"], made["seconds"]) == (7, 30.25)
    assert made["http"] == {"exchanges": 6, "refused": 1, "streams": 2, "lost": 0}
    shown = acp_spy("stats", REFUSED).out
    assert "6 HTTP requests, 1 refused or unanswered; 2 streams\n" in shown


def test_the_page_has_the_rows_and_gives_the_capture_back():
    program = """(blocks) => {
        globalThis.document = { getElementById: (id) => ({ textContent: blocks[id] }) };
        const model = acpSpy.data.load();
        const kinds = acpSpy.filters.parse("kind:exchange|disconnect", model);
        const items = acpSpy.fold.fold(model.rows, model, () => true).items;
        const shown = items.filter((item) => item.type === "row" && item.row.kind === "exchange");
        const lines = model.rows.map((row) => row.line);
        return [model.rows.filter((row) => kinds(row)).length, shown.map((item) => item.row.what), lines];
    }"""
    capture = load(REFUSED)
    page = Blocks(page_of([capture.header, *capture.records], masked=False)).data
    count, shown, lines = run_script(program, page)
    assert count == 8
    assert shown == ["GET 200", "GET 200", "POST 400"]  # what only brought a message is in its row
    assert lines == REFUSED.read_text().splitlines()[1:]  # a frame with `via` brings its line


def test_two_runs_differ_by_their_connection_and_are_the_same(tmp_path):
    other = tmp_path / "other.jsonl"
    renamed = REFUSED.read_text().replace('"c-1"', '"c-2"').replace('"t":30.25', '"t":31.5')
    other.write_text(renamed)
    assert acp_spy("diff", REFUSED, other).status == 0


def test_raw_and_replay_take_the_frames_alone():
    lines = acp_spy("raw", REFUSED, "--sender", "client").out.splitlines()
    assert [json.loads(line).get("method") for line in lines] == [
        *("initialize", "session/new", "session/prompt", None)
    ]


def test_a_frame_in_full_says_how_it_came_and_which_header_was_not_sent():
    refused = acp_spy("view", REFUSED, "--frame", "7").out
    assert "\nbody of a POST, Acp-Connection-Id: c-1, Acp-Session-Id: (not sent)\n" in refused
    asked = acp_spy("view", REFUSED, "--frame", "6").out
    assert (
        "\nevent on the stream of the session, Acp-Connection-Id: c-1, Acp-Session-Id: s-1\n"
        in asked
    )
    assert via_words(Via("ws", "connection", "c-1", binary=True)) == (
        "binary WebSocket message, Acp-Connection-Id: c-1"
    )
