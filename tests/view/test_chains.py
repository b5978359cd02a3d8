"""Rows of proxy chains and of MCP over ACP: what is inside is shown, named and timed."""

import json
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.page_script import run_script
from support.pages import Blocks, page_of

from acp_spy import load
from acp_spy.view.filters import row_filter
from acp_spy.view.timeline import Timeline

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"


def records(name):
    capture = load(FIXTURES / f"{name}.jsonl")
    return [capture.header, *capture.records]


def rows(name):
    timeline = Timeline()
    return [row for record in records(name) for row in timeline.feed(record)]


def seqs(name, *tokens):
    shown = row_filter(tokens)
    return [row.seq for row in rows(name) if shown(row)]


def test_a_wrapped_frame_shows_what_is_inside_and_that_it_is_wrapped():
    asked, *_, answered = [
        row for row in rows("chain") if row.method == "session/prompt" and row.hop
    ]
    assert (asked.what, asked.gist) == ("successor › session/prompt", "What is this?")
    assert (asked.sender.value, asked.session, asked.hop) == ("agent", "s-1", "successor")
    assert (answered.what, answered.gist) == ("successor › response to session/prompt", "end_turn")
    assert (answered.partner, answered.latency) == (10, pytest.approx(0.736))
    assert asked.record.message["method"] == "proxy/successor"  # the frame is as it was sent


def test_what_is_wrapped_belongs_to_the_turn_that_the_proxy_is_in():
    of_turn = [row for row in rows("chain") if row.turn is not None]
    assert [row.seq for row in of_turn] == list(range(9, 27))
    assert [row.seq for row in of_turn if row.turn_edge] == [9, 26]


def test_a_proxy_that_renames_the_session_is_still_in_its_turn(tmp_path):
    lines = (FIXTURES / "chain.jsonl").read_text().replace("s-1", "s-2").splitlines()
    plain = (FIXTURES / "chain.jsonl").read_text().splitlines()
    is_inside = {row.seq for row in rows("chain") if row.hop}
    mixed = [
        new if json.loads(new).get("seq") in is_inside else old
        for new, old in zip(lines, plain, strict=True)
    ]
    path = tmp_path / "renamed.jsonl"
    path.write_text("\n".join(mixed) + "\n")
    timeline = Timeline()
    shown = [row for record in load(path).records for row in timeline.feed(record)]
    assert [row.seq for row in shown if row.turn] == list(range(9, 27))


def test_a_tool_call_has_its_duration_in_either_conversation():
    ends = [(row.seq, row.hop, row.duration) for row in rows("chain") if row.tool_edge == "end"]
    assert ends == [(21, "successor", pytest.approx(0.052)), (22, "", pytest.approx(0.052))]


@pytest.mark.parametrize("name", ["mcp-connections", "mcp-server-ids", "mcp-messages"])
def test_an_mcp_call_is_under_its_tool_call_paired_and_timed(name):
    asked, answered = [row for row in rows(name) if row.mcp == "tools/call"]
    assert (asked.kind, asked.what, asked.tool) == ("request", "mcp › tools/call", "c-1")
    assert asked.gist == 'docs: search_docs {"query":"install"}'
    assert (answered.kind, answered.what, answered.tool) == (
        "response",
        "response to mcp › tools/call",
        "c-1",
    )
    assert answered.gist == "Install with pip."
    assert (answered.partner, answered.latency) == (asked.seq, pytest.approx(0.5))
    assert {row.server for row in (asked, answered)} == {"docs"}
    assert {row.turn_number for row in (asked, answered)} == {1}


def test_an_error_of_mcp_is_a_failed_row():
    failed = [(row.seq, row.gist) for row in rows("mcp-recorded") if row.failed]
    assert failed == [(15, "error -32602 no such page")]


def test_filters_find_what_is_inside():
    assert seqs("chain", "hop:successor", "kind:request") == [2, 6, 10, 17]
    assert seqs("chain", "hop:predecessor", "kind:request") == [1, 5, 9, 18]
    assert seqs("chain", "method:session/prompt") == [9, 10, 25, 26]
    assert seqs("mcp-messages", "kind:mcp") == [4, 5, 9, 10, 11]
    assert seqs("mcp-messages", "method:tools/call") == [9, 11]
    assert seqs("mcp-messages", "tool:c-1") == [8, 9, 10, 11, 12]


