"""Frequent mistakes, each told once, and in words that a person with that bug recognises."""

import json

import pytest
from support.rules import rules_with
from support.transcripts import lint

from acp_spy.capture.transcript import parse
from acp_spy.lint.ruleset import check

RULES = rules_with("SCH")

TEXT = {"type": "text", "text": "hi"}
HANDSHAKE = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": VERSION}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": VERSION}}
"""


def findings(*lines, version=1, spec="auto"):
    """Judge these messages on a connection of that version; the handshake's own are left out."""
    opening = HANDSHAKE.replace("VERSION", str(version)) if version else ""
    talk = "\n".join(f"{arrow} {json.dumps(message)}" for arrow, message in lines)
    found = check(parse(opening + talk), RULES, spec)
    return [f for f in found if not version or f.seq > 2]


def update(**keys):
    return "<-", {"method": "session/update", "params": {"sessionId": "s", "update": keys}}


def answer(method, result, asker="->"):
    other = "<-" if asker == "->" else "->"
    return (asker, {"id": 9, "method": method, "params": {}}), (other, {"id": 9, "result": result})


def brief(found, seq=None):
    return [(f.name, f.severity.value, f.path) for f in found if seq is None or f.seq == seq]


class TestUpdates:
    @pytest.mark.parametrize("key", ["type", "kind", "@type"])
    def test_a_wrong_discriminator_is_one_finding(self, key):
        (found,) = findings(update(**{key: "agent_message_chunk"}, content=TEXT))
        assert (found.name, found.path) == ("wrong-discriminator", f"/params/update/{key}")
        assert found.text == f"`{key}` where `sessionUpdate` is expected"
        assert found.hint.startswith("send `sessionUpdate`")

    def test_a_flat_update_with_a_wrong_discriminator_is_one_finding_too(self):
        params = {"sessionId": "s", "type": "agent_message_chunk", "content": TEXT}
        (found,) = findings(("<-", {"method": "session/update", "params": params}))
        assert found.name == "missing-update-wrapper"
        assert "`type` renamed to `sessionUpdate`" in found.text

    def test_a_kind_of_version_2_is_named_as_such(self):
        (found,) = findings(update(sessionUpdate="state_update", state="running"))
        assert "only the draft of version 2 defines it" in found.text
        assert "usage_update" not in found.hint

    def test_the_same_kind_is_right_on_a_connection_of_version_2(self):
        assert findings(update(sessionUpdate="state_update", state="running"), version=2) == []

    def test_an_unstable_kind_that_the_client_advertised_is_a_note(self):
        asked = {"protocolVersion": 1, "clientCapabilities": {"plan": {}}}
        removed = update(sessionUpdate="plan_removed", planId="p")
        lines = (
            ("->", {"id": 0, "method": "initialize", "params": asked}),
            ("<-", {"id": 0, "result": {"protocolVersion": 1}}),
            removed,
        )
        found = findings(*lines, version=0)
        assert brief(found, seq=3) == [
            ("unknown-update", "note", "/params/update/sessionUpdate"),
        ]
        assert brief(findings(removed))[0][1] == "error"

    def test_a_snake_case_message_is_one_finding(self):
        call = {"session_update": "tool_call", "tool_call_id": "t", "title": "T", "raw_input": {}}
        params = {"session_id": "s", "update": call}
        (found,) = findings(("<-", {"method": "session/update", "params": params}))
        assert found.name == "snake-case-field"
        assert "`session_id`" in found.text
        assert "`toolCallId`" in found.text

    def test_the_page_on_session_modes_misleads(self):
        found = findings(update(sessionUpdate="current_mode_update", modeId="ask"))
        assert brief(found) == [("misnamed-field", "warning", "/params/update/modeId")]
        assert "page on session modes" in found[0].text

    def test_what_stands_in_the_place_of_a_missing_key_is_no_second_finding(self):
        (found,) = findings(update(sessionUpdate="agent_message_chunk", delta="hi"))
        assert found.text == "`content` is missing in `update`; `delta` is ignored"

    def test_the_same_slip_in_every_item_is_one_finding(self):
        entries = [{"content": "a", "priority": "high", "status": "done"} for _ in range(3)]
        (found,) = findings(update(sessionUpdate="plan", entries=entries))
        assert found.text.endswith("drop that item of `entries` (and 2 more like it)")
        assert found.hint == "send `completed`"

    def test_two_unknown_values_in_two_items_are_two_findings(self):
        entries = [
            {"content": "a", "priority": "high", "status": status} for status in ("done", "todo")
        ]
        assert len(findings(update(sessionUpdate="plan", entries=entries))) == 2


