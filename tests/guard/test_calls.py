"""
What a frame more costs, in function calls: the same on every machine, and however busy it is.

The cost is counted between two captures of different length, so that what is done once, such as
loading the rules, has no part in it.
"""

from itertools import groupby, pairwise
from pathlib import Path

import pytest
from guard.limits import CALLS, DECODINGS, GROWTH
from support.replays import play
from support.work import calls_of

from acp_spy.capture.files import load, read
from acp_spy.capture.records import Header
from acp_spy.comparison.capture_diff import diff_captures
from acp_spy.comparison.read import read_capture
from acp_spy.engine.tap import Tap
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.middleware.options import make_stages
from acp_spy.middleware.pipeline import Pipeline
from acp_spy.proxy.handling import Handling
from acp_spy.replay.script import Script
from acp_spy.view import html, text
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.findings.check_file import check_file
from acp_spy.view.layout import Layout
from acp_spy.view.stats.collect import collect
from acp_spy.wire.frame import Frame, Peer
from benchmarks.conversation import write_capture

TURNS_REPEAT = 418  # frames: after six turns the same kinds come again
AT_ONCE = 22  # frames in a chunk, with none left over
DO_NOTHING = Path(__file__).parents[2] / "benchmarks/peers/do_nothing.py"
SIZES = (TURNS_REPEAT, 2 * TURNS_REPEAT, 4 * TURNS_REPEAT)


def frames_of(path):
    return [record for record in read(path) if isinstance(record, Frame)]


def recording(at_once):
    def prepare(path):
        lines = [frame.raw for frame in frames_of(path)]
        chunks = [b"".join(lines[at : at + at_once]) for at in range(0, len(lines), at_once)]
        tap = Tap(0, complain=pytest.fail)
        tap.open(f"{path}.recorded", Header())

        def record():
            for chunk in chunks:
                tap.agent(chunk)
            tap.close()

        return record

    return prepare


class Nobody:
    """In place of the streams to the peers, and of who carries them."""

    def put(self, data): ...
    def take_rest(self): ...
    def release(self): ...
    def watch(self, *_): ...
    def forget(self, *_): ...


def passing(**options):
    """Pass a conversation, many frames at a time, through what an option makes of the proxy."""

    def prepare(path):
        talk = [
            (sender, b"".join(lines[at : at + AT_ONCE]))
            for sender, frames in groupby(frames_of(path), key=lambda frame: frame.sender)
            for lines in [[frame.raw for frame in frames]]
            for at in range(0, len(lines), AT_ONCE)
        ]
        tap = Tap(0, complain=pytest.fail)
        tap.open(f"{path}.passed", Header())
        # That a fault never happened is what is asked for here.
        complain = (lambda _text: None) if "fault" in options else pytest.fail
        pipeline = Pipeline(make_stages(options), tap.now, complain=complain)
        handling = Handling(tap, pipeline)
        handling.connect(*[Nobody()] * 5)
        gates = {Peer.CLIENT: handling.from_client, Peer.AGENT: handling.from_agent}

        def work():
            for sender, chunk in talk:
                gates[sender].show(chunk)
            handling.end()
            tap.close()

        return work

    return prepare


def prepare_replay(path):
    client = [frame.raw for frame in frames_of(path) if frame.sender is Peer.CLIENT]
    return lambda: play(Script.of(load(path), Peer.AGENT, "run.jsonl"), client)


def prepare_view(path):
    layout = Layout(100, colour=True)
    return lambda: list(text.render(CaptureView(path, layout=layout)))


WORK = {
    "recording, a frame at a time": recording(1),
    "recording, many at a time": recording(AT_ONCE),
    "a script that does nothing": passing(script=[str(DO_NOTHING)]),
    "intercept, without a viewer": passing(intercept="method:session/request_permission"),
    "a fault in a turn that never comes": passing(fault=["drop turn:1000000"], seed="1"),
    "a fault of a method that is never called": passing(fault=["drop method:_none"], seed="1"),
    "check": lambda path: lambda: check_file(path, tuple(CATALOGUE.values())),
    "view": prepare_view,
    "stats": lambda path: lambda: collect(read(path)),
    "html": lambda path: lambda: list(html.render(CaptureView(path, masked=True))),
    "diff": lambda path: (
        lambda: diff_captures(read_capture(path, read(path)), read_capture(path, read(path)))
    ),
    "replay": prepare_replay,
}


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captures")
    paths = [str(folder / f"{size}.jsonl") for size in SIZES]
    for path, size in zip(paths, SIZES, strict=True):
        write_capture(path, size)
        lines = Path(path).read_bytes().splitlines(keepends=True)
        Path(path).write_bytes(b"".join(lines[: size + 1]))  # the header, and not a frame more
    return list(zip(paths, SIZES, strict=True))


@pytest.mark.parametrize("what", WORK)
def test_a_frame_more_costs_no_more_calls_than_it_did(what, captures):
    prepare = WORK[what]
    prepare(captures[0][0])()  # what is done at first use is done now
    counted = [(calls_of(prepare(path)), frames) for path, frames in captures]

    def for_a_frame(of):
        return [
            (of(more) - of(fewer)) / (longer - shorter)
            for (fewer, shorter), (more, longer) in pairwise(counted)
        ]

    calls = for_a_frame(lambda each: each.total)
    decodings = for_a_frame(lambda each: each.decodings)
    assert max(calls) <= CALLS[what].at_most, calls
    assert max(decodings) <= DECODINGS[what].at_most, decodings
    assert calls[1] / calls[0] <= GROWTH.at_most, calls
