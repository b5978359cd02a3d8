"""A conversation in a dialect is followed as an official one is."""

from pathlib import Path

import pytest

from acp_spy import load
from acp_spy.capture.transcript import parse
from acp_spy.conversation.state import Phase
from acp_spy.conversation.tracker import Tracker
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Response

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
NAMES = ("crow", "threads", "quickref", "jetbrains", "acpex")

each_dialect = pytest.mark.parametrize("name", NAMES)


def follow(records):
    """Return the state after a conversation, and its steps."""
    tracker, steps = Tracker(), []
    for record in records:
        if isinstance(record, Frame):
            step = tracker.look_closely(record)
            steps.append(step)
            tracker.advance(step)
    return tracker.state, steps


def follow_fixture(name):
    return follow(load(FIXTURES / f"dialect-{name}.jsonl").records)


def texts(steps):
    """Return who said what."""
    found = []
    for event in (step.event for step in steps):
        for spoken in event.events if isinstance(event, ev.HistoryReplayed) else [event]:
            if isinstance(spoken, ev.Said):
                blocks = spoken.content if isinstance(spoken.content, list) else [spoken.content]
                found += [(spoken.session, spoken.role, block["text"]) for block in blocks]
    return found


def prompts(steps):
    return [
        (step.event.session, step.event.prompt[0]["text"])
        for step in steps
        if isinstance(step.event, ev.TurnStarted)
    ]


def stop_reasons(steps):
    return [step.event.stop_reason for step in steps if isinstance(step.event, ev.TurnEnded)]


@each_dialect
def test_every_answer_finds_its_request(name):
    state, steps = follow_fixture(name)
    assert state.pending == {}
    assert all(step.exchange for step in steps if isinstance(step.message, Response))


@each_dialect
def test_every_turn_ends(name):
    state, steps = follow_fixture(name)
    assert all(session.turns == [] for session in state.sessions.values())
    assert len(stop_reasons(steps)) == len(prompts(steps)) > 0


@each_dialect
def test_every_tool_call_ends(name):
    state, _ = follow_fixture(name)
    calls = [call for session in state.sessions.values() for call in session.tool_calls.values()]
    assert [call for call in calls if call.is_open or not call.announced or not call.title] == []


@pytest.mark.parametrize(
    ("name", "sessions"),
    [
        ("crow", {"nest-1": ("new", 1), "nest-0": ("load", 1)}),
        ("threads", {"spool-7": ("new", 1), "spool-2": ("load", 0)}),
        ("quickref", {"card-5": ("new", 2)}),
        ("jetbrains", {"desk-9": ("new", 2)}),
        ("acpex", {"flask-3": ("new", 2)}),
    ],
)
def test_sessions_are_followed_with_their_turns(name, sessions):
    state, _ = follow_fixture(name)
    found = {key: (session.how, session.turn_count) for key, session in state.sessions.items()}
    assert found == sessions


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "crow",
            [
                ("nest-1", "thought", "I have to run them first."),
                ("nest-1", "agent", "Two of them fail."),
                ("nest-0", "agent", "Yesterday all of them passed."),
                ("nest-0", "thought", "The history will tell."),
            ],
        ),
        (
            "threads",
            [
                ("spool-7", "agent", "They say: "),
                ("spool-7", "agent", "buy thread."),
                ("spool-2", "user", "Good morning!"),
                ("spool-2", "agent", "There is nothing in them."),
            ],
        ),
        (
            "quickref",
            [
                ("card-5", "user", "wave"),
                ("card-5", "thought", "With which hand?"),
                ("card-5", "agent", "Hello there!"),
            ],
        ),
        (
            "jetbrains",
            [
                ("desk-9", "agent", "I will count its lines."),
                ("desk-9", "agent", "Counting..."),
                ("desk-9", "agent", "Gladly."),
            ],
        ),
        (
            "acpex",
            [
                ("flask-3", "agent", "One moment"),
                ("flask-3", "thought", "What can be boiled off?"),
                ("flask-3", "agent", "It is pure already."),
            ],
        ),
    ],
)
def test_texts_are_understood(name, said):
    _, steps = follow_fixture(name)
    assert texts(steps) == said


@pytest.mark.parametrize(
    ("name", "asked", "reasons"),
    [
        (
            "crow",
            [("nest-1", "How many tests fail?"), ("nest-0", "What has changed?")],
            ["end_turn", "cancelled"],
        ),
        ("threads", [("spool-7", "What is in the notes?")], [None]),
        ("quickref", [("card-5", "wave"), ("card-5", "and bow")], ["end_turn", "cancelled"]),
        (
            "jetbrains",
            [("desk-9", "Is the readme too long?"), ("desk-9", "Shorten it")],
            ["end_turn", "cancelled"],
        ),
        (
            "acpex",
            [("flask-3", "Distil this module"), ("flask-3", "Once more")],
            ["done", "cancelled"],
        ),
    ],
)
def test_prompts_are_understood_and_why_a_turn_ended(name, asked, reasons):
    _, steps = follow_fixture(name)
    assert prompts(steps) == asked
    assert stop_reasons(steps) == reasons


