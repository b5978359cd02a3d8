"""A conversation followed to its end: by trio's own clock, on pipes, without processes."""

import os
from contextlib import contextmanager, suppress

import pytest
import trio
from support.fake_agent import FakeAgent, open_descriptors
from trio.testing import MockClock, wait_all_tasks_blocked

from acp_spy.engine.carrier import Carrier
from acp_spy.engine.no_tap import NoTap
from acp_spy.engine.stdio import Endpoint
from acp_spy.engine.work import carry_alone
from acp_spy.proxy import follow
from acp_spy.proxy.conversation import SILENCE_AFTER_EXIT, Conversation

LINE = b'{"jsonrpc":"2.0"}\n'


class Recorded(NoTap):
    """A tap that keeps what it is shown."""

    def __init__(self):
        self.shown = []

    def client(self, chunk):
        self.shown.append(("client", chunk))

    def agent(self, chunk):
        self.shown.append(("agent", chunk))

    def stderr(self, chunk):
        self.shown.append(("stderr", chunk))

    def client_end(self):
        self.shown.append(("client", b""))

    def agent_end(self):
        self.shown.append(("agent", b""))

    def exit(self, status, undelivered, reason=""):
        self.shown.append(("exit", status, undelivered, *([reason] if reason else [])))

    def close(self):
        pass


class Talk:
    """A conversation between this test as client, and a fake agent."""

    def __init__(self, tap, handling=None):
        self.tap = tap
        self.agent = FakeAgent()
        source, self.writer = os.pipe()
        self.reader, sink = os.pipe()
        self.log, log_sink = os.pipe()
        for descriptor in (sink, log_sink, self.reader, self.log, self.agent.reads):
            os.set_blocking(descriptor, False)
        self.wake, self.waker = os.pipe()
        self.conversation = Conversation(
            Carrier(),
            Endpoint(source, sink),
            self.agent,
            log_sink,
            tap,
            self.wake,
            handling=handling,
        )

    def follow(self, script):
        """Follow it while `script` runs; return for how many seconds of trio's clock that was."""

        async def main():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(script, self)
                await follow.follow(self.conversation, None)
                nursery.cancel_scope.cancel()
            return trio.current_time()

        clock = MockClock(autojump_threshold=0)
        before = clock.current_time()
        return trio.run(main, clock=clock) - before

    def close(self):
        """Close what the test holds of a conversation whose agent has exited."""
        self.conversation.carrier.close()
        for descriptor in (self.writer, self.reader, self.log, self.wake, self.waker):
            os.close(descriptor)

    def read(self, descriptor):
        """Return what has come, up to the end if that has come, too."""
        data = b""
        with suppress(BlockingIOError):
            while chunk := os.read(descriptor, 65536):
                data += chunk
        return data


@contextmanager
def talks():
    """Make conversations, and close what is open of them in the end, however they have ended."""
    before, made = open_descriptors(), []

    def make(tap, handling=None):
        made.append(Talk(tap, handling))
        return made[-1]

    yield make
    for talk in made:
        talk.conversation.carrier.close()
        talk.tap.close()
    for descriptor in open_descriptors() - before:
        os.close(descriptor)


@pytest.fixture
def talk():
    with talks() as make:
        yield make(Recorded())


def test_bytes_go_both_ways_and_the_end_is_that_of_the_agent(talk):
    async def script(talk):
        os.write(talk.writer, LINE)
        await wait_all_tasks_blocked()
        assert os.read(talk.agent.reads, 100) == LINE
        os.write(talk.agent.writes, LINE * 2)
        os.write(talk.agent.logs, b"a log line\n")
        await wait_all_tasks_blocked()
        assert (talk.read(talk.reader), talk.read(talk.log)) == (LINE * 2, b"a log line\n")
        talk.agent.exit()

    assert talk.follow(script) < SILENCE_AFTER_EXIT
    assert talk.conversation.end() == 7
    assert talk.tap.shown == [
        ("client", LINE),
        ("agent", LINE * 2),
        ("stderr", b"a log line\n"),
        ("agent", b""),
        ("exit", 7, {}),
    ]


def test_children_of_the_agent_have_a_second_of_silence_each_time(talk):
    async def script(talk):
        talk.agent.exit(closing=["reads"])
        for _ in range(3):
            await trio.sleep(0.9 * SILENCE_AFTER_EXIT)
            os.write(talk.agent.writes, LINE)

    assert talk.follow(script) == pytest.approx(3.7 * SILENCE_AFTER_EXIT)
    talk.conversation.end()
    assert talk.read(talk.reader) == LINE * 3


