"""`assert_clean`: what it lets pass, and its words when it does not."""

from pathlib import Path

import pytest

from acp_spy import AcpSpyError, Capture, Header, assert_clean, load
from acp_spy.capture.transcript import parse

FIXTURES = Path(__file__).parents[3] / "fixtures"
WRONG = FIXTURES / "with-findings.jsonl"


def shown(*arguments, **options):
    with pytest.raises(AssertionError) as caught:
        assert_clean(*arguments, **options)
    return str(caught.value)


def test_what_is_found_is_told_as_check_tells_it(capfdbinary):
    from acp_spy.cli.app import run_app

    run_app(["check", str(WRONG), "--format", "concise"])
    lines = capfdbinary.readouterr().out.decode()
    assert shown(WRONG) == f"5 findings in {WRONG}\n{lines}".rstrip("\n")


def test_a_capture_in_memory_does_as_well():
    assert shown(load(WRONG), select="FRM004") == (
        "1 finding in capture\n"
        "capture: error FRM004 `[info] ready` on stdout, before `initialize` was answered:"
        " a log line, where only messages may be (agent, frame 2)"
    )


def test_a_mistake_in_many_places_is_one_line():
    lines = [f'-> {{"id":{number},"method":"x","params":{{}}}}\n' for number in (1, 2, 3)]
    capture = Capture(Header(), tuple(parse("".join(lines))))
    assert shown(capture, select=["missing-jsonrpc"]) == (
        "3 findings in capture\n"
        'capture: error RPC001 `jsonrpc` is missing; expected `"2.0"`'
        " (client, frame 1, 3 times, also in frames 2, 3)"
    )


def test_what_is_ignored_or_too_mild_passes():
    assert_clean(WRONG, ignore=["FRM", "unanswered-request", "LIF005,LIF009"])
    assert_clean(WRONG, ignore="FRM,RPC", fail_on="warning")
    assert_clean(WRONG, fail_on="never")
    assert shown(WRONG, fail_on="warning").splitlines()[0] == f"2 findings in {WRONG}"


def test_a_dialect_is_judged_by_its_own_document():
    assert "DIA001" in shown(FIXTURES / "dialect-threads.jsonl")
    assert_clean(FIXTURES / "dialect-threads.jsonl", dialect="threads")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fail_on": "notes"}, "no such `fail_on`: `notes`"),
        ({"spec": "3"}, "no such `spec`: `3`"),
        ({"dialect": "threat"}, "no such `dialect`: `threat`"),
        ({"ignore": "FRM999"}, "no such rule: `FRM999`"),
    ],
)
def test_a_word_that_means_nothing_is_refused(options, message):
    with pytest.raises(AcpSpyError) as caught:
        assert_clean(WRONG, **options)
    assert caught.value.message == message


def test_what_cannot_be_read_is_no_clean_capture(tmp_path):
    with pytest.raises(AcpSpyError, match="cannot read"):
        assert_clean(tmp_path / "none.jsonl")
