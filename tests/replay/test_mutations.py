"""
A live side that is wrong in one place: harmless by the rules, or reported; never a wrong answer.

One hundred seeded mutations for either side: a frame is dropped, changed, doubled or moved. What
must become of each line is worked out by `support.replay_rules`, from docs/replay.md.
"""

import json
import random
from collections import Counter

import pytest
from support import effort
from support.replay_frames import ANSWER, NOISE, REQUEST, kind_of
from support.replay_rules import DIFFERS, LATER, NEVER, TAKEN, UNANSWERABLE, UNCOUNTED, USED, Rules
from support.replays import RICH, Play, capture_of, decoded, play

from acp_spy import Peer
from acp_spy.replay.options import Options
from acp_spy.replay.script import Script

CAPTURE = capture_of(RICH)
WAYS = ("dropped", "changed", "doubled", "moved")
SCRIPTS = {role: Script.of(CAPTURE, role, "run.jsonl") for role in Peer}
SEEDS = range(100)
PEERS = pytest.mark.parametrize("role", list(Peer), ids=lambda peer: f"mock-{peer.value}")


def recorded(sender):
    return [frame.raw for frame in CAPTURE.frames if frame.sender is sender]


def mutate(lines, seed):
    """Return the lines with one mutation, and what it was."""
    dice = random.Random(seed)
    lines = list(lines)
    at = dice.randrange(len(lines))
    what = WAYS[seed % 4]
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
    change_place(*dice.choice(list(leaves(message))))
    return json.dumps(message).encode() + b"\n"


def change_place(holder, key):
    value = holder[key]
    holder[key] = f"{value}!" if isinstance(value, str) else [value]


def changes(lines):
    """Give the lines with each place of each message changed, one after the other."""
    for at, line in enumerate(lines):
        count = len(list(leaves(decoded(line)))) if kind_of(decoded(line)) != NOISE else 0
        for number in range(count):
            message = decoded(line)
            change_place(*list(leaves(message))[number])
            yield [*lines[:at], json.dumps(message).encode() + b"\n", *lines[at + 1 :]]


def leaves(value):
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list) and item:
            yield from leaves(item)
        else:
            yield value, key


class Comparison:
    """A play, and beside it the rules, line by line."""

    def __init__(self, role, lines):
        self.rules = Rules(CAPTURE, role)
        self.play = Play(SCRIPTS[role])
        self.fates, self.numbers, self.refusals = [], [], []
        self.check()
        for line in lines:
            self.fates.append((self.rules.hear(line), line))
            self.play.hear(line)
            self.check()
        self.missing = self.rules.end()
        self.play.end().wait()
        self.check()

    def check(self):
        """Whatever was said by now belongs to what has come by now."""
        new = self.play.wire[len(self.numbers) + len(self.refusals) :]
        owed = {raw: number for number, raw in self.rules.wire().items()} if new else {}
        for line in new:
            if refused := refused_id(line):
                assert refused in ids(self.rules.refused), line
                self.refusals.append(refused)
            else:
                assert line in owed, line
                assert owed[line] not in self.numbers, line
                self.numbers.append(owed[line])


def refused_id(line):
    message = decoded(line)
    is_ours = isinstance(message, dict) and message.get("error", {}).get("code") == -32603
    return json.dumps(message["id"]) if is_ours else None


def ids(messages):
    return [json.dumps(message["id"]) for message in messages]


def twice(lines):
    """Return the ids that two live requests have."""
    asked = ids(message for message in map(decoded, lines) if kind_of(message) == REQUEST)
    return {ident for ident, count in Counter(asked).items() if count > 1}


@PEERS
@pytest.mark.parametrize("seed", effort.some_of(SEEDS, *SEEDS[:25]))
def test_a_mutation_is_harmless_or_reported_as_what_it_is(role, seed):
    lines, _ = mutate(recorded(role.other), seed)
    done = check_by_the_rules(role, lines)
    assert play(SCRIPTS[role], lines).said == done.play.said  # the same every time
    left = Play(SCRIPTS[role]).hear(*lines).wait()  # it does not hang up
    assert left.player.is_over or left.player.is_complete


@PEERS
def test_a_change_in_any_place_is_harmless_or_reported_as_what_it_is(role):
    for lines in changes(recorded(role.other)):
        done = check_by_the_rules(role, lines)
        if not done.play.player.divergences:
            assert done.numbers == sorted(done.numbers)  # as recorded: nothing was out of order


