"""The screens of the console, driven by keys and mouse."""

import asyncio
import json
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from support.console import InlineReading, answer, console, conversation, lines, press
from textual.events import Key, MouseScrollDown, MouseScrollUp, Paste

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile, read
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.console import app, details
from acp_spy.console.captures_screen import _SLICE, CapturesScreen, capture_lines
from acp_spy.console.details import DetailsPane
from acp_spy.console.page_link import Link, PageServer
from acp_spy.console.reading import Findings, Progress
from acp_spy.errors import AcpSpyError
from acp_spy.view.captures.live import LiveCaptures
from acp_spy.wire.frame import Frame

RECORDINGS = Path(__file__).parents[2] / "recordings"
NEW = '-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {}}'


def test_the_list_shows_running_captures_first_and_new_ones_by_themselves(tmp_path):
    async def test():
        async with console(tmp_path) as pilot:
            shown = lines(pilot)
            assert "no captures yet" in shown[0]
            text = "\n".join(shown)
            assert all(way in text for way in ("acp-spy demo", "acp-spy setup", "acp-spy -- AGENT"))
            shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)
            capture = CaptureFile(
                str(tmp_path / "run.jsonl"), Header(started="2020-01-01T00:00:00Z")
            )
            capture.append(parse(NEW))
            pilot.app.screen.look()
            await pilot.settled()
            shown = lines(pilot)
            assert "2 captures, 1 running" in shown[0]
            assert "running" in shown[1]
            assert any("waiting for agent: `session/new`" in line for line in shown)
            await press(pilot, "j", "enter")
            assert "52 frames" in lines(pilot)[0]
            capture.close()
            await press(pilot, "q")
            assert isinstance(pilot.app.screen, CapturesScreen)
            await press(pilot, "q")
        assert pilot.app.return_code == 0

    asyncio.run(test())


def test_the_list_is_searched_in_what_it_says_and_says_so(tmp_path):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)

    async def test():
        async with console(tmp_path) as pilot:
            await answer(pilot, "/", "everything works")  # of the diagnosis
            assert "1 with `everything works`; esc shows all" in lines(pilot)[0]
            await answer(pilot, "/", "nowhere")
            assert "0 with" in lines(pilot)[0]
            await press(pilot, "escape")
            assert "with" not in lines(pilot)[0]
            assert pilot.app.screen.pane.current is not None

    asyncio.run(test())


def test_the_head_says_what_may_have_changed_the_traffic(tmp_path):
    note = "acp-spy may have changed the traffic: --fix"
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(note=note), *parse(NEW)]))

    async def test():
        async with console(tmp_path, path) as pilot:
            assert lines(pilot)[1].strip() == f"note: {note}"

    asyncio.run(test())


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_keys_after_the_one_that_quits_do_nothing(tmp_path, key):
    async def test():
        async with console(tmp_path) as pilot:
            screen = pilot.app.screen
            assert screen.check_action("open", ())
            await pilot.press(key)
            assert not screen.check_action("open", ())
        assert pilot.app.return_code == 0

    asyncio.run(test())


def test_a_look_at_the_folder_does_not_begin_a_second_reading(tmp_path, monkeypatch):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)

    async def test():
        async with console(tmp_path) as pilot:
            screen = pilot.app.screen
            monkeypatch.setattr(screen._live, "advance", lambda: True)  # there is always more
            for _ in range(5):
                screen.look()
            started = [each for each in screen._timers if each._task is not None]
            assert len([each for each in started if each._interval == _SLICE / 2]) == 1

    asyncio.run(test())


