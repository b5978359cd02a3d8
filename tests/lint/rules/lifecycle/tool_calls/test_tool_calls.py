"""Tool calls: who announced what, in which session, and how it ended."""

import pytest
from support.lifecycle import END, SECOND_SESSION, announce, change, places, work

from acp_spy.capture.transcript import parse
from acp_spy.lint.rules.lifecycle import _opening
from acp_spy.lint.ruleset import check

LOAD = '-> {"jsonrpc": "2.0", "id": 4, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/", "mcpServers": []}}'
LOADED = '<- {"jsonrpc": "2.0", "id": 4, "result": {}}'


def hint_of_unknown_call(*lines):
    """Return the hint of the last update of a call that was not announced."""
    return [finding.hint for finding in work(*lines) if finding.code == "LIF102"][-1]


def test_two_sessions_may_use_the_same_id():
    assert places(SECOND_SESSION, announce(), announce(session="s2")) == []


def test_an_id_of_one_session_is_unknown_in_another():
    lines = SECOND_SESSION, announce(), change(session="s2", status="completed")
    assert places(*lines) == [("LIF102", 9)]


def test_many_updates_of_an_unannounced_call_are_one_finding():
    assert places(change(), change(), change(status="completed")) == [("LIF102", 6)]


@pytest.mark.parametrize(
    ("announced", "updated", "meant"),
    [
        ("call-1", "call_1", "call-1"),
        ("call-1", "call-l", "call-1"),
        ("call-1", "9b1deb4d-3b7d-4bad-9bdd", ""),
    ],
)
def test_the_announced_id_that_is_like_an_unknown_one_is_named(announced, updated, meant):
    lines = announce(announced), change(updated, status="completed")
    found = hint_of_unknown_call(*lines)
    assert found.startswith(f"did you mean `{meant}` (frame 6)? if not, announce") == bool(meant)
    assert ("did you mean" in found) == bool(meant)


def test_a_call_that_has_ended_is_not_meant_by_the_id_of_another():
    ended = announce("call-1"), change("call-1", status="completed")
    assert "did you mean" not in hint_of_unknown_call(*ended, change("call-2"))
    assert "did you mean `call-1`" in hint_of_unknown_call(*ended, change("call_1"))


def test_a_call_that_was_never_announced_is_not_meant():
    assert "did you mean" not in hint_of_unknown_call(change("call-1"), change("call_1"))


def test_a_call_that_is_announced_late_is_told_once():
    assert places(change(), announce(), change(status="completed")) == [("LIF102", 6)]


def test_history_that_is_loaded_again_is_no_repetition():
    lines = announce(), change(status="completed"), LOAD, announce(status="pending")
    assert places(*lines, change(status="completed"), LOADED) == []


def test_history_that_comes_too_late_is_no_repetition_either():
    lines = announce(), change(status="completed"), LOAD, LOADED, announce()
    assert places(*lines, change(status="completed")) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("completed", "failed", "a finished tool call must not change status again"),
        ("failed", "in_progress", "a finished tool call must not change status again"),
        ("in_progress", "pending", "a tool call must not return to `pending`"),
    ],
)
def test_there_is_no_way_back(before, after, expected):
    (finding,) = work(announce(status=before), change(status=after))
    assert (finding.code, finding.seq) == ("LIF103", 7)
    assert finding.text.endswith(expected)


@pytest.mark.parametrize("fields", [{}, {"status": None}, {"status": "completed"}])
def test_more_content_after_the_end_is_fine(fields):
    assert places(announce(status="completed"), change(content=[], **fields)) == []


def test_a_file_that_follows_its_folder_has_not_grown():
    paths = "/home", "/home/dev", "/home/dev/main.py"
    lines = [change(locations=[{"path": path}]) for path in paths]
    assert places(announce(), *lines) == []


def test_the_last_update_under_a_wrong_session_is_one_mistake():
    """Neither is the call left open then, nor is it another one that nobody announced."""
    lines = (_opening.PROMPT, announce(), change(session="S1", status="completed"), END)
    found = check(parse("\n".join(lines)))
    assert [f.code for f in found if f.severity.value != "note"] == ["LIF029"]
