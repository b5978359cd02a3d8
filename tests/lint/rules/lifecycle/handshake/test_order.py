"""What comes before the handshake, and a handshake that goes wrong."""

import pytest
from support.lifecycle import found, judge

from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    INITIALIZE,
    NEW_SESSION,
    PROMPT,
)


def test_requests_before_the_handshake_are_told_once():
    assert [f.name for f in judge(NEW_SESSION, PROMPT)] == ["request-before-initialize"]


def test_a_handshake_that_is_answered_under_another_id_is_not_the_clients_fault():
    misanswered = HANDSHAKE.replace(
        '<- {"jsonrpc": "2.0", "id": 0', '<- {"jsonrpc": "2.0", "id": "0"'
    )
    names = [f.name for f in judge(misanswered, NEW_SESSION)]
    assert "request-before-initialize" not in names


def test_an_initialize_that_was_refused_may_be_tried_again():
    refused = '<- {"jsonrpc": "2.0", "id": 0, "error": {"code": -32603, "message": "Not yet"}}'
    assert [f.name for f in judge(INITIALIZE, refused, HANDSHAKE, NEW_SESSION)] == []


def test_missing_capabilities_name_the_sdk_that_omits_them():
    asked = (
        '-> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}'
    )
    found = judge(asked)
    assert [f.name for f in found][:2] == ["missing-capabilities", "missing-peer-info"]
    assert found[0].text == (
        "`clientCapabilities` is missing; the peer will assume that nothing is supported"
    )
    assert "Python SDK" in found[0].hint


def test_the_python_sdk_omits_capabilities_that_are_all_at_their_default():
    schema = pytest.importorskip("acp.schema")
    serialize = pytest.importorskip("acp.utils").serialize_params
    nothing = schema.InitializeRequest(
        protocol_version=1, client_capabilities=schema.ClientCapabilities(terminal=False)
    )
    something = schema.InitializeRequest(
        protocol_version=1, client_capabilities=schema.ClientCapabilities(terminal=True)
    )
    assert serialize(nothing) == {"protocolVersion": 1}
    assert serialize(something)["clientCapabilities"]["terminal"] is True


OPEN = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}}
"""
ERROR = '<- {{"jsonrpc": "2.0", "id": {}, "error": {{"code": {}, "message": "{}"}}}}'


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("Internal error", "say in `message` what failed"),
        ("401 Unauthorized", "use code `-32000`"),
        ("Missing API key", "use code `-32000`"),
    ],
)
def test_a_session_that_cannot_be_opened_has_a_hint_for_its_reason(message, hint):
    (finding,) = judge(HANDSHAKE, OPEN, ERROR.format(1, -32603, message))
    assert finding.name == "setup-failed"
    assert message in finding.text
    assert finding.hint.startswith(hint)


def test_only_the_first_prompt_is_part_of_the_setup():
    fails = ERROR.format(2, -32603, "Internal error")
    assert found(NEW_SESSION, PROMPT, fails) == ["setup-failed"]
    again = PROMPT.replace('"id": 2', '"id": 3'), fails.replace('"id": 2', '"id": 3')
    assert found(NEW_SESSION, PROMPT, CHUNK, END_TURN, *again) == []
    assert found(NEW_SESSION, PROMPT, ERROR.format(2, -32602, "No such model")) == [
        "baseline-prompt-refused"
    ]


def test_a_second_handshake_of_a_proxy_is_found():
    proxy = HANDSHAKE.replace('"initialize"', '"proxy/initialize"')
    second = proxy.replace('"id": 0', '"id": 1')
    assert [finding.code for finding in judge(proxy, second)] == ["LIF002"]