def test_a_timer_that_is_late_finds_a_screen_without_its_parts(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            status = conversation(pilot)._document.status
            for screen in pilot.app.screen_stack[1:]:
                await screen.remove_children()
            conversation(pilot)._look()
            conversation(pilot).take(Progress(status))
            pilot.app.pop_screen()
            pilot.app.screen.look()
            pilot.app.screen._read_on()

    asyncio.run(test())


@pytest.mark.long
def test_keys_of_a_conversation(tmp_path):  # noqa: PLR0915 - one walk
    """One long walk: each console costs a fifth of a second."""
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():  # noqa: PLR0915
        async with console(tmp_path, path) as pilot:
            screen = conversation(pilot)
            rows = screen.rows

            def seq():
                return rows.current.row.seq

            assert seq() == 1
            await press(pilot, "p")
            assert seq() == 2  # the response
            await press(pilot, "p", "j")
            assert seq() == 2
            await press(pilot, "G")
            assert rows.current.row.kind == "exit"
            await press(pilot, "g", "n")
            assert seq() == 2  # the first finding
            await press(pilot, "n")
            assert rows.current.row.what == "session/request_permission"
            await press(pilot, "N")
            await press(pilot, "G", "n")  # there is none after the last row
            assert seq() == 2
            assert lines(pilot)[-1] == " no finding after that row: this is the first one"
            await press(pilot, "N")
            assert seq() != 2
            assert lines(pilot)[-1] == " no finding before that row: this is the last one"
            await press(pilot, "G")
            await answer(pilot, "/", "fallback")
            assert "fallback" in rows.current.item.text
            assert lines(pilot)[-1] == " no match after that row: this is the first one"
            assert "search: fallback" in lines(pilot)[0]
            await press(pilot, "g", "N")
            assert "fallback" in rows.current.item.text
            await answer(pilot, "/", "nowhere at all")
            assert lines(pilot)[-1] == " not found: nowhere at all"
            await press(pilot, "escape")
            assert "search" not in lines(pilot)[0]
            await answer(pilot, "/", "fallback")
            await press(pilot, "escape")
            await answer(pilot, ":", "26")
            assert seq() == 26
            await press(pilot, "enter")
            assert screen.panel == "details"
            assert any("frame 26  agent → client" in line for line in lines(pilot))
            assert any('"method": "session/request_permission"' in line for line in lines(pilot))
            await press(pilot, "enter", "j", "j", "j")  # into the details, to the first brace
            details = pilot.app.screen.query_one(DetailsPane)
            count = details.count
            await press(pilot, "enter")
            assert details.count < count
            await press(pilot, "tab")
            await press(pilot, "G")
            assert any("LIF111" in line and "frame 26" in line for line in lines(pilot))
            await press(pilot, "g", "enter")
            assert seq() == 2
            await press(pilot, "tab")
            assert any("slowest:" in line for line in lines(pilot))
            await press(pilot, "tab")
            assert screen.panel == "stderr"
            await press(pilot, "escape")
            assert screen.panel == ""
            await answer(pilot, "f", "kind:request")
            assert screen.filters == ("kind:request",)
            assert {rows.document.show(place).row.kind for place, _, _ in rows._layout()} == {
                "request"
            }
            await answer(pilot, "f", "kind:request nonsense:x")
            assert screen.filters == ("kind:request",)
            assert any("no such filter" in line for line in lines(pilot))
            assert any(line.startswith("filter: kind:request nonsense:x") for line in lines(pilot))
            await press(pilot, "escape")
            await press(pilot, "g", "m", "m")
            await answer(pilot, "x", str(tmp_path / "two.jsonl"))
            exported = (tmp_path / "two.jsonl").read_text().splitlines()
            assert [line.count('"type":"frame"') for line in exported] == [0, 1, 1]
            await press(pilot, "y")
            assert pilot.app.clipboard.startswith('{"jsonrpc"')
            await press(pilot, "?")
            assert any("go down one row" in line for line in lines(pilot))
            await press(pilot, "escape", "escape")
            assert screen.filters == ()
            await pilot.click("#rows", offset=(10, 1))
            assert seq() == 2
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, CapturesScreen)

    asyncio.run(test())


