"""Long lines, names twice, stderr, and the end of streams."""

import pytest
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import check
from acp_spy.wire.frame import Frame, Peer

RULES = rules_with("FRM", "RPC")
HELLO = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
"""


def lint(transcript):
    return check(parse(transcript), RULES)


def codes(transcript):
    return [finding.code for finding in lint(transcript)]


def long(size, seq=1, sender=Peer.AGENT):
    start, end = b'{"jsonrpc":"2.0","method":"_x","params":{"t":"', b'"}}\n'
    return Frame(seq, 0.001 * seq, sender, start + b"x" * (size - len(start) - len(end)) + end)


@pytest.mark.parametrize(
    ("size", "severity"),
    [
        (64 * 1024 + 1, None),
        (1024 * 1024, None),
        (1024 * 1024 + 1, Severity.WARNING),
    ],
)
def test_each_limit_has_its_weight(size, severity):
    found = [finding.severity for finding in check([long(size)], RULES)]
    assert found == ([severity] if severity else [])


def test_a_limit_is_told_once_for_each_peer_and_a_higher_one_again():
    sizes = (70_000, 80_000, 2_000_000, 70_000, 3_000_000)
    frames = [long(size, seq) for seq, size in enumerate(sizes, start=1)]
    frames.append(long(70_000, 6, Peer.CLIENT))
    assert [finding.seq for finding in check(frames, RULES)] == [3]
    higher = [*frames, long(33 * 2**20, 7), long(2_000_000, 8, Peer.CLIENT)]
    assert [finding.seq for finding in check(higher, RULES)] == [3, 7, 8]


def test_silence_after_a_long_line_is_told_when_somebody_waits():
    (ask, _) = parse(HELLO)
    found = check([ask, long(70_000, 2)], rules_with("FRM"))
    assert [finding.severity for finding in found] == [Severity.WARNING]
    assert found[0].blame is Peer.CLIENT
    assert check([long(70_000)], rules_with("FRM")) == []
    assert check([ask, long(70_000, 2), long(10, 3)], rules_with("FRM")) == []


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ('{"jsonrpc":"2.0","jsonrpc":"2.0","method":"_x"}', "/jsonrpc"),
        ('{"jsonrpc":"2.0","method":"_x","params":{"a":[{"b":1,"b":1}]}}', "/params/a/0/b"),
        ('{"jsonrpc": "2.0", "method": "_x", "params": {"a" : 1, "a" : 2}}', "/params/a"),
        (r'{"jsonrpc":"2.0","method":"_x","params":{"a":"\u00e9","a":"longer"}}', "/params/a"),
        (r'{"jsonrpc":"2.0","method":"_x","params":{"a":1,"\u0061":2}}', "/params/a"),
        # Written again, the number is longer, by what the repeated name takes.
        ('{"jsonrpc":"2.0","method":"_x","params":{"x":1e6,"a":1,"a":1}}', "/params/a"),
    ],
)
def test_a_name_that_is_there_twice_is_found_however_it_is_spelled(message, path):
    (finding,) = lint(f"-> {message}")
    assert (finding.code, finding.path) == ("FRM012", path)


@pytest.mark.parametrize(
    "params",
    [
        r'{"a":"\":\":","b":{"a":1},"c":[{"a":1},{"a":1}]}',
        r'{"t":"é \u00e9 😀 \ud83d\ude00", "n": 1.50, "e": 1E5, "big": 123456789012345678901}',
        '{ "a" : 1 , "b" : [ ] }',
    ],
)
def test_no_name_is_found_twice_where_none_is(params):
    assert codes(f'-> {{"jsonrpc":"2.0","method":"_x","params":{params}}}') == []


def test_a_message_on_stderr_is_a_note_told_once():
    line = '!! {"jsonrpc":"2.0","method":"session/update","params":{}}\n'
    (finding,) = lint(HELLO + line + line)
    assert (finding.code, finding.severity) == ("FRM013", Severity.NOTE)


def test_a_log_of_answers_on_stderr_is_nobodys_business():
    assert codes(HELLO + '!! {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\n') == []


def test_an_answer_on_stderr_explains_why_there_is_none():
    ask = HELLO.strip().splitlines()[0]
    found = lint(ask + '\n!! {"jsonrpc":"2.0","id":0,"result":{}}\n-> EOF\n== 0')
    assert [(finding.code, finding.severity) for finding in found] == [("FRM013", Severity.WARNING)]


def test_an_agent_has_five_seconds_to_notice_the_end():
    assert codes(HELLO + "-> EOF\n@ 4.9\n== 0") == []
    assert codes(HELLO + "-> EOF\n@ 5.1\n== 0") == ["FRM014"]


def test_nobody_knows_how_a_capture_that_was_cut_off_ended():
    assert codes(HELLO + "-> EOF\n@ 50\n<- EOF") == []
