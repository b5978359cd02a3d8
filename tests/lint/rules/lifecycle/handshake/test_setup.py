"""Sessions that cannot be opened, and a version that does not exist."""

import json

import pytest
from support.lifecycle import judge

from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    INITIALIZE,
    INITIALIZED,
    NEW_SESSION,
    PROMPT,
)

NEW = NEW_SESSION.splitlines()[0]


def refused(number, code=-32603, message="Internal error", **data):
    error = {"code": code, "message": message, **({"data": data} if data else {})}
    return "<- " + json.dumps({"jsonrpc": "2.0", "id": number, "error": error})


def codes(*parts):
    return [finding.code for finding in judge(HANDSHAKE, *parts)]


def test_only_an_internal_error_says_nothing():
    assert codes(NEW, refused(1)) == ["LIF014"]
    assert "LIF014" not in codes(NEW, refused(1, -32602, "cwd does not exist"))
    assert "LIF014" not in codes(NEW, refused(1, -32000, "Log in first"))


def test_what_says_most_about_the_failure_is_shown():
    (finding,) = judge(HANDSHAKE, NEW, refused(1, details="no model is configured"))
    assert "internal error (`-32603`): `no model is configured`" in finding.text
    (finding,) = judge(HANDSHAKE, NEW, refused(1))
    assert "`Internal error`" in finding.text


def test_a_failure_that_speaks_of_a_login_has_a_hint_about_its_code():
    (finding,) = judge(HANDSHAKE, NEW, refused(1, message="You are not logged in"))
    assert "-32000" in finding.hint


def test_only_the_first_prompt_of_a_session_is_its_setup():
    first = [NEW_SESSION, PROMPT, refused(2)]
    assert codes(*first) == ["LIF014"]
    assert codes(NEW_SESSION, PROMPT, CHUNK, refused(2)) == []  # the agent worked
    later = [NEW_SESSION, PROMPT, CHUNK, END_TURN, PROMPT.replace('"id": 2', '"id": 3'), refused(3)]
    assert codes(*later) == []


def test_a_first_prompt_that_was_cancelled_is_left_to_the_rule_about_cancels():
    assert codes(NEW_SESSION, PROMPT, CANCEL, "@ 5", refused(2)) == ["LIF063"]


def test_a_request_that_was_withdrawn_is_left_to_the_rule_about_that():
    withdrawn = '-> {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}'
    assert "LIF014" not in codes(NEW, withdrawn, refused(1))


@pytest.mark.parametrize("asked", [0, 1])
def test_version_0_is_not_a_version_whoever_asked_for_it(asked):
    request = INITIALIZE.replace('"protocolVersion": 1', f'"protocolVersion": {asked}')
    found = judge(request, INITIALIZED.replace('"protocolVersion": 1', '"protocolVersion": 0'))
    assert [finding.code for finding in found if not finding.because] == ["LIF015"]


@pytest.mark.parametrize("version", ["false", '"0"', "1", "null"])
def test_what_is_not_the_number_0_is_left_to_other_rules(version):
    answer = INITIALIZED.replace('"protocolVersion": 1', f'"protocolVersion": {version}')
    assert "LIF015" not in [finding.code for finding in judge(INITIALIZE, answer)]