def test_a_recording_is_followed_until_the_person_looks_elsewhere(tmp_path):
    capture = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    request = '-> {"jsonrpc": "2.0", "id": %d, "method": "session/new", "params": {}}'
    capture.append(parse(request % 1))

    async def test():
        async with console(tmp_path) as pilot:
            from acp_spy.console.reading import Show

            pilot.app.open_capture(str(tmp_path / "run.jsonl"))
            await pilot.pause()
            screen = conversation(pilot)
            while not screen._document.status.items:
                await pilot.pause()
            assert screen.rows.follows
            assert "running, following" in lines(pilot)[0]
            capture.append(parse(f"{request % 1}\n{request % 2}")[1:])
            while screen._document.status.items < 2:
                await pilot.pause()
            assert screen.rows.cursor == screen._document.last()
            await pilot.press("g")
            screen.rows.update()  # as when more is read
            assert screen.rows.cursor == screen._document.first()
            await pilot.press("G")
            assert screen.rows.follows
            await pilot.press("k")
            assert not screen.rows.follows
            assert any("waiting for agent: `session/new`" in line for line in lines(pilot))
            pilot.app._reading.send(Show(99))
            capture.close()

    asyncio.run(test())


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_what_a_peer_sends_is_inert_and_fits(tmp_path, size, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    hostile = "\\u001b[31mred\\u202Ertl [bold]markup[/] 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字"
    text = (
        f'-> {{"jsonrpc": "2.0", "id": 1, "method": "{hostile}", "params": {{"a": "{hostile}"}}}}'
    )
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), *parse(text)]))

    async def test():
        async with console(tmp_path, path, size) as pilot:
            await press(pilot, "escape", "enter")
            shown = lines(pilot)
            assert all(line.isprintable() for line in shown)
            assert any(r"\x1b[31mred\u202ertl [bold]markup[/] 漢字" in line for line in shown)
            assert any(line.startswith("›") for line in shown)  # the cursor, without color

    asyncio.run(test())


def test_in_a_tiny_terminal_there_is_room_for_a_row_and_the_help(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path, (1, 1)) as pilot:
            await press(pilot, "j", "enter", "tab", "tab", "tab", "escape", "?", "escape")
            await pilot.resize_terminal(20, 5)
            await pilot.settled()
            shown = lines(pilot)
            assert shown[2].startswith("›   2")
            assert shown[-1].startswith(" ? help")
            await pilot.resize_terminal(80, 24)
            await pilot.settled()
            assert lines(pilot)[-1].startswith(" ? help  q back  enter details")

    asyncio.run(test())


def test_before_a_recording_is_read_it_is_not_said_what_is_pending(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            screen = conversation(pilot)
            status = msgspec.structs.replace(screen._document.status, running=True)
            for is_read, words in ((False, "not read to the end yet"), (True, "no request is")):
                screen._update(msgspec.structs.replace(status, is_read=is_read))
                await pilot.pause()
                assert lines(pilot)[-2].startswith(f"── {words}")

    asyncio.run(test())


def test_of_a_capture_that_is_not_read_yet_the_list_does_not_say_how_it_ended(tmp_path):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)
    live = LiveCaptures(str(tmp_path))
    live.refresh()
    said = []
    for _ in range(2):
        line = capture_lines(live.listed(0)[0], 80)[0]
        said.append("".join(text for _, text in line))
        while live.advance():
            pass
    live.close()
    assert re.fullmatch(r"\S+ \S+ +…  codex-acp  \d+ kB  codex.jsonl", said[0]), said[0]
    assert "ended     fine  codex-acp 0.16.0  52 frames in 13.2 s" in said[1]


def test_what_is_pasted_is_inert_and_presses_no_keys(tmp_path):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)

    async def test():
        async with console(tmp_path) as pilot:
            before = lines(pilot)
            pilot.app.post_message(Paste("q\nq"))
            await pilot.settled()
            assert lines(pilot) == before
            await press(pilot, "/")
            pilot.app.post_message(Paste("c\x9b31m\u202eo\nq"))
            await pilot.settled()
            assert lines(pilot)[-2] == r"/ c\x9b31m\u202eo"
            await press(pilot, "X")  # behind what was pasted, not within it
            assert lines(pilot)[-2] == r"/ c\x9b31m\u202eoX"
            pilot.app.copy_to_clipboard("\x1bab")
            await press(pilot, "ctrl+v", "Y")
            assert lines(pilot)[-2] == r"/ c\x9b31m\u202eoX\x1babY"
            pilot.app.screen.ask("filter:", "\x1bab", lambda _: None)
            await press(pilot, "Z")
            assert lines(pilot)[-2] == r"filter: \x1babZ"

    asyncio.run(test())


