"""A conversation whose frames pass through a pipeline: on pipes, by trio's own clock."""

import errno
import os
import time
from contextlib import suppress

import pytest
import trio
from support.fake_agent import open_descriptors
from trio.testing import wait_all_tasks_blocked

from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery, Header
from acp_spy.engine.stream import Stream
from acp_spy.engine.tap import Tap
from acp_spy.engine.work import carry_alone
from acp_spy.middleware.line import Held
from acp_spy.middleware.pipeline import Pipeline, Stage
from acp_spy.proxy import follow, run
from acp_spy.proxy.conversation import SILENCE_AFTER_EXIT
from acp_spy.proxy.handling import Handling
from acp_spy.wire.frame import Peer
from tests.proxy.test_follow import talks

LINE = b'{"jsonrpc":"2.0"}\n'
OTHER = b'{"jsonrpc":"2.0","id":1}\n'


class Delay(Stage):
    """Holds each line for the client for some seconds."""

    def __init__(self, seconds):
        super().__init__()
        self._seconds = seconds

    def handle(self, line):
        if line.to.value == "agent":
            return (line,)
        held = Held(line, "delay")

        async def wait():
            await trio.sleep(self._seconds)
            held.release(line)

        self.pipeline.start(self, wait)
        return (held,)


class Replace(Stage):
    """Delivers another line."""

    def handle(self, line):
        return (line.replaced(OTHER, "replace"),)


class Echo(Stage):
    """Answers everything."""

    def handle(self, line):
        return (line.answered(line.raw, "echo"),)


@pytest.fixture
def capture(tmp_path):
    return str(tmp_path / "run.jsonl")


@pytest.fixture
def talk_through(capture):
    def start(*stages, complain=pytest.fail):
        tap = Tap(time.monotonic_ns(), pytest.fail)
        tap.open(capture, Header())
        return make(tap, Handling(tap, Pipeline(stages, tap.now, complain)))

    with talks() as make:
        yield start


def _deliveries(path):
    return [(r.seq, r.action) for r in load(path).records if isinstance(r, Delivery)]


def test_lines_pass_whole_and_the_end_after_them(talk_through, capture):
    async def script(talk):
        os.write(talk.writer, LINE + b"half")
        await wait_all_tasks_blocked()
        assert os.read(talk.agent.reads, 100) == LINE
        os.write(talk.writer, b" a line\nwithout an end")
        os.close(talk.writer)
        await wait_all_tasks_blocked()
        assert talk.read(talk.agent.reads) == b"half a line\nwithout an end"
        os.write(talk.agent.writes, LINE * 2)
        await wait_all_tasks_blocked()
        assert talk.read(talk.reader) == LINE * 2
        talk.agent.exit()

    talk = talk_through(Stage())
    assert talk.follow(script) < SILENCE_AFTER_EXIT
    assert talk.conversation.end() == 7
    assert not _deliveries(capture)
    assert [frame.raw for frame in load(capture).frames] == [
        LINE,
        b"half a line\n",
        b"without an end",
        LINE,
        LINE,
    ]


def test_another_line_is_delivered_and_both_are_recorded(talk_through, capture):
    async def script(talk):
        os.write(talk.agent.writes, LINE)
        await wait_all_tasks_blocked()
        assert talk.read(talk.reader) == OTHER
        talk.agent.exit()

    talk = talk_through(Replace())
    talk.follow(script)
    talk.conversation.end()
    frame, delivery = load(capture).records[:2]
    assert (frame.raw, delivery.raw, delivery.action) == (LINE, OTHER, "replaced")


@pytest.mark.parametrize("stage", [Replace, Echo])
def test_what_became_of_a_frame_is_in_the_capture_before_the_peer_gets_it(
    talk_through, capture, monkeypatch, stage
):
    recorded, put = [], Stream.put

    def watched(stream, data):
        recorded.append([each for each in load(capture).records if isinstance(each, Delivery)])
        put(stream, data)

    monkeypatch.setattr(Stream, "put", watched)

    async def script(talk):
        os.write(talk.writer, LINE)
        await wait_all_tasks_blocked()
        talk.agent.exit()

    talk = talk_through(stage())
    talk.follow(script)
    talk.conversation.end()
    assert [each.raw for each in recorded[0]] == [OTHER if stage is Replace else LINE]


def test_an_answer_goes_back(talk_through, capture):
    async def script(talk):
        os.write(talk.writer, LINE)
        await wait_all_tasks_blocked()
        assert talk.read(talk.reader) == LINE
        talk.agent.exit()

    talk = talk_through(Echo())
    talk.follow(script)
    talk.conversation.end()
    assert _deliveries(capture) == [(1, "answered")]


