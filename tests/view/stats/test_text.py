import io
import json as json_library
import re
from datetime import datetime
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from acp_spy.capture.files import read
from acp_spy.capture.records import IMPORTED, Header
from acp_spy.capture.transcript import parse
from acp_spy.view.stats import json, text
from acp_spy.view.stats.bars import course, within
from acp_spy.view.stats.collect import collect

ROOT = Path(__file__).parents[3]
SESSION = '"sessionId":"s-1"'
TALK = f"""
    -> {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1,"clientInfo":{{"name":"some-editor","version":"0.200.1"}}}}}}
    @ 0.2
    <- {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1,"agentInfo":{{"name":"some-agent","version":"0.12.1"}}}}}}
    -> {{"jsonrpc":"2.0","id":1,"method":"session/new","params":{{"cwd":"/project","mcpServers":[]}}}}
    @ 0.8
    <- {{"jsonrpc":"2.0","id":1,"result":{{{SESSION}}}}}
    !! warming up
    @ 2
    -> {{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{{{SESSION},"prompt":[{{"type":"text","text":"Mend the tests"}}]}}}}
    @ 3.1
    <- {{"jsonrpc":"2.0","method":"session/update","params":{{{SESSION},"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"I will "}}}}}}}}
    @ 3.2
    <- {{"jsonrpc":"2.0","method":"session/update","params":{{{SESSION},"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"look."}}}}}}}}
    @ 3.5
    <- {{"jsonrpc":"2.0","method":"session/update","params":{{{SESSION},"update":{{"sessionUpdate":"tool_call","toolCallId":"call-1","title":"Read test_it.py","kind":"read","status":"pending"}}}}}}
    <- {{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{{{SESSION},"path":"/project/test_it.py"}}}}
    @ 3.6
    -> {{"jsonrpc":"2.0","id":0,"result":{{"content":"assert False"}}}}
    <- {{"jsonrpc":"2.0","method":"session/update","params":{{{SESSION},"update":{{"sessionUpdate":"tool_call_update","toolCallId":"call-1","status":"completed"}}}}}}
    <- {{"jsonrpc":"2.0","method":"session/update","params":{{{SESSION},"update":{{"sessionUpdate":"tool_call","toolCallId":"call-2","title":"Run make","kind":"execute","status":"pending"}}}}}}
    <- {{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{{{SESSION},"toolCall":{{"toolCallId":"call-2"}},"options":[{{"optionId":"y","name":"Yes","kind":"allow_once"}}]}}}}
    @ 7.6
    -> {{"jsonrpc":"2.0","id":1,"result":{{"outcome":{{"outcome":"selected","optionId":"y"}}}}}}
    <- {{"jsonrpc":"2.0","method":"session/update","params":{{{SESSION},"update":{{"sessionUpdate":"tool_call_update","toolCallId":"call-2","status":"in_progress"}}}}}}
    <~ make: *** [test] Error 1\\n
    @ 14.5
    <- {{"jsonrpc":"2.0","method":"session/update","params":{{{SESSION},"update":{{"sessionUpdate":"tool_call_update","toolCallId":"call-2","status":"failed"}}}}}}
    <- {{"jsonrpc":"2.0","id":2,"result":{{"stopReason":"end_turn"}}}}
    @ 20
    -> {{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{{{SESSION},"prompt":[{{"type":"text","text":"Again"}}]}}}}
    <- {{"jsonrpc":"2.0","id":3,"error":{{"code":-32603,"message":"out of credit"}}}}
    -> EOF
    == 0
"""


def shown(stats, width=80, *, colours=False, path="run.jsonl", state="ended"):
    out = io.StringIO()
    colour_system = "truecolor" if colours else None
    console = Console(
        file=out, width=width, force_terminal=colours, color_system=colour_system, _environ={}
    )
    text.render(path, state, stats, console)
    return out.getvalue()


def test_a_conversation_in_figures_reads_so():
    page = (ROOT / "docs" / "stats.md").read_text()
    rendered = shown(collect(parse(TALK)))
    assert f"$ acp-spy stats run.jsonl\n{rendered}```" in page, rendered


