"""What docs/intercept.md says is so: commands, actions, events, fields."""

import re
from pathlib import Path

from support.holds import Bench, update

from acp_spy.cli.hold import hold
from acp_spy.console.keys import KEYS
from acp_spy.middleware.holds.control import Control
from acp_spy.view.held_frames import describe, describe_event

PAGE = (Path(__file__).parent.parent / "docs" / "intercept.md").read_text(encoding="utf-8")


def first_column(header: str) -> set[str]:
    table = PAGE.partition(f"| {header} |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([^`]*)`", cell)}


def test_every_command_is_in_the_table():
    names = {each.name or each.callback.__name__ for each in hold.registered_commands}
    assert {words.split()[1] for words in first_column("command")} == names


def test_every_key_of_the_console_for_held_frames_is_in_the_table():
    keys = {key.key for key in KEYS if key.action.startswith("held(")}
    table = PAGE.partition("| key |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(.)` \|", table, re.MULTILINE)) == {*keys, "w"}


def test_every_action_is_in_the_table():
    assert first_column("action") == set(Control._ACTIONS)


def test_every_event_and_every_field_of_a_held_frame_is_in_a_table():
    bench = Bench().attach()
    bench.agent(update())
    held = bench.messages[-1]
    assert first_column("field of a held frame") == held.keys() - {"event"}
    bench.ask("aside")
    bench.ask("edit", message={"jsonrpc": "2.0", "method": "m"})
    bench.ask("filter", filter=[])
    bench.ask("add_fault", spec="drop")
    assert set(bench.events()) <= first_column("event") == {*bench.events(), "hello", "response"}


def test_held_frames_are_shown_as_on_the_page(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    entry = {
        "seq": 14,
        "sender": "client",
        "what": "response to session/request_permission",
        "gist": "Allow (allow_once)",
        "size": 90,
        "left": 60.0,
        "edited": False,
        "aside": False,
        "behind": None,
        "waiting": 0,
    }
    assert f"    {describe_event({'event': 'held', **entry})}\n" in PAGE
    assert f"    {describe({**entry, 'left': 42.1, 'waiting': 1})}\n" in PAGE
