"""The held frames of a run in the console: listed, released, edited, dropped; by a real socket."""

import asyncio
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.holds import Run, message, request, update

from acp_spy.console.held import COMMANDS, HeldPanel
from acp_spy.console.host import Host
from acp_spy.console.keys import CONVERSATION, bindings
from acp_spy.console.screen import ConsoleScreen
from acp_spy.middleware.holds.actions import TYPED
from acp_spy.middleware.holds.client import connect
from acp_spy.wire.frame import Peer


class OneScreen(ConsoleScreen):
    """The panel, and the line to type in."""

    name_of_keys = CONVERSATION
    BINDINGS = bindings(CONVERSATION)

    def __init__(self, path):
        super().__init__()
        self.panel = HeldPanel(path, id="held")

    @property
    def pane(self):
        return self.panel

    def compose(self):
        yield self.panel
        yield from self.compose_bottom()

    def action_held(self, action):
        self.attempt(lambda: self.panel.act(action))

    def run_command(self, words):
        self.panel.run_command(words)


class OneApp(Host):
    """The screen; `said` is what the person was told, `edits` how often the editor had the terminal."""

    def __init__(self, path):
        super().__init__()
        self.one = OneScreen(path)
        self.said, self.edits = [], 0

    def on_mount(self):
        self.push_screen(self.one)

    def notify(self, text, **_more):
        self.said.append(text)

    @contextmanager
    def suspend(self):  # there is no terminal to give away
        yield
        self.edits += 1  # as Textual does, not after an error


class Seat:
    """A person at the keyboard."""

    def __init__(self, pilot):
        self.pilot = pilot
        self.app, self.panel = pilot.app, pilot.app.one.panel

    async def until(self, is_so):
        while not is_so():
            assert self.app.is_running, "the console has ended"
            await self.pilot.pause(0.01)

    async def holds(self, *seqs):
        """Wait until exactly these frames are listed."""
        await self.until(lambda: self.panel._seqs == [*seqs])

    async def attached(self):
        await self.until(lambda: self.panel._now.is_attached)

    async def press(self, *keys):
        await self.pilot.press(*keys)

    async def type(self, text):
        """Replace what is in the line, and press Enter."""
        self.app.one.query_one("#line").value = text
        await self.pilot.press("enter")

    async def told(self, words):
        """Wait until the person was told something; return all of it."""
        await self.until(lambda: any(words in each for each in self.app.said))
        return next(each for each in self.app.said if words in each)

    async def refused(self, words):
        """Wait until the line that was typed is refused."""
        error = self.app.one.query_one("#error")
        await self.until(lambda: any(words in text for line in error._lines for _, text in line))

    @property
    def lines(self):
        return ["".join(text for _, text in self.panel._line(at)) for at in range(self.panel.count)]


@pytest.fixture
def capture(tmp_path_factory) -> Path:
    """Return the path of a capture that is short enough for a socket."""
    return Path(os.path.realpath(tmp_path_factory.mktemp("h"))) / "a.jsonl"


def sit(path, scene):
    """Let somebody sit at the console of the capture at `path`."""

    async def main():
        app = OneApp(str(path))
        async with app.run_test(size=(80, 24)) as pilot:
            await scene(Seat(pilot))

    asyncio.run(main())


def test_the_console_that_is_left_while_a_frame_is_held_ends_without_an_error(capture):
    """The panel tells its screen, which is taken down with it."""

    async def scene(seat):
        seat.app.notify = lambda text, **_more: seat.app.one.say(text)
        await seat.attached()
        run.agent(update(text="1"))
        await seat.holds(1)
        seat.app.exit()

    with Run(capture) as run:
        sit(capture, scene)
        run.sees(lambda bench: not bench.stage.viewers)
        assert run.bench.got[Peer.CLIENT] == [update(text="1")]


def test_frames_are_released_dropped_and_answered(capture):
    async def scene(seat):
        await seat.attached()
        assert seat.lines[0] == "nothing is held"
        for text in "1234":
            run.agent(update(text=text))
        await seat.holds(1, 2, 3, 4)
        assert seat.panel.summary == "held: 4"
        assert seat.lines[0].startswith("   1 ← session/update  1 m 00 s left")
        assert "behind frame 1" in seat.lines[1]
        await seat.press("j", "a")  # the second: it waits for the first
        await seat.told("released frame 2; it waits behind frame 1")
        await seat.holds(1, 3, 4)
        await seat.press("k", "X")
        await seat.holds(3, 4)
        assert run.bench.got[Peer.CLIENT] == [update(text="2")]
        await seat.press("A")
        await seat.holds()
        run.client(request(5))
        await seat.holds(5)
        await seat.press("X")
        await seat.type("not a code")
        await seat.refused("missing error code")  # what was typed can be corrected
        await seat.type("-32000 not now")
        await seat.holds()
        error = {"code": -32000, "message": "not now"}
        assert run.bench.got[Peer.CLIENT][-1] == message(id=5, error=error)
        await seat.press("a")
        assert "from when this capture is open" in await seat.told(
            "cannot release: no frame is held"
        )

    with Run(capture) as run:
        sit(capture, scene)
        run.sees(lambda bench: not bench.stage.viewers)


