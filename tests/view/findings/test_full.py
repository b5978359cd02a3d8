import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from support.reports import report

from acp_spy.view.findings.full import render
from acp_spy.view.layout import Layout
from acp_spy.wire.frame import Peer

NASTY = "\x1b[31m[red]\x07\u202e[/red]\n"
widths = pytest.mark.parametrize("width", [40, 60, 80, 200])


def shown(*reports, width=80, colours=False):
    return "".join(render(reports, Layout(width, colour=colours)))


def frame_and_marks(rendered):
    """Return the line that shows a frame, and the one below it."""
    lines = rendered.split("\n")
    (at,) = (number for number, line in enumerate(lines) if "← agent" in line)
    return lines[at : at + 2]


def without_colours(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_findings_read_so():
    assert shown(report()) == (
        "run.jsonl\n"
        "\n"
        "error RPC007 unanswered-request  frame 3  agent must fix  2.345 s\n"
        "  `session/prompt` was never answered\n"
        '     3  client → {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "param…\n'
        "  see frame 1\n"
        '     1  client → {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": …\n'
        "  more: acp-spy rule RPC007\n"
        "  spec: https://example.com/rpc#7\n"
        "\n"
        "warning SCH001 unknown-field  frame 2  agent must fix  0.002 s\n"
        "  `agentCapabilites` is not known here\n"
        '     2  ← agent  …: 0, "result": {"protocolVersion": 1, "agentCapabilites": {}}}\n'
        "                                                        ^^^^^^^^^^^^^^^^^^\n"
        "  more: acp-spy rule SCH001\n"
        "\n"
        "3 frames, 2 findings\n"
        "  1 error: agent must fix 1\n"
        "  1 warning: agent must fix 1\n"
    )


def test_a_mistake_made_many_times_is_told_once_with_the_first_places():
    talk = '-> {"id": 0, "method": "x"}\n' * 1000
    often = [(seq, "RPC007", "never answered", {"path": "/id"}) for seq in range(1, 1001)]
    also = [(7, "RPC007", "never answered", {"path": "/id", "blame": Peer.CLIENT, "hint": "do it"})]
    twice = [(8, "LIF003", "late", {}), (9, "LIF003", "late", {})]
    assert shown(report(talk, often + also + twice)) == (
        "run.jsonl\n"
        "\n"
        "error RPC007 unanswered-request  frame 1  agent must fix  0.001 s\n"
        "  never answered\n"
        '     1  client → {"id": 0, "method": "x"}\n'
        "                  ^^^^^^^\n"
        "  1000 times, also in frames 2, 3, 4, 5, ...\n"
        "  more: acp-spy rule RPC007\n"
        "  spec: https://example.com/rpc#7\n"
        "\n"
        "error RPC007 unanswered-request  frame 7  client must fix  0.007 s\n"
        "  never answered\n"
        '     7  client → {"id": 0, "method": "x"}\n'
        "                  ^^^^^^^\n"
        "  hint: do it\n"
        "\n"
        "note LIF003 late-update  frame 8  agent must fix  0.008 s\n"
        "  late\n"
        '     8  client → {"id": 0, "method": "x"}\n'
        "  2 times, also in frame 9\n"
        "  more: acp-spy rule LIF003\n"
        "\n"
        "1000 frames, 3 findings\n"
        "  2 errors in 1001 places: client must fix 1, agent must fix 1\n"
        "  1 note in 2 places: agent must fix 1\n"
    )


def test_several_captures_have_a_section_each_and_a_sum():
    rendered = shown(report(path="a.jsonl", findings=()), report(path="b.jsonl"))
    assert rendered.startswith("a.jsonl: 3 frames, no findings\n\nb.jsonl\n\nerror ")
    assert rendered.endswith(
        "  1 error: agent must fix 1\n  1 warning: agent must fix 1\n\n2 captures, 6 frames: 1 error, 1 warning\n"
    )
    clean = shown(*[report(path="a.jsonl", findings=())] * 2)
    assert clean.endswith("\n\n2 captures, 6 frames: no findings\n")


def test_a_finding_without_a_frame_is_told_without_one():
    assert shown(report("", [(0, "LIF003", "nothing was said", {"t": 1.5})])) == (
        "run.jsonl\n"
        "\n"
        "note LIF003 late-update  agent must fix  1.500 s\n"
        "  nothing was said\n"
        "  more: acp-spy rule LIF003\n"
        "\n"
        "0 frames, 1 finding\n"
        "  1 note: agent must fix 1\n"
    )


@pytest.mark.parametrize(
    ("frame", "path", "expected"),
    [
        ('{"a": "b"}', "/a", ['{"a": "b"}', "_^^^^^^^^"]),
        ('{"a": [1, {"b": null}]}', "/a/1", ['{"a": [1, {"b": null}]}', "__________^"]),
        ('{"a": {"b": 1}}', "/a", ['{"a": {"b": 1}}', "_^^^"]),
        ('{"a": {"b": 1}}', "/a/missing", ['{"a": {"b": 1}}', "_^^^"]),
        ('{"a": 1}', "/missing", ['{"a": 1}']),
        ('{"a": 1}', "", ['{"a": 1}']),
        ("no JSON at all", "/a", ["no JSON at all"]),
        ('{"漢字": "é", "b": 1}', "/b", ['{"漢字": "é", "b": 1}', "______________^^^^^^"]),
        ("\\x1b[0m>", "", ["\\\\x1b[0m>"]),
    ],
)
def test_the_place_is_marked(frame, path, expected):
    rendered = shown(report(f"<- {frame}", [(1, "LIF003", "seen", {"path": path})]), width=120)
    lines = rendered.split("\n")[4:]
    margin = "     1  ← agent  "
    assert lines[0] == margin + expected[0].replace("\\\\", "\\")
    if len(expected) > 1:
        assert lines[1] == " " * len(margin) + expected[1].replace("_", " ")
    else:
        assert lines[1].startswith("  more:")


def test_the_place_is_marked_behind_what_is_glued_to_the_message():
    talk = '<~ \\x1b[0m> {"jsonrpc": "2.0", "method": "x"}\\n'
    rendered = shown(report(talk, [(1, "LIF003", "seen", {"path": "/method"})])).split("\n")
    assert rendered[4] == '     1  ← agent  \\x1b[0m> {"jsonrpc": "2.0", "method": "x"}'
    assert rendered[5].lstrip() == "^" * len('"method": "x"')
    assert rendered[5].index("^") == rendered[4].index('"method"')


@widths
def test_a_long_frame_is_cut_around_the_place(width):
    long = json.dumps({"a": "x" * 5000, "here": 1, "b": "y" * 5000})
    rendered = shown(report(f"<- {long}", [(1, "LIF003", "seen", {"path": "/here"})]), width=width)
    frame, marks = frame_and_marks(rendered)
    assert cell_len(frame) == width
    assert "  ← agent  …xx" in frame
    assert frame.endswith("y…") or width == 40
    start, end = marks.index("^"), len(marks)
    assert frame[start:end] == '"here": 1'


@widths
def test_a_long_place_is_cut_and_marked_as_far_as_it_is_seen(width):
    long = json.dumps({"a": 1, "here": "x" * 5000})
    rendered = shown(report(f"<- {long}", [(1, "LIF003", "seen", {"path": "/here"})]), width=width)
    frame, marks = frame_and_marks(rendered)
    assert frame.endswith("x…")
    assert len(marks) == cell_len(frame) == width
    assert frame[marks.index("^") :].startswith('"here": "xx')


@widths
def test_no_line_is_wider_than_the_terminal(width):
    findings = [(1, "LIF003", "a long text " * 20, {"hint": "word" * 50, "path": "/params/x"})]
    rendered = shown(report(findings=findings, path="p" * 300), width=width)
    assert max(map(cell_len, rendered.splitlines())) <= width
    assert all(line == line.rstrip() for line in rendered.splitlines())


def test_a_link_is_left_in_one_piece():
    assert "  spec: https://example.com/rpc#7\n" in shown(report(), width=20)


def test_colours_add_nothing_that_is_not_said_in_words():
    coloured = shown(report(), colours=True)
    assert "\x1b[" in coloured
    assert without_colours(coloured) == shown(report())


@pytest.mark.parametrize("colours", [False, True])
def test_what_a_peer_has_sent_is_shown_and_not_obeyed(colours):
    findings = [(1, "LIF003", NASTY, {"hint": NASTY, "path": "/a"})]
    frame = json.dumps({"a": "[bold]x[/bold]\u202e"}, ensure_ascii=False)
    rendered = shown(report(f"<- {frame}", findings, path=NASTY), colours=colours, width=200)
    plain = without_colours(rendered) if colours else rendered
    assert all(line.isprintable() for line in plain.split("\n"))
    assert plain.count("\\x1b[31m[red]\\x07\\u202e[/red]\\n") == 3
    assert '{"a": "[bold]x[/bold]\\u202e"}' in plain


@given(st.text(), st.text(), st.sampled_from([20, 40, 80]))
@settings(deadline=None, derandomize=True)
def test_any_text_is_harmless(text, sent, width):
    frame = json.dumps({"a": sent})
    rendered = shown(report(f"<- {frame}", [(1, "LIF003", text, {"path": "/a"})]), width=width)
    assert all(line.isprintable() for line in rendered.split("\n"))


def test_the_worst_comes_first_and_then_what_came_first():
    findings = [
        (1, "LIF003", "a note", {}),
        (2, "SCH001", "a warning", {}),
        (3, "RPC007", "the second error", {}),
        (2, "RPC007", "the first error", {}),
    ]
    heads = re.findall(r"^(\w+) .*frame ([0-9])", shown(report(findings=findings)), re.MULTILINE)
    assert heads == [("error", "2"), ("error", "3"), ("warning", "2"), ("note", "1")]
