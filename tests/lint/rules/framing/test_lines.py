"""Which line is which mistake, and that each is told once."""

import pytest
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.noise import classify, quote
from acp_spy.lint.ruleset import check
from acp_spy.wire.frame import Peer

RULES = rules_with("FRM", "RPC")
ASK = '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n'
ANSWER = '<- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\n'
HELLO = ASK + ANSWER


def lint(transcript):
    return check(parse(transcript), RULES)


def codes(transcript):
    return [finding.code for finding in lint(transcript)]


def test_every_rule_finds_its_bad_example_and_leaves_its_good_one_alone():
    for rule in RULES:
        assert {finding.code for finding in check(parse(rule.bad), [rule])} == {rule.code}
        assert check(parse(rule.good), [rule]) == []


def test_a_conversation_without_mistakes_has_no_findings():
    assert codes(HELLO + "-> EOF\n<- EOF\n== 0") == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("2026-11-14T10:00:00Z something", "a log line"),
        ("[INFO] ready", "a log line"),
        ("my.module - WARNING - slow", "a log line"),
        ("\x1b[2J\x1b[H", "terminal escape sequences"),
        ("\x1b[1mINFO\x1b[0m ready", "a log line with terminal escape sequences"),
        ("<!DOCTYPE html>", "HTML"),
        ("GET /agents HTTP/1.1", "HTTP"),
        ("Traceback (most recent call last):", "part of a stack trace"),
        ("    at Object.<anonymous> (/x/y.js:3:1)", "part of a stack trace"),
        ("TypeError: x is not a function", "part of a stack trace"),
        ("npm notice New major version of npm", "package manager output"),
        ("added 12 packages in 2s", "package manager output"),
        ("Update available 1.2 -> 1.3", "package manager output"),
        ("Last login: Fri Nov 13", "shell output"),
        ("bash: foo: command not found", "shell output"),
        ("Do you trust this folder? [y/N]", "a prompt"),
        ("> ", "a prompt"),
        ("╭──────────╮", "a banner"),
        ("=================", "a banner"),
        ("Hello there, stranger", "text"),
    ],
)
def test_noise_is_named(line, kind):
    assert classify(line.encode()) == kind


def test_what_is_quoted_cannot_reach_the_terminal():
    assert quote(b"\x1b]0;owned\x07`x`") == "`\\x1b]0;owned\\x07'x'`"
    assert quote(b"x" * 500) == "`" + "x" * 60 + "…`"


def test_a_banner_of_several_lines_is_one_finding():
    banner = "<- ====\n<- My Agent 1.0\n<- ====\n"
    assert codes(banner + HELLO) == ["FRM004"]


def test_noise_after_a_message_is_a_new_finding():
    noise = "<- INFO thinking\n"
    assert codes(noise + HELLO + noise) == ["FRM004", "FRM004"]


def test_noise_says_when_it_came():
    before, between, after = lint(f"<- a\n{ASK}<- b\n{ANSWER}<- c")
    assert "(before `initialize`);" in before.text
    assert "before `initialize` was answered" in between.text
    assert "after the handshake" in after.text


def test_noise_of_the_client_is_blamed_on_the_client():
    (finding,) = lint(HELLO + "-> hello?\n")
    assert (finding.code, finding.blame) == ("FRM004", Peer.CLIENT)
    assert "stdin" in finding.text


@pytest.mark.parametrize(
    "line",
    [
        '{"level":"info","msg":"started"}',
        '{"level":"info","method":"GET","url":"/"}',
        '{"time":1,"id":0,"result":"ok"}',
        "42",
        "null",
        '"text"',
        "[1,2]",
        "{}",
        '{"some": "value"} and more',
    ],
)
def test_json_that_is_no_message_is_noise_and_nothing_else(line):
    assert codes(HELLO + f"<- {line}\n") == ["FRM004"]


def test_a_log_record_with_the_id_of_a_request_is_noise():
    assert "FRM004" in codes(ASK + '<- {"level":"info","id":0,"result":"x"}\n')


def test_a_message_printed_over_several_lines_is_one_finding():
    printed = '<- {\n<-   "jsonrpc": "2.0",\n<-  \t"id": 0,\n<-   "result": {\n<-   }\n<- }\n'
    (finding,) = lint(ASK + printed)
    assert (finding.code, finding.seq) == ("FRM007", 2)
    assert "6 lines" in finding.text


def test_lines_of_the_other_peer_do_not_disturb_it():
    mixed = f'<- {{\n{ASK}<- "jsonrpc": "2.0",\n<- "method": "session/update"\n<- }}\n{ANSWER}'
    assert codes(mixed) == ["FRM007"]


