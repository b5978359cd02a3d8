"""The result for one agent: a table for people, a JSON object for programs."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from acp_spy.doctor.health_checks import Check
from acp_spy.doctor.observation import Observation
from acp_spy.lint.rule import Finding
from acp_spy.view.findings.report import LEVELS, grouped
from acp_spy.view.style import broken, paint, wrapped
from acp_spy.wire.inert import inert, inert_json
from acp_spy.wire.values import fields

_WORDS = {"ok": "ok", "note": "note", "fail": "FAIL", "info": ""}
_STYLES = {"ok": "agent", "note": "note", "fail": "error", "info": ""}
_MOST_FINDINGS = 10
_MOST_LINES = 8  # of one text


class Diagnosis(msgspec.Struct, frozen=True):
    """Everything that is known of one agent."""

    command: tuple[str, ...]
    capture: str
    seen: Observation
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing failed."""
        return all(check.verdict != "fail" for check in self.checks)


def as_text(diagnosis: Diagnosis, width: int, *, colour: bool) -> Iterator[str]:
    """Give the lines that people read: a mark, what was looked at, and what was seen."""
    margin = max(len(check.name) for check in diagnosis.checks) + 8
    for check in diagnosis.checks:
        texts = [("", check.text)]
        for quoted in check.lines:  # whole words, so that a path can be copied
            parts = wrapped([("", inert(quoted))], width - margin)
            texts += [("", "".join(text for _, text in part).rstrip()) for part in parts]
        if check.hint:
            texts.append(("dim", f"hint: {check.hint}"))
        if check.name == "findings":
            texts += [("", line) for line in _lines(diagnosis.findings)]
        head = [
            (_STYLES[check.verdict], f"{_WORDS[check.verdict]:6}"),
            ("", f"{check.name:{margin - 6}}"),
        ]
        for style, text in texts:
            for line in broken(inert(text), width - margin, _MOST_LINES):
                yield paint([*head, (style, line)], colour=colour)
                head = [("", " " * margin)]


def _lines(findings: Sequence[Finding]) -> list[str]:
    """Give each mistake once, the worst first, as `check` does."""
    counted = (finding for finding in findings if finding.because is None)
    mistakes = sorted(grouped(counted), key=lambda mistake: LEVELS.index(mistake[0].severity))
    lines = [
        f"frame {found.seq}: {found.severity.value} {found.code} {found.text}"
        + (f"; {count} times" if count > 1 else "")
        for found, count in mistakes[:_MOST_FINDINGS]
    ]
    left = len(mistakes) - len(lines)
    return [*lines, f"and {left} more"] if left else lines


def conclusion(diagnosis: Diagnosis) -> str:
    """Return what the checks come to, and what was tried and what was not."""
    seen = diagnosis.seen
    failed = [check.name for check in diagnosis.checks if check.verdict == "fail"]
    verdict = f"Failed: {', '.join(failed)}." if failed else "All checks passed."
    if not seen.was_started:
        return verdict
    sent = {
        "initialize": True,
        "session/new": seen.new_session is not None,
        "session/prompt": seen.turn is not None,
    }
    tried, not_tried = (
        ", ".join(f"`{method}`" for method, was_sent in sent.items() if was_sent is wanted)
        for wanted in (True, False)
    )
    text = f"{verdict} Tried: {tried}."
    if not_tried:
        opened = seen.new_session is not None and seen.new_session.went_well
        text += f" Not tried: {not_tried}{' (add `--prompt TEXT`)' if opened else ''}."
    return text


def as_json(diagnosis: Diagnosis) -> str:
    """Return what programs read."""
    spelled = msgspec.json.format(msgspec.json.encode(document(diagnosis)), indent=2).decode()
    return inert_json(spelled)


def document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the same as values that msgspec can encode."""
    seen = diagnosis.seen
    opened = seen.new_session
    return {
        "healthy": diagnosis.healthy,
        "command": diagnosis.command,
        "capture": inert(diagnosis.capture),  # whose letters may not be UTF-8
        "initialize": {
            "seconds": seen.initialize.seconds,
            "protocolVersion": seen.handshake.get("protocolVersion"),
            "agentInfo": seen.handshake.get("agentInfo"),
            "agentCapabilities": seen.handshake.get("agentCapabilities"),
            "authMethods": seen.auth_methods,
            "error": seen.initialize.error,
        },
        "session": opened
        and {"seconds": opened.seconds, "needsLogin": seen.needs_login, "error": opened.error},
        "prompt": seen.turn
        and {
            "seconds": seen.turn.response.seconds,
            "stopReason": fields(seen.turn.response.result).get("stopReason"),
            "updates": seen.turn.updates,
            "text": seen.turn.text,
            "error": seen.turn.response.error,
        },
        "stdoutNoise": seen.noise,
        "stderrLines": len(seen.stderr),
        "end": seen.end,
        "checks": diagnosis.checks,
        "findings": diagnosis.findings,
    }
