"""The keys of the console, declared once: bindings, footer, help and docs are derived."""

from collections.abc import Iterable, Iterator

import msgspec
from textual.binding import Binding, BindingType

LIST, CONVERSATION = "list", "conversation"
BOTH = (LIST, CONVERSATION)
HELD = "Held frames (a run with `--intercept` or `--control`)"
_FIRST = ("help", "leave", "open", "search", "filter", "next", "panel", "follow")  # in the footer


class Key(msgspec.Struct, frozen=True):
    """
    A key: as Textual names it, the action, what it does, and on which screens.

    `also` are other keys that do the same. `footer` is a word for the footer; without it, the key
    is only in the help. `held` is a word for the list of held frames.
    """

    key: str
    action: str
    does: str
    footer: str = ""
    also: tuple[str, ...] = ()
    screens: tuple[str, ...] = BOTH
    group: str = "Move"
    held: str = ""


KEYS = (
    Key("j", "down", "go down one row", also=("down",)),
    Key("k", "up", "go up one row", also=("up",)),
    Key("ctrl+f", "page_down", "go down one page", also=("pagedown", "space")),
    Key("ctrl+b", "page_up", "go up one page", also=("pageup",)),
    Key("g", "top", "go to the first row", also=("home",)),
    Key("G", "bottom", "go to the last row", "end", ("end",)),
    Key("enter", "open", "open the capture", "open", screens=(LIST,), group="Look"),
    Key(
        "enter",
        "open",
        "show the details of the row; in the details, fold a part of the JSON",
        "details",
        screens=(CONVERSATION,),
        group="Look",
    ),
    Key(
        "tab",
        "panel",
        "next panel: details, findings, statistics, stderr, held frames",
        "panels",
        screens=(CONVERSATION,),
        group="Look",
    ),
    Key(
        "w",
        "switch",
        "go from the rows to the panel, and back",
        screens=(CONVERSATION,),
        group="Look",
    ),
    Key(
        "left",
        "member(-1)",
        "of a folded row, show the frame before",
        screens=(CONVERSATION,),
        group="Look",
    ),
    Key(
        "right",
        "member(1)",
        "of a folded row, show the next frame",
        screens=(CONVERSATION,),
        group="Look",
    ),
    Key(
        "p",
        "partner",
        "jump from a request to its response, or back",
        "partner",
        screens=(CONVERSATION,),
        group="Look",
    ),
    Key("F", "follow", "follow: stay at the last row", "follow", screens=(CONVERSATION,)),
    Key(
        "z",
        "fold",
        "show each frame, or fold texts and tool calls again",
        screens=(CONVERSATION,),
        group="Look",
    ),
    Key("/", "search", "search for words", "search", ("slash",), group="Find"),
    Key(
        "n",
        "next",
        "next match of the search; without a search, next finding",
        "next finding",
        screens=(CONVERSATION,),
        group="Find",
    ),
    Key(
        "N",
        "previous",
        "previous match, or finding",
        screens=(CONVERSATION,),
        group="Find",
    ),
    Key(
        "f",
        "filter",
        "show only the rows that match filters, as in `acp-spy view`",
        "filter",
        screens=(CONVERSATION,),
        group="Find",
    ),
    Key("m", "mark", "mark the row", screens=(CONVERSATION,), group="Take"),
    Key(
        "x",
        "export",
        "export the marked rows, or those that are shown, to a file",
        "export",
        screens=(CONVERSATION,),
        group="Take",
    ),
    Key("y", "copy", "copy the path of the capture", "copy path", screens=(LIST,), group="Take"),
    Key("y", "copy", "copy the frame", "copy", screens=(CONVERSATION,), group="Take"),
    Key("o", "page", "open the page of the capture in the browser", "page", group="Take"),
    Key(
        "i",
        "held('intercept')",
        "set the filter of frames to be held",
        screens=(CONVERSATION,),
        group=HELD,
        held="filter",
    ),
    Key(
        "a",
        "held('release')",
        "release the held frame",
        screens=(CONVERSATION,),
        group=HELD,
        held="release",
    ),
    Key(
        "A",
        "held('release_all')",
        "release all",
        screens=(CONVERSATION,),
        group=HELD,
        held="all",
    ),
    Key(
        "e",
        "held('edit')",
        "edit it in $EDITOR",
        screens=(CONVERSATION,),
        group=HELD,
        held="edit",
    ),
    Key(
        "X",
        "held('drop')",
        "drop it, or answer it with an error",
        screens=(CONVERSATION,),
        group=HELD,
        held="drop or error",
    ),
    Key(
        "V",
        "held('revert')",
        "revert what was edited",
        screens=(CONVERSATION,),
        group=HELD,
        held="revert",
    ),
    Key(
        ":",
        "command",
        "type a command: a frame's number, or one of those below",
        also=("colon",),
        group="Other",
    ),
    Key("?", "help", "show or hide this help", "help", ("question_mark",), group="Other"),
    Key("escape", "back", "close what is open; go back", group="Other"),
    Key("q", "leave", "quit", "quit", screens=(LIST,), group="Other"),
    Key("q", "leave", "go back to the captures", "back", screens=(CONVERSATION,), group="Other"),
    Key("ctrl+c", "quit", "quit", group="Other"),
    Key("ctrl+z", "suspend", "suspend the console; `fg` in the shell resumes it", group="Other"),
)


def keys_of(screen: str) -> Iterator[Key]:
    """Give the keys of a screen."""
    return (key for key in KEYS if screen in key.screens)


def bindings(screen: str) -> list[BindingType]:
    """
    Return what Textual needs to know.

    They have priority, so that each key is done with before the next: what is typed fast after one
    that asks for a line is for the line, and does nothing else.
    """
    return [
        Binding(spelling, key.action, key.does, show=False, priority=True)
        for key in keys_of(screen)
        for spelling in (_textual(key.key), *key.also)
    ]


def _textual(key: str) -> str:
    return {"/": "slash", "?": "question_mark", ":": "colon"}.get(key, key)


def footer(screen: str, width: int) -> list[tuple[str, str]]:
    """Return the keys and words of the footer that fit, as pairs."""
    shown: list[tuple[str, str]] = []
    room = width
    for key in sorted((key for key in keys_of(screen) if key.footer), key=_rank):
        room -= len(spelled(key)) + len(key.footer) + 3
        if room < 0:
            break
        shown.append((spelled(key), key.footer))
    return shown


def held_keys() -> str:
    """Return the keys for held frames, in one line."""
    return "  ".join(f"{spelled(key)} {key.held}" for key in KEYS if key.held)


def _rank(key: Key) -> int:
    """Return the place of a key in the footer, which has room for few on a narrow terminal."""
    return _FIRST.index(key.action) if key.action in _FIRST else len(_FIRST)


def spelled(key: Key) -> str:
    """Return a key as people know it."""
    return "esc" if key.key == "escape" else key.key.replace("ctrl+", "ctrl-")


def spellings(key: Key) -> list[str]:
    """Return a key and those that do the same, as people know them."""
    others = (name for name in key.also if name not in ("slash", "colon", "question_mark"))
    known = {"pagedown": "PgDn", "pageup": "PgUp"}
    return [spelled(key), *(known.get(name, name) for name in others)]


def by_group(screens: Iterable[str] = BOTH) -> dict[str, list[Key]]:
    """Return the keys of these screens by what they are for."""
    groups: dict[str, list[Key]] = {}
    for key in KEYS:
        if set(screens) & set(key.screens):
            groups.setdefault(key.group, []).append(key)
    return groups
