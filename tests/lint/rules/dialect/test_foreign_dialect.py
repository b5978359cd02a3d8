from pathlib import Path

import pytest
from support.transcripts import lint

from acp_spy import load
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.ruleset import check
from acp_spy.wire.frame import Peer

FIXTURES = Path(__file__).parent.parent.parent.parent.parent / "fixtures"


def found_in(name):
    records = load(FIXTURES / f"dialect-{name}.jsonl").records
    return check(records, [CATALOGUE["DIA001"]])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crow", [(5, Peer.CLIENT), (6, Peer.AGENT)]),
        ("threads", [(1, Peer.CLIENT), (2, Peer.AGENT)]),
        ("quickref", [(5, Peer.CLIENT), (10, Peer.AGENT)]),
        ("jetbrains", [(2, Peer.AGENT)]),
        ("acpex", [(1, Peer.CLIENT), (2, Peer.AGENT)]),
    ],
)
def test_a_dialect_is_told_in_the_same_words_wherever_it_shows(name, expected):
    first = {}
    for finding in found_in(name):
        assert f"the {name} dialect ({name})" in finding.text
        first.setdefault((finding.text, finding.hint, finding.blame), finding.seq)
    assert [(seq, blame) for (_, _, blame), seq in first.items()] == expected


@pytest.mark.parametrize("name", ["crow", "threads", "quickref", "jetbrains", "acpex"])
def test_no_rule_stumbles_over_a_dialect(name):
    check(load(FIXTURES / f"dialect-{name}.jsonl").records)  # raises where a rule does


def test_the_evidence_and_the_official_words_are_told():
    client = found_in("crow")[0]
    assert client.text == (
        "the client uses the crow dialect (crow), not official ACP;"
        " seen: `protocol_version` (frame 1), `session_id` (frame 5)"
    )
    assert client.see == 1
    assert client.hint == (
        "use the official spelling: `protocol_version` is `protocolVersion`;"
        " `session_id` is `sessionId`"
        " (the dialect is from the protocol notes of the crow agent framework)"
    )


def test_too_little_is_not_told():
    assert lint('-> {"jsonrpc":"2.0","id":0,"method":"cancel","params":{}}', "DIA") == []


def in_turn(*updates):
    """Return a plain conversation in which the agent sends these updates."""
    return "\n".join(
        (
            '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"auth":{"terminal":false}},"clientInfo":{"name":"editor","version":"1"}}}',
            '<- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{},"mcpCapabilities":{"http":true}},"agentInfo":{"name":"agent","version":"1"}}}',
            '-> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/dev/x","mcpServers":[]}}',
            '<- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}',
            '-> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}',
            *(
                f'<- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}'
                for update in updates
            ),
            '<- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}',
        )
    )


MESSAGE = '{"sessionUpdate":"message","role":"assistant","content":[{"type":"text","text":"Hi"}]}'
CAMEL = '{"sessionUpdate":"agentMessageChunk","content":{"type":"text","text":"Hi"}}'


@pytest.mark.parametrize(("update", "name"), [(MESSAGE, "jetbrains"), (CAMEL, "zed")])
def test_one_word_of_a_dialect_is_one_finding(update, name):
    (finding,) = lint(in_turn(update))
    assert (finding.code, finding.seq) == ("DIA001", 6)
    assert f"({name})" in finding.text
    assert "is `agent_message_chunk`" in finding.hint


def test_the_same_again_is_the_same_finding_in_another_place():
    found = lint(in_turn(MESSAGE, MESSAGE, MESSAGE))
    assert [(finding.code, finding.seq) for finding in found] == [
        ("DIA001", 6),
        ("DIA001", 7),
        ("DIA001", 8),
    ]
    assert len({finding.text for finding in found}) == 1


def test_who_does_not_ask_for_dialects_is_told_of_the_word_itself():
    found = lint(in_turn(MESSAGE), "SCH", "RPC", "LIF")
    assert [finding.code for finding in found] == ["SCH003"]


def test_by_official_acp_nobody_speaks_a_dialect():
    found = lint(in_turn(MESSAGE), dialect="acp")
    assert [finding.code for finding in found] == ["SCH003"]


def test_what_is_not_among_the_evidence_is_a_finding_of_its_own():
    crow = '{"@type":"agent_message_text","text":"Hi"}'
    start = '{"@type":"tool_call_start","tool_call_id":"c","title":"x","kind":"read","status":"completed"}'
    found = lint(in_turn(crow, start))
    assert sorted((finding.seq, finding.code) for finding in found) == [
        (6, "DIA001"),
        (6, "SCH020"),
        (7, "DIA001"),
        (7, "SCH005"),
    ]


def test_the_missing_envelope_and_the_methods_of_threads_are_told_once():
    found = lint(
        """
        -> {"id":0,"method":"getThreads","params":null}
        <- {"id":0,"result":{"threads":[]}}
        """
    )
    assert [(finding.code, finding.blame.value) for finding in found] == [
        ("DIA001", "client"),
        ("DIA001", "agent"),
    ]
    assert "`getThreads` is `session/list`" in found[0].hint
    assert 'every message has `"jsonrpc": "2.0"`' in found[0].hint


def test_acp_over_mcp_is_not_taken_for_mcp():
    found = lint(
        """
        -> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acp/new_session","arguments":{"cwd":"/home/dev/x","mcpServers":[]}}}
        <- {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"sessionId":"s"}}}
        """,
        "DIA",
        "RPC",
    )
    assert [(finding.code, finding.seq) for finding in found] == [("DIA001", 1)]


def test_a_conversation_of_zed_s_first_stage_is_told_by_its_words_alone():
    """It had one session, without a name: nobody is to blame for not having opened it."""
    found = lint(
        """
        -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"0.0.9"}}
        <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"0.0.9","isAuthenticated":true}}
        -> {"jsonrpc":"2.0","id":1,"method":"sendUserMessage","params":{"chunks":[{"text":"hi"}]}}
        <- {"jsonrpc":"2.0","id":3,"method":"streamAssistantMessageChunk","params":{"chunk":{"text":"hi!"}}}
        -> {"jsonrpc":"2.0","id":3,"result":null}
        <- {"jsonrpc":"2.0","id":1,"result":null}
        -> EOF
        == 0
        """,
        "DIA",
        "RPC",
        "SCH",
        "LIF029",
    )
    assert [(finding.code, finding.seq) for finding in found] == [
        ("SCH013", 1),  # a single clue, and not enough of them yet
        ("DIA001", 2),
        ("DIA001", 3),
        ("RPC013", 4),  # not among what was enough to tell the agent's dialect
    ]
    assert found[1].hint == (
        "use the official spelling: `isAuthenticated` is authMethods, and the error -32000;"
        " `protocolVersion` is protocolVersion with the integer 1"
        " (the dialect is from Zed's crate of July and August 2025)"
    )
