"""The other ways to show rows: one frame whole, Markdown, Mermaid, JSON, a smaller capture."""

import re

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.rows import RowsView, rows

from acp_spy.capture.codec import decode
from acp_spy.capture.records import Exit, Header, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Finding, Severity
from acp_spy.view import frame_detail, json_output, markdown, mermaid
from acp_spy.view.capture_view import FrameDetail
from acp_spy.view.rows_json import as_capture, as_json
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame, Peer

HEADER = Header(tool="acp-spy 0.1", started="2026-01-05T09:30:00.25Z", command=("agent", "--acp"))
TALK = """
    !! loading
    !! ready
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{},"terminal":false},"clientInfo":{"name":"c","version":"1"}}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"a","version":"1"}}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Fix ``` it; # please"}]}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I shall "}}}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"look."}}}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call","toolCallId":"c-1","title":"Read `a`","kind":"read","status":"pending"}}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c-1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"line 1"}}]}}}
    <- Oops
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
    -> EOF
    == 0
"""


def rendered():
    """Return the rows of the talk, with only the finding that everybody would expect."""
    for row in rows(parse(TALK)):
        expected = tuple(finding for finding in row.findings if finding.code == "FRM004")
        yield msgspec.structs.replace(row, findings=expected)


def test_markdown_is_what_one_would_paste_into_a_bug_report():
    assert "".join(markdown.render(RowsView(rendered(), header=HEADER))) == (
        "# An ACP conversation\n\n"
        "Recorded `2026-01-05 09:30:00` UTC, by `acp-spy 0.1`, agent `agent --acp`\n\n"
        "stderr:\n\n```text\nloading\nready\n```\n\n"
        "- client: `initialize` (frame 1, 0.003 s) `c 1, version 1; offers fs`\n\n"
        "- agent: `response to initialize` after 1.0 ms (frame 2, 0.004 s) `a 1, version 1`\n\n"
        "- client: `session/new` (frame 3, 0.005 s) `in /project`\n\n"
        "- agent: `response to session/new` after 1.0 ms (frame 4, 0.006 s) `s-1`\n\n"
        "## Prompt (turn 1, frame 5, 0.007 s)\n\n````text\nFix ``` it; # please\n````\n\n"
        "**Agent** (2 chunks in 1.0 ms, frame 6, 0.008 s):\n\n```text\nI shall look.\n```\n\n"
        "- **Tool call** (1.0 ms, frame 8, 0.010 s): ``Read `a` (read) → completed``\n\n"
        "```text\nline 1\n```\n\n"
        "- agent: `not JSON` (frame 10, 0.012 s) `Oops`\n\n"
        "> **error FRM004** non-json-rpc-line (frame 10, agent must fix): "
        "`` `Oops` is text (after the handshake); only JSON-RPC messages are allowed on stdout"
        " ``\n\n"
        "**End of turn** after 6.0 ms (frame 11, 0.013 s): `end_turn`\n\n"
        "- client: `closed its stream` (0.014 s)\n\n"
        "- `agent exited` (0.015 s) `status 0`\n\n"
    )


def test_markdown_says_that_chunks_came_at_once():
    at_once = [msgspec.structs.replace(record, t=1.0) for record in parse(TALK)]
    shown = "".join(markdown.render(RowsView(rows(at_once), header=HEADER)))
    assert "**Agent** (2 chunks at once, frame 6, 1.000 s):" in shown


@pytest.mark.parametrize(
    ("header", "rendered"),
    [
        (Header(), ""),
        (Header(tool="t"), "By `t`\n\n"),
        (Header(command=("a", "b")), "Agent `a b`\n\n"),
        (Header(started="![x](//h.example)@all"), "Recorded `![x](//h.example)@a` UTC\n\n"),
    ],
)
def test_what_a_header_does_not_tell_is_left_out_and_what_it_tells_cannot_act(header, rendered):
    assert (
        "".join(markdown.render(RowsView([], header=header)))
        == f"# An ACP conversation\n\n{rendered}"
    )


@given(st.text(st.characters() | st.sampled_from("`\n<>@![]"), max_size=60))
def test_nothing_leaves_its_fence_or_its_code_span(text):
    fenced = markdown.fence(text)
    first, *inside, last, end = fenced.split("\n")
    assert (first, end) == (f"{last}text", "")
    assert not any(re.fullmatch(rf" {{0,3}}`{{{len(last)},}}\s*", line) for line in inside)
    span = markdown.code(text)
    assert "\n" not in span
    if span:
        ticks = re.match("`+", span)[0]
        assert len(re.findall(rf"(?<!`){ticks}(?!`)", span)) == 2


