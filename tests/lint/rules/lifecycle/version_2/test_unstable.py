"""Order and ids of what version 1 calls unstable."""

from support.rules import rules_with
from support.transcripts import lint

from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    PROMPT,
    REPLY,
    request_line,
    result_line,
    update_line,
    version_1,
)
from acp_spy.wire.frame import Peer

RULES = rules_with("LIF2")

ALL = [rule.code for rule in RULES]


def codes(*lines, only=ALL):
    return [finding.code for finding in lint("\n".join(lines), *only)]


def test_a_subagent_that_was_announced_may_speak_and_be_spoken_of():
    announced = update_line('"sessionUpdate": "subagent_update", "sessionId": "child"')
    message = update_line(
        '"sessionUpdate": "session_message", "messageId": "m", "senderSessionId": "child"'
    )
    speech = REPLY.replace('"s1"', '"child"').replace("agent_message", "agent_message_chunk")
    opening = [version_1(client='"subagents": {}'), NEW_SESSION, PROMPT]
    assert codes(*opening, announced, speech, message) == []
    assert codes(*opening, message) == ["LIF250"]


def test_an_archived_session_counts_as_closed():
    archive = [request_line(3, "session/archive", '"sessionId": "s1"'), result_line(3)]
    opening = [version_1('"sessionCapabilities": {"archive": {}, "list": {}}'), NEW_SESSION]
    assert codes(*opening, PROMPT, result_line(2, '"stopReason": "end_turn"'), *archive) == []
    assert codes(*opening, *archive, *archive) == []


def test_an_agent_that_disables_what_it_requires_is_at_fault_too():
    provider = '{"providerId": "main", "supported": [], "required": true}'
    found = lint(
        "\n".join(
            (
                version_1('"providers": {}'),
                request_line(1, "providers/list", ""),
                result_line(1, f'"providers": [{provider}]'),
                request_line(2, "providers/disable", '"providerId": "main"'),
                result_line(2),
            )
        ),
        "LIF251",
    )
    assert [f.blame for f in found] == [Peer.CLIENT, Peer.AGENT]


def test_the_same_mcp_server_may_be_listed_for_a_second_session():
    def setup(ident, name):
        server = f'{{"type": "acp", "name": "{name}", "serverId": "m1"}}'
        return request_line(ident, "session/new", f'"cwd": "/x", "mcpServers": [{server}]')

    opening = version_1('"mcpCapabilities": {"http": true, "acp": true}')
    assert codes(opening, setup(1, "docs"), setup(2, "docs")) == []
    assert codes(opening, setup(1, "docs"), setup(2, "tests")) == ["LIF252"]


def test_a_title_may_be_set_again():
    def name(ident, title):
        return [
            request_line(ident, "session/set_title", f'"sessionId": "s1", "title": "{title}"'),
            result_line(ident, f'"title": "{title}"'),
        ]

    told = update_line('"sessionUpdate": "session_info_update", "title": "B"')
    opening = [version_1('"sessionCapabilities": {"title": {}}'), NEW_SESSION]
    assert codes(*opening, told, *name(2, "A"), *name(3, "B"), told) == []
    assert codes(*opening, *name(2, "A"), told, told) == ["LIF247"]


def test_the_news_that_one_has_logged_out_is_news():
    def told(state):
        return f'<- {{"jsonrpc": "2.0", "method": "auth/status_update", "params": {{{state}}}}}'

    opening = version_1('"auth": {"status": {}}')
    on, off = told('"state": "authenticated"'), told('"state": "unauthenticated"')
    other = told('"state": "authenticated", "accounts": [{"email": "dev@example.org"}]')
    assert codes(opening, on, off, on, other) == []
    assert codes(opening, on, on) == ["LIF249"]


def test_a_proxy_hands_the_version_through():
    forward = (
        '<- {"jsonrpc": "2.0", "id": 0, "method": "proxy/successor", "params":'
        ' {"method": "initialize", "params": {"protocolVersion": 2}}}'
    )
    given = '-> {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}'
    asked = request_line(0, "proxy/initialize", '"protocolVersion": 2')
    assert codes(asked, forward, given, result_line(0, '"protocolVersion": 1')) == []
    assert codes(asked, forward, given, result_line(0, '"protocolVersion": 2')) == ["LIF254"]
