"""Frames that a run holds, as lines for people: a held frame, all of them, and what happened."""

import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from acp_spy.units import counted, size, span
from acp_spy.view.layout import layout_of_terminal
from acp_spy.view.style import cut, paint
from acp_spy.wire.inert import inert

Entry = dict[str, Any]  # as docs/intercept.md has it
ARROWS = {"client": "→", "agent": "←"}
_LARGE = 10_000  # bytes
WHY = {
    "timeout": "it was held for too long",
    "no-viewer": "no viewer is attached",
    "too-much": "too much waited",
    "bug": "acp-spy has a bug",
}


def notes_of(entry: Entry) -> list[str]:
    """Return what is to be known of a held frame: how long it stays, and what waits for what."""
    notes = [f"{span(entry['left'])} left"]
    if entry["edited"]:
        notes.append("edited")
    if entry["aside"]:
        notes.append("aside")
    if entry["behind"] is not None:
        notes.append(f"behind frame {entry['behind']}")
    elif entry["waiting"]:
        notes.append(f"{counted(entry['waiting'], 'frame')} behind it")
    if entry["size"] > _LARGE:
        notes.append(size(entry["size"]))
    return notes


def describe(entry: Entry, before: str = "") -> str:
    """Return a held frame as a line that fits the terminal, with a word `before` it."""
    head = f"{before:<9} " if before else ""
    head += f"{entry['seq']:>4} {ARROWS[entry['sender']]} {', '.join(notes_of(entry))}"
    line = [("", inert(f"{head}  {entry['what']}")), ("", inert(f"  {entry['gist']}"))]
    return paint(cut(line, layout_of_terminal().width), colour=False)


def describe_all(reply: Entry) -> Iterator[str]:
    """Give what is held, as lines; if nothing is, why."""
    yield from (describe(entry) for entry in reply["held"])
    if not reply["held"]:
        tokens = shlex.join(reply["filter"])
        yield (
            f"nothing is held; filter: {inert(tokens)}"
            if tokens
            else (
                "nothing is held; there is no filter: set one with `acp-spy hold filter TOKEN...`"
            )
        )
        if not reply["viewers"]:
            yield "no viewer is attached, so that nothing will be: run `acp-spy hold watch`"


def describe_event(event: Entry) -> str:
    """Return what happened as a line; empty for what needs none."""
    name = event["event"]
    if name == "held":
        return describe(event, "held")
    if name == "resumed":
        why = f": {WHY[event['why']]}" if event["why"] in WHY else ""
        return inert(f"{event['action']:<9} {event['seq']:>4}{why}")
    if name in ("edited", "aside"):
        return describe(event, name)
    if name == "filter":
        return f"filter    {inert(shlex.join(event['filter'])) or 'none'}"
    if name == "faults":
        specs = [spec for each in event["faults"] for spec in each["specs"]]
        return f"faults    {inert(shlex.join(specs)) or 'none'}"
    if name == "response":
        return f"response  {inert(msgspec.json.encode(event['message']).decode())}"
    return ""