class TestAnswers:
    @pytest.mark.parametrize(
        "result",
        [
            {"optionId": "a"},
            {"outcome": "allow_once"},
            {"outcome": "selected", "option_id": "a"},
            {"outcome": {"outcome": "approved", "optionId": "a"}},
            {"outcome": {"type": "selected", "optionId": "a"}},
            {"granted": True},
            {},
            None,
            "allow",
        ],
    )
    def test_a_permission_answer_in_the_wrong_shape_is_one_finding(self, result):
        found = findings(*answer("session/request_permission", result, asker="<-"))
        (codes,) = [f for f in found if f.seq == 4]
        assert codes.name == "malformed-permission-response"
        assert '`{"outcome": {"outcome": "selected", "optionId": …}}`' in codes.text
        assert codes.see == 3

    @pytest.mark.parametrize(
        ("method", "asker", "severity"),
        [
            ("session/load", "->", "note"),
            ("fs/write_text_file", "<-", "warning"),
            ("session/set_mode", "->", "warning"),
            ("session/new", "->", "error"),
        ],
    )
    def test_null_is_as_bad_as_what_it_leaves_out(self, method, asker, severity):
        found = findings(*answer(method, None, asker))
        assert brief(found, seq=4) == [("null-result", severity, "/result")]

    def test_a_result_beside_a_null_error_is_judged_as_a_result(self):
        message = {"id": 9, "result": {"stopReason": "end_turn"}, "error": None}
        asked = ("->", {"id": 9, "method": "session/prompt", "params": {}})
        assert brief(findings(asked, ("<-", message)), seq=4) == []

    def test_a_repeated_session_id_does_no_harm(self):
        found = findings(*answer("session/load", {"sessionId": "s"}))
        assert brief(found, seq=4) == [("unknown-field", "note", "/result/sessionId")]

    def test_content_goes_with_accept_alone(self):
        result = {"action": "decline", "content": {}}
        found = findings(*answer("elicitation/create", result, asker="<-"))
        (codes,) = [f for f in found if f.seq == 4]
        assert "another variant" in codes.hint

    def test_an_answer_to_nothing_has_no_shape(self):
        assert findings(("<-", {"id": 77, "result": 5})) == []


class TestParams:
    def test_null_is_another_way_to_leave_them_out(self):
        asked = {"id": 9, "method": "session/list", "params": None}
        assert findings(("->", asked)) == []
        prompt = {"id": 9, "method": "session/prompt", "params": None}
        (found,) = findings(("->", prompt))
        assert found.text == "`prompt` and `sessionId` are missing in `params`"

    def test_params_by_position_are_not_acps(self):
        (found,) = findings(("->", {"id": 9, "method": "session/prompt", "params": ["s"]}))
        assert (found.name, found.hint) == (
            "wrong-type",
            "send params by name, in an object",
        )

    def test_a_stdio_server_may_as_well_say_so(self):
        server = {"type": "stdio", "name": "n", "command": "/bin/x", "args": [], "env": []}
        params = {"cwd": "/home/dev/project", "mcpServers": [server]}
        found = findings(("->", {"id": 9, "method": "session/new", "params": params}))
        assert brief(found) == [("unknown-variant", "note", "/params/mcpServers/0/type")]


