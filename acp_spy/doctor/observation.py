"""What the capture of a probe shows of the agent, as plain facts."""

from typing import Any

import msgspec

from acp_spy.capture.records import Capture, Closed, Exit, Stderr
from acp_spy.conversation.state import Step
from acp_spy.conversation.tracker import Tracker
from acp_spy.doctor.probe import Outcome
from acp_spy.protocol.names import AUTH_REQUIRED
from acp_spy.wire.cut import cut_at_word
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Response, Unreadable
from acp_spy.wire.values import decoded, fields, items, text

_LONGEST_SAMPLE = 1000


class Answer(msgspec.Struct, frozen=True):
    """
    What became of a request: the `result`, or the `error` if it `failed`; either may be anything.

    `seconds` is how long the answer took: for `initialize` since the agent's start, else since
    the request.
    """

    seconds: float | None = None
    result: Any = None
    error: Any = None
    failed: bool = False

    @property
    def came(self) -> bool:
        """Whether there was an answer at all."""
        return self.seconds is not None

    @property
    def went_well(self) -> bool:
        """Whether there was an answer, and it was no error."""
        return self.came and not self.failed


class Turn(msgspec.Struct):
    """What came between a prompt and its response; `t` is when the prompt was sent."""

    t: float
    response: Answer = Answer()
    updates: int = 0
    first_update: float | None = None  # seconds after the prompt
    text: str = ""
    tool_calls: int = 0
    permission_requests: int = 0


class Noise(msgspec.Struct, frozen=True):
    """
    Lines on stdout that are no messages: how many, and the first.

    `unfinished` is how many bytes came without an end of line, from an agent that had to be killed.
    """

    lines: int = 0
    first: str = ""
    unfinished: int = 0


class End(msgspec.Struct, frozen=True):
    """
    How the agent ended.

    `status` is negative for a signal; `seconds` counts from the end of its stdin, and is missing if
    it ended before that. `forced` is the signal that was needed.
    """

    status: int | None = None
    seconds: float | None = None
    forced: str = ""


class Observation(msgspec.Struct):
    """All that was seen. `complaint` is what the proxy itself had to say, if anything."""

    initialize: Answer = Answer()
    new_session: Answer | None = None  # None: it was not asked for
    turn: Turn | None = None  # None: no prompt was sent
    noise: Noise = Noise()
    frames: int = 0  # on its stdout
    echoes: bool = False  # it sends back what it is sent
    stderr: tuple[str, ...] = ()
    end: End = End()
    given_up: str = ""
    complaint: str = ""

    @property
    def was_started(self) -> bool:
        """Whether the agent ran, so that there was a conversation."""
        return bool(self.frames) or not self.complaint

    @property
    def handshake(self) -> dict[str, Any]:
        """What `initialize` was answered with."""
        return fields(self.initialize.result)

    @property
    def auth_methods(self) -> list[dict[str, Any]]:
        """The ways to log in."""
        return list(map(fields, items(self.handshake.get("authMethods"))))

    @property
    def needs_login(self) -> bool:
        """Whether a session was refused until somebody logs in."""
        refused = fields(self.new_session.error) if self.new_session else {}
        return refused.get("code") == AUTH_REQUIRED


def observe(capture: Capture, outcome: Outcome) -> Observation:
    """Return what `capture` and `outcome` of one probe show."""
    seen = Observation(given_up=outcome.given_up)
    tracker = Tracker()
    closed_at: float | None = None
    noise: list[bytes] = []
    asked: set[bytes] = set()
    stderr = b""
    for record in capture.records:
        match record:
            case Frame():
                step = tracker.look_closely(record)
                tracker.advance(step)
                _note_answer(seen, step)
                _note_update(seen, step)
                if record.sender is Peer.CLIENT:
                    asked.add(record.payload)
                    continue
                seen.frames += 1
                seen.echoes = seen.echoes or record.payload in asked
                if _is_noise(step):
                    noise.append(record.payload)
            case Stderr(raw=raw):
                stderr += raw
            case Closed(sender=Peer.CLIENT, t=t):
                closed_at = t
            case Exit(status=status, t=t):
                after = None if closed_at is None else t - closed_at
                seen.end = End(status, after, outcome.forced)
            case _:
                pass
    if seen.end.status is None:
        seen.end = End(None, None, outcome.forced)
    if outcome.unfinished.strip():
        noise.append(outcome.unfinished)
    first = noise[0][: 5 * _LONGEST_SAMPLE].decode(errors="backslashreplace") if noise else ""
    first = cut_at_word(first, _LONGEST_SAMPLE)
    seen.noise = Noise(len(noise), first, len(outcome.unfinished))
    seen.stderr = tuple(stderr.decode(errors="backslashreplace").splitlines())
    # Without `-v` the proxy prints nothing, unless something failed.
    seen.complaint = _own_messages(outcome.stderr, stderr)
    return seen


def _note_answer(seen: Observation, step: Step) -> None:
    """Note the answers to our requests, and which were sent at all."""
    if step.method not in ("initialize", "session/new", "session/prompt"):
        return
    if not isinstance(step.message, Response):
        if step.frame.sender is Peer.CLIENT and step.method == "session/new":
            seen.new_session = Answer()
        if step.frame.sender is Peer.CLIENT and step.method == "session/prompt":
            seen.turn = Turn(step.frame.t)
        return
    exchange = step.exchange
    if exchange is None or exchange.sender is not Peer.CLIENT:
        return
    failed = step.message.failed
    since = 0.0 if step.method == "initialize" else exchange.t
    answer = Answer(
        step.frame.t - since,
        None if failed else step.body,
        decoded(step.message.error) if failed else None,
        failed,
    )
    if step.method == "initialize":
        seen.initialize = answer
    elif step.method == "session/new":
        seen.new_session = answer
    elif seen.turn is not None:
        seen.turn.response = answer


def _note_update(seen: Observation, step: Step) -> None:
    """Note what the agent sends while the prompt is pending."""
    turn = seen.turn
    if turn is None or turn.response.came or step.frame.sender is not Peer.AGENT:
        return
    if step.method == "session/request_permission":
        turn.permission_requests += 1
    if step.method != "session/update":
        return
    turn.updates += 1
    if turn.first_update is None:
        turn.first_update = step.frame.t - turn.t
    update = fields(fields(step.body).get("update"))
    kind = update.get("sessionUpdate")
    if kind == "agent_message_chunk":
        turn.text += text(fields(update.get("content")).get("text")) or ""
    elif kind == "tool_call":
        turn.tool_calls += 1


def _is_noise(step: Step) -> bool:
    if step.glued_at:
        return True
    return isinstance(step.message, Unreadable) and bool(step.frame.payload.strip())


def _own_messages(stderr: bytes, by_agent: bytes) -> str:
    """Return what the proxy itself wrote, of all that came on its stderr."""
    rest = stderr.replace(by_agent, b"", 1) if by_agent else stderr
    lines = rest.decode(errors="backslashreplace").splitlines()
    return "; ".join(
        line.removeprefix("acp-spy: ") for line in lines if line.startswith("acp-spy: ")
    )


def error_text(error: Any) -> str:
    """Return an error's code and message as they were sent."""
    members = fields(error)
    code = members.get("code")
    message = text(members.get("message")) or "without a message"
    return f"{message} ({code})" if isinstance(code, int) else message
