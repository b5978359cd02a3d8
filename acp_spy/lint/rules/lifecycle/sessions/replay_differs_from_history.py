"""A replay shows what happened, in its order."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

import msgspec

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step, ToolCall, Turn
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.protocol import events as ev
from acp_spy.units import counted
from acp_spy.wire.jsonrpc import Request, Unreadable
from acp_spy.wire.values import fields, items

_SESSIONS, _EVENTS = 64, 1024  # that are remembered
_LONGEST = 200  # characters of a prompt that are compared
_PLURALS = {"reply": "replies"}
_CALL = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Run the tests", "status": "completed"}}}
"""
_LOAD = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
"""
_USER = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "Fix the test"}}}}
"""
_LOADED = """
    <- {"jsonrpc": "2.0", "id": 3, "result": {}}
"""
_TURN = transcript(HANDSHAKE, NEW_SESSION, PROMPT, _CALL, CHUNK, END_TURN)


class _Happened(msgspec.Struct):
    """A prompt or a tool call; those of one `group` may be replayed in any order."""

    kind: str  # prompt, tool call
    name: str  # the text of a prompt without its spaces, the id of a tool call
    group: int
    seq: int
    # A prompt that was refused, or never reached the agent, need not be replayed.
    counts: bool = True
    may_count: bool = True
    reply: int = 0  # the frame of the last text of the agent, if the turn ended with it


class _Replayed(msgspec.Struct):
    """A piece of the replay: text of the user, text of the agent, a thought, or a tool call."""

    kind: str
    name: str
    seq: int
    used: int = 0  # characters of the text that were found to be prompts


