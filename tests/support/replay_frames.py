"""
The frames of a capture as docs/replay.md speaks of them: kinds, sessions, questions and answers.

Written without a line of `acp_spy.replay`, for `replay_rules.py`.
"""

import json
from dataclasses import dataclass, field

from support.replays import decoded

from acp_spy import Closed, Frame, Peer

REQUEST, NOTIFICATION, ANSWER, NOISE, END = "request", "notification", "answer", "noise", "end"


@dataclass(eq=False)
class Recorded:
    """One recorded frame; the sessions that it concerns are none if it concerns all of them."""

    number: int
    sender: Peer
    raw: bytes
    message: dict
    kind: str
    sessions: set = field(default_factory=set)
    question: "Recorded | None" = None

    def concerns(self, other):
        return not self.sessions or not other.sessions or bool(self.sessions & other.sessions)


def kind_of(message):
    if not isinstance(message, dict) or not message.keys() & {"method", "result", "error"}:
        return NOISE
    if "method" not in message:
        return ANSWER
    return REQUEST if "id" in message else NOTIFICATION


def read(capture):
    """Return what was recorded, each frame with its sessions and an answer with its question."""
    frames = []
    for record in capture.records:
        if isinstance(record, Closed):
            frames.append(Recorded(0, record.sender, b"", {}, END))
        elif isinstance(record, Frame):
            frames.append(_frame(record, frames))
    return frames


def _frame(record, before):
    message = decoded(record.raw)
    shown = Recorded(record.seq, record.sender, record.raw, message, kind_of(message))
    if shown.kind == NOISE:
        shown.sessions = next(each.sessions for each in before[::-1] if each.kind != END)
        return shown
    body = message.get("params", message.get("result"))
    if isinstance(body, dict) and "sessionId" in body:
        shown.sessions.add(body["sessionId"])
    if shown.kind == ANSWER:
        (shown.question,) = (
            each
            for each in before
            if each.kind == REQUEST
            and each.sender is not shown.sender
            and each.message["id"] == message["id"]
        )
        shown.sessions |= shown.question.sessions
        shown.question.sessions = shown.sessions  # whoever asks for a session is in it
    return shown


def session_of(message):
    shown = message.get("params")
    return shown.get("sessionId") if isinstance(shown, dict) else None


def is_for_leave(shown):
    return shown.kind == REQUEST and shown.message["method"] == "session/request_permission"


def most_alike(candidates, message):
    """Return the first with the same params, else the first."""
    same = [each for each in candidates if each.message["params"] == message["params"]]
    return (same or candidates)[0]


def same_id(one, other):
    return json.dumps(one["id"]) == json.dumps(other["id"])


def made_up(message):
    """Return what the sender of a message makes up in it: names of its own, and the folder."""
    params, result = message.get("params", {}), message.get("result", {})
    mine = {"cwd": params["cwd"]} if "cwd" in params else {}
    if isinstance(update := params.get("update"), dict) and "toolCallId" in update:
        mine["toolCallId"] = update["toolCallId"]
    return mine | {key: result[key] for key in ("sessionId", "terminalId") if key in result}


def body(message):
    """Return what a person wants to know when it differs: no version, no name, no folder."""
    shown = json.loads(json.dumps(message.get("params", message.get("result"))))
    if isinstance(shown, dict):
        shown.get("clientInfo", {}).pop("version", None)
        shown = {key: value for key, value in shown.items() if key not in made_up(message)}
    return shown


def shape(shown, message):
    """Whether an agent's answer is of the recorded shape."""
    one, other = shown.message["result"], message["result"]
    if type(one) is not type(other):
        return False
    telling = ("stopReason", "protocolVersion")
    return all(
        type(other.get(key)) is type(value) and (key not in telling or other[key] == value)
        for key, value in one.items()
    )


def leave(shown, message):
    """Whether a client's answer gives leave where leave was given, and to the same kind of thing."""
    if not is_for_leave(shown.question):
        return True
    return shown.message["result"]["outcome"] == message["result"]["outcome"]