def check_by_the_rules(role, lines):
    done = Comparison(role, lines)
    player, rules = done.play.player, done.rules

    counted = [(fate, line) for fate, line in done.fates if fate.what not in (TAKEN, UNCOUNTED)]
    reported = [each for each in player.divergences if each.got is not None]
    assert [(each.kind, each.got.raw) for each in reported] == [
        (fate.what, line) for fate, line in counted
    ]
    for each, (fate, line) in zip(reported, counted, strict=True):
        # A second answer answers nothing, and nothing is shown beside it.
        is_second_answer = fate.what == USED and kind_of(decoded(line)) == ANSWER
        if fate.what in (LATER, USED, DIFFERS) and not is_second_answer:
            assert each.nearest.line.seq == fate.recorded.number
    # What has come otherwise than it should may be told as missing, too; nothing else may.
    absent = [each for each in player.divergences if each.got is None]
    assert {each.kind for each in absent} <= {"missing"}
    told = {part.line.seq for each in absent for part in each.expected}
    differing = {fate.recorded.number for fate, _ in counted if fate.what == DIFFERS}
    assert told | differing == {*done.missing, *differing}

    notes = [each.recorded for each in player.reported if each not in player.divergences]
    assert [each.seq for each in notes if each.kind != "unreadable line"] == [
        fate.recorded.number for fate, _ in done.fates if fate.told
    ]
    assert player.is_over
    assert player.status == (1 if counted or done.missing else 3 if role is Peer.AGENT else 0)

    wire = set(rules.wire())
    assert set(done.numbers) == wire
    unheard = Counter(ids(rules.refused)) - Counter(done.refusals)
    assert set(unheard) <= twice(lines)  # one answer for both: an error would be taken for it
    for at, number in enumerate(done.numbers):
        (frame,) = (each for each in rules.played if each.number == number)
        before = {each.number for each in rules.needs[frame] & set(rules.played)}
        assert before & wire <= set(done.numbers[:at])
    return done


def without_own(line, live):
    """Return a message without what its sender may call as it likes, and mentions only here."""
    message = decoded(line)
    if not isinstance(message, dict):
        return message
    own = {"id"} if "method" in message else set()
    kept = {key: value for key, value in message.items() if key not in own}
    for member, name in ("params", "cwd"), ("result", "terminalId"):
        body = kept.get(member, {})
        mentioned = [each for each in live if name in body and body[name].encode() in each]
        if isinstance(body, dict) and len(mentioned) <= 1:
            kept[member] = {key: each for key, each in body.items() if key != name}
    return kept


@PEERS
@pytest.mark.parametrize("seed", effort.some_of(SEEDS, *SEEDS[:25]))
def test_when_everything_counts_every_mutation_is_reported_but_for_what_is_its_own(role, seed):
    live = recorded(role.other)
    lines, _ = mutate(live, seed)
    check_that_everything_counts(role, lines, live)


@PEERS
def test_when_everything_counts_every_place_does_but_for_what_is_its_own(role):
    live = recorded(role.other)
    for lines in changes(live):
        check_that_everything_counts(role, lines, live)


def check_that_everything_counts(role, lines, live):
    options = Options(match=("exact",), expect="exact", strict=True)
    done = play(SCRIPTS[role], lines, options)
    assert done.player.is_over
    is_same = [without_own(each, live) for each in lines] == [
        without_own(each, live) for each in live
    ]
    assert bool(done.player.divergences) != is_same


def test_among_the_mutations_is_every_kind_of_fate():
    fates = set()
    for role in Peer:
        for seed in SEEDS:
            lines, what = mutate(recorded(role.other), seed)
            rules = Rules(CAPTURE, role)
            heard = {rules.hear(line).what for line in lines}
            is_reported = bool(rules.end()) or bool(heard - {TAKEN, UNCOUNTED})
            fates |= heard | {(role, what, is_reported)}
    assert fates >= {TAKEN, UNCOUNTED, LATER, USED, NEVER, DIFFERS, UNANSWERABLE}
    both = {(role, what, verdict) for role in Peer for what in WAYS for verdict in (True, False)}
    # A client has to send all that was recorded, and no more.
    assert both - fates == {(Peer.AGENT, what, False) for what in ("dropped", "doubled")}
