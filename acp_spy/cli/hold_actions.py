"""What `acp-spy hold` does to a run, in one call or as a line that is typed into `watch`."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from acp_spy.capture.codec import decode
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.client import ControlClient
from acp_spy.units import counted, size, span
from acp_spy.view.layout import layout_of_terminal
from acp_spy.view.style import cut, paint
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert, inert_lines

Entry = dict[str, Any]
_ARROWS = {"client": "→", "agent": "←"}
_LARGE = 10_000  # bytes
_WHY = {
    "timeout": "it was held for too long",
    "no-viewer": "no viewer is attached",
    "too-much": "too much waited",
}


def numbers(words: Sequence[str]) -> list[int]:
    """Return frame numbers: `12` or `#12`."""
    found = [word.removeprefix("#") for word in words]
    for word in found:
        if not word.isdecimal() or len(word) > 15:
            raise AcpSpyError(f"not a frame number: `{word}`", hint="use 12, as `hold list` has it")
    return [int(word) for word in found]


def release(client: ControlClient, words: Sequence[str], *, everything: bool = False) -> list[str]:
    """Release frames; return what was done, as lines."""
    reply = client.ask("release", **_which(words, everything=everything))
    late = {each["seq"]: each["behind"] for each in reply["behind"]}
    return [
        f"released frame {seq}" + (f"; it waits behind frame {late[seq]}" if seq in late else "")
        for seq in reply["seq"]
    ] or ["nothing is held"]


def drop(
    client: ControlClient,
    words: Sequence[str],
    *,
    everything: bool = False,
    error: tuple[int, str] | None = None,
) -> list[str]:
    """Drop frames, or answer them with an error."""
    if not error:
        reply = client.ask("drop", **_which(words, everything=everything))
        return [f"dropped frame {seq}" for seq in reply["seq"]] or ["nothing is held"]
    code, message = error
    asked = _which(words, everything=everything)
    if everything:
        asked = {"seq": [each["seq"] for each in client.ask("list")["held"]]}
    seqs = asked["seq"] if isinstance(asked.get("seq"), list) else [asked.get("seq")]
    done = [
        client.ask("answer", seq=seq, error={"code": code, "message": message})["seq"][0]
        for seq in seqs
    ]
    return [f"answered frame {seq} with error {code}" for seq in done]


def aside(client: ControlClient, words: Sequence[str]) -> list[str]:
    """Let pass what waits behind a frame."""
    reply = client.ask("aside", **_which(words))
    passed = counted(reply["passed"], "frame")
    return [f"set frame {reply['seq'][0]} aside; {passed} behind it went on"]


def show(client: ControlClient, words: Sequence[str]) -> list[str]:
    """Return a held frame, as it would be delivered now."""
    frame = _frame(client.ask("get", **_which(words)))
    return inert_lines(_readable(frame.raw)).splitlines()


def edit(
    client: ControlClient,
    words: Sequence[str],
    *,
    given: str | None = None,
    force: bool = False,
    keep: bool = False,
) -> list[str]:
    """Deliver another message in place of a frame: a given one, or from the editor."""
    held = client.ask("get", **_which(words))
    seq, raw = held["seq"], _frame(held).raw
    path = ""
    if given is None:
        path = _write_temporary(_readable(raw))
        _run_editor(path)
        text = _read(path)
        if _same(text, raw):
            os.unlink(path)
            return [f"frame {seq} was not changed, and is still held"]
    else:
        text = text_of(given)
    try:
        client.ask("edit", seq=seq, text=text, force=force, keep=keep)
    except AcpSpyError as error:
        hint = "correct it, or use --force to send it as it is"
        if path:
            again = f"acp-spy hold edit {seq} --with {shlex.quote(path)}"
            hint = f"your text was kept: correct it and run `{again}`"
        raise AcpSpyError(f"{error.message}; frame {seq} is still held", hint=hint) from None
    if path:
        os.unlink(path)
    return [f"edited frame {seq}" + (", which is still held" if keep else " and released it")]


def describe(entry: Entry, before: str = "") -> str:
    """Return a held frame as a line that fits the terminal, with a word `before` it."""
    notes = [f"{span(entry['left'])} left"]
    if entry["edited"]:
        notes.append("edited")
    if entry["aside"]:
        notes.append("aside")
    if entry["behind"] is not None:
        notes.append(f"behind frame {entry['behind']}")
    if entry["waiting"]:
        notes.append(f"{counted(entry['waiting'], 'frame')} behind it")
    if entry["size"] > _LARGE:
        notes.append(size(entry["size"]))
    head = f"{before:<9} " if before else ""
    head += f"{entry['seq']:>4} {_ARROWS[entry['sender']]} {', '.join(notes)}"
    line = [("", f"{head}  {inert(entry['what'])}"), ("", f"  {inert(entry['gist'])}")]
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
        why = f": {_WHY[event['why']]}" if event["why"] in _WHY else ""
        return f"{event['action']:<9} {event['seq']:>4}{why}"
    if name in ("edited", "aside"):
        return describe(event, name)
    if name == "filter":
        return f"filter    {inert(shlex.join(event['filter'])) or 'none'}"
    if name == "faults":
        specs = [spec for each in event["faults"] for spec in each["specs"]]
        return f"faults    {inert(shlex.join(specs)) or 'none'}"
    return ""


def do_line(client: ControlClient, line: str) -> list[str]:
    """Do what a person has typed into `watch`; return what was done, as lines."""
    try:
        word, *rest = shlex.split(line) or [""]
    except ValueError:
        raise AcpSpyError("cannot read the command: no closing quote") from None
    if not word:
        return []
    action = _TYPED.get(word)
    if action is None:
        raise AcpSpyError(f"no such command: `{word}`", hint=f"use {', '.join(_TYPED)} or quit")
    return action(client, rest)


def _typed_all(act: Callable[..., list[str]]) -> Callable[[ControlClient, list[str]], list[str]]:
    def run(client: ControlClient, words: list[str]) -> list[str]:
        if words in (["all"], ["--all"]):
            return act(client, [], everything=True)
        return act(client, words)

    return run


def _typed_error(client: ControlClient, words: list[str]) -> list[str]:
    if len(words) < 2 or not re.fullmatch(r"-?\d{1,9}", words[1]):
        raise AcpSpyError("missing error", hint="use `error FRAME CODE MESSAGE`")
    message = " ".join(words[2:]) or "refused"
    return drop(client, words[:1], error=(int(words[1]), message))


def _typed_filter(client: ControlClient, words: list[str]) -> list[str]:
    client.ask("filter", filter=words)
    return []  # the event says it


_TYPED: dict[str, Callable[[ControlClient, list[str]], list[str]]] = {
    "list": lambda client, _words: [*describe_all(client.ask("list"))],
    "show": show,
    "release": _typed_all(release),
    "edit": edit,
    "drop": _typed_all(drop),
    "error": _typed_error,
    "aside": aside,
    "filter": _typed_filter,
}


def _which(words: Sequence[str], *, everything: bool = False) -> Entry:
    if everything and words:
        raise AcpSpyError("`--all` cannot be used with a frame", hint="use one of them")
    if everything:
        return {"all": True}
    found = numbers(words)
    return {"seq": found[0] if len(found) == 1 else found} if found else {}


def _frame(held: Entry) -> Frame:
    frame = decode(msgspec.json.encode(held["frame"]))
    assert isinstance(frame, Frame)
    return frame


def _readable(raw: bytes) -> str:
    """Return a message on several lines, to be read and edited."""
    try:
        return msgspec.json.format(raw, indent=2).decode() + "\n"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return raw.decode(errors="backslashreplace")


def _same(text: str, raw: bytes) -> bool:
    return text.rstrip("\n") == _readable(raw).rstrip("\n")


def text_of(given: str) -> str:
    """Return the message in a file, on stdin, or as it is given."""
    if given == "-":
        return sys.stdin.read()
    if given.lstrip().startswith("{"):
        return given
    return _read(given)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise AcpSpyError(f"cannot read `{path}`: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AcpSpyError(f"cannot read `{path}`: not UTF-8") from None


def _write_temporary(text: str) -> str:
    descriptor, path = tempfile.mkstemp(prefix="acp-spy-frame-", suffix=".json")
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _run_editor(path: str) -> None:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        status = subprocess.run([*shlex.split(editor), path], check=False).returncode
    except (OSError, ValueError) as error:
        os.unlink(path)
        reason = getattr(error, "strerror", None) or str(error)
        raise AcpSpyError(
            f"cannot start the editor `{editor}`: {reason}",
            hint="set $EDITOR, or give the message with --with",
        ) from None
    if status:
        raise AcpSpyError(
            f"the editor `{editor}` ended with status {status}; the frame is still held",
            hint=f"your text is in {path}",
        )
