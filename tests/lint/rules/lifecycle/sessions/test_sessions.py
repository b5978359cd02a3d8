"""Sessions opened, used and left in every order."""

from support.lifecycle import LOAD, LOADED, found, judge

from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
)


def test_a_session_may_be_used_after_it_was_closed_and_loaded_again():
    closed = """
        -> {"jsonrpc": "2.0", "id": 5, "method": "session/close", "params": {"sessionId": "s1"}}
        <- {"jsonrpc": "2.0", "id": 5, "result": {}}
    """
    assert found(NEW_SESSION, closed, LOAD, CHUNK, LOADED, PROMPT, CHUNK, END_TURN) == []
    findings = judge(HANDSHAKE, NEW_SESSION, closed, CHUNK)
    assert [(f.name, f.severity) for f in findings] == [("closed-session-used", Severity.WARNING)]


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