def test_a_raw_line_break_in_a_string_is_found():
    broken = '<- {"jsonrpc":"2.0","method":"session/update","params":{"text":"one\n<- two"}}\n'
    assert codes(HELLO + broken) == ["FRM007"]


def test_what_only_begins_like_a_message_is_told_at_the_end():
    (finding,) = lint(HELLO + '-> {"jsonrpc": "2.0",\n')
    assert (finding.code, finding.blame, finding.seq) == ("FRM015", Peer.CLIENT, 3)
    assert codes(HELLO + "<- {\n") == ["FRM004"]


def test_lines_that_never_become_a_message_are_given_up_after_a_while():
    assert codes(f"<- {{\n@ 10\n{HELLO}<- }}\n") == ["FRM004", "FRM004"]


def test_headers_are_one_finding_for_each_peer():
    one = r"~> Content-Length: 44\r\n" + "\n" + r"~> \r\n" + "\n"
    two = r'~> {"jsonrpc":"2.0","id":1,"method":"logout"}Content-Length: 44\r\n' + "\n"
    last = r"~> \r\n" + "\n" + r'~> {"jsonrpc":"2.0","id":2,"method":"logout"}' + "\n"
    assert codes(one + two + last + "-> EOF\n== 0") == ["FRM008"]


def test_utf16_is_one_finding():
    line = '{"jsonrpc":"2.0","method":"x"}'.encode("utf-16-le").decode("latin-1")
    spelled = line.encode("unicode_escape").decode()
    assert codes(f"~> \\xff\\xfe{spelled}\\n\n~> \\x00{spelled}\\n\n") == ["FRM001"]


def test_text_in_a_code_page_is_noise_and_a_message_in_one_is_not_utf8():
    assert codes(r"<~ caf\xe9 au lait\n") == ["FRM004"]
    assert codes(ASK + r'<~ {"jsonrpc":"2.0","id":0,"result":{"x":"\xe9"}}\n') == ["FRM001"]


def test_a_pair_of_surrogates_is_a_character_and_an_escaped_backslash_no_escape():
    text = '<- {"jsonrpc":"2.0","method":"_x","params":{"t":"%s"}}\n'
    assert codes(text % r"\ud83d\ude00") == []
    assert codes(text % r"\\ud83d") == []
    (finding,) = lint(text % r"\ud83d\ude00 \\ \udc00 x")
    assert finding.code == "FRM003"
    assert r"`\udc00`" in finding.text


def test_the_hidden_message_is_understood_and_named():
    (finding,) = lint(ASK + '<- $ {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\n')
    assert finding.code == "FRM005"
    assert "a prompt" in finding.text
    assert "the response to `initialize`" in finding.text


def test_a_message_that_was_cut_off_by_another_is_told_as_that():
    (finding,) = lint('<- {"jsonrpc":"2.0","met{"jsonrpc":"2.0","method":"_x"}\n')
    assert finding.code == "FRM005"
    assert "another message" in finding.text


def test_text_behind_a_message_is_shown():
    (finding,) = lint(HELLO + '<- {"jsonrpc":"2.0","method":"_x"} done\n')
    assert finding.code == "FRM006"
    assert "`done`" in finding.text


def test_a_lost_request_has_no_follow_on_when_it_is_answered():
    assert codes(
        r'-> {"jsonrpc":"2.0","id":7,"method":"logout"} x' + "\n"
        '<- {"jsonrpc":"2.0","id":7,"result":{}}\n'
    ) == ["FRM006"]


def test_carriage_returns_are_noted_once_for_each_peer():
    line = r'{"jsonrpc":"2.0","method":"_x"}\r\n' + "\n"
    assert codes(f"~> {line}~> {line}<~ {line}<~ {line}") == ["FRM009", "FRM009"]


def test_blank_lines_that_follow_each_other_are_one_note():
    assert codes(HELLO + "<~ \\n\n<~ \\n\n" + HELLO.replace('"id":0', '"id":1')) == ["FRM016"]


def test_the_end_in_the_middle_of_a_message_is_a_cut():
    (finding,) = lint(HELLO + r'<~ {"jsonrpc":"2.0","method":"session/upd' + "\n<- EOF\n")
    assert finding.code == "FRM011"
    assert "middle" in finding.text


def test_noise_without_a_line_end_is_only_noise():
    assert codes(HELLO + "<~ bye\n<- EOF\n") == ["FRM004"]


def test_a_string_that_is_not_closed_is_no_matter_of_surrogates():
    found = lint('<- {"jsonrpc": "2.0", "method": "x", "params": {"text": "a}}')
    assert [finding.code for finding in found] == ["FRM015"]
