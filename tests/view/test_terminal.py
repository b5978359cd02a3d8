import re
import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from support.rows import rows

from acp_spy.capture.files import read
from acp_spy.lint.rule import Finding, Severity
from acp_spy.view.terminal import Terminal, show
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.inert import inert

FIXTURES = Path(__file__).parents[2] / "fixtures"

always_the_same = settings(deadline=None, derandomize=True)
widths = pytest.mark.parametrize("width", [40, 80, 200])


def shown(rows, width=80, *, colours=False, fold=False):
    """Return what a terminal of that width is sent."""
    terminal = Terminal(width, colour=colours)
    return "".join(f"{line}\n" for line in show(rows, terminal, fold=fold))


def shown_gist(gist, width=200, **how):
    return shown([a_row("what", gist)], width, **how)


def a_row(what, gist="", sender=Peer.AGENT, seq=1, t=0.5):
    return Row(
        "notification", t, what, Frame(seq, t, sender, b"{}\n"), gist, seq=seq, sender=sender
    )


MARGIN = "   1   0.500          ← agent    "


def without_colours(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_conversation_reads_so():
    assert shown(rows(read(FIXTURES / "example.jsonl")), fold=True) == (
        "       0.042              stderr  example-agent 1.0 is ready\n"
        "   1   0.052   +10 ms →   initialize  version 1\n"
        "                          ▲ warning LIF003 `clientCapabilities` is missing;\n"
        "                            the peer will assume that nothing is supported\n"
        "                            (client must fix)\n"
        "                          ▲ warning LIF004 `clientInfo` is missing; expected\n"
        "                            name and version (client must fix)\n"
        "   2   0.053  +1.4 ms ←   not JSON: invalid character (byte 1)  [info] hello\n"
        "                          ✗ error FRM004 `[info] hello` is a log line (before\n"
        "                            `initialize` was answered); only JSON-RPC messages\n"
        "                            are allowed on stdout (agent must fix)\n"
        "   3   0.053          ←   response to initialize  1.4 ms  version 1\n"
        "                          ▲ warning LIF003 `agentCapabilities` is missing;\n"
        "                            the peer will assume that nothing is supported\n"
        "                            (agent must fix)\n"
        "                          ▲ warning LIF004 `agentInfo` is missing; expected\n"
        "                            name and version (agent must fix)\n"
        "   4   0.055  +1.3 ms →   session/new  in /project\n"
        "   5   0.056  +1.1 ms ←   response to session/new  1.1 ms  s-1\n"
        "                          • note FRM009 lines end with `\\r\\n`; ACP separates\n"
        "                            messages with `\\n` (agent must fix)\n"
        "   6   2.310   +2.3 s → ╭ session/prompt  turn 1  hi\n"
        "   7   3.125  +815 ms ← │ agent says  Hi!\n"
        "   8   3.126          ← │ not UTF-8: byte 4 is 0xe9  caf\\xe9\n"
        "                        │ ✗ error FRM004 `caf\\xe9` is text (after the\n"
        "                        │   handshake); only JSON-RPC messages are allowed on\n"
        "                        │   stdout (agent must fix)\n"
        "   9   3.127          ← ╰ response to session/prompt  816 ms  end_turn\n"
        "       4.000  +874 ms →   closed its stream\n"
        "  10   4.002  +1.9 ms ←   not JSON  bye\n"
        "                          ✗ error FRM004 `bye` is text (after the handshake);\n"
        "                            only JSON-RPC messages are allowed on stdout (agent\n"
        "                            must fix)\n"
        "       4.002              agent exited  status 0\n"
    )


def test_findings_of_one_rule_are_kept_apart_by_text_and_by_who_must_fix_them():
    def found(text, blame, seq):
        return Finding(seq, "TST001", "test", Severity.ERROR, blame, text)

    told = [
        found("`a` was never answered", Peer.AGENT, 1),
        found("`a` was never answered", Peer.CLIENT, 2),
        found("`b` was never answered", Peer.AGENT, 3),
        found("`a` was never answered", Peer.AGENT, 4),
    ]
    assert list(Terminal(80).findings(told)) == [
        "✗ error TST001 ×2 `a` was never answered (agent must fix, frame 1)",
        "✗ error TST001 `a` was never answered (client must fix, frame 2)",
        "✗ error TST001 `b` was never answered (agent must fix, frame 3)",
    ]


@pytest.mark.parametrize("name", ["example", "odd-bytes", "unknown-record-and-field"])
@widths
def test_no_line_is_wider_than_the_terminal(name, width):
    told = list(rows(read(FIXTURES / f"{name}.jsonl")))
    lines = shown(told, width).splitlines()
    assert len(lines) >= len(told)
    assert max(map(cell_len, lines)) <= width
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("name", ["example", "odd-bytes"])
@widths
def test_colours_add_nothing_that_is_not_said_in_words(name, width):
    told = list(rows(read(FIXTURES / f"{name}.jsonl")))
    coloured = shown(told, width, colours=True)
    assert "\x1b[" in coloured
    assert without_colours(coloured) == shown(told, width)


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize(
    ("payload", "seen"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;a title\x07", r"\x1b]0;a title\x07"),
        ("\x1b]8;;http://example.com\x1b\\link", r"\x1b]8;;http://example.com\x1b\link"),
        ("\x9b2J", r"\x9b2J"),
        ("a\rb\nc\td\be\0f\x7f", r"a\rb\nc\td\x08e\x00f\x7f"),
        ("a\u2028b\u2029c\u0085d", r"a\u2028b\u2029c\x85d"),
        ("\u202etxt.exe\u202c \u2066x\u2069 \u200fy", r"\u202etxt.exe\u202c \u2066x\u2069 \u200fy"),
        ("a\u200bb\ufeffc\xadd\u00a0e", r"a\u200bb\ufeffc\xadd\xa0e"),
        ("\U000e0041\ue000", r"\U000e0041\ue000"),
        ("[red]x[/red]", "[red]x[/red]"),
        ("[/]", "[/]"),
        ("[link=http://example.com]x[/link]", "[link=http://example.com]x[/link]"),
        (":smile: 127.0.0.1 'quoted' True", ":smile: 127.0.0.1 'quoted' True"),
        ("café 漢字 😀", "café 漢字 😀"),
    ],
)
def test_payloads_are_shown_and_not_obeyed(payload, seen, colours):
    gist = shown_gist(payload, colours=colours)
    assert without_colours(gist) == f"{MARGIN}what  {seen}\n"
    method = shown([a_row(payload)], 200, colours=colours)
    assert without_colours(method) == f"{MARGIN}{seen}\n"


