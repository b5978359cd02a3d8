"""One stream of the proxy, carried between descriptors of this process: no process, no waiting."""

import os
import pty
import socket
from contextlib import suppress
from select import poll

import pytest

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.stream import Gate, Stream

LINES = b"".join(b'{"n":%d}\n' % number for number in range(100_000))  # more than two pipes hold


class Carried:
    """A writer, the stream and a reader. `go` has the stream do all that it can do now."""

    def __init__(self, writer, source, sink, reader, write=None):
        self.writer, self.reader = writer, reader
        for ours in (writer, reader):
            os.set_blocking(ours, False)
        self.shown, self.ends = [], 0
        self._carrier = Carrier()
        self.holds = False
        gate = Gate(self.shown.append, self._show_end)
        self.stream = Stream(self._carrier, source, sink, gate)
        if write:
            self.stream._write = write

    def _show_end(self):
        self.ends += 1
        return not self.holds

    def go(self):
        while not self.stream.done and self._carrier.turn(0):
            pass

    def send(self, data):
        """Write until nothing more is taken; return how much was."""
        sent = 0
        with suppress(BlockingIOError):
            while sent < len(data):
                sent += os.write(self.writer, data[sent : sent + 65536])
        return sent

    def take(self):
        """Read until there is nothing more now, or for ever."""
        data = b""
        with suppress(BlockingIOError):
            while chunk := os.read(self.reader, 65536):
                data += chunk
        return data

    def hang_up(self, end):
        """Close our end, `writer` or `reader`; its number stays ours."""
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, getattr(self, end))
        os.close(null)

    def is_cut(self, end):
        """Whether the stream has closed the other end of ours."""
        poller = poll()
        poller.register(getattr(self, end), 0)
        return bool(poller.poll(0))


def pipes(write=None):
    source, writer = os.pipe()
    reader, sink = os.pipe()
    os.set_blocking(sink, False)
    return Carried(writer, source, sink, reader, write)


def sockets():
    writer, source = (end.detach() for end in socket.socketpair())
    sink, reader = (end.detach() for end in socket.socketpair())
    return Carried(writer, source, sink, reader)


@pytest.fixture
def carry():
    """Make streams, and close our ends of them and the stream's."""
    made = []

    def make(stream):
        made.append(stream)
        return stream

    yield make
    for stream in made:
        stream.stream.stop()
        stream._carrier.close()
        os.close(stream.writer)
        os.close(stream.reader)


both = pytest.mark.parametrize("make", [pipes, sockets])


@both
def test_bytes_go_on_as_they_come_whole_lines_or_not(carry, make):
    stream = carry(make())
    for piece in (b'{"a"', b": 1}\n", b"\xff\x00"):
        stream.send(piece)
        stream.go()
        assert stream.take() == piece
    assert stream.shown == [b'{"a"', b": 1}\n", b"\xff\x00"]


@both
def test_a_reader_that_stops_makes_the_writer_stop_and_nothing_is_lost(carry, make):
    stream = carry(make())
    sent = 0
    while more := stream.send(LINES[sent:]):
        sent += more
        stream.go()
    assert sent < len(LINES)  # nobody holds more than the two pipes, and a chunk
    assert stream.stream.pending
    stream.go()
    assert stream.send(LINES[sent:]) == 0
    taken = b""
    for _ in range(200):  # far more than it takes
        taken += stream.take()
        stream.go()
        sent += stream.send(LINES[sent:])
    assert taken == b"".join(stream.shown) == LINES
    assert not stream.stream.pending


@both
def test_the_end_comes_after_all_that_was_sent_and_once(carry, make):
    stream = carry(make())
    sent = stream.send(LINES)
    stream.go()
    sent += stream.send(LINES[sent:])
    stream.hang_up("writer")
    taken = b""
    for _ in range(20):  # far more than it takes
        stream.go()
        taken += stream.take()
    assert taken == LINES[:sent]
    assert (stream.ends, stream.is_cut("reader"), stream.stream.undelivered) == (1, True, 0)


def test_what_cannot_be_shown_is_passed_on_all_the_same(carry):
    carried = carry(pipes())

    def fail(_chunk):
        raise MemoryError

    carried.stream._gate.show = fail
    carried.send(b"on its way\n")
    with pytest.raises(MemoryError):
        carried.go()
    assert carried.take() == b"on its way\n"


