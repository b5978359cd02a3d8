import io
import json as json_library
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.view.captures import json, text
from acp_spy.view.captures.summary import PeerName, State, Summary
from acp_spy.wire.frame import Peer


def a_summary(name="20260105T093000Z-bot-4242.jsonl", **more):
    fields = {
        "started": datetime(2026, 1, 5, 9, 30, tzinfo=UTC),
        "state": State.ENDED,
        "agent": PeerName("bot", "1.0"),
        "client": PeerName("ed", "0.2"),
        "frames": 12,
        "findings": {},
        "seconds": 724.0,
        "status": 0,
        "size": 3400,
        **more,
    }
    return Summary(path=f"/captures/{name}", name=name, **fields)


FINE = Diagnosis("fine", "Everything works.", None, (), "")
THREE = [
    a_summary(
        state=State.RUNNING,
        agent=PeerName("@some-scope/some-agent", "0.12.1"),
        findings={"error": 3, "warning": 1, "note": 12, "rumour": 1},
        frames=12345,
        diagnosis=Diagnosis("agent-died", "It died.", Peer.AGENT, (1, 2), "help it"),
    ),
    a_summary("run.jsonl", state=State.CUT_OFF, client=PeerName(""), seconds=0.034, diagnosis=FINE),
    a_summary("odd\x1b[2J.jsonl", agent=PeerName(""), frames=None, findings=None, seconds=None),
]


@pytest.fixture(autouse=True)
def east_of_greenwich(monkeypatch):
    monkeypatch.setenv("TZ", "UTC-1")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def shown(summaries, width=80, *, colours=False):
    out = io.StringIO()
    colour_system = "truecolor" if colours else None
    text.render(
        "/captures",
        summaries,
        Console(file=out, width=width, force_terminal=colours, color_system=colour_system),
    )
    return out.getvalue()


def test_eighty_columns_have_room_for_the_name_below():
    assert shown(THREE) == (
        "started           state       length  frames  findings   agent\n"
        "2026-01-05 10:30  running  12 m 04 s  12,345  3E 1W 12N  some-agent 0.12.1\n"
        "  20260105T093000Z-bot-4242.jsonl  agent died  client ed 0.2\n"
        "2026-01-05 10:30  cut off      34 ms      12  -          bot 1.0\n"
        "  run.jsonl  fine\n"
        "2026-01-05 10:30  ended            ?       ?  ?          ?\n"
        "  odd\\x1b[2J.jsonl  client ed 0.2\n"
        "\n"
        "3 captures, 10 kB, in /captures\n"
    )


def test_a_wide_terminal_has_room_for_all_in_one_row():
    assert shown(THREE, 140) == (
        "started           state       length  frames  findings   agent              diagnosis   client  name\n"
        "2026-01-05 10:30  running  12 m 04 s  12,345  3E 1W 12N  some-agent 0.12.1  agent died  ed 0.2  20260105T093000Z-bot-4242.jsonl\n"
        "2026-01-05 10:30  cut off      34 ms      12  -          bot 1.0            fine        ?       run.jsonl\n"
        "2026-01-05 10:30  ended            ?       ?  ?          ?                  ?           ed 0.2  odd\\x1b[2J.jsonl\n"
        "\n"
        "3 captures, 10 kB, in /captures\n"
    )


def test_an_empty_folder_is_said_to_be():
    assert shown([]) == "no captures in /captures\n"


def test_colours_say_nothing_that_words_do_not():
    import re

    coloured = shown(THREE, colours=True)
    assert "\x1b[1;32mrunning" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown(THREE)


def test_a_long_name_of_an_agent_gives_way_and_that_of_a_file_does_not():
    name = "x" * 100 + ".jsonl"
    lines = shown([a_summary(name, agent=PeerName("y" * 1_000_000))]).splitlines()
    assert len(lines[1]) == 80
    assert lines[2].startswith(f"  {name}")


def test_a_long_name_of_a_client_is_cut_and_that_of_a_file_is_not():
    client = PeerName("y" * 1_000_000)
    lines = shown([a_summary(client=client), a_summary("x" * 100, client=client)]).splitlines()
    assert len(lines[2]) == 80
    assert lines[2].endswith("  client " + "y" * 37 + "…")
    assert lines[4] == "  " + "x" * 100 + "  client yyyyy…"


def test_programs_get_all_of_it():
    rendered = json_library.loads(json.render("/captures", THREE))
    assert rendered["folder"] == "/captures"
    assert rendered["captures"][0] == {
        "path": "/captures/20260105T093000Z-bot-4242.jsonl",
        "started": "2026-01-05T09:30:00.000000Z",
        "state": "running",
        "agent": {"name": "@some-scope/some-agent", "version": "0.12.1"},
        "client": {"name": "ed", "version": "0.2"},
        "frames": 12345,
        "findings": {"error": 3, "warning": 1, "note": 12},
        "seconds": 724.0,
        "status": 0,
        "reason": None,
        "bytes": 3400,
        "diagnosis": {
            "kind": "agent-died",
            "text": "It died.",
            "blame": "agent",
            "seq": [1, 2],
            "hint": "help it",
        },
    }
    assert rendered["captures"][2]["diagnosis"] is None
    assert rendered["captures"][1]["findings"] == {"error": 0, "warning": 0, "note": 0}
    last = rendered["captures"][2]
    assert [last[key] for key in ("frames", "findings", "seconds")] == [None, None, None]
    assert last["agent"] == {"name": None, "version": None}


def test_the_docs_show_it_as_it_is(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    folder = "/home/dev/.local/state/acp-spy/captures"
    summaries = [
        a_summary(
            "20260105T093000Z-some-agent-4242.jsonl",
            state=State.RUNNING,
            frames=1234,
            findings={"error": 3, "warning": 1},
            agent=PeerName("some-agent", "0.12.1"),
            client=PeerName("some-editor", "0.2"),
            size=1_200_000,
            diagnosis=replace(FINE, kind="prompt-pending"),
        ),
        a_summary(
            "20260104T170211Z-other-agent-977.jsonl",
            started=datetime(2026, 1, 4, 17, 2, 11, tzinfo=UTC),
            seconds=2.3,
            agent=PeerName("other-agent"),
            client=PeerName(""),
            diagnosis=FINE,
        ),
        a_summary(
            "20260104T165840Z-other-agent-961.jsonl",
            started=datetime(2026, 1, 4, 16, 58, 40, tzinfo=UTC),
            state=State.CUT_OFF,
            seconds=0.034,
            frames=1,
            agent=PeerName("other-agent"),
            client=PeerName(""),
            diagnosis=replace(FINE, kind="cut-off"),
        ),
    ]
    page = (Path(__file__).parents[3] / "docs" / "captures.md").read_text()
    rendered = shown(summaries).replace("/captures", folder)
    assert f"$ acp-spy list\n{rendered}```" in page


@pytest.mark.parametrize("year", [1, 9999])
@pytest.mark.parametrize("zone", ["UTC-14", "UTC+12"])
def test_the_first_and_the_last_day_of_all_are_days_too(year, zone, monkeypatch):
    """Whoever has made the capture has made its header; here the clock cannot tell such a time."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    moment = datetime(year, *((12, 31, 23, 59) if year > 1 else (1, 1)), tzinfo=UTC)
    row = shown([a_summary(started=moment)], 200).splitlines()[1]
    assert row.lstrip("0").startswith(f"{year}-")  # from Python 3.14 on a year has four digits