def test_mermaid_is_a_sequence_of_arrows_and_notes():
    assert "".join(mermaid.render(RowsView(rendered()))).splitlines() == [
        "sequenceDiagram",
        "    participant C as client",
        "    participant A as agent",
        "    C->>A: 1 initialize c 1, version 1#59; offers fs",
        "    A-->>C: 2 response to initialize (1.0 ms) a 1, version 1",
        "    C->>A: 3 session/new in /project",
        "    A-->>C: 4 response to session/new (1.0 ms) s-1",
        "    Note over C,A: turn 1",
        "    C->>A: 5 session/prompt Fix #96;#96;#96; it#59; #35; please",
        "    A-)C: 6 agent_message_chunk ×2 I shall look.",
        "    A-)C: 8 tool_call ×2 (1.0 ms) Read #96;a#96; (read) → completed",
        "    A-xC: 10 not JSON Oops",
        "    Note right of A: error FRM004 #96;Oops#96; is text (after the handshake)#59; only JSON-RPC messages are a…",
        "    A-->>C: 11 response to session/prompt (6.0 ms) end_turn",
        "    C-xA: closed its stream",
        "    Note right of A: agent exited status 0",
    ]


def a_fold_with_many_findings():
    """Return the rows of a text with 70 findings, 69 of them the same."""

    def found(seq):
        text = "`a` is wrong" if seq > 1 else "`b` is missing"
        return Finding(seq, "TST001", "test", Severity.ERROR, Peer.AGENT, text)

    return [
        msgspec.structs.replace(
            a_row("x", seq), kind="notification", stream="agent", text="x", findings=(found(seq),)
        )
        for seq in range(1, 71)
    ]


def test_equal_findings_of_a_fold_are_one_and_the_rest_is_counted():
    shown = "".join(markdown.render(RowsView(a_fold_with_many_findings())))
    assert shown.partition("```\n\n")[2] == (
        "> **error TST001** test (frame 1, agent must fix): `` `b` is missing ``\n\n"
        "> **error TST001 ×63** test (frame 2, agent must fix): `` `a` is wrong ``\n\n"
        "> and 6 findings more\n\n"
    )
    assert "".join(mermaid.render(RowsView(a_fold_with_many_findings()))).splitlines()[4:] == [
        "    Note right of A: error TST001 #96;b#96; is missing",
        "    Note right of A: error TST001 ×63 #96;a#96; is wrong",
        "    Note over C,A: and 6 findings more",
    ]


def test_findings_without_a_row_are_told_at_the_end_of_a_diagram():
    def late(count):
        for number in range(count):
            text = f"{chr(97 + number // 26)}{chr(97 + number % 26)} is missing" + " x" * 40
            yield Finding(0, "TST002", "test", Severity.WARNING, Peer.CLIENT, text)

    *_, last = mermaid.render(RowsView([a_row("x")], late(1)))
    assert last.startswith("    Note left of C: warning TST002 aa is missing x x")
    *lines, last = mermaid.render(RowsView([a_row("x")], late(500)))
    assert last == f"    Note over C,A: and {500 - (len(lines) - 4)} findings more\n"
    assert 40_000 < sum(len(line) for line in lines) <= 45_000


def a_row(gist, seq=1):
    return Row(
        "request", 0.0, "m", Frame(seq, 0.0, Peer.CLIENT, b""), gist, seq=seq, sender=Peer.CLIENT
    )


@example("not seen: \u115f\u1160\u3164\uffa0\u2800")
@given(st.text(max_size=60))
def test_no_text_can_act_in_mermaid(text):
    *_, line = mermaid.render(RowsView([a_row(text)]))
    line = line.removesuffix("\n")
    label = line.removeprefix("    C->>A: ")
    assert line.isprintable()
    assert not set(line) & set("\u115f\u1160\u3164\uffa0\u2800")
    without_entities = re.sub(r"#[0-9]+;", "", label)
    assert not set(without_entities) & set('#;:<>{}%"&\\|*~^`$@')


def test_a_diagram_stays_small_enough_for_github_and_says_what_is_missing():
    many = [a_row("x" * 70, seq) for seq in range(1, 5000)]
    lines = "".join(mermaid.render(RowsView(many))).splitlines()
    assert 40_000 < sum(len(line) + 1 for line in lines) < 50_000
    assert lines[-1].endswith(
        f"{4999 - (len(lines) - 4)} more rows do not fit; filter them, as with seq 1-100"
    )


