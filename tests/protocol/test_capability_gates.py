"""Gates: what must have been advertised, and whether it was; and the names that are not ACP's."""

import pytest

from acp_spy.protocol.capability_gates import V1, V2, Gate, gates, is_advertised
from acp_spy.protocol.foreign_methods import METHODS, PREFIXES, foreign
from acp_spy.protocol.shapes import Boolean, Object
from acp_spy.protocol.tables import spec
from acp_spy.wire.frame import Peer

READ = Gate(Peer.CLIENT, ("fs", "readTextFile"), "bool")
LIST = Gate(Peer.AGENT, ("sessionCapabilities", "list"), "object")


@pytest.mark.parametrize(
    ("capabilities", "gate", "advertised"),
    [
        ({"fs": {"readTextFile": True}}, READ, True),
        ({"fs": {"readTextFile": False}}, READ, False),
        ({"fs": {"readTextFile": 1}}, READ, False),
        ({"fs": {"readTextFile": {}}}, READ, False),
        ({"fs": {}}, READ, False),
        ({"fs": True}, READ, False),
        ({}, READ, False),
        (None, READ, False),
        ({"sessionCapabilities": {"list": {}}}, LIST, True),
        ({"sessionCapabilities": {"list": None}}, LIST, False),
        ({"sessionCapabilities": {"list": True}}, LIST, False),
        ({"sessionCapabilities": []}, LIST, False),
    ],
)
def test_a_gate_is_open_only_if_it_was_advertised_in_its_own_way(capabilities, gate, advertised):
    assert is_advertised(capabilities, gate) is advertised


def every_gate(table):
    for kind in type(table).__struct_fields__:
        for what, gate in getattr(table, kind).items():
            yield kind, what, gate


@pytest.mark.parametrize(("table", "edition"), [(V1, "v1-unstable"), (V2, "v2-unstable")])
def test_every_path_leads_to_a_capability_with_that_marker(table, edition):
    """The gates are written by hand; the tables know the capabilities."""
    known = spec(edition)
    for kind, what, gate in every_gate(table):
        name = "ClientCapabilities" if gate.side is Peer.CLIENT else "AgentCapabilities"
        shape = known.shapes[name]
        for key in gate.path:
            assert key in shape.fields, (kind, what, gate)
            shape = known.resolve(shape.fields[key].shape)
        assert isinstance(shape, Boolean if gate.marker == "bool" else Object), (kind, what)


@pytest.mark.parametrize(("table", "edition"), [(V1, "v1-unstable"), (V2, "v2-unstable")])
def test_every_gate_is_on_something_that_exists(table, edition):
    known = spec(edition)
    branches = {name: getattr(known.shapes[name], "branches", {}) for name in known.shapes}
    assert set(table.methods) <= {method.name for method in known.methods}
    assert set(table.updates) <= set(branches["SessionUpdate"])
    assert set(table.prompt_blocks) <= set(branches["ContentBlock"])
    assert set(table.mcp_servers) <= set(branches["McpServer"])
    assert set(table.auth_methods) <= set(branches["AuthMethod"])
    assert set(table.config_options) <= set(branches["SessionConfigOption"])
    assert set(table.elicitation_modes) <= set(branches["CreateElicitationRequest"])
    assert set(table.tool_contents) <= set(branches["ToolCallContent"])
    for shape, key in table.fields:
        assert key in known.shapes[shape].fields


@pytest.mark.parametrize(("table", "edition"), [(V1, "v1-unstable"), (V2, "v2-unstable")])
def test_no_request_has_a_gated_field_that_was_forgotten(table, edition):
    gated = {key for _, key in table.fields}
    found = {
        (name, key)
        for name, shape in spec(edition).shapes.items()
        if name.endswith("Request") and isinstance(shape, Object)
        for key in gated & shape.fields.keys()
    }
    assert found == {(shape, key) for shape, key in table.fields if shape.endswith("Request")}


def test_each_version_has_its_own_gates():
    assert gates(1) is V1
    assert gates(2) is V2
    assert "session/list" in V1.methods
    assert "session/list" not in V2.methods


@pytest.mark.parametrize(
    ("method", "origin", "instead"),
    [
        (
            "session/set_model",
            "the unstable ACP schema before June 2026",
            "session/set_config_option",
        ),
        ("session/stop", "the unstable ACP schema of March 2026", "session/close"),
        ("tools/list", "MCP", ""),
        ("notifications/initialized", "MCP", ""),
        ("message/send", "A2A", "session/prompt"),
        ("thread/start", "Codex app-server", "session/new"),
        ("textDocument/didOpen", "LSP", ""),
        ("nes/start", "ACP next edit suggestions, frozen since schema 1.25", ""),
        ("cancel", "the crow dialect", "session/cancel"),
    ],
)
def test_a_foreign_method_is_known_by_its_name_or_prefix(method, origin, instead):
    found = foreign(method)
    assert (found.origin, found.instead) == (origin, instead)


def test_an_unheard_of_method_has_no_origin():
    assert foreign("session/does_not_exist") is None
    assert foreign("_vendor/thing") is None


def test_what_to_use_instead_exists():
    official = {
        method.name for name in ("v1", "v1-unstable", "v2") for method in spec(name).methods
    }
    for name, found in {**METHODS, **PREFIXES}.items():
        words = found.instead.replace("the response to ", "").split(" or ")
        assert not found.instead or set(words) <= official, name