def test_a_pasted_emoji_is_searched_for_as_it_is(tmp_path):
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    capture = CaptureFile(str(tmp_path / "a.jsonl"), Header(started="2020-01-01T00:00:00Z"))
    for text in (NEW, f'-> {{"jsonrpc": "2.0", "method": "_x", "params": {{"who": "{family}"}}}}'):
        capture.append(parse(text))
    capture.close()

    async def test():
        async with console(tmp_path, tmp_path / "a.jsonl") as pilot:
            await press(pilot, "g", "/")
            pilot.app.post_message(Paste(family))
            await pilot.settled()
            await press(pilot, "enter")
            current = pilot.app.screen.rows.current
            assert current.row.what == "_x", current

    asyncio.run(test())


def test_a_capture_whose_name_is_not_utf_8_is_opened_and_its_path_copied(tmp_path):
    shutil.copy(RECORDINGS / "codex.jsonl", os.fsencode(tmp_path) + b"/\xff.jsonl")

    async def test():
        async with console(tmp_path) as pilot:
            await press(pilot, "y")
            assert pilot.app.clipboard.endswith("/\N{REPLACEMENT CHARACTER}.jsonl")
            await press(pilot, "enter")
            assert "52 frames" in lines(pilot)[0]
            assert lines(pilot)[0].endswith(r"\udcff.jsonl")

    asyncio.run(test())


def test_another_capture_is_filtered_before_anything_of_it_is_read(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        shutil.copy(RECORDINGS / "codex.jsonl", tmp_path / name)

    async def test():
        async with console(tmp_path, tmp_path / "a.jsonl") as pilot:
            await press(pilot, "q")
            pilot.app.open_capture(str(tmp_path / "b.jsonl"))
            screen = conversation(pilot)
            while not screen.run_number:  # noqa: ASYNC110 - before the reader has its turn
                await asyncio.sleep(0)
            assert not screen._document.status.run
            screen._set_filters(("kind:request",))
            await pilot.settled()
            assert "filter: kind:request (5 shown)" in lines(pilot)[0]

    asyncio.run(test())


def test_a_report_about_the_capture_before_is_passed_over(tmp_path):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)

    async def test():
        async with console(tmp_path) as pilot:
            pilot.app.open_capture(str(tmp_path / "codex.jsonl"))
            screen = conversation(pilot)
            screen.take(Findings(99, [], 0))  # while it has no panel yet
            await pilot.settled()
            assert "52 frames" in lines(pilot)[0]

    asyncio.run(test())


def test_a_notice_is_inert_and_hides_only_the_footer_until_a_key(tmp_path):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)

    async def test():
        async with console(tmp_path) as pilot:
            before = lines(pilot)
            pilot.app.screen.notify("[bold]\x1b]52;c;AA\x07")
            await pilot.pause()
            assert lines(pilot) == [*before[:-1], " [bold]\\x1b]52;c;AA\\x07"]
            error = AcpSpyError("no \x1b[31m \u202e [bold]file[/]", hint="look")
            pilot.app.screen.complain(error)
            assert pilot.app.screen._notice_timer is None  # it stays
            await pilot.pause()
            shown = lines(pilot)
            assert shown[:-2] == before[:-2]
            assert shown[-2:] == [" no \\x1b[31m \\u202e [bold]file[/]", " hint: look"]
            await press(pilot, "j")
            assert lines(pilot) == before

    asyncio.run(test())


