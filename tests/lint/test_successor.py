"""What a proxy and its successor say to each other is judged by itself, once."""

import json
from pathlib import Path

import msgspec
import pytest
from support.recordings import recordings
from support.transcripts import lint

from acp_spy import Frame, Peer, check, load
from acp_spy.conversation.successor import outer_path
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.linter import judges_content
from acp_spy.lint.rule import Severity
from acp_spy.lint.select import select

FIXTURES = Path(__file__).parents[2] / "fixtures"
RIGHT = (
    *("chain", "chain-conductor", "chain-recorded"),
    *("mcp-connections", "mcp-server-ids", "mcp-messages", "mcp-recorded"),
)


def line(arrow, **message):
    return f"{arrow} {json.dumps({'jsonrpc': '2.0', **message})}\n"


def transcript(name, change=lambda _seq, message: message):
    lines = []
    for frame in load(FIXTURES / f"{name}.jsonl").frames:
        arrow = "->" if frame.sender is Peer.CLIENT else "<-"
        message = change(frame.seq, frame.message)
        lines += [f"{arrow} {json.dumps(message)}\n"] if message else []
    return "".join(lines)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_has_notes_at_most(name):
    found = [
        each for each in check(FIXTURES / f"{name}.jsonl") if each.severity is not Severity.NOTE
    ]
    assert found == []


def test_a_mistake_of_the_successor_is_found_inside_and_the_successor_must_fix_it():
    def change(seq, message):
        if seq == 13:
            message["params"]["params"]["update"]["kind"] = "reading"
        return message

    (found,) = lint(transcript("chain", change))
    assert (found.code, found.seq, found.hop) == ("SCH025", 13, "successor")
    assert found.path == "/params/params/update/kind"
    assert found.text.startswith("in `proxy/successor`: ")
    assert (found.blame, found.must_fix) == (Peer.CLIENT, "successor must fix")


def test_a_mistake_of_the_proxy_as_a_client_is_the_proxy_s():
    def change(seq, message):
        if seq == 10:
            message["params"]["params"]["sessionId"] = "s-2"
        return message

    found = lint(transcript("chain", change), "unknown-session")
    assert [(each.seq, each.hop, each.blame, each.must_fix) for each in found] == [
        (10, "successor", Peer.AGENT, "proxy must fix")
    ]


def test_what_is_plain_is_judged_as_before():
    def change(seq, message):
        if seq == 14:
            message["params"]["update"]["kind"] = "reading"
        return message

    (found,) = lint(transcript("chain", change))
    assert (found.seq, found.hop, found.must_fix) == (14, "", "agent must fix")


def test_a_request_to_the_successor_without_a_response_is_one_finding():
    whole = transcript("chain", lambda seq, message: message if seq <= 10 or seq == 26 else None)
    found = lint(whole + "-> EOF\n== 0", "RPC006")
    assert [(each.seq, each.text) for each in found] == [
        (10, "`proxy/successor › session/prompt` was never answered")
    ]


def test_a_mistake_in_a_message_that_was_never_wrapped_before_names_the_outer_frame():
    """Order is judged within a conversation: the successor's first update is before its session."""
    early = line(
        "->",
        method="proxy/successor",
        params={
            "method": "session/prompt",
            "params": {"sessionId": "s-1", "prompt": []},
        },
    )
    found = lint(transcript("chain") + early, "wrong-direction")
    assert [(each.hop, each.path) for each in found] == [("successor", "/params/method")]


def test_a_component_that_is_no_proxy_has_no_successor():
    plain = transcript(
        "chain",
        lambda seq, message: {**message, "method": "initialize"} if seq == 1 else message,
    )
    found = lint(plain, "LIF259")
    assert {each.see for each in found} == {1}
    assert {each.code for each in lint(transcript("chain-recorded"), "LIF259")} == set()


@pytest.mark.parametrize(
    ("name", "seq", "key", "code"),
    [
        ("mcp-connections", 4, "acpId", "LIF253"),
        ("mcp-server-ids", 4, "serverId", "LIF253"),
        ("mcp-messages", 9, "serverId", "LIF253"),
        ("mcp-connections", 14, "connectionId", "LIF256"),
        ("mcp-server-ids", 20, "connectionId", "LIF256"),
        ("mcp-messages", 10, "requestId", "LIF257"),
    ],
)
def test_an_unknown_server_connection_or_request_is_found(name, seq, key, code):
    def change(here, message):
        if here == seq:
            message["params"][key] = "nobody"
        return message

    found = lint(transcript(name, change), "LIF253", "LIF256", "LIF257", "LIF258")
    assert (seq, code) in [(each.seq, each.code) for each in found]
    (one,) = [each for each in found if each.seq == seq]
    assert one.path == f"/params/{key}"


def test_a_message_after_its_connection_was_closed_is_found():
    late = line(
        "<-", id=9, method="mcp/message", params={"connectionId": "conn-1", "method": "ping"}
    )
    (found,) = lint(transcript("mcp-connections") + late, "LIF256")
    assert (found.seq, found.see) == (22, 20)


def test_an_mcp_request_without_a_response_is_found_by_its_name():
    cut = transcript("mcp-messages", lambda seq, message: message if seq != 11 else None)
    (found,) = lint(cut + "-> EOF\n== 0", "RPC006")
    assert found.text == "`mcp/message › tools/call` was never answered"


def test_an_older_draft_is_a_note_once():
    found = lint(transcript("mcp-connections"), "RPC013")
    assert [(each.seq, each.severity) for each in found] == [(4, Severity.NOTE)]


def inside_a_wrapper(frame):
    """Return the same message as a proxy would exchange it with its successor."""
    message = frame.message
    if "method" in message:
        inner = {key: message[key] for key in ("method", "params") if key in message}
        message = {**message, "method": "proxy/successor", "params": inner}
    raw = json.dumps(message).encode() + b"\n"
    return msgspec.structs.replace(frame, sender=frame.sender.other, raw=raw)


@pytest.mark.parametrize("recording", recordings(), ids=lambda path: path.stem)
def test_a_conversation_has_the_same_findings_inside_as_outside(recording):
    """Each is found at the other peer of the capture, and in the wrapper."""
    records = load(recording).records
    messages = [each for each in records if not isinstance(each, Frame) or each.message]
    rules = [rule for rule in select(CATALOGUE.values()) if judges_content(rule)]
    outside = check(messages, rules)
    inside = check(
        [inside_a_wrapper(each) if isinstance(each, Frame) else each for each in messages], rules
    )
    assert [(each.seq, each.code, each.blame) for each in outside] == [
        (each.seq, each.code, each.blame.other) for each in inside if each.hop
    ]
    assert [f"in `proxy/successor`: {each.text}" for each in outside] == [
        each.text for each in inside if each.hop
    ]
    assert [outer_path(each.path) for each in outside] == [each.path for each in inside if each.hop]