def test_what_is_delayed_is_delivered_also_after_the_agents_end(talk_through, capture):
    async def script(talk):
        os.write(talk.agent.writes, LINE)
        talk.agent.exit()
        await trio.sleep_forever()

    talk = talk_through(Delay(10 * SILENCE_AFTER_EXIT))
    took = talk.follow(script)
    assert 10 * SILENCE_AFTER_EXIT <= took < 11 * SILENCE_AFTER_EXIT
    assert talk.read(talk.reader) == LINE
    talk.conversation.end()
    assert _deliveries(capture) == [(1, "held"), (1, "delayed")]


def test_a_slow_reader_gets_everything(talk_through):
    many = LINE * 20_000
    got = bytearray()

    async def script(talk):
        left = memoryview(many)
        os.set_blocking(talk.agent.writes, False)
        while left or len(got) < len(many):
            if left:
                with suppress(BlockingIOError):
                    left = left[os.write(talk.agent.writes, left) :]
            await wait_all_tasks_blocked()
            got.extend(talk.read(talk.reader))
        talk.agent.exit()

    talk = talk_through(Stage())
    talk.follow(script)
    assert got == many


def test_a_client_that_asks_for_the_end_does_not_wait_for_what_is_held(talk_through):
    async def script(talk):
        os.write(talk.agent.writes, LINE)
        await wait_all_tasks_blocked()
        talk.agent.exit()
        await wait_all_tasks_blocked()
        os.write(talk.waker, b"!")
        await trio.sleep_forever()

    talk = talk_through(Delay(100))
    assert talk.follow(script) < 10
    talk.conversation.end()
    assert talk.read(talk.reader) == LINE


class Keep(Stage):
    """Holds every line, until the end."""

    def handle(self, line):
        return (Held(line, "keep"),)


@pytest.mark.parametrize("stage", [Delay(100), Keep()], ids=["delays", "keeps"])
def test_what_comes_when_no_task_runs_any_more_is_held_and_delivered(talk_through, capture, stage):
    """A child of the agent may write until the last moment."""

    async def script(talk):
        talk.agent.exit(closing=["reads", "logs"])
        await wait_all_tasks_blocked()
        os.write(talk.waker, b"!")

    talk = talk_through(stage)
    talk.follow(script)
    os.write(talk.agent.writes, LINE)
    talk.conversation.end()
    assert talk.read(talk.reader) == LINE
    assert _deliveries(capture) == [(1, "held"), (1, "delayed")]


def test_what_comes_even_later_is_not_held(talk_through):
    async def script(talk):
        talk.agent.exit(closing=["reads", "logs"])
        await wait_all_tasks_blocked()
        os.write(talk.waker, b"!")

    stage = Keep()
    talk = talk_through(stage)
    stage.end = lambda: os.write(talk.agent.writes, OTHER)
    talk.follow(script)
    os.write(talk.agent.writes, LINE)
    talk.conversation.end()
    assert talk.read(talk.reader) == LINE + OTHER


def test_what_is_released_after_the_end_wakes_nobody_up(talk_through):
    """The descriptor that would be written to is closed, or is another file by now."""
    before = open_descriptors()
    stage = Stage()
    talk = talk_through(stage)

    async def script(talk):
        talk.agent.exit()

    talk.follow(script)
    talk.conversation.end()
    stage.pipeline.on_output()
    talk.close()
    talk.tap.close()
    assert not open_descriptors() - before


class Act(Stage):
    """Has something done after each line."""

    def __init__(self, act):
        super().__init__()
        self._act = act

    def handle(self, line):
        self.pipeline.act(self._act)
        return (line,)


def test_pieces_are_written_apart_and_others_wait_behind_them(talk_through):
    class Slice(Stage):
        def handle(self, line):
            return (line.sliced((2, 5), "slice") if line.raw == LINE else line,)

    got = []

    async def script(talk):
        os.write(talk.agent.writes, LINE + OTHER)
        while sum(map(len, got)) < len(LINE + OTHER):
            await wait_all_tasks_blocked()
            with suppress(BlockingIOError):
                got.append(talk.read(talk.reader))
            await trio.sleep(0.001)
        talk.agent.exit()

    talk_through(Slice()).follow(script)
    assert [piece for piece in got if piece] == [LINE[:2], LINE[2:5], LINE[5:], OTHER]


def test_pieces_are_delivered_also_at_the_end(talk_through):
    class Slice(Stage):
        def handle(self, line):
            return (line.sliced((2, 5), "slice"),)

    async def script(talk):
        os.write(talk.agent.writes, LINE)
        talk.agent.exit()
        await trio.sleep_forever()

    talk = talk_through(Slice())
    talk.follow(script)
    talk.conversation.end()
    assert talk.read(talk.reader) == LINE


def test_lines_that_go_together_are_one_write(talk_through, monkeypatch):
    writes = []

    async def script(talk):
        put = talk.conversation._to_client.put
        monkeypatch.setattr(
            talk.conversation._to_client, "put", lambda data: (writes.append(data), put(data))
        )
        os.write(talk.agent.writes, LINE + OTHER)
        await wait_all_tasks_blocked()
        talk.agent.exit()

    talk_through(Stage()).follow(script)
    assert writes == [LINE + OTHER]