def test_what_crow_advertises_is_known_under_its_official_name():
    state, _ = follow_fixture("crow")
    assert (state.phase, state.version) == (Phase.READY, 1)
    assert state.capabilities[Peer.AGENT]["loadSession"] is True
    assert state.capabilities[Peer.AGENT]["promptCapabilities"]["embeddedContext"] is True
    assert state.info[Peer.CLIENT]["name"] == "rookery"


def test_so_is_what_acpex_advertises():
    state, _ = follow_fixture("acpex")
    assert state.capabilities[Peer.CLIENT]["fs"] == {"readTextFile": True, "writeTextFile": True}
    assert state.capabilities[Peer.CLIENT]["terminal"] is True
    assert state.capabilities[Peer.AGENT]["loadSession"] is False
    assert state.info[Peer.AGENT]["name"] == "Potion"


def test_quickref_asks_for_leave():
    state, _ = follow_fixture("quickref")
    calls = state.sessions["card-5"].tool_calls
    assert {key: (call.title, call.status, call.permission) for key, call in calls.items()} == {
        "tool-1": ("Bash", "completed", "allow_once"),
        "tool-2": ("Read", "completed", ""),
        "tool-3": ("Bash", "failed", "cancelled"),
    }


def test_zed_of_july_2025_had_one_conversation_without_a_name():
    state, steps = follow(
        parse(
            """
            -> {"id":0,"method":"initialize","params":{"protocolVersion":"0.0.9"}}
            <- {"id":0,"result":{"protocolVersion":"0.0.9","isAuthenticated":true}}
            -> {"id":1,"method":"sendUserMessage","params":{"chunks":[{"text":"hi"}]}}
            <- {"id":0,"method":"pushToolCall","params":{"label":"Look","icon":"fileSearch"}}
            -> {"id":0,"result":{"id":7}}
            <- {"id":1,"method":"updateToolCall","params":{"toolCallId":7,"status":"finished"}}
            -> {"id":1,"result":null}
            <- {"id":2,"method":"streamAssistantMessageChunk","params":{"chunk":{"thought":"hm"}}}
            -> {"id":2,"result":null}
            <- {"id":3,"method":"streamAssistantMessageChunk","params":{"chunk":{"text":"hi!"}}}
            -> {"id":3,"result":null}
            <- {"id":1,"result":null}
            """
        )
    )
    (session,) = state.sessions.values()
    assert (session.turn_count, session.turns) == (1, [])
    assert [(c.title, c.status) for c in session.tool_calls.values()] == [("Look", "completed")]
    assert [said[1:] for said in texts(steps)] == [("thought", "hm"), ("agent", "hi!")]
    assert prompts(steps)[0][1] == "hi"


def test_history_is_told_and_is_not_heard_as_something_new():
    state, steps = follow_fixture("threads")
    (history,) = [step.event for step in steps if isinstance(step.event, ev.HistoryReplayed)]
    assert [type(spoken).__name__ for spoken in history.events] == [
        "Said",
        "ToolCallChanged",
        "Said",
    ]
    assert history.events[1].fields["title"] == "/project/notes.txt"
    assert state.sessions["spool-2"].stray is None
    assert state.sessions["spool-2"].tool_calls == {}


@pytest.mark.parametrize(
    ("params", "outcome", "option"),
    [
        ('"tool_call_id":"c","option_id":"approve"', "selected", "approve"),
        ('"tool_call_id":"c","id":"reject"', "selected", "reject"),
        ('"tool_call_id":"c"', "cancelled", None),
    ],
)
def test_crow_answers_for_leave_in_a_message_of_its_own(params, outcome, option):
    state, steps = follow(
        parse(
            f"""
            -> {{"jsonrpc":"2.0","id":0,"method":"session/prompt","params":{{"session_id":"s","prompt":[]}}}}
            <- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"@type":"tool_call_start","tool_call_id":"c","title":"x","status":"pending"}}}}}}
            <- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"@type":"permission_request","tool_call_id":"c","title":"x","arguments":"","permission_options":[]}}}}}}
            -> {{"jsonrpc":"2.0","method":"cancel","id":5,"params":{{"session_id":"s"}}}}
            -> {{"jsonrpc":"2.0","method":"permission_response","params":{{"session_id":"s",{params}}}}}
            """
        )
    )
    answer = steps[-1].event
    assert (answer.session, answer.tool_call) == ("s", "c")
    assert (answer.outcome, answer.option) == (outcome, option)
    kinds = {"approve": "allow_once", "reject": "reject_once", None: "cancelled"}
    assert state.sessions["s"].tool_calls["c"].permission == kinds[option]