def test_json_has_the_rows_and_leaves_out_what_does_not_apply():
    document = msgspec.json.decode("".join(as_json(RowsView(rendered(), header=HEADER))))
    assert document["header"]["command"] == ["agent", "--acp"]
    assert document["findings"] == []
    assert len(document["rows"]) == 15
    assert document["rows"][0] == {
        "kind": "stderr",
        "t": 0.001,
        "gap": 0.0,
        "what": "stderr",
        "gist": "loading",
        "size": 8,
    }
    assert document["rows"][3] == {
        "kind": "response",
        "t": 0.004,
        "gap": 0.001,
        "what": "response to initialize",
        "gist": "a 1, version 1",
        "seq": 2,
        "sender": "agent",
        "method": "initialize",
        "latency": 0.001,
        "size": 118,
        "partner": 1,
    }
    (noise,) = [row for row in document["rows"] if row["kind"] == "noise"]
    assert [finding["code"] for finding in noise["findings"]] == ["FRM004"]


def test_no_rows_are_still_json():
    assert msgspec.json.decode("".join(as_json(RowsView([]))))["rows"] == []


def test_what_is_wanted_is_a_capture_again_with_its_numbers_and_times():
    wanted = [row for row in rendered() if row.seq in (5, 10) or row.kind in ("stderr", "exit")]
    lines = b"".join(as_capture(RowsView(wanted, header=HEADER))).splitlines(keepends=True)
    header, *records = map(decode, lines)
    assert header == HEADER
    assert records == [row.record for row in wanted]
    assert [type(record) for record in records] == [Stderr, Stderr, Frame, Frame, Exit]


def whole_of(transcript, seq):
    found = {row.seq: row for row in rows(parse(transcript))}
    row = found[seq]
    return FrameDetail(
        row,
        request=found.get(row.partner),
        response=next((each for each in found.values() if each.partner == seq), None),
        findings=list(row.findings),
    )


WRONG = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1","clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"auth":{"terminal":false}},"clientInfo":{"name":"c","version":"1"}}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
"""


def test_a_frame_is_shown_whole_with_its_partner_and_what_its_findings_mean():
    lines = list(frame_detail.render(whole_of(WRONG, 1), 80, colour=False))
    assert lines[:10] == [
        "frame 1  client → agent  initialize  0.001000 s",
        "236 B, response after 1.0 ms",
        "",
        "  {",
        '    "jsonrpc": "2.0",',
        '    "id": 0,',
        '    "method": "initialize",',
        '    "params": {',
        '▶     "protocolVersion": "1",',
        '      "clientCapabilities": {',
    ]
    text = "\n".join(lines)
    assert re.search(r"^error [A-Z]{3}\d{3} [a-z-]+  client must fix$", text, re.MULTILINE)
    assert "  at /params/protocolVersion" in lines
    assert "response: frame 2  agent → client  response to initialize  0.002000 s" in lines
    assert max(map(len, lines)) <= 120


def test_an_answer_is_shown_with_its_question():
    lines = list(frame_detail.render(whole_of(WRONG, 2), 80, colour=False))
    assert lines[1] == "56 B, 1.0 ms after its request"
    assert "request: frame 1  client → agent  initialize  0.001000 s" in lines


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("<~ caf\\xe9 \\x1b[31mred\\n", r"caf\xe9 \x1b[31mred"),
        ('<- {"a": "\u202e"}', r'    "a": "\u202e"'),
        ('<- Loading {"jsonrpc":"2.0","method":"m"}', "Loading "),
    ],
)
def test_what_is_no_message_is_shown_as_it_is(line, shown):
    lines = list(frame_detail.render(whole_of(line, 1), 80, colour=False))
    assert shown.rstrip() in lines
    assert all(line.isprintable() for line in lines)


def test_colours_of_a_frame_add_nothing_that_is_not_said_in_words():
    plain, coloured = (
        list(frame_detail.render(whole_of(WRONG, 1), 80, colour=c)) for c in (False, True)
    )
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == plain
    assert "\x1b[34m" in "".join(coloured)


def test_what_is_nested_too_deeply_to_be_indented_is_json_all_the_same():
    for depth in range(300, 1400, 300):
        deep = "[" * depth + "]" * depth
        try:
            value = msgspec.json.decode("[" * 50 + deep + "]" * 50)
        except RecursionError:
            return  # nothing is read that is nested more deeply, with this version of Python
        for _ in range(50):
            (value,) = value
        assert re.sub(r"\s", "", json_output.to_json(value)) == deep