def test_the_end_of_the_process_that_reads_is_reported(tmp_path, monkeypatch):
    async def no_messages(_self):
        for nothing in ():
            yield nothing

    monkeypatch.setattr(InlineReading, "messages", no_messages)

    async def test():
        async with console(tmp_path) as pilot:
            assert lines(pilot)[-2].startswith(" cannot read on: the process that reads")

    asyncio.run(test())


def test_a_bug_ends_the_console_without_what_it_was_about(tmp_path, monkeypatch, capfd):
    async def messages(_self):
        raise KeyError("secret")
        yield

    monkeypatch.setattr(InlineReading, "messages", messages)
    monkeypatch.setattr(app, "ReaderProcess", lambda _: InlineReading())
    monkeypatch.setattr(app.sys, "setswitchinterval", lambda _: None)  # not of this process
    monkeypatch.setattr(app.ConsoleApp, "run", lambda self: asyncio.run(_run_to_its_end(self)))
    assert app.run_console(str(tmp_path), "", None) == 70
    _, err = capfd.readouterr()
    assert err.startswith("a bug in acp-spy: KeyError at test_screens.py:")
    assert "secret" not in err


async def _run_to_its_end(console):
    with suppress(Exception):
        async with console.run_test() as pilot:
            while console.bug is None:
                await pilot.pause()


def test_a_marked_row_that_a_filter_hides_is_not_replaced_by_another(tmp_path):
    path, out = tmp_path / "codex.jsonl", tmp_path / "out.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            await answer(pilot, ":", "2")  # a response
            await press(pilot, "m")
            await answer(pilot, "f", "kind:request")
            await answer(pilot, "x", str(out))
            await press(pilot, "f")

    asyncio.run(test())
    assert [each for each in read(str(out)) if isinstance(each, Frame)] == []


def test_where_no_row_is_shown_there_is_no_way_to_one(tmp_path):
    path = Path(__file__).parents[2] / "fixtures" / "with-findings.jsonl"

    async def test():
        async with console(tmp_path, path) as pilot:
            await press(pilot, "enter", "tab")
            await answer(pilot, "f", "text:zzzz")
            await press(pilot, "w", "enter")
            assert "no row is shown" in "\n".join(lines(pilot))
            await answer(pilot, ":", "9" * 5000)
            assert "no such frame" in "\n".join(lines(pilot))

    asyncio.run(test())


def test_of_a_frame_with_very_many_lines_only_the_first_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr(details, "_MOST_LINES", 50)
    made = []
    monkeypatch.setattr(details, "width_of", lambda line: made.append(line) or 1)
    path = tmp_path / "run.jsonl"
    text = f'-> {{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {[1] * 1000}}}'
    path.write_bytes(encode([Header(), *parse(text)]))

    async def test():
        async with console(tmp_path, path, (80, 60)) as pilot:
            assert conversation(pilot).query_one(DetailsPane).count == 50
            assert len(made) < 500  # it may be laid out more than once

    asyncio.run(test())


def test_a_marked_fold_is_exported_without_what_is_in_between(tmp_path):
    path, out = tmp_path / "two.jsonl", tmp_path / "out.jsonl"
    chunks = [
        {
            "sessionId": session,
            "update": {
                "sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": "x"},
            },
        }
        for session in "abababb"
    ]
    text = "\n".join(
        "<- " + json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": each})
        for each in chunks
    )
    path.write_bytes(encode([Header(), *parse(text)]))

    async def test():
        async with console(tmp_path, path) as pilot:
            await press(pilot, "g", "m")
            await answer(pilot, "x", str(out))
            assert ": 3 frames" in lines(pilot)[-1]
            await press(pilot, "g", "enter", "left", "left", "right")
            assert conversation(pilot).query_one(DetailsPane).seq == 3

    asyncio.run(test())
    assert [each.seq for each in read(str(out)) if isinstance(each, Frame)] == [1, 3, 5]