@rule(
    code="LIF033",
    name="replay-differs-from-history",
    severity=Severity.ERROR,
    summary="The replayed history is incomplete or in another order",
    on=(
        "TurnStarted",
        "TurnEnded",
        "StateChanged",
        "ToolCallChanged",
        "replayed",
        "lost",
        "result:session/load",
        "result:session/resume",
    ),
    covers=("SES-08", "V2-15"),
    spec="https://agentclientprotocol.com/protocol/session-setup#loading-sessions",
    since="0.2",
    bad=transcript(_TURN, _LOAD, _USER, CHUNK, _LOADED),
    good=transcript(_TURN, _LOAD, _USER, _CALL, CHUNK, _LOADED),
)
def replay_differs_from_history(
    step: Step, facts: Facts, sessions: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does
    Compares the replay of `session/load`, or of `session/resume` from the start in version 2, with
    what this capture has seen in the session: prompts, tool calls, and whether the agent replied.
    Reports what is missing, out of order, or replayed twice. Prompts that failed, slash commands and
    tool calls that ran at the same time are not compared. A load without any update is reported by
    LIF024. Over HTTP, what is missing is not reported, because it may come after the response, by
    another stream.

    ## Why it matters
    The client shows the replay as the conversation. The user sees another conversation than the one
    that the agent remembers.

    ## Use instead
    Store every message and tool call as it was sent, and replay all of them in that order.
    """
    is_change = type(step.event) is ev.ToolCallChanged and not step.event.is_new
    if is_change and not facts.is_replayed and not step.state.is_draft:
        return
    if isinstance(step.message, Unreadable):
        _excuse(step, sessions)
        return
    session = step.exchange.session if step.exchange else fields(step.body).get("sessionId")
    if not isinstance(session, str):
        return
    if facts.is_replayed and not step.exchange:
        _add_replayed(step, sessions)
    elif step.method in ("session/load", "session/resume"):
        replayed = sessions.pop(("replayed", session), None)
        is_broken = sessions.pop(("broken", session), False)
        if replayed and not is_broken and _is_whole(step):
            yield from _compare(step, sessions.get(session, ()), replayed)
    elif type(step.event) is ev.TurnEnded:
        _end_turn(step, sessions.get(session, ()))
    elif type(step.event) is ev.StateChanged:
        _end_work(step, sessions.get(session, ()))
    else:
        _note(step, session, sessions)


def _excuse(step: Step, sessions: dict[Any, Any]) -> None:
    """Remember that a part of a replay may be in a frame that nobody can read."""
    for method in ("session/load", "session/resume"):
        # As many as are remembered: somebody who means harm has thousands, and as many such frames.
        for asked in islice(step.state.pending.for_method(method), _SESSIONS):
            remember(sessions, ("broken", asked.session), True, most=_SESSIONS)


def _is_whole(step: Step) -> bool:
    """Return whether the whole history was asked for."""
    if step.method == "session/load":
        return True
    asked = fields(step.exchange.params if step.exchange else None)
    return fields(asked.get("replayFrom")).get("type") == "start"


def _note(step: Step, session: str, sessions: dict[Any, Any]) -> None:
    """Remember a prompt or a tool call."""
    if session not in sessions:
        remember(sessions, session, [], most=_SESSIONS)
    happened = sessions[session]
    if len(happened) >= _EVENTS:
        del happened[: _EVENTS // 2]
    last = happened[-1].group if happened else 0
    if type(step.message) is Request:
        text = _text_of(fields(step.body).get("prompt"))
        may_count = bool(text) and not text.startswith("/")
        happened.append(_Happened("prompt", text, last + 1, step.frame.seq, False, may_count))
        return
    if type(step.event) is not ev.ToolCallChanged:
        return
    name = step.event.tool_call
    if name and step.session is not None and step.session.turns:
        known = step.session.tool_calls
        if name not in known:
            group = last if _is_beside_another(happened, known) else last + 1
            happened.append(_Happened("tool call", name, group, step.frame.seq))


def _is_beside_another(happened: list[_Happened], known: dict[str, ToolCall]) -> bool:
    """Return whether a tool call of the last group is still running."""
    for each in reversed(happened):
        if each.group != happened[-1].group or each.kind != "tool call":
            return False
        if each.name in known and known[each.name].is_open:
            return True
    return False


def _text_of(prompt: Any) -> str:
    """Return the first text of a prompt, without spaces."""
    for block in items(prompt):
        text = fields(block).get("text")
        if isinstance(text, str):
            return "".join(text.split())[:_LONGEST]
    return ""


def _end_turn(step: Step, happened: Sequence[_Happened]) -> None:
    """Leave out a prompt that failed, or that was cancelled before anything came of it."""
    if step.exchange is None or step.session is None:
        return
    turn = step.session.turns.of(step.exchange)
    prompt = _prompt(happened, step.exchange.seq)
    if turn is None or prompt is None:
        return
    prompt.counts = prompt.may_count and _is_history(step, turn)
    prompt.reply = _reply(turn) if fields(step.body).get("stopReason") == "end_turn" else 0


def _end_work(step: Step, happened: Sequence[_Happened]) -> None:
    """Do the same in version 2, where the session becomes idle."""
    update = fields(fields(step.body).get("update"))
    if step.session is None or update.get("state") != "idle":
        return
    reason = update.get("stopReason")
    for turn in step.session.turns:
        if prompt := _prompt(happened, turn.exchange.seq):
            has_come = turn.shown > 0 and prompt.may_count
            is_other = reason in ("refusal", "error") or turn.exchange.is_replaced
            prompt.counts = has_come and not is_other
            prompt.reply = _reply(turn) if reason == "end_turn" else 0


def _prompt(happened: Sequence[_Happened], seq: int) -> _Happened | None:
    """Return what is kept of the prompt in frame `seq`."""
    at = bisect_left(happened, seq, key=attrgetter("seq"))
    return happened[at] if at < len(happened) and happened[at].seq == seq else None


def _reply(turn: Turn) -> int:
    """Return the frame of the text that ended the turn; 0 if none did."""
    speech = turn.speech
    return speech.last_seq if speech is not None and speech.name == "agent_message_chunk" else 0


def _is_history(step: Step, turn: Turn) -> bool:
    reason = fields(step.body).get("stopReason")
    if turn.exchange.is_replaced:
        return False  # the agent replays what it got
    return isinstance(reason, str) and reason != "refusal" and turn.shown > 0


def _add_replayed(step: Step, sessions: dict[Any, Any]) -> None:
    """Take in a piece of the replay."""
    event, session = step.event, fields(step.body).get("sessionId")
    if ("replayed", session) not in sessions:
        remember(sessions, ("replayed", session), [], most=_SESSIONS)
    replayed = sessions["replayed", session]
    if type(event) is ev.ToolCallChanged and event.tool_call:
        replayed.append(_Replayed("tool call", event.tool_call, step.frame.seq))
    elif isinstance(event, ev.Said) and event.role == "user":
        blocks = event.content if isinstance(event.content, list) else [event.content]
        texts = [fields(block).get("text") for block in blocks]
        text = "".join("".join(each.split()) for each in texts if isinstance(each, str))
        if replayed and replayed[-1].kind == "prompt":
            replayed[-1].name += text[: 64 * _LONGEST]
        else:
            replayed.append(_Replayed("prompt", text[: 64 * _LONGEST], step.frame.seq))
    elif isinstance(event, ev.Said) and (not replayed or replayed[-1].kind != event.role):
        replayed.append(_Replayed(event.role, "", step.frame.seq))
    if len(replayed) > 4 * _EVENTS:
        del replayed[:_EVENTS]


def _compare(
    step: Step, happened: Iterable[_Happened], replayed: list[_Replayed]
) -> Iterator[Remark]:
    calls = {each.name: each.seq for each in reversed(replayed) if each.kind == "tool call"}
    texts = [each for each in replayed if each.kind == "prompt"]
    missing: list[_Happened] = []
    prompts: list[tuple[_Happened, int]] = []
    latest, of_group, disorder = 0, (0, 0), None
    for each in happened:
        seq = calls.get(each.name) if each.kind == "tool call" else _find(each.name, texts)
        if seq is None:
            missing += [each] if each.counts else []
            continue
        prompts += [(each, seq)] if each.kind == "prompt" else []
        if each.group != of_group[0]:
            latest, of_group = max(latest, of_group[1]), (each.group, 0)
        of_group = each.group, max(of_group[1], seq)
        if seq < latest and disorder is None:
            disorder = each, seq
    see = step.exchange.seq if step.exchange else None
    if not missing and disorder is None:
        missing = _without_reply(prompts, replayed)
    if step.frame.via is not None and step.frame.via.may_overtake_updates:
        missing = []  # it may come after the response
    if missing:
        yield Remark(
            f"the replay lacks {_counted(missing)} of this session, {_named(missing[0])} first;"
            " expected the whole conversation",
            at="/result",
            see=missing[0].seq,
            hint="replay every message and tool call before the response",
        )
    if disorder is not None:
        each, seq = disorder
        yield Remark(
            f"{_named(each)} is out of order in the replay; expected the order of the conversation",
            on=seq,
            see=see,
            hint="replay messages and tool calls in the order in which they were sent",
        )
    yield from _replayed_twice(prompts, texts, see)


def _without_reply(
    prompts: list[tuple[_Happened, int]], replayed: list[_Replayed]
) -> list[_Happened]:
    """Return the replies of the agent that are not in the replay."""
    replies = [each.seq for each in replayed if each.kind == "agent"]
    ends = [*(seq for _, seq in prompts[1:]), replayed[-1].seq]
    return [
        _Happened("reply", "", each.group, each.reply)
        for (each, start), end in zip(prompts, ends, strict=False)
        if each.reply and not any(start <= seq <= end for seq in replies)
    ]


def _replayed_twice(
    prompts: list[tuple[_Happened, int]], texts: list[_Replayed], see: int | None
) -> Iterator[Remark]:
    """Report the first prompt that is repeated right after it was replayed."""
    found = {replayed.seq: replayed for replayed in texts}
    for each, seq in prompts:
        replayed = found[seq]
        if each.name and replayed.name[replayed.used :] == each.name:
            yield Remark(
                f"{_named(each)} is replayed twice; expected it once",
                on=seq,
                see=see,
                hint="replay every message once",
            )
            return


def _find(text: str, texts: list[_Replayed]) -> int | None:
    """Return the frame in which a prompt is replayed; each place is found once."""
    for replayed in texts:
        place = replayed.name.find(text, replayed.used)
        if place >= 0:
            replayed.used = place + len(text)
            return replayed.seq
    return None


def _counted(missing: list[_Happened]) -> str:
    kinds = [each.kind for each in missing]
    counts = [(kinds.count(kind), kind) for kind in dict.fromkeys(kinds)]
    return " and ".join(counted(count, kind, _PLURALS.get(kind, "")) for count, kind in counts)


def _named(each: _Happened) -> str:
    if each.kind == "prompt":
        return f"the prompt of frame {each.seq}"
    if each.kind == "reply":
        return f"the agent's text of frame {each.seq}"
    return f"tool call {quoted(each.name)} of frame {each.seq}"
