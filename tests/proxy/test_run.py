"""Who carries a conversation, trio or nobody but the carrier; and who is waited for after it."""

import os

import pytest

from acp_spy.engine import stdio, work
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.ready import FOR_EVER, poll_once
from acp_spy.engine.stderr_queue import StderrQueue
from acp_spy.engine.work import Loading
from acp_spy.proxy import run


class Conversation:
    """Carries nothing, and counts how often it was asked for what is due."""

    def __init__(self):
        self.carrier = Carrier()
        self.is_over = self.is_ending = False
        self.patience = FOR_EVER
        self.handling = None

    def do_due(self, **_silent):
        self.is_over = self.is_ending = True


@pytest.mark.parametrize(("by_trio", "alone"), [(True, 0), (False, 1)])
def test_what_trio_has_followed_to_its_end_is_not_waited_for_again(by_trio, alone, monkeypatch):
    monkeypatch.setattr(Loading, "run", lambda *_: None if by_trio else OSError())
    monkeypatch.setattr(Loading, "is_over", True)
    carried = []
    monkeypatch.setattr(work, "carry_alone", carried.append)
    conversation = Conversation()
    complaints = []
    run.follow(conversation, None, complaints.append)
    assert carried == [conversation] * alone
    assert conversation.carrier.linger == run.LINGER
    assert len(complaints) == alone
    conversation.carrier.close()


def test_tasks_that_change_the_traffic_do_not_wait_for_a_long_silence(monkeypatch):
    monkeypatch.setattr(Loading, "run", lambda *_: None)
    conversation = Conversation()
    conversation.handling = object()
    conversation.is_over = True
    run.follow(conversation, None, pytest.fail)
    assert conversation.carrier.linger == Carrier.linger < run.LINGER
    conversation.carrier.close()


class Handling:
    """Says why trio ended early, and that it goes on without."""

    is_alone = False

    def explain(self, error):
        return f"because of {error!r}"

    def go_on_without_tasks(self):
        self.is_alone = True


@pytest.mark.parametrize("raised", [None, SystemExit(3), BaseExceptionGroup("x", [SystemExit()])])
def test_the_conversation_goes_on_if_a_task_of_a_script_ends_trio(raised, monkeypatch):
    def run_by_trio(*_):
        if raised:
            raise raised

    monkeypatch.setattr(Loading, "run", run_by_trio)
    monkeypatch.setattr(run, "carry_alone", Conversation.do_due)
    conversation = Conversation()
    conversation.handling = Handling()
    complaints = []
    run.follow(conversation, None, complaints.append)
    assert conversation.handling.is_alone
    assert conversation.is_over
    assert complaints == [f"because of {raised!r}; the conversation goes on"]
    conversation.carrier.close()


# ----------------------------------------------------------------------------- in the end


MANY = b"".join(b"acp-spy: %05d\n" % number for number in range(20_000))  # more than a pipe holds


class Pipe:
    def __init__(self):
        self.reader, self.writer = os.pipe()

    def read(self):
        data = b""
        while stdio.unread(self.reader):
            data += os.read(self.reader, 1 << 20)
        return data


@pytest.fixture
def pipes():
    """Give pipes that are closed in the end."""
    made = [Pipe() for _ in range(3)]
    yield made
    for pipe in made:
        os.close(pipe.reader)
        os.close(pipe.writer)


@pytest.fixture
def stderr(pipes):
    os.set_blocking(pipes[0].writer, False)
    return pipes[0]


@pytest.fixture
def queue(stderr):
    """Return a queue of which much is not read when the traffic is over."""
    carrier = Carrier()
    queue = StderrQueue(carrier, stderr.writer)
    queue.put(MANY)
    yield queue
    carrier.close()


class Checker:
    """Has lines for the queue, one for each time that it is read."""

    def __init__(self, output, queue, *lines, patience=FOR_EVER):
        self.output = output.reader
        self.patience = patience
        self.has_ended = self.has_left = False
        self._lines = list(lines)
        self._queue = queue
        os.write(output.writer, b"!" * len(lines))

    def read(self):
        os.read(self.output, 1)
        self._queue.put(self._lines.pop(0))
        self.has_ended = not self._lines

    def close(self):
        pass

    def leave(self):
        self.has_left = True


def last_words(queue):
    return lambda: queue.put(b"the end\n")


def read_when_waited_for(stderr, read, monkeypatch):
    """Have the reader read a little whenever somebody waits for it."""

    def wait(wanted, seconds):
        if stderr.writer in wanted:
            read.append(os.read(stderr.reader, 10_000))
        return poll_once(wanted, seconds)

    monkeypatch.setattr(run, "poll_once", wait)


def test_a_slow_reader_is_waited_for(stderr, queue, pipes, monkeypatch):
    read = []
    read_when_waited_for(stderr, read, monkeypatch)
    checker = Checker(pipes[1], queue, b"found\n", b"more\n")
    run.finish(queue, checker, -1, FOR_EVER, last_words(queue))
    assert b"".join(read) + stderr.read() == MANY + b"found\nmore\nthe end\n"
    assert checker.has_left


def test_who_does_not_read_is_waited_for_only_so_long(stderr, queue):
    """The rest is left in the pipe, as far as it can be made to hold it."""
    run.finish(queue, None, -1, 0.01, last_words(queue))
    assert stderr.read() == MANY + b"the end\n"


def test_who_does_not_read_is_waited_for_once_and_not_for_each_finding(
    stderr, queue, pipes, monkeypatch
):
    waits = []

    def wait(wanted, seconds):
        if stderr.writer in wanted:
            waits.append(seconds)
        return poll_once(wanted, seconds)

    monkeypatch.setattr(run, "poll_once", wait)
    checker = Checker(pipes[1], queue, b"found\n", b"more\n")
    run.finish(queue, checker, -1, 0.01, last_words(queue))
    assert waits[0] == 0.01
    assert waits[-3:] == [0, 0, 0]  # of two findings and the last words
    assert stderr.read() == MANY + b"found\nmore\nthe end\n"


def test_who_asks_for_the_end_need_not_wait(stderr, queue, pipes):
    wake, output = pipes[1:]
    checker = Checker(output, queue)
    os.write(wake.writer, b"!")
    run.finish(queue, checker, wake.reader, FOR_EVER, last_words(queue))
    assert stderr.read() == MANY + b"the end\n"
    assert checker.has_left


def test_a_checker_is_waited_for_only_so_long(stderr, queue, pipes, monkeypatch):
    read_when_waited_for(stderr, [], monkeypatch)
    checker = Checker(pipes[1], queue, patience=0.01)
    run.finish(queue, checker, -1, FOR_EVER, last_words(queue))
    assert checker.has_left
    assert stderr.read().endswith(b"the end\n")