def test_a_payload_cannot_give_itself_a_colour():
    plain, escaped = (shown_gist(gist, colours=True) for gist in ("x", "[red]\x1b[31mx"))
    assert escaped.replace(r"[red]\x1b[31mx", "x") == plain


@pytest.mark.parametrize("character", "a漢😀\u0301\x1b\u202e[")
@widths
def test_a_long_payload_is_cut_with_an_ellipsis(character, width):
    (line,) = shown_gist(character * 10_000, width).splitlines()
    assert cell_len(line) <= width
    if character != "\u0301":  # marks without end upon one letter are as good as nothing
        assert cell_len(line) >= width - 1
        assert line.endswith("…")


def test_a_line_as_wide_as_the_terminal_is_not_cut():
    width = len(f"{MARGIN}what  ") + 90
    assert shown_gist("x" * 90, width).endswith(f"  {'x' * 90}\n")
    assert shown_gist("x" * 91, width).endswith(f"  {'x' * 89}…\n")


def test_a_long_method_does_not_push_the_line_over_the_edge():
    (line,) = shown([a_row("m" * 10_000, "{}", Peer.CLIENT)], 40).splitlines()
    assert line == f"   1   0.500          →   {'m' * 13}…"


def test_large_numbers_keep_the_line_within_the_terminal():
    (line,) = shown([a_row("m", "{}", Peer.CLIENT, 123_456_789, 1e9)], 40).splitlines()
    assert line == "123456789 1000000000.000  →   m  {}"


def test_rows_stay_aligned_after_minutes_and_thousands_of_frames():
    places = [(1, 0.5, 0.0), (2, 601.5, 601.0), (999, 1234.5, 0.3), (12_345, 9876.5, 7300.0)]
    made = [
        msgspec.structs.replace(a_row("m", "", Peer.CLIENT, seq, t), gap=gap)
        for seq, t, gap in places
    ]
    assert [line.partition("→")[0] for line in shown(made).splitlines()] == [
        "   1   0.500          ",
        "   2 601.500    +10 m ",
        " 999 1234.500 +300 ms ",
        "12345 9876.500   +2 h ",
    ]


@given(st.text(), st.text(), st.sampled_from([40, 80, 200]))
@always_the_same
def test_any_text_is_one_harmless_line(what, gist, width):
    (line, end) = shown([a_row(what, gist, Peer.CLIENT)], width).split("\n")
    assert end == ""
    assert cell_len(line) <= width
    assert not {unicodedata.category(character) for character in line} & {"Cc", "Cf", "Cs", "Zl"}


@given(st.binary())
@always_the_same
def test_any_frame_is_shown_in_harmless_lines(raw):
    *lines, end = shown(rows([Frame(1, 0.5, Peer.CLIENT, raw)])).split("\n")
    assert end == ""
    assert max(map(cell_len, lines)) <= 80
    assert all(line.isprintable() for line in lines)


@given(st.text())
@always_the_same
def test_inert_text_is_printable_and_keeps_what_was(text):
    assert inert(text).isprintable()
    assert inert(text) == text or not text.isprintable()
    assert inert(inert(text)) == inert(text)
