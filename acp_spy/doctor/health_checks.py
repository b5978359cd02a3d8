"""The checks of an observation: one for each thing that can go wrong."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from acp_spy.doctor.observation import Answer, Observation, error_text
from acp_spy.lint.rule import Finding, Severity
from acp_spy.lint.rules.framing.late_exit_after_eof import PATIENCE
from acp_spy.protocol.names import AUTH_REQUIRED
from acp_spy.units import counted, size, span
from acp_spy.view.findings.report import LEVELS, grouped
from acp_spy.view.gists.words import names, offers, who, word
from acp_spy.wire.values import fields, items

# `fail` is what an agent must fix, `note` what a person should know, `info` a plain fact.
Verdict = Literal["ok", "note", "fail", "info"]
_SLOW = 10.0  # an editor's user has given up by then
_TOO_LATE = "it came after the timeout; use a longer `--timeout`"
_LAST_LINES, _LONGEST_SAMPLE = 3, 100
_IN_ACP_MODE = "start the agent in ACP mode; many need an option such as `--acp`"


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at, what was seen, and what to do about it."""

    name: str
    verdict: Verdict
    text: str
    hint: str = ""
    lines: tuple[str, ...] = ()  # of the agent, quoted below the text


def examine(seen: Observation, findings: Sequence[Finding], timeout: float) -> tuple[Check, ...]:
    """Return what there is to say, in the order in which it happened."""
    if seen.complaint and not seen.initialize.came and not seen.stderr:
        return (Check("start", "fail", seen.complaint),)
    return (
        _start(seen, timeout),
        *_handshake(seen),
        *_session(seen, timeout),
        *_prompt(seen, timeout),
        _stdout(seen),
        *_stderr(seen),
        _findings(findings),
        _end(seen),
    )


def _start(seen: Observation, timeout: float) -> Check:
    answer = seen.initialize
    if not answer.came:
        return Check("start", "fail", *_no_answer(seen, "initialize", timeout))
    if seen.echoes:
        text = "the agent sends back what it is sent"
        return Check("start", "fail", text, _IN_ACP_MODE)
    took = span(answer.seconds or 0.0)
    if answer.failed:
        text = f"`initialize` was answered with an error after {took}: {error_text(answer.error)}"
        return Check("start", "fail", text)
    text = f"`initialize` was answered {took} after the start"
    if _is_late(seen, answer):
        return Check("start", "fail", text, _TOO_LATE)
    if (answer.seconds or 0.0) > _SLOW:
        hint = "install the agent instead of downloading it at each start; users wait for this"
        return Check("start", "note", text, hint)
    return Check("start", "ok", text)


def _is_late(seen: Observation, answer: Answer) -> bool:
    """Whether `answer` came when nobody waited for it any more: nothing was sent after it."""
    last = seen.turn.response if seen.turn else seen.new_session or seen.initialize
    return seen.given_up == "timeout" and answer is last


def _no_answer(seen: Observation, method: str, timeout: float) -> tuple[str, str]:
    """Say why `method` was not answered, and what helps."""
    # An agent that answered `initialize` is in ACP mode.
    mode = "" if seen.initialize.came else _IN_ACP_MODE
    if seen.given_up == "flood":
        return f"`{method}` was not answered: the agent does not stop writing", mode
    if seen.given_up == "timeout":
        longer = "use a longer `--timeout`"
        hint = f"{mode}; if it is only slow, {longer}" if mode else f"if it is only slow, {longer}"
        return f"`{method}` was not answered within {span(timeout)}", hint
    if seen.end.forced:
        return f"the agent closed its stdout before it answered `{method}`, but still runs", ""
    text = f"the agent {_ended(seen)} before it answered `{method}`"
    if seen.stderr:
        return text, ""
    return f"{text}, and wrote nothing to stderr", mode


def _handshake(seen: Observation) -> Iterator[Check]:
    if not seen.initialize.went_well:
        return
    handshake = seen.handshake
    version = handshake.get("protocolVersion")
    if version == 1 and version is not True:
        yield Check("version", "ok", "protocol version 1")
    else:
        answered = f"protocol version {word(version)}" if word(version) else "no protocol version"
        yield Check("version", "fail", f"{answered}; requested 1, so no session was tried")
    named = who(handshake.get("agentInfo"))
    if named:
        yield Check("agent", "ok", named)
    else:
        yield Check("agent", "note", "no name", "send `agentInfo` with name and version")
    offered = offers(handshake.get("agentCapabilities"))
    yield Check("offers", "info", offered or "no optional capabilities")
    if methods := seen.auth_methods:
        yield Check("login", "info", names(methods, "name", "id"))