async def write_until_nobody_takes_more(talk):
    """Fill the agent's pipe, the stream and the client's pipe; return how much that was."""
    os.set_blocking(talk.agent.writes, False)
    sent = more = 0
    while sent == 0 or more:
        more = 0
        with suppress(BlockingIOError):
            while True:
                more += os.write(talk.agent.writes, b"x" * 65536)
        sent += more
        await wait_all_tasks_blocked()
    return sent


def test_a_slow_reader_gets_all_of_it_however_long_that_takes(talk):
    sent = taken = 0

    async def script(talk):
        nonlocal sent, taken
        sent = await write_until_nobody_takes_more(talk)
        talk.agent.exit()
        await trio.sleep(1000)
        while True:  # until it is over
            taken += len(talk.read(talk.reader))
            await wait_all_tasks_blocked()

    assert 1000 <= talk.follow(script) < 1000 + SILENCE_AFTER_EXIT
    talk.conversation.end()
    assert taken + len(talk.read(talk.reader)) == sent > 2 * 65536
    assert talk.tap.shown[-1] == ("exit", 7, {})


def test_who_is_asked_to_end_waits_for_no_slow_reader(talk):
    async def script(talk):
        await write_until_nobody_takes_more(talk)
        os.write(talk.waker, b"!")
        await wait_all_tasks_blocked()
        talk.agent.exit()

    assert talk.follow(script) == pytest.approx(SILENCE_AFTER_EXIT)
    assert talk.conversation.asked_to_end


def test_asked_to_end_when_the_agent_has_ended_it_ends_at_once(talk):
    async def script(talk):
        talk.agent.exit(closing=["reads"])
        await trio.sleep(SILENCE_AFTER_EXIT / 2)
        os.write(talk.waker, b"!")

    assert talk.follow(script) == pytest.approx(SILENCE_AFTER_EXIT / 2)


def test_an_agent_that_closes_its_stderr_and_lives_on_closes_ours(talk):
    async def script(talk):
        talk.agent.close("logs")
        await trio.sleep(1)
        assert os.read(talk.log, 1) == b""  # which is the end, not "nothing yet"
        os.write(talk.agent.writes, LINE)
        await wait_all_tasks_blocked()
        assert talk.read(talk.reader) == LINE
        talk.agent.exit(closing=["reads", "writes"])

    assert talk.follow(script) == pytest.approx(1)


def test_without_trio_it_is_carried_to_the_same_end(talk):
    os.write(talk.writer, LINE)
    os.write(talk.agent.writes, LINE)
    talk.agent.exit(closing=["writes", "logs"])
    carry_alone(talk.conversation)
    assert (os.read(talk.agent.reads, 100), talk.read(talk.reader)) == (LINE, LINE)
    assert talk.conversation.end() == 7
    assert sorted(talk.tap.shown[:2]) == [("agent", LINE), ("client", LINE)]
    assert talk.tap.shown[2:] == [("agent", b""), ("exit", 7, {})]


def test_what_a_conversation_was_given_and_opened_is_closed_at_its_end():
    before = open_descriptors()
    talk = Talk(Recorded())

    async def script(talk):
        talk.agent.exit()

    talk.follow(script)
    talk.conversation.end()
    talk.close()
    assert not open_descriptors() - before


def test_one_process_can_hold_several_conversations(talk):
    with talks() as make:
        assert_each_has_its_own(talk, make(Recorded()))


def assert_each_has_its_own(first, second):
    async def main():
        async with trio.open_nursery() as nursery:
            for talk in (first, second):
                nursery.start_soon(follow.follow, talk.conversation, None)
            os.write(first.writer, b"for the first\n")
            os.write(second.writer, b"for the second\n")
            await wait_all_tasks_blocked()
            assert os.read(first.agent.reads, 100) == b"for the first\n"
            assert os.read(second.agent.reads, 100) == b"for the second\n"
            first.agent.exit()
            await trio.sleep(10)  # one goes on without the other
            os.write(second.agent.writes, LINE)
            await wait_all_tasks_blocked()
            assert second.read(second.reader) == LINE
            second.agent.exit()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert first.tap.shown == [("client", b"for the first\n"), ("agent", b"")]
    assert second.tap.shown == [("client", b"for the second\n"), ("agent", LINE), ("agent", b"")]