class TestHandshake:
    def version(self, value):
        asked = {"id": 0, "method": "initialize", "params": {"protocolVersion": value}}
        (found,) = findings(("->", asked), version=0)
        assert found.name == "invalid-protocol-version"
        return found

    @pytest.mark.parametrize("value", ["1", "0.0.9", True, 1.0, None, -1, 70000, [1]])
    def test_a_version_is_one_integer(self, value):
        assert self.version(value).path == "/params/protocolVersion"

    def test_a_date_is_mcps(self):
        assert "dates are MCP versions" in self.version("2024-11-05").hint

    def test_false_for_an_object_does_no_harm(self):
        capabilities = {"sessionCapabilities": {"list": True, "resume": False}}
        asked = ("->", {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}})
        result = {"protocolVersion": 1, "agentCapabilities": capabilities}
        found = findings(asked, ("<-", {"id": 0, "result": result}), version=0)
        place = "/result/agentCapabilities/sessionCapabilities/"
        assert brief(found) == [
            ("wrong-capability-type", "warning", place + "list"),
            ("wrong-capability-type", "note", place + "resume"),
        ]

    def test_keys_for_both_versions_are_a_note(self):
        info = {"name": "n", "version": "1"}
        params = {"protocolVersion": 2, "info": info, "capabilities": {}, "clientInfo": info}
        asked = ("->", {"id": 0, "method": "initialize", "params": params})
        note = [("foreign-handshake-field", "note", "/params/clientInfo")]
        assert brief(findings(asked, version=0)) == []  # the response decides
        answer = {"protocolVersion": 2, "info": info, "capabilities": {}}
        assert brief(findings(asked, ("<-", {"id": 0, "result": answer}), version=0)) == note

    def test_usage_is_a_note_only_by_the_stable_schema(self):
        usage = {"totalTokens": 3, "inputTokens": 2, "outputTokens": 1}
        asked = (
            "->",
            {"id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}},
        )
        ends = ("<-", {"id": 2, "result": {"stopReason": "end_turn", "usage": usage}})
        assert findings(asked, ends) == []
        assert [found.name for found in findings(asked, ends, asked, ends, spec="v1")] == [
            "unstable-field"
        ]

    def test_keys_of_the_version_that_the_agent_selects_are_right(self):
        info = {"name": "n", "version": "1"}
        params = {"protocolVersion": 2, "info": info, "capabilities": {}, "clientInfo": info}
        asked = ("->", {"id": 0, "method": "initialize", "params": params})
        answer = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}}
        assert brief(findings(asked, ("<-", {"id": 0, "result": answer}), version=0)) == []

    def test_a_client_that_requests_version_2_as_in_version_1_is_wrong_if_it_gets_version_2(self):
        info = {"name": "n", "version": "1"}
        answers = [
            {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}},
            {"protocolVersion": 2, "info": info, "capabilities": {}},
        ]
        for described, place in ({"clientInfo": info}, "/params/clientInfo"), ({}, "/params"):
            params = {"protocolVersion": 2, **described}
            asked = ("->", {"id": 0, "method": "initialize", "params": params})
            assert [
                brief(findings(asked, ("<-", {"id": 0, "result": answer}), version=0))
                for answer in answers
            ] == [[], [("foreign-handshake-field", "error", place)]]

    def test_a_client_of_both_versions_has_the_fields_of_version_1_checked_too(self):
        info = {"name": "n", "version": "1"}
        params = {"protocolVersion": 2, "info": info, "capabilities": {}, "clientInfo": "n"}
        asked = ("->", {"id": 0, "method": "initialize", "params": params})
        answer = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}}
        found = brief(findings(asked, ("<-", {"id": 0, "result": answer}), version=0))
        assert found == [("wrong-type", "warning", "/params/clientInfo")]

    def test_unstable_capabilities_are_one_note_and_legal_when_selected(self):
        capabilities = {"providers": {}, "sessionCapabilities": {"fork": {}}}
        asked = ("->", {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}})
        result = {"protocolVersion": 1, "agentCapabilities": capabilities}
        lines = (asked, ("<-", {"id": 0, "result": result}))
        (found,) = findings(*lines, version=0)
        assert (found.name, found.severity.value) == ("unstable-field", "note")
        assert findings(*lines, version=0, spec="v1-unstable") == []


