"""
A live side that is wrong in one place: harmless by the rules, or reported; never a wrong answer.

One hundred seeded mutations for either side: a frame is dropped, changed, doubled or moved.
"""

import json
import random

import pytest
from support.replays import RICH, capture_of, decoded, play

from acp_spy import Peer
from acp_spy.replay.options import Options
from acp_spy.replay.script import Script

CAPTURE = capture_of(RICH)
HARMLESS, TOLD, REPORTED = "harmless", "told", "reported"


def mutate(lines, seed):
    """Return the lines with one mutation, and what it was."""
    dice = random.Random(seed)
    lines = list(lines)
    at = dice.randrange(len(lines))
    what = ("dropped", "changed", "doubled", "moved")[seed % 4]
    if what == "dropped":
        del lines[at]
    elif what == "changed":
        lines[at] = change(lines[at], dice)
    elif what == "doubled":
        lines.insert(at, lines[at])
    else:
        line = lines.pop(at)
        lines.insert(dice.choice([i for i in range(len(lines) + 1) if i != at]), line)
    return lines, what


def change(line, dice):
    message = decoded(line)
    if not isinstance(message, dict):
        return line[::-1].strip() + b"\n"
    places = list(leaves(message))
    holder, key = dice.choice(places)
    value = holder[key]
    holder[key] = f"{value}!" if isinstance(value, str) else [value]
    return json.dumps(message).encode() + b"\n"


def leaves(value):
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list) and item:
            yield from leaves(item)
        else:
            yield value, key


def outcome(role, lines, options):
    """Play, and check what must hold whatever the live side does."""
    script = Script.of(CAPTURE, role, "run.jsonl")
    done = play(script, lines, options)
    again = play(script, lines, options)
    assert [said.data for said in done.said] == [said.data for said in again.said]
    assert done.player.is_over
    assert (done.player.status == 1) == bool(done.player.divergences)
    check_answers(role, lines, done.wire)
    if done.player.divergences:
        return REPORTED
    recorded = [frame for frame in CAPTURE.frames if frame.sender is role]
    assert len(done.wire) == len(recorded)  # everything was said
    return TOLD if done.player.told else HARMLESS


def check_answers(role, live, wire):
    """No live request gets an answer that was recorded for a request of another kind or session."""
    answers = {}
    asked = {}
    for frame in CAPTURE.frames:
        message = decoded(frame.raw)
        if not isinstance(message, dict) or "id" not in message:
            continue
        if "method" in message and frame.sender is not role:
            asked[str(message["id"])] = message
        elif "method" not in message and frame.sender is role:
            question = asked[str(message["id"])]
            kind = question["method"], question["params"].get("sessionId")
            answers.setdefault(kind, []).append(message.get("result"))
    questions = {}
    for line in live:
        message = decoded(line)
        if isinstance(message, dict) and "method" in message and "id" in message:
            questions.setdefault(str(message["id"]), []).append(message)
    for line in wire:
        message = decoded(line)
        if not isinstance(message, dict) or "method" in message or "error" in message:
            continue
        kinds = [
            (question["method"], question["params"].get("sessionId"))
            for question in questions[str(message["id"])]
            if isinstance(question.get("params"), dict)
        ]
        assert any(message["result"] in answers.get(kind, []) for kind in kinds), line


@pytest.mark.parametrize("role", list(Peer), ids=lambda peer: f"mock-{peer.value}")
@pytest.mark.parametrize("seed", range(100))
def test_a_mutation_is_harmless_or_reported(role, seed):
    live = [frame.raw for frame in CAPTURE.frames if frame.sender is role.other]
    lines, what = mutate(live, seed)
    found = outcome(role, lines, Options())
    strictly = outcome(role, lines, Options(match=("exact",), expect="exact", strict=True))
    if role is Peer.AGENT and what in ("dropped", "doubled"):
        assert found == REPORTED
    if what in ("dropped", "doubled"):
        assert strictly == REPORTED
    if what == "changed" and lines != live:
        assert strictly == REPORTED or b'"id"' in b"".join(set(lines) - set(live))
