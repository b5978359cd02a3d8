"""Who used what the other peer had not advertised."""

import json

import pytest
from support.transcripts import lint

from acp_spy.lint.rule import Severity
from acp_spy.wire.frame import Peer


def request(method, params, ident=1, arrow="->"):
    message = {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}
    return f"{arrow} {json.dumps(message)}"


def result(value, ident=1, arrow="<-"):
    return f"{arrow} {json.dumps({'jsonrpc': '2.0', 'id': ident, 'result': value})}"


def error(code, ident=1, arrow="<-", message="no", **more):
    reported = {"code": code, "message": message, **more}
    return f"{arrow} {json.dumps({'jsonrpc': '2.0', 'id': ident, 'error': reported})}"


def update(sort, **more):
    params = {"sessionId": "s1", "update": {"sessionUpdate": sort, **more}}
    return f"<- {json.dumps({'jsonrpc': '2.0', 'method': 'session/update', 'params': params})}"


def handshake(client=None, agent=None):
    return "\n".join(
        [
            request("initialize", {"protocolVersion": 1, "clientCapabilities": client}, 0),
            result({"protocolVersion": 1, "agentCapabilities": agent}, 0),
        ]
    )


def handshake_2(client=None, agent=None):
    return "\n".join(
        [
            request("initialize", {"protocolVersion": 2, "capabilities": client}, 0),
            result({"protocolVersion": 2, "capabilities": agent}, 0),
        ]
    )


def codes(*lines, only="CAP", spec="auto"):
    return [finding.code for finding in lint("\n".join(lines), only, spec=spec)]


SETUP = {"sessionId": "s1", "cwd": "/x", "mcpServers": []}


@pytest.mark.parametrize(
    ("method", "agent"),
    [
        ("session/load", {"loadSession": True}),
        ("session/resume", {"sessionCapabilities": {"resume": {}}}),
        ("session/close", {"sessionCapabilities": {"close": {}}}),
        ("session/list", {"sessionCapabilities": {"list": {}}}),
        ("session/delete", {"sessionCapabilities": {"delete": {}}}),
        ("session/fork", {"sessionCapabilities": {"fork": {}}}),
        ("session/archive", {"sessionCapabilities": {"archive": {}}}),
        ("session/unarchive", {"sessionCapabilities": {"archive": {}}}),
        ("session/status", {"sessionCapabilities": {"status": {}}}),
        ("session/set_title", {"sessionCapabilities": {"title": {}}}),
        ("logout", {"auth": {"logout": {}}}),
        ("auth/status", {"auth": {"status": {}}}),
        ("providers/list", {"providers": {}}),
    ],
)
def test_each_gated_method_of_the_agent_needs_its_capability(method, agent):
    assert codes(handshake({}, {}), request(method, SETUP)) == ["CAP002"]
    assert codes(handshake({}, agent), request(method, SETUP)) == []


@pytest.mark.parametrize("agent", [None, {}, {"loadSession": None}, {"loadSession": False}])
def test_what_is_left_out_null_or_false_is_not_supported(agent):
    assert codes(handshake({}, agent), request("session/load", SETUP)) == ["CAP002"]


@pytest.mark.parametrize(
    ("method", "agent"),
    [
        ("session/list", {"sessionCapabilities": {"list": True}}),
        ("session/list", {"sessionCapabilities": ["list"]}),
        ("session/load", {"loadSession": {}}),
        ("session/load", {"loadSession": "yes"}),
        ("session/load", "everything"),
    ],
)
def test_a_marker_of_the_wrong_type_was_meant_and_is_the_schemas_business(method, agent):
    assert codes(handshake({}, agent), request(method, SETUP)) == []


def test_before_the_handshake_is_over_nobody_can_know():
    asked = request("initialize", {"protocolVersion": 1}, 0)
    assert codes(request("session/load", SETUP)) == []
    assert codes(asked, request("session/load", SETUP)) == []


def test_the_agent_is_to_blame_for_a_file_method_and_told_what_to_look_for():
    found = lint(
        handshake({"fs": {"writeTextFile": True}}, {})
        + "\n"
        + request("fs/read_text_file", {"sessionId": "s1", "path": "/x"}, 0, "<-"),
        "CAP",
    )
    assert [(f.code, f.blame, f.path) for f in found] == [("CAP001", Peer.AGENT, "/method")]
    assert "`fs.readTextFile: true`" in found[0].hint


def test_what_follows_from_a_terminal_is_not_told_again():
    params = {"sessionId": "s1", "terminalId": "t1"}
    methods = ("create", "output", "wait_for_exit", "release", "create")
    calls = [request(f"terminal/{name}", params, i, "<-") for i, name in enumerate(methods)]
    assert codes(handshake({}, {}), *calls) == ["CAP001", "CAP001"]


def test_each_kind_of_prompt_content_is_told_once():
    blocks = ["text", "resource_link", "image", "image", "audio", "resource"]
    prompt = request("session/prompt", {"sessionId": "s1", "prompt": [{"type": b} for b in blocks]})
    found = lint(handshake({}, {}) + "\n" + prompt, "CAP")
    assert [f.path for f in found] == [f"/params/prompt/{i}/type" for i in (2, 4, 5)]


def test_an_mcp_server_over_stdio_needs_no_capability_in_version_1_but_in_version_2():
    plain = {"name": "a", "command": "/a", "args": [], "env": []}
    typed = {**plain, "type": "stdio"}
    assert codes(handshake({}, {}), request("session/new", {"mcpServers": [plain]})) == []
    asked = request("session/new", {"cwd": "/x", "mcpServers": [typed]})
    assert codes(handshake_2({}, {"session": {}}), asked) == ["CAP004"]
    assert codes(handshake_2({}, {"session": {"mcp": {"stdio": {}}}}), asked) == []