class TestReservedValues:
    def test_a_slip_in_an_open_enumeration_has_the_nearest_value(self):
        (found,) = findings(update(sessionUpdate="notice", severity="warn", title="T"))
        assert (found.name, found.path) == ("reserved-value", "/params/update/severity")

    def test_an_underscore_marks_a_value_of_ones_own(self):
        assert findings(update(sessionUpdate="notice", severity="_loud", title="T")) == []

    def test_closed_enumerations_are_not_told_twice(self):
        call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "kind": "bash"}
        assert [f.name for f in findings(update(**call))] == ["unknown-value"]

    def test_version_2_is_strict_about_it(self):
        call = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "kind": "bash"}
        (found,) = findings(update(**call), version=2)
        assert (found.name, found.severity.value) == ("reserved-value", "error")

    def test_a_kind_of_update_without_an_underscore_is_reserved_in_version_2(self):
        (found,) = findings(update(sessionUpdate="agent_error", text="x"), version=2)
        assert found.path == "/params/update/sessionUpdate"
        assert findings(update(sessionUpdate="_agent_error", text="x"), version=2) == []


@pytest.mark.parametrize(
    ("spec", "expected"), [("auto", True), ("v1-unstable", True), ("v1", False)]
)
def test_what_is_evidently_unstable_is_judged_by_the_unstable_part(spec, expected):
    fork = '-> {"jsonrpc": "2.0", "id": 9, "method": "session/fork", "params": {"sessionId": 5, "cwd": "/p"}}'
    found = [(f.code, f.path) for f in lint(fork, "SCH", spec=spec)]
    assert (("SCH012", "/params/sessionId") in found) == expected


def test_the_rest_of_a_message_with_an_unstable_key_is_judged_by_the_unstable_part():
    update = (
        '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update":'
        ' {"sessionUpdate": "plan_update", "plan": {"type": "items", "id": "p", "entries": 5}}}}'
    )
    found = {f.path for f in lint(update, "SCH")}
    assert "/params/update/sessionUpdate" in found
    assert "/params/update/plan/entries" in found


def capability_findings(capabilities):
    found = lint(
        HANDSHAKE.replace(
            '"result": {"protocolVersion": VERSION',
            f'"result": {{"agentCapabilities": {json.dumps(capabilities)}, "protocolVersion": VERSION',
        ).replace("VERSION", "1"),
        "SCH009",
    )
    return [(f.severity.value, f.path.rpartition("/")[2], f.hint) for f in found]


def test_a_capability_in_the_wrong_object_is_an_error_that_says_where_it_belongs():
    sent = {"streaming": True, "list": {}, "image": True, "resume": {}, "http": True}
    assert capability_findings(sent) == [
        ("warning", "streaming", "advertise custom features in `_meta` of the capabilities"),
        ("error", "list", "put `list` and `resume` into `sessionCapabilities`"),
        ("error", "image", "put `image` into `promptCapabilities`"),
        ("error", "http", "put `http` into `mcpCapabilities`"),
    ]


def test_a_capability_that_is_also_in_the_right_object_is_a_warning():
    sent = {"promptCapabilities": {"image": True}, "image": True, "audio": True}
    assert capability_findings(sent) == [
        ("warning", "image", "remove `image` here: `promptCapabilities` has it"),
        ("error", "audio", "put `audio` into `promptCapabilities`"),
    ]