def test_a_capture_without_a_frame_has_little_to_tell():
    assert shown(collect([]), state="cut off") == (
        "run.jsonl\n"
        "0 frames in 0 µs, cut off\n"
        "\n"
        "          frames  bytes\n"
        "client →       0    0 B\n"
        "← agent        0    0 B\n"
    )


def test_noise_and_a_bad_end_are_told():
    stats = collect(parse('<~ warming up\\n\n-> {"jsonrpc":"2.0","id":9,"result":{}}\n@ 2\n== -9'))
    assert shown(stats) == (
        "run.jsonl\n"
        "2 frames in 2.0 s, killed by signal 9\n"
        "\n"
        "client →  █\n"
        "← agent   █\n"
        "          0 s                                                       2.0 s\n"
        "\n"
        "          frames  bytes  not a message  no request  largest (frame)\n"
        "client →       1   37 B              -           1  37 B (2)\n"
        "← agent        1   11 B              1           -  11 B (1)\n"
    )


def test_an_open_turn_a_hang_and_a_cancellation_are_told():
    stats = collect(
        parse("""
        -> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s"}}
        -> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
        @ 62
        -> EOF
        """)
    )
    rendered = shown(stats, state="running").split("\n\n")
    assert rendered[0] == (
        "run.jsonl\n2 frames in 1 m 02 s, running\nnever answered by agent: `session/prompt` (frame 1)"
    )
    assert rendered[3] == "client requests  count  no response\nsession/prompt       1            1"
    assert rendered[5] == (
        "1 turn, 1 without an end\n"
        "turn  frame  time  first   stalled  end\n"
        "   1      1     -      -  1 m 02 s  no end, cancelled\n"
        "    silent for 1 m 02 s from 2.0 ms, to the end\n"
    )


HANGS = """
    -> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
    @ 1.5
    <- {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}}
"""


def test_while_it_is_recorded_times_are_those_so_far():
    header = Header(started="2026-01-05T09:30:00Z")
    now = datetime.fromisoformat("2026-01-05T09:30:14.9Z").timestamp()
    stats = collect([header, *parse(HANGS)], now=now)
    rendered = shown(stats, state="running")
    assert rendered.startswith(
        "run.jsonl\n"
        "2 frames in 14.9 s so far, running\n"
        "pending since 1.501 s: `session/request_permission` (frame 2), 13.4 s so far,\n"
        "                       waiting for client\n"
        "pending since 0.001 s: `session/prompt` (frame 1), 14.9 s so far,\n"
        "                       waiting for agent\n"
    )
    assert rendered.endswith(
        "1 turn, 1 pending\n"
        "turn  frame           time  first     permission  end\n"
        "   1      1  14.9 s so far      -  13.4 s so far  pending\n"
    )


def test_a_permission_that_was_cut_off_has_no_time():
    rendered = shown(collect(parse(HANGS)), state="cut off")
    assert rendered.splitlines()[-1] == "   1      1     -      -  no response  no end"
    assert "pending" not in rendered
    assert "never answered by client: `session/request_permission` (frame 2)\n" in rendered


def test_after_a_hang_has_ended_it_is_still_said_who_never_answered():
    rendered = shown(collect(parse(f"{HANGS}\n@ 36.6\n== 0")))
    assert (
        "never answered by client: `session/request_permission` (frame 2), 35.1 s\n"
        "never answered by agent: `session/prompt` (frame 1), 36.6 s\n"
    ) in rendered
    axis = next(line.split() for line in rendered.splitlines() if line.strip().startswith("0 s"))
    assert axis == ["0", "s", "36.9", "s"]


def test_an_import_without_an_end_does_not_say_that_nobody_answered():
    imported = collect([Header(note=f"{IMPORTED} x"), *parse(HANGS)])
    assert imported.state == "imported"
    assert "never answered" not in shown(imported, state=imported.state)


