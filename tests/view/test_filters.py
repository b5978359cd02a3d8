import re
from pathlib import Path

import pytest
from support.conversations import says

from acp_spy.capture.transcript import parse
from acp_spy.errors import AcpSpyError
from acp_spy.view.filters import TOKENS, is_token, row_filter, split
from acp_spy.view.timeline import Timeline, late_findings

ROOT = Path(__file__).parents[2]
TALK = """
    !! Agent Is Ready
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}}
    @ 2.0
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Hi"}]}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call","toolCallId":"call-1","title":"Caf\\u00e9","kind":"read"}}}
    <- Debugger attached.
    @ 9.0
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
    -> EOF
    == 0
"""
RECORDS = parse(TALK)


def accepted(*tokens, records=RECORDS):
    """Return the rows that the tokens let through: the frame's number, else the kind."""
    timeline = Timeline(late=late_findings(records))
    test = row_filter(tokens)
    rows = [row for record in records for row in timeline.feed(record) if test(row)]
    return [row.seq if row.seq is not None else row.kind for row in rows]


EVERYTHING = ["stderr", 1, 2, 3, 4, 5, 6, 7, 8, "closed", "exit"]


@pytest.mark.parametrize(
    ("tokens", "rows"),
    [
        ("", EVERYTHING),
        ("from:client", [1, 3, 5, "closed"]),
        ("from:agent", [2, 4, 6, 7, 8]),
        ("from:agent kind:response", [2, 4, 8]),
        ("kind:request|notification", [1, 3, 5, 6]),
        ("kind:noise,stderr", ["stderr", 7]),
        ("-kind:noise,stderr,closed,exit", [1, 2, 3, 4, 5, 6, 8]),
        ("method:session/new", [3, 4]),
        ("method:session/*", [3, 4, 5, 6, 8]),
        ("method:tool_call", [6]),
        ("method:session/ne?", [3, 4]),
        ("session:s-1", [4, 5, 6, 8]),
        ("session:s*", [4, 5, 6, 8]),
        ("session:s…", [4, 5, 6, 8]),
        ("session:*s*1*", [4, 5, 6, 8]),
        ("session:*?*1*s*", []),
        ("session:s", []),
        ("tool:call-1", [6]),
        ("text:ready", ["stderr"]),
        ("text:'agent is'", ["stderr"]),
        ("text:café", [6]),
        (r"text:\u00e9", [6]),
        ("text:initialize", [1, 2]),
        ("seq:3", [3]),
        ("seq:3-5", [3, 4, 5]),
        ("seq:7-", [7, 8]),
        ("seq:-2", [1, 2]),
        ("-seq:2-", ["stderr", 1, "closed", "exit"]),
        ("after:9s", [8, "closed", "exit"]),
        ("after:0.15m", [8, "closed", "exit"]),
        ("before:1000ms", ["stderr", 1]),
        ("after:1.5 before:2.0015s", [2]),
        ("slower:1s", [2, 8]),
        ("slower:1h", []),
        ("larger:0.14kB", [1, 6]),
        ("larger:1MB", []),
        ("finding:any", [2, 7, 8]),
        ("finding:error", [7]),
        ("finding:FRM004", [7]),
        ("finding:frm", [7]),
        ("finding:non-json-rpc-line", [7]),
        ("finding:note,warning", [2, 8]),
        ("-finding:any kind:response", [4]),
    ],
)
def test_a_token_means_this(tokens, rows):
    assert accepted(*split(tokens)) == rows


def chunk(text, session="s", variant="agent_message_chunk"):
    return says(text, variant).replace('"s-1"', f'"{session}"')


USAGE = '<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":2}}}'
PLAN = '<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}'


@pytest.mark.parametrize(
    ("lines", "tokens", "rows"),
    [
        ([chunk("I look at "), chunk("the work"), chunk("space.")], "text:'look at the workspace'", [3]),
        ([chunk("I look at "), chunk("the work"), chunk("space.")], "text:'LOOK AT THE'", [2]),
        ([chunk("I look at "), chunk("the work"), chunk("space.")], "-text:'at the'", [1, 3]),
        # It is found once, where it is complete, and where a later filter wants only that part.
        ([chunk("ab"), chunk("c"), chunk("abc")], "text:abc", [2, 3]),
        ([chunk("look at "), chunk("the work"), chunk("space.")], "seq:3 text:'look at the workspace'", [3]),
        # What has nothing to do with the text does not end it, as in a fold; what has, does.
        ([chunk("look "), USAGE, chunk("there", "t"), "!! log", chunk("here")], "text:'look here'", [4]),
        ([chunk("look "), PLAN, chunk("here")], "text:'look here'", []),
        ([chunk("look "), chunk("hm", variant="agent_thought_chunk"), chunk("here")], "text:'look here'", []),
        ([chunk("look "), chunk("here", "t")], "text:'look here'", []),
    ],
)  # fmt: skip
def test_words_may_come_in_pieces(lines, tokens, rows):
    assert accepted(*split(tokens), records=parse("\n".join(lines))) == rows


