"""
What is too much takes longer, but no longer than it must: twice as much, twice as long.

Work is counted in lines of Python, which a busy machine does not change. What goes on inside of a
regular expression or a decoder no such line tells: for that there is so much that it takes a second
or, by a cost that grows with its square, minutes.
"""

import pytest
from fuzz.commands import COMMANDS, grows_no_faster, lines_run, run
from fuzz.hostile import HOSTILE
from fuzz.loop import LONGEST, limit
from fuzz.seeds import ROOT
from support import effort
from support.work import calls_of

from acp_spy.capture.files import load
from acp_spy.lint.fixes.lines import on_one_line
from acp_spy.replay.player import Player
from acp_spy.replay.script import Script
from acp_spy.view.filters import row_filter
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Frame, Peer

EXAMPLE = str(ROOT / "fixtures" / "example.jsonl")
# A list is announced, and small requests are about it.
LISTS = [
    *("folders and reads", "auth methods and requests", "modes and requests"),
    *("config options and requests", "config options and modes", "values and requests"),
    "commands and prompts",
]
# Of these there are many frames; of all others there is one that is too large.
FRAMES = {
    *("sessions", "tool calls", "requests", "prompts", "the same request"),
    "mistakes that follow",
    "notifications",
    "requests about sessions that are unknown",
    *LISTS,
    *("answers to nobody", "noise", "one word a chunk", "headers of HTTP", "stderr of lines"),
}
# For four times as many, a cost that grows with their square is easily seen.
how_many = pytest.mark.parametrize("many", effort.some_of([15, 30], 15))
# In each of which there is a good deal to be read.
OBJECTS = {"a batch", "commands", "a plan", "options", "contents", "misspelt contents"}


@pytest.fixture
def capture(tmp_path):
    """Return what makes a hostile capture of a size, and gives its path."""

    def path_of(hostile, size):
        path = tmp_path / f"{size}.jsonl"
        if not path.exists():
            path.write_bytes(HOSTILE[hostile](size))
        return str(path)

    return path_of


CHECKED = [("check", hostile) for hostile in HOSTILE if hostile not in LISTS]
CHECKED_LISTS = [("check", hostile) for hostile in LISTS]
REDACTED = [("redact, all options", hostile) for hostile in HOSTILE if hostile not in FRAMES]


@pytest.mark.parametrize(
    "work",
    effort.some_of(
        CHECKED + REDACTED[::2] + CHECKED_LISTS,
        *(*CHECKED[::18], *REDACTED[::36], *CHECKED_LISTS[::3]),
    ),
)
def test_work_grows_with_the_capture_and_no_faster(work, capture):
    command, hostile = work
    size = 20 if hostile in FRAMES | OBJECTS else 50
    size *= 2 if effort.is_long else 1

    def cost(number):
        return lines_run(command, capture(hostile, number), EXAMPLE)

    run(command, capture(hostile, 4 * size), EXAMPLE)  # at first it may load, compile and remember
    assert grows_no_faster(cost, size) == ""


@pytest.mark.long
def test_a_request_costs_the_same_however_many_are_pending(capture):
    """What is done for each of them is little: it takes many of them to be seen."""
    few, many = (
        lines_run("check", capture("requests about sessions that are unknown", number))
        for number in (300, 1200)
    )
    assert many < 4.4 * few


@pytest.mark.long  # tests/guard/test_calls.py does it in every run, with a usual conversation
@pytest.mark.parametrize("hostile", ["sessions", "tool calls", "requests"])
@pytest.mark.parametrize("command", ["view", "html", "stats", "diff, with itself"])
@how_many
def test_what_a_frame_costs_does_not_depend_on_how_many_there_are(command, hostile, many, capture):
    def cost(number):
        path = capture(hostile, number)
        return calls_of(lambda: run(command, path)).total

    cost(4 * many if hostile == "requests" else 10)  # what is known of a method is kept
    assert grows_no_faster(cost, many, most=2.1) == ""


@pytest.mark.parametrize("hostile", ["sessions", "tool calls", "requests"])
@pytest.mark.parametrize("role", Peer)
@how_many
def test_what_a_frame_costs_in_a_replay_does_not_depend_on_how_many_there_are(
    role, hostile, many, capture
):
    def cost(number):
        played = load(capture(hostile, number))
        return calls_of(lambda: play(played, role)).total

    cost(10)
    assert grows_no_faster(cost, many, most=2.1) == ""


def play(played, role):
    """Play a side of a capture against the very frames of the other."""
    player = Player(Script.of(played, role))
    player.begin(0)
    for frame in played.frames:
        if frame.sender is not role:
            player.receive(frame.raw, frame.t)
            player.take(frame.t)
    player.end(frame.t)
    assert not player.divergences


# What a command spends outside of Python, by what there is too much of.
INSIDE = {
    "a long folder and reads": 2_400_000,
    "glued beginnings": 1_000_000,
    "glued nesting": 1_000_000,
    "a batch": 20_000,
    "one command again": 60_000,
    "deep lists": 400_000,
    "a long text": 2_000_000,
    "long ids": 100_000,
    "quotes": 1_000_000,
    "half secrets": 400_000,
    "addresses": 400_000,
    "a text of ticks": 1_000_000,
    "deep lists of texts": 120_000,
    "deep answers to a form": 100_000,
    "ids beside texts": 13_000,
    "answers in batches": 5_000,
}


@pytest.mark.parametrize("hostile", effort.some_of(INSIDE, "glued nesting", "long ids", "quotes"))
def test_no_time_is_lost_where_no_line_can_be_counted(hostile, capture):
    for command in ("check", "redact"):
        with limit(LONGEST):
            run(command, capture(hostile, INSIDE[hostile]))


@pytest.mark.parametrize("unit", [b" ", b"\t\r", b'"\\\\', b"\n"])
def test_json_over_several_lines_is_read_once_to_be_on_one(unit):
    with limit(LONGEST):
        on_one_line(b'{\n"jsonrpc": ' + unit * (1_000_000 // len(unit)) + b"1\n}\n")


def test_a_filter_with_two_stars_reads_a_long_name_once():
    name = b"read" * 250_000
    message = b'{"jsonrpc":"2.0","method":"%b"}\n' % name
    (row,) = Timeline().feed(Frame(1, 0.0, Peer.AGENT, message))
    passes = row_filter(["method:*read*file*x"])
    with limit(LONGEST):
        assert not passes(row)


@pytest.mark.parametrize("part", effort.some_of(range(0, 10, 2), 0))
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_command_trips_over_a_capture_that_was_made_to_hurt(hostile, part, capture):
    """In every run each capture has a tenth of the commands, with --long half of them."""
    first = (list(HOSTILE).index(hostile) + part) % 10
    for command in list(COMMANDS)[first::10]:
        status, told = run(command, capture(hostile, 10), EXAMPLE)
        assert status in (0, 1) or (status == 2 and told.startswith("error: ")), (command, told)


@pytest.mark.parametrize(("power", "is_fine"), [(1, True), (2, False)])
def test_growth_that_is_out_of_proportion_is_noticed(power, is_fine):
    told = grows_no_faster(lambda size: size**power, 200)
    assert (told == "") == is_fine