def _session(seen: Observation, timeout: float) -> Iterator[Check]:
    answer = seen.new_session
    if answer is None:
        return
    if not answer.came:
        yield Check("session", "fail", *_no_answer(seen, "session/new", timeout))
    elif seen.needs_login:
        ways = names(seen.auth_methods, "name", "id")
        yield Check(
            "session",
            "note",
            f"`session/new` requires a login: {error_text(answer.error)}"
            + ("" if ways else "; the agent lists no login methods"),
            f"log in with the agent's own program, or in your editor: {ways}" if ways else "",
        )
    elif answer.failed:
        yield Check(
            "session",
            "fail",
            f"`session/new` was answered with an error: {error_text(answer.error)}",
        )
    elif not isinstance(fields(answer.result).get("sessionId"), str):
        yield Check("session", "fail", "`session/new` was answered without a `sessionId`")
    else:
        opened = fields(answer.result)
        modes = names(items(fields(opened.get("modes")).get("availableModes")), "name", "id")
        took = f"opened in {span(answer.seconds or 0.0)}"
        if _is_late(seen, answer):
            yield Check("session", "fail", took, _TOO_LATE)
            return
        yield Check("session", "ok", f"{took}; modes: {modes}" if modes else took)


def _prompt(seen: Observation, timeout: float) -> Iterator[Check]:
    turn = seen.turn
    if turn is None:
        return
    answer = turn.response
    if not answer.came:
        yield Check("prompt", "fail", *_no_answer(seen, "session/prompt", timeout))
        return
    if answer.failed:
        text = f"`session/prompt` was answered with an error: {error_text(answer.error)}"
        needs_login = fields(answer.error).get("code") == AUTH_REQUIRED
        yield Check("prompt", "note" if needs_login else "fail", text)
        return
    reason = word(fields(answer.result).get("stopReason"))
    parts = [f"answered in {span(answer.seconds or 0.0)}, stop reason `{reason or 'missing'}`"]
    if turn.first_update is not None:
        parts.append(f"first update after {span(turn.first_update)}")
    parts.append(counted(turn.updates, "update"))
    if turn.tool_calls:
        parts.append(counted(turn.tool_calls, "tool call"))
    if turn.permission_requests:
        parts.append(f"{counted(turn.permission_requests, 'permission request')}, rejected")
    said = " ".join(turn.text.split())
    parts.append(f"text: `{_sample(said)}`" if said else "no text")
    if _is_late(seen, answer):
        yield Check("prompt", "fail", "; ".join(parts), _TOO_LATE)
        return
    went_well = reason == "end_turn" and said
    yield Check("prompt", "ok" if went_well else "note", "; ".join(parts))


def _stdout(seen: Observation) -> Check:
    noise = seen.noise
    if not seen.frames and not noise.lines:
        return Check("stdout", "info", "nothing")
    if not noise.lines:
        return Check("stdout", "ok", "only messages")
    first = f"`{_sample(noise.first)}`"
    text = f"{counted(noise.lines, 'line')} that are not messages; the first: {first}"
    if noise.lines == 1:
        text = f"1 line that is not a message: {first}"
    if noise.unfinished and noise.lines == 1:
        text = f"{size(noise.unfinished)} without an end of line"
        text += f"; they begin: {first}" if noise.first else ""
    hint = "write logs to stderr; stdout is for messages only" if seen.initialize.came else ""
    return Check("stdout", "fail", text, hint)


def _stderr(seen: Observation) -> Iterator[Check]:
    """Count the lines; if no session was opened, the last ones may explain why."""
    if not seen.stderr:
        return
    text = counted(len(seen.stderr), "line")
    opened = seen.new_session is not None and seen.new_session.went_well
    # Without the lines of a traceback that only underline another one.
    last = [_sample(line) for line in seen.stderr if line.strip(" \t^~")][-_LAST_LINES:]
    if not last or opened:
        yield Check("stderr", "info", text)
    elif len(seen.stderr) == 1:
        yield Check("stderr", "info", f"{text}: {last[0]}")
    else:
        yield Check("stderr", "info", f"{text}, the last:", lines=tuple(last))


def _sample(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _LONGEST_SAMPLE else f"{line[:_LONGEST_SAMPLE]}..."


def _findings(findings: Sequence[Finding]) -> Check:
    mistakes = Counter(
        finding.severity for finding, _ in grouped(findings) if finding.because is None
    )
    counts = [counted(mistakes[level], level.value) for level in LEVELS if mistakes[level]]
    verdict: Verdict = "fail" if mistakes[Severity.ERROR] else "note" if findings else "ok"
    return Check("findings", verdict, ", ".join(counts) or "none")


def _end(seen: Observation) -> Check:
    end = seen.end
    if seen.given_up == "flood":
        return Check("end", "info", "was killed because it did not stop writing")
    if end.forced:
        return Check(
            "end",
            "fail",
            f"still running {span(PATIENCE)} after its stdin was closed; {end.forced} ended it",
            "exit when stdin is closed; a wrapper script should `exec` the agent",
        )
    if end.seconds is None:
        is_reported = not seen.initialize.came
        verdict: Verdict = "info" if is_reported else "fail"
        return Check("end", verdict, f"{_ended(seen)} before its stdin was closed")
    soon = f"{span(max(end.seconds, 0.0))} after its stdin was closed"
    verdict = "fail" if (end.status or 0) < 0 else "note" if end.status else "ok"
    return Check("end", verdict, f"{_ended(seen)}, {soon}")


def _ended(seen: Observation) -> str:
    status = seen.end.status
    if status is None:
        return "ended"
    return f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"