@pytest.mark.parametrize("token", [f"{token.name}:{token.example}" for token in TOKENS])
def test_every_example_is_a_token_and_its_negation_lets_the_others_through(token):
    yes, no = accepted(token), accepted(f"-{token}")
    assert sorted(map(str, yes + no)) == sorted(map(str, EVERYTHING))
    assert is_token(token)
    assert is_token(f"-{token}")


@pytest.mark.parametrize(
    ("token", "message", "hint"),
    [
        (
            "colour:red",
            "cannot filter by `colour:red`: no such filter",
            "from:agent, method:session/*, kind:request",
        ),
        ("hello", "cannot filter by `hello`: no such filter", "text:hello"),
        ("kind:", "cannot filter by `kind:`: missing value", "kind:request"),
        (
            "kind:reply",
            "cannot filter by `kind:reply`: unknown value `reply`",
            "request, response, notification",
        ),
        ("from:me", "cannot filter by `from:me`: unknown value `me`", "client, agent"),
        ("kind:,", "cannot filter by `kind:,`: unknown value `,`", "request"),
        (
            "finding:XYZ001",
            "cannot filter by `finding:XYZ001`: no such rule: `XYZ001`",
            "acp-spy rule",
        ),
        ("seq:a-b", "cannot filter by `seq:a-b`: not a range of frames", "seq:10-40"),
        ("seq:-", "cannot filter by `seq:-`: not a range of frames", "seq:14"),
        (
            f"seq:{'9' * 5000}",
            f"cannot filter by `seq:{'9' * 5000}`: not a range of frames",
            "seq:14",
        ),
        ("seq:٣", "cannot filter by `seq:٣`: not a range of frames", "seq:14"),
        ("after:soon", "cannot filter by `after:soon`: not a quantity", "ms, s"),
        ("slower:5kB", "cannot filter by `slower:5kB`: not a quantity", "500ms"),
        ("larger:5s", "cannot filter by `larger:5s`: not a quantity", "kb"),
    ],
)
def test_a_wrong_token_is_an_error_that_says_what_is_right(token, message, hint):
    with pytest.raises(AcpSpyError) as refused:
        row_filter([token])
    assert refused.value.message == message
    assert hint in refused.value.hint


def test_an_open_quote_is_an_error():
    with pytest.raises(AcpSpyError, match="no closing quotation"):
        split("text:'hello")


def test_a_line_that_would_take_minutes_to_split_is_an_error():
    with pytest.raises(AcpSpyError, match="xx…`: it has more than 10,000 characters"):
        split(f"text:{'x' * 1_000_000}")


def test_the_table_in_docs_view_md_has_every_token():
    rows = [f"| `{token.name}:{token.example}` | {token.meaning} |" for token in TOKENS]
    page = (ROOT / "docs" / "view.md").read_text()
    assert re.findall(r"^\| `[a-z]+:.*$", page, re.MULTILINE) == rows


def test_every_token_has_its_twin_in_the_page_s_filters_js():
    script = (ROOT / "acp_spy" / "view" / "page" / "filters.js").read_text()
    readers = script.partition("READERS = {")[2].partition("\n  };")[0]
    twins = set(re.findall(r"^    (\w+)[(:,]", readers, re.MULTILINE))
    assert twins == {token.name for token in TOKENS}


def test_slower_finds_a_tool_call_where_it_ends():
    update = (
        '<- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s-1","update":'
        '{{"sessionUpdate":"{}","toolCallId":"call-1","title":"Test","status":"{}"}}}}}}'
    )
    records = parse(
        "\n".join(
            [
                '-> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}',
                update.format("tool_call", "in_progress"),
                "@ 3.5",
                update.format("tool_call_update", "completed"),
                '<- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}',
                "@ 9.0",
                update.format("tool_call_update", "completed"),
            ]
        )
    )
    assert accepted("slower:2s", records=records) == [3, 4]
    assert accepted("slower:2s", "tool:call-1", records=records) == [3]
    assert accepted("slower:4s", records=records) == []