def test_zed_of_july_2025_announced_a_tool_call_by_asking_for_leave():
    state, steps = follow(
        parse(
            """
            -> {"id":1,"method":"sendUserMessage","params":{"chunks":[{"text":"hi"}]}}
            <- {"id":0,"method":"requestToolCallConfirmation","params":{"label":"Run","icon":"terminal","confirmation":{"type":"execute","command":"ls"}}}
            -> {"id":0,"result":{"id":7,"outcome":"alwaysAllow"}}
            <- {"id":1,"method":"updateToolCall","params":{"toolCallId":7,"status":"finished"}}
            -> {"id":1,"result":null}
            <- {"id":2,"method":"requestToolCallConfirmation","params":{"label":"Drop","icon":"hammer","confirmation":{"type":"other"}}}
            -> {"id":2,"result":{"id":8,"outcome":"cancel"}}
            <- {"id":1,"result":null}
            """
        )
    )
    (session,) = state.sessions.values()
    calls = {call.id: (call.title, call.permission) for call in session.tool_calls.values()}
    assert calls == {"7": ("Run", "allow_always"), "8": ("Drop", "cancelled")}
    asked = [step.event for step in steps if isinstance(step.event, ev.PermissionAsked)]
    assert len(asked) == 2


def test_zed_of_july_2025_spoke_over_mcp_for_a_week():
    state, steps = follow(
        parse(
            """
            -> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acp/new_session","arguments":{"cwd":"/p","mcpServers":{}}}}
            <- {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"sessionId":"s"}}}
            -> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"acp/prompt","arguments":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}}
            <- {"jsonrpc":"2.0","method":"acp/session_update","params":{"sessionId":"s","sessionUpdate":"agentMessageChunk","content":{"type":"text","text":"hi!"}}}
            <- {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":null}}
            -> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"something_else","arguments":{}}}
            <- {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
            """
        )
    )
    assert {key: (s.how, s.turn_count, s.turns) for key, s in state.sessions.items()} == {
        "s": ("new", 1, [])
    }
    assert (prompts(steps), texts(steps)) == ([("s", "hi")], [("s", "agent", "hi!")])


@pytest.mark.parametrize(
    "params",
    [
        '"update":{"sessionUpdate":"agentMessageChunk","content":{"type":"text","text":"hi"}}',
        '"sessionUpdate":"agentMessageChunk","content":{"type":"text","text":"hi"}',
    ],
    ids=["in update", "flat"],
)
def test_zed_of_august_2025_spoke_in_camel_case(params):
    line = f'<- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s",{params}}}}}'
    _, steps = follow(parse(line))
    assert texts(steps) == [("s", "agent", "hi")]


def test_an_error_ends_a_turn_in_any_tongue():
    state, _ = follow(
        parse(
            """
            -> {"id":0,"method":"sendMessage","params":{"threadId":"t","message":{"role":"user","chunks":[]}}}
            <- {"id":0,"error":{"code":-32603,"message":"no"}}
            """
        )
    )
    assert (state.sessions["t"].turn_count, state.sessions["t"].turns) == (1, [])


def test_what_a_dialect_shares_with_official_acp_is_not_lost():
    """A peer that is half a crow, as those are that have learned the rest since."""
    state, _ = follow(
        parse(
            """
            -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol_version":1}}
            <- {"jsonrpc":"2.0","id":0,"result":{"protocol_version":1,"authMethods":[]}}
            -> {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}
            <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}
            <- {"jsonrpc":"2.0","id":1,"result":{"modes":{"currentModeId":"ask","availableModes":[]}}}
            """
        )
    )
    assert (state.version, state.auth_methods) == (1, [])
    assert (state.sessions["s"].how, state.sessions["s"].mode) == ("load", "ask")


@pytest.mark.parametrize("key", ["@type", "kind"])
def test_an_update_with_nothing_wrong_but_its_key_is_followed(key):
    """One such slip is no dialect, but what is meant is plain."""
    _, steps = follow(
        parse(
            f"""
            <- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"{key}":"agent_message_chunk","content":{{"type":"text","text":"hi"}}}}}}}}
            """
        )
    )
    assert texts(steps) == [("s", "agent", "hi")]
