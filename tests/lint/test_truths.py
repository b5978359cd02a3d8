"""What must not be reported, or not as an error; and how findings spell values."""

import re

import pytest
from support.transcripts import lint

from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.lint.ruleset import check

END = "-> EOF\n<- EOF\n== 0"
AGAIN = PROMPT.replace('"id": 2', '"id": 3')
END_AGAIN = END_TURN.replace('"id": 2', '"id": 3')


def found(*parts, codes=("LIF051", "LIF061", "LIF062")):
    findings = lint(transcript(HANDSHAKE, NEW_SESSION, *parts, END), *codes)
    return [(one.code, one.severity) for one in findings if one.because is None]


def test_an_overlapping_prompt_is_a_warning():
    assert found(PROMPT, AGAIN, CHUNK, END_TURN, END_AGAIN) == [("LIF051", Severity.WARNING)]


@pytest.mark.parametrize(
    "talk",
    [
        (PROMPT, CANCEL, AGAIN, CHUNK, CANCELLED, END_AGAIN),
        (PROMPT, CANCEL, AGAIN, CHUNK, END_AGAIN),  # RPC006 reports the first
        (PROMPT, CHUNK, AGAIN, CHUNK, END_AGAIN),
    ],
)
def test_an_overlapping_prompt_is_no_mistake_if_the_one_before_was_cancelled_or_never_answered(
    talk,
):
    assert "LIF051" not in [code for code, _ in found(*talk)]


def test_the_time_since_a_cancel_counts_from_the_first():
    soon = PROMPT, "@ 1", CANCEL, "@ 1.01", END_TURN
    assert found(*soon) == [("LIF062", Severity.NOTE)]  # the two messages may have crossed
    late = PROMPT, "@ 1", CANCEL, "@ 20", CANCEL, "@ 20.01", END_TURN
    (finding,) = lint(transcript(HANDSHAKE, NEW_SESSION, *late, END), "LIF062")
    assert finding.severity is Severity.ERROR
    assert "19.0 s after `session/cancel`" in finding.text


@pytest.mark.parametrize("category", ["thinking", "_mine", None])
def test_a_category_of_a_config_option_is_never_an_error(category):
    option = '{"id": "o", "name": "O", "type": "select", "currentValue": "a", "options": [{"value": "a", "name": "A"}]'  # fmt: skip
    more = f', "category": "{category}"}}' if category else "}"
    opened = NEW_SESSION.replace('"s1"}', f'"s1", "configOptions": [{option}{more}]}}')
    assert opened != NEW_SESSION
    findings = lint(transcript(HANDSHAKE, opened, END))
    assert {one.severity for one in findings} <= {Severity.NOTE}


def test_the_keys_of_version_2_belong_into_a_handshake_of_version_2():
    opening = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 2, "capabilities": {}, "info": {"name": "e", "version": "1"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 2, "capabilities": {"session": {}}, "info": {"name": "a", "version": "1"}, "authMethods": []}}
    """
    assert lint(opening, "SCH007") == []
    assert len(lint(opening.replace('Version": 2', 'Version": 1'), "SCH007")) == 2


@pytest.mark.parametrize("rule", CATALOGUE.values(), ids=lambda rule: rule.code)
def test_no_value_in_a_finding_is_longer_than_80_characters(rule):
    """Every name and text of the bad example is made long."""
    long = re.sub(
        r'("(?:sessionId|toolCallId|terminalId|optionId|modeId|name|title|id|value|text|message)": ")([^"]+)"',
        lambda match: f'{match[1]}{match[2]}{"-long" * 60}"',
        rule.bad,
    )
    for finding in check(parse(long), [rule]):
        values = re.findall(r"`([^`]*)`", finding.text)
        assert max(map(len, values), default=0) <= 80, finding.text
        assert not re.search(r"\b(?:True|False|None)\b", re.sub(r"`[^`]*`", "", finding.text))
