"""What both screens have: keys, a footer, a line to type in, and the help."""

from collections.abc import Callable
from typing import cast

from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from acp_spy.console import keys
from acp_spy.console.host import Host
from acp_spy.console.panes import Head, Line, LinesPane, Pane
from acp_spy.errors import AcpSpyError
from acp_spy.view.filters import TOKENS
from acp_spy.view.style import Piece, broken
from acp_spy.wire.inert import inert

_MOST_LINES = 6  # of an error
_JOINERS = "\u200c\u200d"  # parts of words and emoji: without them a search does not match
_BESIDE_LINE = ("back", "quit", "suspend")  # actions of keys, while a line is typed
_KEYS_BESIDE_LINE = {key.key for key in keys.KEYS if key.action in _BESIDE_LINE}
_NAMES = 23  # cells for the names of keys
_COMMANDS = (  # a name, what it does, and on which screens
    (":12", "go to frame 12", (keys.CONVERSATION,)),
    (":release 12", "release a held frame; also `drop` and `revert`", (keys.CONVERSATION,)),
    (":error 12 -32000 no", "answer a held frame with an error", (keys.CONVERSATION,)),
    (":aside 12", "keep a frame held, but not what waits behind it", (keys.CONVERSATION,)),
    (":fault SPEC", "add a fault, as `--fault` does", (keys.CONVERSATION,)),
    (":fault remove 1", "remove a fault", (keys.CONVERSATION,)),
    (":inject PEER MSG", "send JSON in single quotes to `client` or `agent`", (keys.CONVERSATION,)),
    (":q", "quit", keys.BOTH),
)