@pytest.mark.parametrize("peer", Peer)
def test_a_closed_stream_ends_after_the_line_and_the_other_goes_on(talk_through, peer):
    async def script(talk):
        ends = {
            Peer.CLIENT: (talk.agent.writes, talk.reader),
            Peer.AGENT: (talk.writer, talk.agent.reads),
        }
        source, sink = ends[peer]
        os.write(source, LINE)
        await wait_all_tasks_blocked()
        assert os.read(sink, 100) == LINE
        assert os.read(sink, 100) == b""
        os.write(source, LINE)  # it does not notice
        source, sink = ends[peer.other]
        os.write(source, OTHER)
        await wait_all_tasks_blocked()
        assert os.read(sink, 100) == OTHER
        talk.agent.exit()

    def close(controls):
        controls.close(peer)

    class Close(Stage):
        def handle(self, line):
            if line.to is peer and line.frame.seq == 1:
                self.pipeline.act(close)
            return (line,)

    talk = talk_through(Close())
    talk.follow(script)
    assert talk.conversation.end() == 7


def test_pieces_are_delivered_before_the_stream_is_closed(talk_through):
    class Slice(Stage):
        def handle(self, line):
            self.pipeline.act(lambda controls: controls.close(Peer.CLIENT))
            return (line.sliced((2, 5), "slice"),)

    async def script(talk):
        os.write(talk.agent.writes, LINE)
        await wait_all_tasks_blocked()
        assert os.read(talk.reader, 100) == LINE
        assert os.read(talk.reader, 100) == b""
        talk.agent.exit()

    talk_through(Slice()).follow(script)


def test_the_exit_status_can_be_another(talk_through, capture):
    async def script(talk):
        os.write(talk.agent.writes, LINE)
        await wait_all_tasks_blocked()
        talk.agent.exit()

    talk = talk_through(Act(lambda controls: controls.exit_with(42)))
    talk.follow(script)
    assert talk.conversation.end() == 42
    assert load(capture).exit.status == 7


def test_stderr_can_be_written_to(talk_through):
    async def script(talk):
        os.write(talk.agent.writes, LINE)
        await wait_all_tasks_blocked()
        assert talk.read(talk.log) == b"flood\n"
        talk.agent.exit()

    talk_through(Act(lambda controls: controls.write_stderr(b"flood\n"))).follow(script)


def test_nobody_waits_for_what_may_never_be_released(talk_through, capture):
    class Wait(Stage):
        def handle(self, line):
            return (Held(line, "wait", lets_pass=True, has_limit=False),)

    async def script(talk):
        os.write(talk.agent.writes, LINE)
        await wait_all_tasks_blocked()
        talk.agent.exit()
        await trio.sleep_forever()

    talk = talk_through(Wait())
    assert talk.follow(script) < 2 * SILENCE_AFTER_EXIT
    talk.conversation.end()
    assert talk.read(talk.reader) == LINE
    assert _deliveries(capture) == [(1, "held"), (1, "delayed")]


# ----------------------------------------------------------------------------- what goes wrong


class Fail(Stage):
    """Holds each line for the client, and has a bug where it waits."""

    def handle(self, line):
        if line.to is Peer.AGENT:
            return (line,)

        async def fail():
            raise ValueError("a planted bug")

        self.pipeline.start(self, fail)
        return (Held(line, "fail"),)


def test_a_bug_in_a_task_of_a_stage_holds_nothing_and_stops_nobody_else(talk_through):
    complaints = []
    talk = talk_through(Fail(), Delay(1), complain=complaints.append)

    async def script(talk):
        for _ in range(2):
            os.write(talk.agent.writes, LINE)
            await trio.sleep(2)
            assert talk.read(talk.reader) == LINE
        talk.agent.exit()

    assert talk.follow(script) == pytest.approx(4)
    assert talk.conversation.end() == 7
    assert len(complaints) == 2
    assert "a planted bug" in complaints[0]


def test_what_was_held_when_trio_failed_goes_on_and_nothing_is_held_after_it(
    talk_through, monkeypatch
):
    """The carrier goes on alone; no task is left that could release a line."""
    talk = talk_through(Delay(1000))
    complaints = []

    async def fail(work):
        os.write(talk.agent.writes, LINE)
        work.carrier.carry()
        await wait_all_tasks_blocked()
        assert talk.read(talk.reader) == b""
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    def then_exit(conversation):
        assert talk.read(talk.reader) == LINE
        os.write(talk.agent.writes, OTHER)
        talk.agent.exit()
        carry_alone(conversation)

    monkeypatch.setattr(follow, "carry", fail)
    monkeypatch.setattr(run, "carry_alone", then_exit)
    run.follow(talk.conversation, None, complaints.append)
    assert talk.read(talk.reader) == OTHER
    assert talk.conversation.end() == 7
    assert len(complaints) == 1