def test_of_many_turns_and_tools_the_longest_are_shown():
    tools = "\n".join(
        '<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
        f'{{"sessionUpdate":"tool_call","toolCallId":"c{n}","title":"tool {n}","status":"completed"}}}}}}'
        for n in range(12)
    )
    turns = "\n".join(
        f'@ {n}\n-> {{"jsonrpc":"2.0","id":{n},"method":"session/prompt","params":{{"sessionId":"s"}}}}\n'
        f'@ {n + n / 100}\n{tools if n == 24 else ""}\n<- {{"jsonrpc":"2.0","id":{n},"result":{{"stopReason":"end_turn"}}}}'
        for n in range(25)
    )
    rendered = shown(collect(parse(turns)))
    lines = rendered.splitlines()
    assert lines[-1] == "(the 20 longest of 25 turns)"
    assert lines[-2] == "    (the 10 longest of 12 tool calls)"
    rows = [line for line in lines if line.endswith("end_turn")]
    assert [row.split()[0] for row in rows] == [str(n + 1) for n in range(5, 25)]
    assert [row.split()[1] for row in rows] == [str(2 * n + 1) for n in range(5, 25)]


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize(
    "name", ["example", "odd-bytes", "torn-last-line", "unknown-record-and-field", "dialect-crow"]
)
def test_no_line_is_wider_than_the_terminal(name, width):
    stats = collect(read(ROOT / "fixtures" / f"{name}.jsonl"))
    lines = shown(stats, width, path=name).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert all(line.isprintable() for line in lines)


def test_colours_say_nothing_that_words_do_not():
    stats = collect(parse(TALK))
    coloured = shown(stats, colours=True)
    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown(stats)


def test_what_a_peer_sends_is_shown_and_not_obeyed():
    evil = "\\u001b[2J[bold]\\n"
    talk = TALK.replace("Read test_it.py", evil).replace("some-agent", evil)
    talk = talk.replace('"call-2"', f'"{evil}"').replace('"end_turn"', f'"{evil}"')
    talk = talk.replace("fs/read_text_file", evil).replace("s-1", evil)
    rendered = shown(collect(parse(talk)), 200, path="odd\x1b[2J.jsonl")
    assert all(line.isprintable() for line in rendered.splitlines())
    assert "\\x1b[2J[bold]\\n" in rendered
    assert "\x1b" not in json.render("x", "ended", collect(parse(talk)))


def test_programs_get_every_figure():
    rendered = json_library.loads(json.render("run.jsonl", "ended", collect(parse(TALK))))
    assert (rendered["path"], rendered["state"], rendered["agent"]) == (
        "run.jsonl",
        "ended",
        "some-agent 0.12.1",
    )
    assert rendered["senders"]["agent"]["noise"] == 1
    assert [method["method"] for method in rendered["methods"]] == [
        "initialize",
        "session/new",
        "session/prompt",
        "session/update",
        "fs/read_text_file",
        "session/request_permission",
    ]
    first = rendered["turns"]["longest"][0]
    assert first["permission_wait"] == pytest.approx(3.997)
    assert [tool["seconds"] for tool in first["tools"]] == [0.101, pytest.approx(10.898)]
    assert first["longest_stalls"] == [
        {"t": 7.602, "seconds": 6.899, "seq": 17, "tool": "call-2"},
    ]


def test_the_docs_have_every_field():
    """A table for each kind of object, and a row for each of its fields."""
    page = (ROOT / "docs" / "stats.md").read_text()
    rendered = json_library.loads(json.render("run.jsonl", "ended", collect(parse(TALK))))

    def fields(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield key
                yield from fields(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from fields(inner)

    assert [field for field in set(fields(rendered)) if f"`{field}`" not in page] == []


@pytest.mark.parametrize(
    ("amounts", "width", "drawn"),
    [
        ([], 10, ""),
        ([0, 0], 10, "  "),
        ([1, 0, 8, 4], 10, "▂ █▅"),
        ([1, 1000], 10, "▁█"),
        ([1, 1, 1, 1, 4], 2, "▅█"),
        ([10**30, 1], 10, "█▁"),
    ],
)
def test_a_course_is_drawn_in_columns(amounts, width, drawn):
    assert course(amounts, width) == drawn


@pytest.mark.parametrize(
    ("start", "end", "drawn"),
    [
        (0, 10, "██████████"),
        (5, 10, "·····█████"),
        (3, 3, "···█······"),
        (10, 10, "·········█"),
        (-5, 20, "██████████"),
    ],
)
def test_a_span_is_drawn_within_another(start, end, drawn):
    assert within(start, end, 10, 10) == drawn
    assert within(start, end, 0, 10) == ""
