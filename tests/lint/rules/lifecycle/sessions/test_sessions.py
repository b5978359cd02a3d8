"""Sessions opened, used and left in every order."""

import json

import pytest
from support.lifecycle import LOAD, LOADED, found, judge
from support.transcripts import lint

from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.frame import Peer

CLOSE = """
    -> {"jsonrpc": "2.0", "id": 5, "method": "session/close", "params": {"sessionId": "s1"}}
    <- {"jsonrpc": "2.0", "id": 5, "result": {}}
"""


def test_a_session_may_be_used_after_it_was_closed_and_loaded_again():
    assert found(NEW_SESSION, CLOSE, LOAD, CHUNK, LOADED, PROMPT, CHUNK, END_TURN) == []
    findings = judge(HANDSHAKE, NEW_SESSION, CLOSE, CHUNK)
    assert [(f.name, f.severity) for f in findings] == [("closed-session-used", Severity.WARNING)]


def test_an_update_between_the_close_and_the_next_load_is_found():
    assert found(NEW_SESSION, CLOSE, CHUNK, LOAD, CHUNK, LOADED) == ["closed-session-used"]
    again = CLOSE.replace('"id": 5', '"id": 6')
    twice = found(NEW_SESSION, CLOSE, CHUNK, LOAD, CHUNK, LOADED, again, CHUNK)
    assert twice == ["closed-session-used"] * 2


def test_an_unknown_session_is_told_once_whoever_speaks_in_it():
    assert found(PROMPT, CHUNK, CHUNK, END_TURN, CANCEL) == ["unknown-session"]
    assert found(CHUNK, CHUNK) == ["unknown-session"]


def test_ids_are_trusted_when_the_answer_that_gave_them_could_not_be_read():
    snake = NEW_SESSION.replace('{"sessionId": "s1"}', '{"session_id": "s1"}')
    assert found(snake, PROMPT, CHUNK, END_TURN) == []


def test_an_update_while_a_new_session_is_still_unanswered_is_no_unknown_session():
    asked = NEW_SESSION.splitlines()[0]
    assert found(asked, CHUNK) == []


def test_a_session_that_is_only_listed_cannot_be_prompted():
    listed = """
        -> {"jsonrpc": "2.0", "id": 9, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 9, "result": {"sessions": [{"sessionId": "s1", "cwd": "/home/dev/project"}]}}
    """
    assert found(listed, PROMPT) == ["prompt-before-session"]
    assert found(listed, LOAD.replace("/project", "/elsewhere"), LOADED) == ["changed-cwd"]


def test_a_link_that_was_followed_is_no_other_folder():
    resume = LOAD.replace('"cwd": "', '"cwd": "/private').replace("load", "resume")
    assert found(NEW_SESSION, resume, LOADED) == []


REQUESTS = {
    "session/request_permission": {"toolCall": {"toolCallId": "c1"}, "options": []},
    "fs/read_text_file": {"path": "/home/dev/project/a.py"},
    "fs/write_text_file": {"path": "/home/dev/project/a.py", "content": ""},
    "terminal/create": {"command": "ls"},
    "terminal/output": {"terminalId": "t1"},
}


def agent_asks(method, session):
    params = {"sessionId": session, **REQUESTS[method]}
    return "<- " + json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})


@pytest.mark.parametrize("method", REQUESTS)
def test_a_request_of_the_agent_about_a_session_that_nobody_opened_is_found_once(method):
    stranger = agent_asks(method, "s7")
    (finding,) = judge(HANDSHAKE, NEW_SESSION, PROMPT, stranger, stranger)
    assert (finding.name, finding.seq, finding.blame) == ("unknown-session", 6, Peer.AGENT)
    everything = {f.code for f in lint(transcript(HANDSHAKE, NEW_SESSION, PROMPT, stranger))}
    assert everything & {"LIF111", "LIF116", "LIF117", "LIF023"} == set()


@pytest.mark.parametrize("method", REQUESTS)
def test_a_request_of_the_agent_about_a_closed_session_is_found_once(method):
    late = agent_asks(method, "s1")
    (finding,) = judge(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, CLOSE, late, late)
    assert (finding.name, finding.seq, finding.blame) == ("closed-session-used", 10, Peer.AGENT)


def test_a_request_that_comes_before_the_id_of_its_session_waits_for_it():
    asked, opened = NEW_SESSION.split("\n")
    early = agent_asks("fs/read_text_file", "s1")
    assert found(asked, early, opened) == []
    assert found(asked, early.replace("s1", "s7"), opened) == ["unknown-session"]


def test_a_prompt_before_the_session_is_there_is_found_though_the_agent_named_it_before():
    asked, opened = NEW_SESSION.strip().splitlines()
    assert found(asked, CHUNK, PROMPT, opened, CHUNK, END_TURN) == ["unknown-session"]
    assert found(asked, PROMPT, opened, CHUNK, END_TURN) == ["unknown-session"]


def test_a_session_that_was_never_opened_cannot_be_closed():
    findings = lint(transcript(HANDSHAKE, NEW_SESSION, CLOSE.replace("s1", "s9")), "LIF029")
    assert [(f.seq, f.severity) for f in findings] == [(5, Severity.WARNING)]