def test_a_connection_that_is_closed_for_writing_is_carried_to_its_end(carry):
    """And only in that direction: an answer may still come on the same connection."""
    stream = carry(sockets())
    stream.send(b"the last words\n")
    with socket.socket(fileno=os.dup(stream.writer)) as client:
        client.shutdown(socket.SHUT_WR)
    stream.go()
    assert (stream.take(), stream.ends, stream.stream.done) == (b"the last words\n", 1, True)


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_sink_that_takes_little_at_a_time_gets_all_of_it(carry, at_once):
    stream = carry(pipes(lambda sink, data: os.write(sink, data[:at_once])))
    stream.send(b'{"partial": "writes"}\n')
    stream.go()
    assert stream.take() == b'{"partial": "writes"}\n'
    assert stream.shown == [b'{"partial": "writes"}\n']  # however often it was written


def test_the_loss_of_the_reader_is_passed_on_at_once(carry):
    stream = carry(pipes())
    stream.hang_up("reader")
    stream.go()
    assert stream.is_cut("writer")
    assert (stream.stream.done, stream.stream.undelivered) == (True, 0)


def test_what_nobody_took_before_the_reader_went_is_shown_and_counted(carry):
    stream = carry(pipes())
    stream.send(b"taken\n")
    stream.go()
    assert stream.take() == b"taken\n"
    stream.send(b"in its pipe\n")
    stream.go()
    stream.send(b"in ours\n")
    stream.hang_up("reader")
    stream.go()
    assert b"".join(stream.shown) == b"taken\nin its pipe\nin ours\n"
    assert stream.stream.undelivered == len(b"in its pipe\nin ours\n")


def test_a_sink_that_fails_is_lost(carry):
    stream = carry(pipes(lambda *_: os.write(full, b"x")))
    full = os.open("/dev/full", os.O_WRONLY)
    stream.send(b"no room\n")
    stream.go()
    os.close(full)
    assert stream.is_cut("writer")
    assert (stream.shown, stream.stream.undelivered) == ([b"no room\n"], len(b"no room\n"))


def test_a_terminal_that_hangs_up_has_ended(carry):
    writer, source = pty.openpty()
    reader, sink = os.pipe()
    stream = carry(Carried(writer, source, sink, reader))
    stream.hang_up("writer")
    stream.go()
    assert (stream.ends, stream.stream.done) == (1, True)


def test_what_is_left_when_it_must_stop_is_left_in_the_pipe_of_the_reader(carry):
    stream = carry(pipes())
    sent = stream.send(LINES)
    stream.go()
    sent += stream.send(LINES[sent:])
    stream.stream.stop()
    assert stream.stream.undelivered == 0  # a pipe can be made to hold that much
    assert stream.take() == b"".join(stream.shown) == LINES[:sent]


def test_what_no_pipe_can_hold_is_undelivered_and_counted(carry, monkeypatch):
    monkeypatch.setattr(stdio, "widen", lambda _: None)
    stream = carry(pipes())
    sent = stream.send(LINES)
    stream.go()
    sent += stream.send(LINES[sent:])
    stream.stream.stop()
    taken = stream.take()
    assert b"".join(stream.shown) == LINES[:sent]
    assert taken == LINES[: len(taken)]
    assert stream.stream.undelivered == sent - len(taken) > 0


# ----------------------------------------------------------------------------- sinks


def fill(write, sink):
    while True:
        write(sink, bytes(65536))


def test_whoever_shares_the_pipe_that_we_write_to_may_still_wait_for_room():
    reader, writer = os.pipe()
    shared = os.dup(writer)
    write = stdio.make_sink(writer)
    with pytest.raises(BlockingIOError):
        fill(write, writer)
    assert os.get_blocking(shared)
    for descriptor in (reader, writer, shared):
        os.close(descriptor)


def test_where_it_cannot_be_opened_anew_the_mode_is_given_back(monkeypatch):
    def refuse(*_):
        raise FileNotFoundError

    reader, writer = os.pipe()
    with monkeypatch.context() as patch:
        patch.setattr(stdio.os, "open", refuse)  # as where there is no /proc
        stdio.make_sink(writer)
    assert not os.get_blocking(writer)
    stdio.restore()
    assert os.get_blocking(writer)
    for descriptor in (reader, writer):
        os.close(descriptor)


def test_a_connection_is_asked_with_each_send_and_its_mode_stays():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        write = stdio.make_sink(ours.fileno())
        with pytest.raises(BlockingIOError):
            fill(write, ours.fileno())
        assert ours.getblocking()
