"""What comes before the handshake, and a handshake that goes wrong."""

import pytest
from support.lifecycle import judge

from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, INITIALIZE, NEW_SESSION, PROMPT


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