class ConsoleScreen(Screen[None]):
    """A screen of the console; `name_of_keys` says which keys it has."""

    name_of_keys = ""

    def __init__(self) -> None:
        super().__init__()
        self._then: Callable[[str], None] | None = None
        self._label = self._example = ""
        self._notice = "", ""  # and its level
        self._notice_timer: Timer | None = None

    @property
    def pane(self) -> Pane:
        """What the keys move in."""
        raise NotImplementedError

    @property
    def is_whole(self) -> bool:
        """Whether its parts are there: they go before it, and timers may still call it then."""
        return bool(self.query("#title"))

    def compose_bottom(self) -> ComposeResult:
        """Give the line to type in, and the footer."""
        yield Head([], id="error")
        with Horizontal(id="prompt"):
            yield Static("", id="label", markup=False)
            yield _Line(id="line", select_on_focus=False)
        yield Head([], id="notice")
        yield Head([], Style(reverse=True), id="footer")

    def on_mount(self) -> None:
        """Hide the line until it is needed."""
        self.query_one("#prompt").display = False

    def on_resize(self, _: events.Resize) -> None:
        """Show as many keys as fit."""
        self._show_footer()

    def _show_footer(self) -> None:
        """Show the keys, or a notice in their place: there it hides no row."""
        text, level = self._notice
        width = self.size.width - 1
        shown = broken(inert(text, but="\n"), max(width, 20), _MOST_LINES) if text else []
        self.query_one("#notice", Head).show([[(level or "bold", f" {line}")] for line in shown])
        line: list[Piece] = [("", " ")]
        for key, word in self._footer_keys():
            line += [("bold", key), ("", f" {word}  ")]
        self.query_one("#footer", Head).show([] if shown else [line])

    def _footer_keys(self) -> list[tuple[str, str]]:
        if self._then is not None:  # all others are letters now
            return [("enter", "done"), ("esc", "cancel")]
        return keys.footer(self.name_of_keys, self.size.width - 1)

    @on(Head.Clicked, "#footer")
    async def press_footer(self, message: Head.Clicked) -> None:
        """Do what the key that was clicked does."""
        shown = self._footer_keys()
        at = (message.piece - 1) // 2  # a blank, then two pieces for each
        if self._then is not None:
            if at == 0:
                self.submit(self.query_one(_Line).value)
            elif at == 1:
                self.close_line()
        elif 0 <= at < len(shown):
            name = shown[at][0]
            key = next(key for key in keys.keys_of(self.name_of_keys) if keys.spelled(key) == name)
            await self.run_action(key.action)

    def say(self, text: str, level: str = "", seconds: float = 0) -> None:
        """Show a notice until the next key, or for some seconds; without a text, none."""
        if (text, level) == self._notice:
            return
        self._notice = text, level
        if self._notice_timer is not None:
            self._notice_timer.stop()
            self._notice_timer = None
        if seconds:
            self._notice_timer = self.set_timer(seconds, lambda: self.say(""))
        if self.is_mounted and self.query("#notice"):  # not while it is taken down
            self._show_footer()

    # ------------------------------------------------------------------ the line to type in

    def ask(self, label: str, text: str, then: Callable[[str], None], example: str = "") -> None:
        """
        Ask for a line of text; `then` gets it, and may raise `AcpSpyError`.

        `example` says what can be typed, as long as nothing is.
        """
        self._then, self._label, self._example = then, label, example
        self.query_one("#prompt").display = True
        self.query_one("#label", Static).update(f"{label} ")
        line = self.query_one("#line", Input)
        line.placeholder = example
        line.value = inert(text, but=_JOINERS)
        line.cursor_position = len(line.value)
        self.set_focus(line)  # now: the next key is for it
        self._show_footer()

    async def type_in(self, event: events.Key | events.Paste) -> bool:
        """
        Give a key or what was pasted to the line, if one is typed; return whether it took it.

        Textual gives letters to the line at once, but keys such as backspace and enter only after
        a way through all that is around it: what is typed fast would become another line.
        """
        if self._then is None or cast("Host", self.app).is_leaving:
            return False
        if isinstance(event, events.Key) and event.key in _KEYS_BESIDE_LINE:
            return False
        return await self.query_one(_Line).take(event)

    def submit(self, typed: str) -> None:
        """Take the line that was typed."""
        then, label, example = self._then, self._label, self._example
        self.close_line()
        if then is None:
            return
        try:
            then(typed.strip())
        except AcpSpyError as error:  # what was typed is kept, to be corrected
            self.ask(label, typed, then, example)
            shown = broken(inert(spelled(error), but="\n"), self.size.width, _MOST_LINES)
            self.query_one("#error", Head).show([[("error", line)] for line in shown])

    def close_line(self) -> bool:
        """Hide the line; return whether it was there."""
        prompt = self.query_one("#prompt")
        was_there, prompt.display = prompt.display, False
        self._then = None
        self._show_footer()
        self.query_one("#error", Head).show([])
        self.set_focus(self.pane)
        return was_there

    def attempt(self, do: Callable[[], None]) -> None:
        """Do something; say it if that is not possible."""
        try:
            do()
        except AcpSpyError as error:
            self.complain(error)

    def complain(self, error: AcpSpyError) -> None:
        """Say what is wrong."""
        self.notify(spelled(error), severity="error")

    # ------------------------------------------------------------------ what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """
        Do nothing any more once the console is being left, however fast keys come.

        Nor while a line is typed: these keys are letters there.
        """
        if cast("Host", self.app).is_leaving:
            return False
        if self._then is not None and action not in _BESIDE_LINE:
            return False
        return super().check_action(action, parameters)

    def action_quit(self) -> None:
        """Leave the console."""
        self.app.exit()

    def action_suspend(self) -> None:
        """Give the terminal back to the shell."""
        self.app.action_suspend_process()

    def action_down(self) -> None:
        """Go down."""
        self.pane.move(1)

    def action_up(self) -> None:
        """Go up."""
        self.pane.move(-1)

    def action_page_down(self) -> None:
        """Go down one page."""
        self.pane.page(1)

    def action_page_up(self) -> None:
        """Go up one page."""
        self.pane.page(-1)

    def action_top(self) -> None:
        """Go to the first row."""
        self.pane.go_to_edge(end=False)

    def action_bottom(self) -> None:
        """Go to the last row."""
        self.pane.go_to_edge(end=True)

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(Help(self.name_of_keys))

    def action_command(self) -> None:
        """Ask for a command."""
        names = (name[1:] for name, _, screens in _COMMANDS if self.name_of_keys in screens)
        self.ask(":", "", self.run_command, ", ".join(names))

    def run_command(self, words: str) -> None:
        """Run what was typed after `:`."""
        if words in ("q", "quit"):
            self.action_quit()
        elif words in ("h", "help"):
            self.action_help()
        elif words:
            raise AcpSpyError(
                f"no such command: `{words}`", hint="press `?` for the keys and commands"
            )


class _Line(Input):
    """The line to type in: what is pasted may be of a peer, and must not act."""

    def replace(self, text: str, start: int, end: int) -> None:
        """Insert text with what acts or hides spelled out: the cursor goes behind all of it."""
        super().replace(inert(text, but=_JOINERS), start, end)

    async def take(self, event: events.Key | events.Paste) -> bool:
        """Do what a key or what was pasted does to the line; return whether it is for the line."""
        if isinstance(event, events.Paste):
            self._on_paste(event)
        elif bound := self._bindings.key_to_bindings.get(event.key):
            await self.run_action(bound[0].action)
        elif event.is_printable:
            await self._on_key(event)
        else:
            return False
        return True

    async def action_submit(self) -> None:
        """Take the line at once: the next key is not for it."""
        cast("ConsoleScreen", self.screen).submit(self.value)


def spelled(error: AcpSpyError) -> str:
    """Return an error and its hint."""
    return f"{error.message}\nhint: {error.hint}" if error.hint else error.message


class Help(ModalScreen[None]):
    """All keys."""

    BINDINGS = [  # noqa: RUF012 - Textual's name
        ("escape,q,question_mark,enter", "dismiss", ""),
        ("j,down", "move(1)", ""),
        ("k,up", "move(-1)", ""),
        ("space,ctrl+f,pagedown", "move(10)", ""),
        ("ctrl+b,pageup", "move(-10)", ""),
        ("g,home", "move(-1000)", ""),
        ("G,end", "move(1000)", ""),
        ("ctrl+c", "app.quit", ""),
        ("ctrl+z", "app.suspend_process", ""),
    ]

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._of = screen

    def compose(self) -> ComposeResult:
        """Give the lines."""
        yield _HelpText(self._of)

    def on_mount(self) -> None:
        """Let it have the keys."""
        self.query_one(_HelpText).focus()

    def action_move(self, rows: int) -> None:
        """Scroll."""
        self.query_one(_HelpText).scroll(rows)


class _HelpText(LinesPane):
    """The lines of the help of a screen."""

    has_cursor = False

    def __init__(self, screen: str) -> None:
        super().__init__(id="help")
        self._of = screen

    def on_resize(self) -> None:
        """Break the lines to the width."""
        self.show(help_lines(self._of, self.room), keep=True)


def help_lines(screen: str, width: int) -> list[Line]:
    """Return the help: keys, commands and filters."""
    lines: list[Line] = []
    for group, named in keys.by_group((screen,)).items():
        lines += [[("bold", group)]]
        for key in named:
            lines += _pair(", ".join(keys.spellings(key)), key.does, width)
        lines.append(())
    lines.append([("bold", "Commands")])
    for name, does, screens in _COMMANDS:
        lines += _pair(name, does, width) if screen in screens else []
    if screen == keys.CONVERSATION:
        lines += [(), [("bold", "Filters (f); a leading - negates")]]
        for token in TOKENS:
            lines += _pair(f"{token.name}:{token.example}", token.meaning, width)
    lines += [(), [("dim", "esc goes back")]]
    return lines


def _pair(name: str, does: str, width: int) -> list[Line]:
    first, *rest = broken(does, max(width - _NAMES - 3, 20), 9)
    return [
        [("name", f"  {name:<{_NAMES}} "), ("", first)],
        *([("", f"{'':<{_NAMES + 3}}{line}")] for line in rest),
    ]