def test_what_the_schema_does_not_know_is_not_told_twice():
    """A server of type `acp` is unstable: with the stable tables the schema family says so."""
    asked = request(
        "session/new",
        {"cwd": "/x", "mcpServers": [{"type": "acp", "name": "a", "serverId": "1"}]},
    )
    assert codes(handshake({}, {}), asked) == []
    assert codes(handshake({}, {}), asked, spec="v1-unstable") == ["CAP004"]


def test_an_empty_list_of_directories_asks_for_nothing():
    asked = {"cwd": "/x", "mcpServers": [], "additionalDirectories": []}
    assert codes(handshake({}, {}), request("session/new", asked)) == []


def test_a_system_prompt_in_the_mode_override_needs_its_own_capability():
    prompt = {"mode": "override", "content": [{"type": "text", "text": "x"}]}
    asked = request("session/new", {"cwd": "/x", "mcpServers": [], "systemPrompt": prompt})

    def found(capability):
        agent = {"sessionCapabilities": capability}
        findings = lint(handshake({}, agent) + "\n" + asked, "CAP005", spec="v1-unstable")
        return [f.text.rpartition("advertise ")[2] for f in findings]

    assert found({}) == ["`sessionCapabilities.systemPrompt`"]
    assert found({"systemPrompt": {}}) == ["`sessionCapabilities.systemPrompt.mode.override`"]
    assert found({"systemPrompt": {"mode": {"override": {}}}}) == []


def test_a_chunk_of_an_unadvertised_update_is_the_same_mistake():
    reported = [
        update("compaction_update", compactionId="1", status="in_progress"),
        update("compaction_summary_chunk", compactionId="1", content={"type": "text", "text": ""}),
        update("compaction_update", compactionId="1", status="completed"),
    ]
    assert codes(handshake({}, {}), *reported) == ["CAP007", "CAP007"]
    assert codes(handshake({"session": {"compaction": {}}}, {}), *reported) == []


def test_version_2_needs_no_capability_for_a_notice():
    assert (
        codes(handshake_2({}, {"session": {}}), update("notice", severity="info", title="x")) == []
    )


def test_a_client_of_both_versions_is_judged_by_the_one_that_was_agreed_on():
    params = {
        "protocolVersion": 2,
        "capabilities": {"elicitation": {"form": {}}},
        "clientCapabilities": {"terminal": True},
    }
    asked = request("initialize", params, 0)
    call = request("terminal/create", {"sessionId": "s1", "command": "ls"}, 0, "<-")
    form = request("elicitation/create", {"sessionId": "s1", "mode": "form"}, 1, "<-")
    assert codes(asked, result({"protocolVersion": 1}, 0), call, form) == ["CAP010"]
    assert codes(asked, result({"protocolVersion": 2}, 0), form) == []


def test_boolean_options_are_found_wherever_options_are_told():
    options = [{"type": "boolean", "id": "x", "name": "X", "currentValue": True}]
    setup = [request("session/new", SETUP), result({"sessionId": "s1", "configOptions": options})]
    assert codes(handshake({}, {}), *setup) == ["CAP009"]
    assert codes(handshake({}, {}), update("config_option_update", configOptions=options)) == [
        "CAP009"
    ]


def test_a_client_without_elicitation_may_say_method_not_found():
    asked = request("elicitation/create", {"sessionId": "s1", "mode": "url"}, 0, "<-")
    for client, code, wanted in [
        ({}, -32601, []),
        ({}, -32602, []),
        ({"elicitation": {"form": {}}}, -32601, [Severity.NOTE]),
        ({}, -32603, [Severity.NOTE]),
    ]:
        answer = error(code, 0, "->")
        found = lint("\n".join((handshake(client, {}), asked, answer)), "CAP011")
        assert [f.severity for f in found] == wanted
        assert all(f.blame is Peer.CLIENT for f in found)


def test_an_advertised_method_that_is_not_there_is_the_advertisers_fault():
    asked = request("fs/read_text_file", {"sessionId": "s1", "path": "/x"}, 0, "<-")
    answer = error(-32601, 0, "->")
    found = lint("\n".join((handshake({"fs": {"readTextFile": True}}, {}), asked, answer)), "CAP")
    assert [(f.code, f.blame) for f in found] == [("CAP013", Peer.CLIENT)]


def test_an_internal_error_breaks_the_promise_only_if_it_says_so():
    opening = handshake({}, {"loadSession": True})
    asked = request("session/load", SETUP)
    assert codes(opening, asked, error(-32603, data={"details": "No such session"})) == []
    assert codes(opening, asked, error(-32603, data={"details": "Not implemented"})) == ["CAP013"]
    assert codes(opening, asked, error(-32002, message="not supported")) == []


def test_a_method_that_works_unadvertised_is_noted_once():
    opening = handshake({}, {})
    exchange = [request("session/list", {}), result({"sessions": []})]
    assert codes(opening, *exchange, *exchange) == ["CAP002", "CAP014", "CAP002"]


def test_version_2_has_one_capability_for_all_sessions():
    calls = [
        request("session/new", {"cwd": "/x"}),
        request("session/list", {}, 2),
        request("session/prompt", {"sessionId": "s1", "prompt": []}, 3),
    ]
    assert codes(handshake_2({}, {}), *calls) == ["CAP002"]
    assert codes(handshake_2({}, {"session": {}}), *calls) == []
    assert codes(handshake({}, {}), calls[0]) == []
