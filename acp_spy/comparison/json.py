"""The diff as one JSON document, for programs; see docs/diff.md."""

from typing import Any

import msgspec

from acp_spy.comparison.capture_diff import KINDS, CaptureDiff
from acp_spy.comparison.changes import Change
from acp_spy.comparison.item import Item
from acp_spy.comparison.read import LoadedCapture
from acp_spy.replay.json_difference import ABSENT, Difference
from acp_spy.view.findings.report import Mistake
from acp_spy.view.json_output import to_json
from acp_spy.view.stats.model import Method


def render(diff: CaptureDiff) -> str:
    """Return the document."""
    return to_json(document(diff))


def document(diff: CaptureDiff) -> dict[str, Any]:
    """Return the same as a JSON value."""
    return {
        "equal": diff.is_equal,
        "a": _capture(diff.one),
        "b": _capture(diff.other),
        "counts": {
            "same": diff.said.same,
            **{kind: diff.count(kind) for kind in KINDS},
        },
        "sessions": [{"a": one, "b": other} for one, other in diff.said.sessions],
        "changes": [_change(change) for change in diff.said.changes],
        "findings": {
            "came": [_finding(mistake) for mistake in diff.came],
            "went": [_finding(mistake) for mistake in diff.went],
        },
        "latencies": [
            {
                "asker": latency.asker,
                "method": latency.method,
                "a": _spans(latency.one),
                "b": _spans(latency.other),
            }
            for latency in diff.latencies
        ],
        "tool_calls": diff.tool_calls
        and {"a": _spans(diff.tool_calls.one), "b": _spans(diff.tool_calls.other)},
        "slower": [
            {
                "sender": other.sender.value,
                "what": other.what,
                "gist": other.gist,
                "a": {"seq": one.seq, "seconds": _seconds(one)},
                "b": {"seq": other.seq, "seconds": _seconds(other)},
            }
            for one, other in diff.said.slower
        ],
    }


def _capture(loaded: LoadedCapture) -> dict[str, Any]:
    stats = loaded.stats
    return {
        "path": loaded.path,
        "agent": stats.agent,
        "client": stats.client,
        "frames": stats.frames,
        "seconds": stats.seconds,
        "status": stats.status,
        "cut_off": stats.cut_off,
        "stderr_lines": loaded.stderr_lines,
        "stderr_bytes": stats.stderr_bytes,
    }


def _change(change: Change) -> dict[str, Any]:
    item = change.item
    return {
        "change": change.kind,
        "session": change.session,
        "sender": item.sender.value,
        "what": item.what,
        "gist": item.gist,
        "a": _frames(change.one),
        "b": _frames(change.other),
        "differences": [_difference(each) for each in change.differences],
    }


def _frames(item: Item | None) -> dict[str, int] | None:
    return {"seq": item.seq, "last": item.last, "frames": item.count} if item else None


def _difference(difference: Difference) -> dict[str, Any]:
    sides = {"a": difference.recorded, "b": difference.live}
    return {
        "path": difference.path,
        **{side: value for side, value in sides.items() if value is not ABSENT},
    }


def _finding(mistake: Mistake) -> dict[str, Any]:
    return {**msgspec.to_builtins(mistake.first), "count": mistake.count}


def _seconds(item: Item) -> float | None:
    return None if item.seconds is None else round(item.seconds, 6)


def _spans(method: Method | None) -> Any:
    return method and msgspec.to_builtins(method.latency)
