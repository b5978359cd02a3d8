"""The tables hold what the specification says, and hold together."""

import pytest

from acp_spy.protocol.shapes import Choice, List, Map, Object, Ref, Tagged, Text
from acp_spy.protocol.tables import NAMES, spec
from acp_spy.wire.frame import Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT


def refs_in(shape):
    match shape:
        case Ref(name=name):
            yield name
        case List(items=inner) | Map(values=inner):
            yield from refs_in(inner)
        case Object(fields=fields):
            for field in fields.values():
                yield from refs_in(field.shape)
        case Choice(options=options):
            for option in options:
                yield from refs_in(option)
        case Tagged(branches=branches, other=other, untagged=untagged):
            for branch in (*branches.values(), other, untagged):
                yield from refs_in(branch)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_leads_to_a_shape(name):
    edition = spec(name)
    named = {ref for shape in edition.shapes.values() for ref in refs_in(shape)}
    carried = {shape for method in edition.methods for shape in (method.params, method.result)}
    assert named <= set(edition.shapes)
    assert carried - {""} <= set(edition.shapes)


@pytest.mark.parametrize(
    ("name", "methods"), [("v1", 25), ("v1-unstable", 38), ("v2", 18), ("v2-unstable", 31)]
)
def test_an_edition_has_as_many_methods_as_the_specification_counts(name, methods):
    assert len({method.name for method in spec(name).methods}) == methods


def test_an_edition_is_read_once():
    assert spec("v1") is spec("v1")


def test_an_unknown_edition_is_refused_with_the_list():
    with pytest.raises(ValueError, match="v1, v1-unstable, v2, v2-unstable"):
        spec("v3")


@pytest.mark.parametrize(
    ("name", "sender", "kind", "params", "result"),
    [
        ("initialize", CLIENT, "request", "InitializeRequest", "InitializeResponse"),
        ("session/cancel", CLIENT, "notification", "CancelNotification", ""),
        ("session/update", AGENT, "notification", "SessionNotification", ""),
        ("fs/read_text_file", AGENT, "request", "ReadTextFileRequest", "ReadTextFileResponse"),
        ("$/cancel_request", CLIENT, "notification", "CancelRequestNotification", ""),
        ("$/cancel_request", AGENT, "notification", "CancelRequestNotification", ""),
    ],
)
def test_a_method_says_what_it_carries(name, sender, kind, params, result):
    method = spec("v1").method(name, sender, kind)
    assert (method.params, method.result) == (params, result)


@pytest.mark.parametrize(
    ("name", "sender", "kind"),
    [
        ("initialize", AGENT, "request"),
        ("session/cancel", CLIENT, "request"),
        ("session/fork", CLIENT, "request"),
        ("no/such", CLIENT, "request"),
    ],
)
def test_a_method_sent_the_wrong_way_is_not_found(name, sender, kind):
    assert spec("v1").method(name, sender, kind) is None


def test_a_method_that_goes_both_ways_is_found_both_ways():
    """Requests go to the provider of the tools, notifications come back from it."""
    edition = spec("v1-unstable")
    assert {(*method.senders, method.kind) for method in edition.find("mcp/message")} == {
        (AGENT, "request"),
        (CLIENT, "notification"),
    }
    assert edition.find("no/such") == ()


def test_methods_carry_their_gates():
    gates = {method.name: method.gate for method in spec("v1").methods}
    assert gates["session/load"].name == "loadSession"
    assert gates["session/load"].side is AGENT
    assert gates["terminal/kill"].name == "terminal"
    assert gates["session/prompt"] is None


def test_enumerations_are_open_or_closed():
    shapes = spec("v1").shapes
    assert shapes["StopReason"] == Text(
        ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
    )
    assert shapes["NoticeSeverity"] == Text(("info", "warning", "error"), open=True)
    assert not shapes["ToolKind"].open
    assert spec("v2").shapes["ToolKind"].open


def test_a_branch_is_complete_with_its_tag_and_the_fields_of_its_base():
    option = spec("v1").shapes["SessionConfigOption"]
    assert option.tag == "type"
    assert set(option.branches["select"].fields) == {
        "_meta",
        "category",
        "currentValue",
        "description",
        "id",
        "name",
        "options",
        "type",
    }
    assert option.branches["select"].name == "SessionConfigSelect"


def test_the_update_union_is_closed_in_version_1_and_open_in_version_2():
    assert len(spec("v1").shapes["SessionUpdate"].branches) == 14
    assert spec("v1").shapes["SessionUpdate"].other is None
    assert spec("v2").shapes["SessionUpdate"].other.open


def test_a_stdio_server_is_the_one_without_a_tag():
    server = spec("v1").shapes["McpServer"]
    assert set(server.branches) == {"http", "sse"}
    assert server.untagged.name == "McpServerStdio"


def test_leniency_is_kept():
    fields = spec("v1").shapes["NewSessionRequest"].fields
    assert (fields["mcpServers"].required, fields["mcpServers"].lenient) == (True, "null")
    call = spec("v1").shapes["ToolCall"].fields
    assert (call["content"].lenient, call["content"].shape.skips) == ("default", True)
    assert call["toolCallId"].lenient == ""
    assert call["_meta"].nullable


def test_ranges_are_kept():
    version = spec("v1").shapes["ProtocolVersion"]
    assert (version.low, version.high) == (0, 65535)
    assert spec("v1").shapes["Notice"].fields["title"].shape.shortest == 1
    assert -32000 in spec("v1").shapes["ErrorCode"].known
