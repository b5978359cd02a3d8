"""The frames that a run holds, and what can be done with them."""

import shlex
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from textual.message import Message

from acp_spy.capture.control_path import has_socket
from acp_spy.console.keys import held_keys
from acp_spy.console.panes import Line, LinesPane
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds import actions
from acp_spy.middleware.holds.client import ControlClient
from acp_spy.middleware.holds.editing import Editing, begin_edit
from acp_spy.middleware.holds.watching import Holding, Watch
from acp_spy.units import counted, span
from acp_spy.view.filters import TOKENS_ON_THE_WAY, row_filter, split
from acp_spy.view.held_frames import ARROWS, WHY, describe_event, notes_of
from acp_spy.wire.inert import inert

# What can be typed after `:`, of what can be typed into `acp-spy hold watch`.
COMMANDS = ("release", "drop", "error", "aside", "revert", "inject", "fault")
_LOOKS = 1.0  # seconds between two looks for a control socket
_BRIEFLY = 3.0  # seconds that a confirmation is seen
_ERROR = "-32603 refused"
_HOW = "start the agent with `acp-spy --intercept FILTER -- COMMAND`"
_WHEN = "what matches the filter is held from when this capture is open here; i changes the filter"


class HeldPanel(LinesPane):
    """
    The held frames of the run that records the capture at `path`.

    While it is there, it is a viewer of the run: frames are held. The socket is read by a thread.
    `act` is called for the keys: `intercept`, `release`, `release_all`, `edit`, `drop`, `revert`.
    """

    class Changed(Message):
        """Other frames are held. `is_first` says that none was before."""

        def __init__(self, *, is_first: bool) -> None:
            super().__init__()
            self.is_first = is_first

    class _Watched(Message):
        """The watch knows something new."""

        def __init__(self, watch: Watch) -> None:
            super().__init__()
            self.watch = watch

    class _Done(Message):
        """Something was done on the UI's behalf: `then` is called with the result."""

        def __init__(self, then: Callable[[], None]) -> None:
            super().__init__()
            self.then = then

    def __init__(self, path: str, **more: str) -> None:
        super().__init__(**more)
        self.path = path
        self._watch: Watch | None = None
        self._now = Holding()
        self._end = ""  # why there is no watch any more
        self._late: list[tuple[int, str]] = []  # frames that went on by themselves, and why
        self._drafts: dict[int, Editing] = {}  # that were refused, by frame; of those that are held

    def on_mount(self) -> None:
        """Look for the run, now and again."""
        self._show()
        self._look()
        self.set_interval(_LOOKS, self._look)

    def on_unmount(self) -> None:
        """Detach from the run: held frames go on."""
        if self._watch:
            self._watch.close()
            if self._now.held and self._now.viewers == 1:
                went = counted(len(self._now.held), "held frame")
                self.app.notify(f"no viewer any more: {went} went on", severity="warning")

    def _look(self) -> None:
        if self._watch is None and has_socket(self.path):
            watch = Watch(
                self.path,
                on_change=lambda: self._tell(self._Watched(watch)),
                on_event=self._take_event,
            )
            self._watch = watch
            watch.start()

    def _tell(self, message: Message) -> None:
        """Have a message handled; this is called in the thread of the watch."""
        with suppress(RuntimeError):  # the app has ended
            self.post_message(message)

    def _take_event(self, event: dict[str, Any]) -> None:
        """Say what happened by itself; this is called in the thread of the watch."""
        if event["event"] == "resumed" and event["why"] in ("timeout", "too-much", "bug"):
            self._late.append((event["seq"], WHY[event["why"]]))  # there may be many at once
        elif event["event"] == "response":
            text = " ".join(describe_event(event).split())
            self._tell(self._Done(lambda: self._say(text)))

    def on_held_panel__watched(self, message: _Watched) -> None:
        """Show what is held now."""
        if message.watch is not self._watch:
            return
        before, self._now = self._now, self._watch.now
        if self._now.end:
            self._end, self._watch = self._now.end, None
        self._show()
        if self._late:
            late, self._late = self._late, []
            seq, why = late[0]
            more = f", and {len(late) - 1} more" if len(late) > 1 else ""
            self._say(f"frame {seq} went on by itself: {why}{more}", is_warning=True)
        if before != self._now:
            self.post_message(self.Changed(is_first=bool(self._now.held and not before.held)))

    def on_held_panel__done(self, message: _Done) -> None:
        """Go on with what the watch has done."""
        message.then()

    # ------------------------------------------------------------------ what is shown

    @property
    def summary(self) -> str:
        """What the tab says: how many frames are held; empty if none is."""
        return f"held: {len(self._now.held)}" if self._now.held else ""

    @property
    def current(self) -> dict[str, Any] | None:
        """The held frame under the cursor; the first one, if the cursor is elsewhere."""
        held = self._now.held
        return held[self.cursor if self.cursor < len(held) else 0] if held else None

    def _show(self) -> None:
        now = self._now
        seq = self._seqs[self.cursor] if self.cursor < len(self._seqs) else None
        self._seqs = [entry["seq"] for entry in now.held]
        about = self._about()
        self.show_by(
            len(now.held) + len(about),
            lambda at: _line(now.held[at]) if at < len(now.held) else about[at - len(now.held)],
            keep=True,
        )
        if seq in self._seqs:
            self.move(self._seqs.index(seq) - self.cursor)

    _seqs: list[int] = []  # noqa: RUF012 - replaced, never changed

    def line(self, y: int) -> tuple[Line, str, bool]:
        """Return a line that is seen; which frame is meant is marked without the focus, too."""
        pieces, mark, is_current = super().line(y)
        return pieces, "›" if is_current and self._now.held else mark, is_current

    def _about(self) -> list[Line]:
        """Return the lines after the held frames: by which filter, for how long, and the faults."""
        now = self._now
        if not now.is_attached:
            lines: list[Line] = [
                [("dim", "no run with a control socket records this capture")],
                [("dim", f"to hold frames: {_HOW}")],
            ]
            if self._end and self._end != "detached":
                lines = [[("dim", inert(self._end))]]
            return lines
        tokens = inert(shlex.join(now.filter))
        stays = f"for {span(now.timeout)} at most"
        about: list[Line] = [[("dim", held_keys())] if now.held else [("", "nothing is held")]]
        about.append(
            [("dim", f"frames are held {stays} by: "), ("client", tokens)]
            if tokens
            else [("dim", "there is no filter: press i to set one")]
        )
        for each in now.faults:
            specs = inert(", ".join(each["specs"]))
            remove = f"  (:fault remove {each['fault']})"
            about.append([("dim", "fault: "), ("slow", specs), ("dim", remove)])
        if not now.faults:
            about.append([("dim", "no faults: `:fault latency:200ms` adds one")])
        if now.viewers > 1:
            about.append([("dim", f"{now.viewers} viewers are attached")])
        return about

    # ------------------------------------------------------------------ what keys do

    def act(self, action: str) -> None:
        """Do something with the held frame. Raises `AcpSpyError` if that is not possible."""
        verb = {"intercept": "hold frames", "release_all": "release"}.get(action, action)
        if self._watch is None:
            raise AcpSpyError(
                f"cannot {verb}: no run with a control socket records this capture",
                hint=_HOW,
            )
        if action == "intercept":
            self._ask(
                "hold what matches (empty: nothing):",
                shlex.join(self._now.filter),
                self._set_filter,
            )
            return
        entry = self.current
        if entry is None:
            raise AcpSpyError(f"cannot {verb}: no frame is held", hint=_WHEN)
        words = [str(entry["seq"])]
        if action == "release":
            self._do(lambda client: actions.release(client, words))
        elif action == "release_all":
            self._do(lambda client: actions.release(client, [], everything=True))
        elif action == "revert":
            self._revert(entry)
        elif action == "edit":
            self._begin_edit(entry["seq"])
        elif entry["kind"] in ("request", "response"):
            self._ask(
                f"error for frame {entry['seq']} (empty: drop it):",
                _ERROR,
                lambda line: self._refuse(words, line),
            )
        else:
            self._do(lambda client: actions.drop(client, words))

    def run_command(self, line: str) -> None:
        """Do what was typed after `:`, one of `COMMANDS`."""
        self._do(lambda client: actions.do_line(client, line))

    def _ask(self, label: str, text: str, then: Callable[[str], None]) -> None:
        cast("Any", self.screen).ask(label, text, then)

    def _say(self, text: str, *, is_warning: bool = False) -> None:
        if is_warning:
            self.app.notify(text, severity="warning")
        else:
            self.app.notify(text, timeout=_BRIEFLY)

    def _do(
        self,
        act: Callable[[ControlClient], Any],
        then: Callable[[Any], None] | None = None,
        fail: Callable[[AcpSpyError], None] | None = None,
    ) -> None:
        """Have something done by the watch; then say what was done, or go on with it."""
        watch = self._watch
        if watch is None:
            raise AcpSpyError(f"cannot do it: {self._end or 'the run has ended'}")

        def finish(result: Any, error: AcpSpyError | None) -> None:
            if error:
                (fail or cast("Any", self.screen).complain)(error)
            elif then:
                then(result)
            elif result and not _is_seen(result):
                self._say("\n".join(result))

        watch.do(act, lambda result, error: self._tell(self._Done(lambda: finish(result, error))))

    def _set_filter(self, line: str) -> None:
        tokens = split(line)
        row_filter(tokens, TOKENS_ON_THE_WAY)  # raises for a wrong one, which can be corrected
        self._do(lambda client: actions.set_filter(client, tokens))

    def _refuse(self, words: list[str], line: str) -> None:
        error = actions.error_of(line.split()) if line else None
        self._do(lambda client: actions.drop(client, words, error=error))

    def _revert(self, entry: dict[str, Any]) -> None:
        draft = self._drafts.pop(entry["seq"], None)
        if not entry["edited"]:
            if draft is None:
                raise AcpSpyError(f"cannot revert frame {entry['seq']}: it was not edited")
            self._say(f"frame {entry['seq']} is as it was sent: your text that was refused is gone")
            return
        self._do(lambda client: actions.revert(client, [str(entry["seq"])]))

    # ------------------------------------------------------------------ editing

    def _begin_edit(self, seq: int) -> None:
        """Get the bytes of a frame and edit them; or what was refused before."""
        if seq in self._drafts:
            self._edit(self._drafts[seq])
        else:
            self._do(
                lambda client: client.ask("get", seq=seq),
                lambda held: self._edit(begin_edit(held)),
            )

    def _edit(self, editing: Editing) -> None:
        """Give the terminal to the editor; then have the text checked."""
        failed: AcpSpyError | None = None
        with self.app.suspend():  # which would not take the terminal back after an error
            try:
                editing.run_editor()
            except AcpSpyError as error:
                failed = error
        self.app.refresh()
        if failed:
            self._keep(editing, failed)
            return
        self._do(
            lambda client: editing.send(client, keep=True),
            lambda lines: self._accept(editing, lines),
            lambda error: self._keep(editing, error),
        )

    def _accept(self, editing: Editing, lines: list[str]) -> None:
        self._drafts.pop(editing.seq, None)
        self._say("\n".join([f"{line}; a releases it" for line in lines]))

    def _keep(self, editing: Editing, error: AcpSpyError) -> None:
        """Keep what was refused, to be corrected."""
        self._drafts.pop(editing.seq, None)
        if editing.has_changed and editing.seq in self._seqs:
            self._drafts[editing.seq] = editing
            error = AcpSpyError(
                error.message, hint="your text was kept: press e to correct it, or V to discard it"
            )
        elif editing.has_changed:
            error = AcpSpyError(error.message, hint=_saved(editing))
        cast("Any", self.screen).complain(error)


def _saved(editing: Editing) -> str:
    """Save the text of a frame that has gone on meanwhile; return where it is."""
    try:
        return f"your text is in {editing.save()}"
    except AcpSpyError as error:
        return error.message


def _is_seen(lines: list[str]) -> bool:
    """Whether the list itself shows what was done: frames that are not there any more."""
    return all(line.startswith(("released", "dropped")) and ";" not in line for line in lines)


def _line(entry: dict[str, Any]) -> Line:
    return [
        (entry["sender"], f"{entry['seq']:>4} {ARROWS[entry['sender']]} "),
        ("bold", inert(entry["what"])),
        ("slow", f"  {', '.join(notes_of(entry))}"),
        ("", f"  {inert(entry['gist'])}"),
    ]
