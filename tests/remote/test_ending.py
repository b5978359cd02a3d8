"""The end of a conversation that is still being redacted, as a task among others."""

from threading import Event

import pytest
import trio

from acp_spy import load
from acp_spy.capture.records import Header
from acp_spy.engine.backlog import Backlog, Worker
from acp_spy.engine.tap import Tap
from acp_spy.remote.conversations import Conversations
from acp_spy.wire.frame import Peer, Via

LARGE = b"x" * 3000


class Slow:
    """Redacts nothing, and nothing large before it may."""

    def __init__(self):
        self.go = Event()

    def header(self, header):
        return header

    def record(self, record):
        if len(getattr(record, "raw", b"")) > len(LARGE):
            assert self.go.wait(60)
        return record


class Talks(Conversations):
    """Conversations with captures in a folder; `ended` are those that are finished."""

    def __init__(self, folder):
        self.slow, self.folder, self.ended = Slow(), folder, []
        worker = Worker()

        def open_tap():
            tap = Tap(0, pytest.fail, self.slow, Backlog(worker))
            tap.open(str(folder / f"{self.count}.jsonl"), Header())
            return tap

        super().__init__(open_tap, on_end=self._close)

    def _close(self, conversation):
        self.ended.append(conversation)
        conversation.tap.close()

    def end_one(self, message):
        """Have a conversation of one message."""
        conversation = self.begin()
        conversation.messages(Peer.CLIENT, [message], Via("http", "post"))
        self.end(conversation, Peer.CLIENT)
        return conversation


async def serve(finish):
    await finish()


def test_one_that_is_redacted_ends_at_once_and_another_when_it_is(tmp_path):
    talks = Talks(tmp_path)

    async def main():
        async with trio.open_nursery() as nursery:
            talks.finish_by(lambda finish: nursery.start_soon(serve, finish))
            slow, quick = talks.end_one(LARGE), talks.end_one(b"1")
            assert talks.ended == [quick]
            assert load(tmp_path / "0.jsonl").exit is None
            talks.slow.go.set()
        assert talks.ended == [quick, slow]

    trio.run(main)
    assert load(tmp_path / "0.jsonl").frames[0].raw == LARGE + b"\n"
    assert load(tmp_path / "0.jsonl").exit is not None


def test_who_cancels_it_leaves_out_the_rest_and_closes_the_capture(tmp_path):
    talks = Talks(tmp_path)

    async def main():
        async with trio.open_nursery() as nursery:
            talks.finish_by(lambda finish: nursery.start_soon(serve, finish))
            slow = talks.end_one(LARGE)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert talks.ended == [slow]
        assert slow.tap.path == ""

    trio.run(main)
    talks.slow.go.set()
    assert load(tmp_path / "0.jsonl").frames == ()


def test_only_so_many_captures_are_open_because_they_are_being_redacted(tmp_path):
    talks = Talks(tmp_path)
    talks.most_idle = 2

    async def main():
        async with trio.open_nursery() as nursery:
            talks.finish_by(lambda finish: nursery.start_soon(serve, finish))
            first, second = talks.end_one(LARGE), talks.end_one(LARGE)
            talks.slow.go.set()  # or it would wait for ever
            third = talks.end_one(b"1")
            assert talks.ended == [first, third]
        assert talks.ended == [first, third, second]

    trio.run(main)
