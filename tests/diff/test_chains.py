"""Chains compared: what is wrapped is compared by what is inside."""

from pathlib import Path

from acp_spy import load
from acp_spy.comparison.capture_diff import diff_captures
from acp_spy.comparison.read import read_capture

FIXTURES = Path(__file__).parents[2] / "fixtures"


def loaded(name, change=lambda text: text, tmp_path=None):
    path = FIXTURES / f"{name}.jsonl"
    if tmp_path:
        path = tmp_path / "changed.jsonl"
        path.write_text(change((FIXTURES / f"{name}.jsonl").read_text()))
    capture = load(path)
    return read_capture(path.name, [capture.header, *capture.records])


def test_the_spelling_of_the_wrapper_is_no_difference():
    comparison = diff_captures(loaded("chain"), loaded("chain-conductor"))
    changed = [(change.kind, change.item.what) for change in comparison.said.changes]
    assert changed == [("gone", "proxy/initialize"), ("added", "_proxy/initialize")]


def test_other_words_inside_are_one_changed_text(tmp_path):
    def change(text):
        lines = text.splitlines()
        lines[11] = lines[11].replace("This is ", "That is ")
        return "\n".join(lines) + "\n"

    comparison = diff_captures(loaded("chain"), loaded("chain", change, tmp_path))
    (changed,) = comparison.said.changes
    assert changed.item.what == "successor › agent_message_chunk"


def test_another_session_is_the_same(tmp_path):
    other = loaded("chain", lambda text: text.replace("s-1", "session-9"), tmp_path)
    assert diff_captures(loaded("chain"), other).said.changes == ()