def test_the_terminal_does_not_join_the_texts_of_two_conversations():
    shown = acp_spy("view", FIXTURES / "chain-recorded.jsonl").out
    assert shown.count("Please mend notes.txt\n") >= 2
    assert "successor › agent says  3 chunks" in shown


def test_the_terminal_marks_what_is_under_a_tool_call():
    shown = acp_spy("view", FIXTURES / "mcp-messages.jsonl").out
    assert "│ ↳ mcp › tools/call  docs: search_docs" in shown
    assert "←   mcp › tools/list  docs" in shown


def test_a_frame_in_full_shows_the_wrapper_and_what_is_in_it():
    shown = acp_spy("view", FIXTURES / "chain.jsonl", "--frame", "10").out
    assert "successor › session/prompt" in shown.splitlines()[0]
    assert '"method": "proxy/successor"' in shown


def test_json_has_the_hop_and_the_mcp_method():
    given = json.loads(acp_spy("view", "--format", "json", FIXTURES / "chain.jsonl").out)
    assert {row.get("hop") for row in given["rows"]} == {None, "successor"}
    given = json.loads(acp_spy("view", "--format", "json", FIXTURES / "mcp-messages.jsonl").out)
    mcp = [(row["mcp"], row["server"]) for row in given["rows"] if "mcp" in row]
    assert mcp[-1] == ("tools/call", "docs")


def test_stats_name_what_is_inside_and_count_each_mcp_call():
    given = json.loads(acp_spy("stats", "--format", "json", FIXTURES / "mcp-recorded.jsonl").out)
    assert [
        (each["server"], each["tool"], each["requests"], each["errors"]) for each in given["mcp"]
    ] == [
        ("docs", "", 1, 0),
        ("docs", "search_docs", 1, 0),
        ("docs", "read_page", 1, 1),
    ]
    given = json.loads(acp_spy("stats", "--format", "json", FIXTURES / "chain.jsonl").out)
    methods = {(each["asker"], each["method"]): each["requests"] for each in given["methods"]}
    assert methods["agent", "proxy/successor › session/prompt"] == 1
    assert methods["client", "proxy/successor › fs/read_text_file"] == 1
    assert (given["turns"]["count"], given["mcp"]) == (1, [])


def test_stats_print_a_table_of_mcp_calls():
    shown = acp_spy("stats", FIXTURES / "mcp-recorded.jsonl").out
    assert "MCP server  call" in shown
    assert "MCP server" not in acp_spy("stats", FIXTURES / "chain.jsonl").out


def test_the_page_folds_and_draws_each_conversation_by_itself():
    program = """(blocks) => {
        globalThis.document = { getElementById: (id) => ({ textContent: blocks[id] }) };
        const model = acpSpy.data.load();
        return acpSpy.fold.fold(model.rows, model, () => true).items
            .filter((item) => item.type === "stream" || item.type === "tool")
            .map((item) => [item.type, item.row.hop, item.rows.map((row) => row.seq)]);
    }"""
    page = Blocks(page_of(records("chain-recorded"), masked=False)).data
    assert run_script(program, page) == [
        ["stream", "successor", [11, 13, 14]],
        ["stream", "", [12, 15, 16]],
        ["tool", "successor", [17, 23, 29]],
        ["tool", "", [18, 25, 30]],
        ["stream", "successor", [37, 39, 41]],
        ["stream", "", [38, 40, 42]],
    ]


def test_the_waterfall_has_a_lane_for_mcp_calls(open_page):
    page = open_page(records("mcp-recorded"))
    spans = page.tab.locator("#plot .span.mcp").evaluate_all(
        "all => all.map((span) => span.ariaLabel)"
    )
    assert spans == [
        "tools/list docs, 156 ms, frame 4",
        'tools/call docs: search_docs {"query":"install"}, 201 ms, frame 12',
        'tools/call docs: read_page {"page":"missing"}, 122 ms, frame 13',
    ]