def test_a_frame_is_edited_and_what_is_refused_is_kept(  # noqa: PLR0915 - one walk
    capture, tmp_path, monkeypatch
):
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ncat "$1" > "$0.saw"\nsh "$0.do" "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    files = tmp_path / "files"
    files.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(files))

    def will(command):
        (tmp_path / "editor.do").write_text(command)

    async def scene(seat):
        await seat.attached()
        run.agent(update(text="old"))
        await seat.holds(1)
        will('sed -i s/old/new/ "$1"; echo "}" >> "$1"')
        await seat.press("e")
        told = await seat.told("it is not JSON")
        assert "press e to correct it" in told
        assert list(files.iterdir()) == []  # it is kept, but not there
        assert "edited" not in seat.lines[0]
        will('sed -i "\\$d" "$1"')  # the text is as it was left
        await seat.press("e")
        await seat.told("edited frame 1, which is still held; a releases it")
        assert '"new"' in (tmp_path / "editor.saw").read_text()
        await seat.until(lambda: "edited" in seat.lines[0])
        await seat.press("V")
        await seat.told("frame 1 will be delivered as it was sent")
        await seat.until(lambda: "edited" not in seat.lines[0])
        await seat.press("V")
        await seat.told("cannot revert frame 1: it was not edited")
        will('echo "}" >> "$1"')
        await seat.press("e")
        await seat.until(lambda: seat.panel._drafts)
        await seat.press("V")
        await seat.told("frame 1 is as it was sent: your text that was refused is gone")
        assert not seat.panel._drafts
        will("exit 3")
        await seat.press("e")
        await seat.told("ended with status 3; the frame is still held")
        monkeypatch.setenv("VISUAL", str(tmp_path / "none"))
        await seat.press("e")
        await seat.told("cannot start the editor")
        monkeypatch.setenv("VISUAL", str(editor))
        will('sed -i s/old/newer/ "$1"')
        await seat.press("e")
        await seat.until(lambda: "edited" in seat.lines[0])
        await seat.press("a")
        await seat.holds()
        assert seat.app.edits == 6
        assert list(files.iterdir()) == []
        assert run.bench.got[Peer.CLIENT] == [update(text="newer")]

    with Run(capture) as run:
        sit(capture, scene)


def test_the_filter_and_faults_are_changed(capture):
    async def scene(seat):
        await seat.attached()
        assert "there is no filter" in seat.lines[1]
        await seat.press("i")
        await seat.type("frm:agent")
        await seat.refused("no such filter")
        await seat.type("from:agent -kind:response")
        await seat.until(lambda: "from:agent -kind:response" in seat.lines[1])
        assert run.bench.stage.tokens == ("from:agent", "-kind:response")
        await seat.press("i")
        await seat.type("")
        await seat.until(lambda: "there is no filter" in seat.lines[1])
        await seat.press(":")
        await seat.type("fault drop from:agent")
        await seat.until(lambda: "drop from:agent" in seat.lines[2])
        await seat.told("1  drop from:agent")  # that line may be below what is seen
        await seat.press(":")
        await seat.type("fault remove 1")
        await seat.until(lambda: "no faults" in seat.lines[2])
        await seat.press(":")
        await seat.type("fault dorp")
        await seat.told("did you mean `drop`?")
        await seat.press(":")
        await seat.type('inject client \'{"id": 1, "method": "x"}\'')
        run.sees(lambda bench: bench.got[Peer.CLIENT])
        ident = run.bench.got[Peer.CLIENT][0].split(b'"id":')[1].split(b",")[0]
        run.client(b'{"jsonrpc":"2.0","id":' + ident + b',"result":{"yes":1}}\n')
        await seat.told('"result":{"yes":1}')

    with Run(capture, []) as run:
        sit(capture, scene)
    assert set(COMMANDS) < set(TYPED)


def test_two_viewers_act_at_once_and_the_run_goes_away(capture):
    async def scene(seat):
        await seat.attached()
        run.agent(update(text="1"))
        run.agent(update(text="2"))
        await seat.holds(1, 2)
        with connect(str(capture)) as other:
            other.ask("attach")
            await seat.until(lambda: "2 viewers are attached" in seat.lines)
            entry = seat.panel.current
            other.ask("release", seq=entry["seq"])
            # The list may be old: what was released by somebody else is refused, and said.
            seat.panel._now = seat.panel._now.__class__(
                is_attached=True, held=(entry,), viewers=2, timeout=60.0
            )
            seat.panel.act("release")
            await seat.told("cannot release frame 1: it is not held")
            await seat.holds(2)
        run.end()
        await seat.until(lambda: seat.lines == ["the run has ended"])
        await seat.press("a")
        await seat.told("cannot release: no run with a control socket")

    with Run(capture) as run:
        sit(capture, scene)


def test_what_goes_on_by_itself_is_said(capture):
    async def scene(seat):
        await seat.attached()
        run.burst([update(text="1"), update(text="2")])
        await seat.holds(1, 2)
        run.time_out()
        await seat.told("frame 1 went on by itself: it was held for too long")
        await seat.holds()

    with Run(capture) as run:
        sit(capture, scene)


def test_leaving_says_that_held_frames_went_on(capture):
    async def scene(seat):
        await seat.attached()
        run.agent(update())
        await seat.holds(1)
        await seat.app.pop_screen()
        await seat.told("1 held frame went on")
        run.sees(lambda bench: bench.got[Peer.CLIENT])

    with Run(capture) as run:
        sit(capture, scene)
