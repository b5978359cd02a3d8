"""
What people do to a run: each action asks for it, and returns what was done, as lines.

`acp-spy hold`, what is typed into `hold watch`, and the console do the same.
"""

import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.client import ControlClient
from acp_spy.middleware.holds.editing import begin_edit, frame_of, readable
from acp_spy.units import counted
from acp_spy.view.held_frames import describe_all
from acp_spy.wire.inert import inert, inert_json, inert_lines
from acp_spy.wire.jsonrpc import Unreadable, read_message

Action = Callable[[ControlClient, list[str]], list[str]]


def numbers(words: Sequence[str]) -> list[int]:
    """Return frame numbers: `12` or `#12`."""
    found = [word.removeprefix("#") for word in words]
    for word in found:
        if not word.isdecimal() or len(word) > 15:
            raise AcpSpyError(f"not a frame number: `{word}`", hint="use 12, as `hold list` has it")
    return [int(word) for word in found]


def release(client: ControlClient, words: Sequence[str], *, everything: bool = False) -> list[str]:
    """Release frames."""
    reply = client.ask("release", **which(words, everything=everything))
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
        reply = client.ask("drop", **which(words, everything=everything))
        return [f"dropped frame {seq}" for seq in reply["seq"]] or ["nothing is held"]
    code, message = error
    asked = which(words, everything=everything)
    if everything:
        asked = {"seq": [each["seq"] for each in client.ask("list", brief=True)["held"]]}
    seqs = asked["seq"] if isinstance(asked.get("seq"), list) else [asked.get("seq")]
    done = [
        client.ask("answer", seq=seq, error={"code": code, "message": message})["seq"][0]
        for seq in seqs
    ]
    return [f"answered frame {seq} with error {code}" for seq in done]


def aside(client: ControlClient, words: Sequence[str]) -> list[str]:
    """Let pass what waits behind a frame."""
    reply = client.ask("aside", **which(words))
    passed = counted(reply["passed"], "frame")
    return [f"set frame {reply['seq'][0]} aside; {passed} behind it went on"]


def show(client: ControlClient, words: Sequence[str]) -> list[str]:
    """Return a held frame, as it would be delivered now."""
    frame = frame_of(client.ask("get", **which(words)))
    return inert_lines(inert_json(readable(frame.raw))).splitlines()


def edit(client: ControlClient, words: Sequence[str], *, keep: bool = False) -> list[str]:
    """Deliver another message in place of a frame, from the editor."""
    editing = begin_edit(client.ask("get", **which(words)))
    try:
        editing.run_editor()
        return editing.send(client, keep=keep)
    except AcpSpyError as error:
        if not editing.has_changed:
            raise
        again = f"acp-spy hold edit {editing.seq} --with {shlex.quote(editing.save())}"
        hint = f"your text was kept: correct it and run `{again}`"
        raise AcpSpyError(error.message, hint=hint) from None


def revert(client: ControlClient, words: Sequence[str]) -> list[str]:
    """Forget what was edited in a frame."""
    seq = client.ask("revert", **which(words))["seq"][0]
    return [f"frame {seq} will be delivered as it was sent"]


def inject(client: ControlClient, to: str, message: str) -> bool:
    """Send a message that is given as JSON to a peer. Return whether a response will come."""
    try:
        value = msgspec.json.decode(message)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        why = "not UTF-8" if isinstance(error, UnicodeError) else _why_not_json(message, error)
        raise AcpSpyError(
            f"cannot inject the message: {why}",
            hint="""use '{"method": "session/cancel", "params": {"sessionId": "ID"}}'""",
        ) from None
    return bool(client.ask("inject", to=to, message=value)["expects_response"])


def _why_not_json(message: str, error: Exception) -> str:
    read = read_message(message.encode())  # says it better, where it cannot read it either
    return read.reason if isinstance(read, Unreadable) else f"not JSON: {error}"


def set_filter(client: ControlClient, tokens: Sequence[str]) -> list[str]:
    """Set the filter; clear it without tokens. A leading `!` negates, too."""
    spelled = [f"-{token[1:]}" if token.startswith("!") else token for token in tokens]
    now = client.ask("filter", filter=spelled)["filter"]
    return [f"filter: {shlex.join(now)}" if now else "there is no filter: nothing will be held"]


def faults(client: ControlClient, *, add: str = "", remove: str = "") -> list[str]:
    """Add or remove a fault, and list all."""
    if add:
        client.ask("add_fault", spec=add)
    elif remove:
        client.ask("remove_fault", fault=numbers([remove])[0])
    listed = client.ask("faults")["faults"]
    lines = [f"{each['fault']:>3}  {inert(', '.join(each['specs']))}" for each in listed]
    return lines or ["there are no faults"]


def do_line(client: ControlClient, line: str) -> list[str]:
    """Do what a person has typed; return what was done, as lines."""
    try:
        word, *rest = shlex.split(line) or [""]
    except ValueError:
        raise AcpSpyError("cannot read the command: no closing quote") from None
    if not word:
        return []
    action = TYPED.get(word)
    if action is None:
        raise AcpSpyError(f"no such command: `{word}`", hint=f"use {', '.join(TYPED)} or quit")
    return action(client, rest)


def error_of(words: Sequence[str]) -> tuple[int, str]:
    """Return the error that is typed: its code, and a message or none."""
    if not words or not re.fullmatch(r"-?\d{1,9}", words[0]):
        raise AcpSpyError("missing error code", hint="use `-32603 MESSAGE`")
    return int(words[0]), " ".join(words[1:]) or "refused"


def _typed_all(act: Callable[..., list[str]]) -> Action:
    def run(client: ControlClient, words: list[str]) -> list[str]:
        if words in (["all"], ["--all"]):
            return act(client, [], everything=True)
        return act(client, words)

    return run


def _typed_error(client: ControlClient, words: list[str]) -> list[str]:
    if len(words) < 2:
        raise AcpSpyError("missing error", hint="use `error FRAME CODE MESSAGE`")
    return drop(client, words[:1], error=error_of(words[1:]))


def _typed_filter(client: ControlClient, words: list[str]) -> list[str]:
    set_filter(client, words)
    return []  # the event says it


def _typed_fault(client: ControlClient, words: list[str]) -> list[str]:
    """`fault` lists, `fault SPEC` adds, `fault remove N` removes."""
    if words[:1] in (["remove"], ["--remove"]) and len(words) == 2:
        return faults(client, remove=words[1])
    return faults(client, add=shlex.join(words) if len(words) > 1 else "".join(words))


def _typed_inject(client: ControlClient, words: list[str]) -> list[str]:
    if len(words) != 2:
        raise AcpSpyError("missing message", hint="use `inject PEER 'MESSAGE'`, quoted")
    inject(client, *words)
    return [f"sent to the {words[0]}"]


TYPED: dict[str, Action] = {
    "list": lambda client, _words: [*describe_all(client.ask("list", brief=True))],
    "show": show,
    "release": _typed_all(release),
    "edit": edit,
    "revert": revert,
    "drop": _typed_all(drop),
    "error": _typed_error,
    "aside": aside,
    "inject": _typed_inject,
    "filter": _typed_filter,
    "fault": _typed_fault,
}


def which(words: Sequence[str], *, everything: bool = False) -> dict[str, Any]:
    """Return the fields of a request that say which frames are meant."""
    if everything and words:
        raise AcpSpyError("`--all` cannot be used with a frame", hint="use one of them")
    if everything:
        return {"all": True}
    found = numbers(words)
    return {"seq": found[0] if len(found) == 1 else found} if found else {}