def _replace(path):
    shutil.copy(RECORDINGS / "claude.jsonl", path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def _overwrite(path):
    with path.open("r+b") as file:
        file.write(b"\x00\x1b[31m\xff garbage\n" * 2000)


@pytest.mark.parametrize(
    ("change", "said"),
    [(Path.unlink, "removed"), (_replace, "replaced"), (_overwrite, "overwritten")],
)
def test_a_capture_that_is_another_one_now_is_reported_and_its_rows_stay(tmp_path, change, said):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            change(path)
            conversation(pilot)._look()
            await pilot.pause()
            assert any(f"it was {said}" in line for line in lines(pilot)[:6])
            rows = lines(pilot)[6:12]
            await press(pilot, "z")
            assert f"it was {said}" in "\n".join(lines(pilot)[-2:])
            await answer(pilot, "f", "from:agent")
            await press(pilot, "escape")
            assert "52 frames" in lines(pilot)[0]
            assert "filter" not in lines(pilot)[0]
            assert lines(pilot)[6:12] == rows

    asyncio.run(test())


def test_what_is_typed_fast_after_a_key_that_asks_for_a_line_is_for_the_line(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            for letter in "xout.md":  # o opens a page, and m marks a row
                pilot.app.post_message(Key(letter, letter))
            await pilot.settled()
            assert lines(pilot)[-2].rstrip() == "export the rows that are shown to: out.md"
            assert not conversation(pilot).rows.marks
            assert not pilot.app._servers
            await press(pilot, "escape")
            for letter in "wj":  # the row in the panel, and not the one above it
                pilot.app.post_message(Key(letter, letter))
            await pilot.settled()
            assert isinstance(conversation(pilot).pane, DetailsPane)
            assert conversation(pilot).rows.cursor == conversation(pilot)._document.first()

    asyncio.run(test())


def test_keys_that_are_typed_fast_into_a_line_are_done_in_their_order(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:

            async def type_fast(*typed):
                for each in typed:
                    is_letter = len(each) == 1
                    pilot.app.post_message(Key(each, each if is_letter else None))
                await pilot.settled()

            await type_fast("f", *"kinx", "backspace")
            pilot.app.post_message(Paste("d:request"))
            await type_fast("enter", "w")
            assert conversation(pilot).filters == ("kind:request",)
            assert isinstance(conversation(pilot).pane, DetailsPane)  # w is not for the line
            await type_fast("f", "ctrl+u", *"from:me", "enter", "ctrl+u", *"from:agent", "enter")
            assert conversation(pilot).filters == ("from:agent",)
            assert not conversation(pilot).rows.marks  # m is a letter there

    asyncio.run(test())


def test_a_capture_that_was_emptied_is_reported_and_not_exported(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            os.truncate(path, 0)
            conversation(pilot)._look()
            await pilot.pause()
            assert any("it became shorter" in line for line in lines(pilot))
            await answer(pilot, "x", str(tmp_path / "out.jsonl"))
            assert any("it became shorter" in line for line in lines(pilot)[-8:])
            await press(pilot, "escape")

    asyncio.run(test())
    assert not (tmp_path / "out.jsonl").exists()


def test_the_wheel_and_the_scroll_bar_move_what_is_seen(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            rows = conversation(pilot).rows
            first = rows._layout()[0]
            wheel = {"button": 0, "shift": False, "meta": False, "ctrl": False}
            for kind, seen in ((MouseScrollDown, False), (MouseScrollUp, True)):
                rows.post_message(kind(rows, 5, 5, 0, 0, screen_x=5, screen_y=5, **wheel))
                await pilot.settled()
                assert (rows._layout()[0] == first) == seen
            bar, bottom = rows.size.width - 1, rows.size.height - 1
            await pilot.mouse_down("#rows", offset=(bar, bottom))
            assert rows.cursor == rows.document.last()
            await pilot.hover("#rows", offset=(bar, 0))  # dragged
            assert rows._layout()[0] == first
            await pilot.mouse_up("#rows", offset=(bar, 0))
            await pilot.hover("#rows", offset=(bar, bottom))  # not any more
            assert rows._layout()[0] == first
            await pilot.click("#rows", offset=(10, 2))
            place = rows.cursor
            await pilot.click("#rows", offset=(10, 2))
            await pilot.settled()
            assert (rows.cursor, conversation(pilot).panel) == (place, "details")

    asyncio.run(test())


def test_tabs_and_the_keys_of_the_footer_are_clicked(tmp_path):
    path = tmp_path / "codex.jsonl"
    shutil.copy(RECORDINGS / "codex.jsonl", path)

    async def test():
        async with console(tmp_path, path) as pilot:
            screen = conversation(pilot)

            async def click(head, word):
                line = next(line for line in reversed(lines(pilot)) if word in line)
                await pilot.click(head, offset=(line.index(word), 0))
                await pilot.settled()

            await click("#footer", "details")
            assert screen.panel == "details"
            await click("#tabs", "stats")
            assert screen.panel == "stats"
            await pilot.click("#tabs", offset=(0, 0))  # nothing is there
            assert screen.panel == "stats"
            for answered, filters in (("cancel", ()), ("done", ("kind:request",))):
                await press(pilot, "f")
                assert lines(pilot)[-2].startswith("filter: for example from:agent")
                assert lines(pilot)[-1].strip() == "enter done  esc cancel"  # ? would be a letter
                screen.query_one("#line").value = "kind:request"
                await click("#footer", answered)
                assert screen.filters == filters
            await click("#footer", "back")
            assert isinstance(pilot.app.screen, CapturesScreen)

    asyncio.run(test())


def test_o_shows_the_url_until_a_key_and_y_copies_it_and_ctrl_c_quits(tmp_path, monkeypatch):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)
    asked = []

    async def link(server, path, filters):
        asked.append((server, path, filters))
        return Link("http://127.0.0.1:1/capture/codex.jsonl#token=" + "x" * 60, is_open=False)

    monkeypatch.setattr(PageServer, "link", link)

    async def test():
        async with console(tmp_path) as pilot:
            before = lines(pilot)
            await press(pilot, "o")
            shown = lines(pilot)
            assert "open this URL in a browser" in shown[-6]
            assert "".join(shown[-4:-2]).endswith("x" * 60)
            await press(pilot, "y")
            assert pilot.app.clipboard.endswith("x" * 60)
            assert lines(pilot)[-1].startswith("copied")
            await press(pilot, "j")
            assert lines(pilot) == before
            await press(pilot, "enter")
            await answer(pilot, "f", "kind:request")
            await press(pilot, "o", "escape")
            assert isinstance(pilot.app.screen, type(conversation(pilot)))
            first, second = asked
            assert first[0] is second[0]  # one server
            assert second[2] == ("kind:request",)
            await press(pilot, "o")
            for letter in "jj":  # the second is not for what is below
                pilot.app.post_message(Key(letter, letter))
            await pilot.settled()
            assert pilot.app.screen is conversation(pilot)
            await press(pilot, "o")
            assert "any other key goes back" in lines(pilot)[-1]
            await pilot.press("ctrl+c")
        assert pilot.app.return_code == 0

    asyncio.run(test())


def test_the_server_of_pages_gives_links_and_ends_with_its_stdin(tmp_path):
    shutil.copy(RECORDINGS / "codex.jsonl", tmp_path)
    paths = [str(tmp_path / "codex.jsonl"), str(tmp_path / "\udcff.jsonl")]

    async def test():
        server = PageServer(str(tmp_path), "")
        links = [await server.link(path, ("kind:request",)) for path in (*paths, paths[0])]
        assert len({link.url for link in links}) == 3
        assert len({link.url.partition("/capture/")[0] for link in links}) == 1
        assert "/capture/%FF.jsonl#filter=kind%3Arequest&token=" in links[1].url
        process = server._process
        process.stdin.close()  # as when the console is killed
        assert await process.wait() == 0
        process.kill = pytest.fail  # asyncio may complain about a signal to what has ended
        with pytest.raises(AcpSpyError, match="its server has ended"):
            await server.link(paths[0], ())
        assert server._process is None

    asyncio.run(test())
