import os
from itertools import accumulate, pairwise
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from acp_spy.capture.files import CaptureFile, load
from acp_spy.capture.recorder import MOST_LINES, Recorder
from acp_spy.capture.records import Capture, Closed, Exit, Header, Stderr
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.framing import Framer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT


def save(path, header, batches):
    file = CaptureFile(path, header)
    for batch in batches:
        file.append(batch)
    os.close(file._fd)
    return file.path


# ----------------------------------------------------------------------------- whole runs

pieces = st.sampled_from(
    [
        b'{"id":1}\n',
        b'{"id":',
        b"1}",
        b"\n",
        b"\r\n",
        b"\r",
        b"\xc3",
        b"\xa9",
        b"\xf0\x9f",
        b"[log] ",
    ]
)
chunks = st.one_of(pieces, st.binary(max_size=12))
streams = st.sampled_from(["client", "agent", "stderr"])
events = st.lists(st.tuples(streams, chunks, st.floats(min_value=1e-6, max_value=1e6)), max_size=40)
endings = st.lists(st.sampled_from([CLIENT, AGENT]), unique=True)


@given(events, endings, st.integers(-64, 255))
def test_every_byte_of_a_run_comes_back_from_its_file(events, endings, status):
    """Both peers and stderr, interleaved, cut into chunks anywhere, ended or not."""
    recorder = Recorder()
    batches = []
    times = [0.0, *accumulate(pause for _, _, pause in events)]
    for (stream, chunk, _), t in zip(events, times[1:], strict=True):
        if stream == "stderr":
            batches.append(recorder.stderr(chunk, t))
        else:
            batches.append(recorder.frames(Peer(stream), chunk, t))
    batches += [recorder.closed(sender, times[-1]) for sender in endings]
    batches.append(recorder.exit(status, {}, times[-1]))
    header = Header(command=("agent",), cwd="/project")
    with TemporaryDirectory() as folder:
        loaded = load(save(f"{folder}/run.jsonl", header, batches))
        again = load(save(f"{folder}/again.jsonl", loaded.header, [loaded.records]))

    assert loaded == Capture(header, tuple(record for batch in batches for record in batch))
    assert loaded == again
    sent = dict.fromkeys(("client", "agent", "stderr"), b"")
    for stream, chunk, _ in events:
        sent[stream] += chunk
    assert sent == {
        "client": b"".join(frame.raw for frame in loaded.frames if frame.sender is CLIENT),
        "agent": b"".join(frame.raw for frame in loaded.frames if frame.sender is AGENT),
        "stderr": b"".join(r.raw for r in loaded.records if isinstance(r, Stderr)),
    }
    frames = list(loaded.frames)
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    assert all(earlier.t <= later.t for earlier, later in pairwise(loaded.records))
    assert [r.sender for r in loaded.records if isinstance(r, Closed)] == endings
    assert loaded.exit == Exit(times[-1], status)
    assert recorder.counts == {
        CLIENT: sum(frame.sender is CLIENT for frame in frames),
        AGENT: sum(frame.sender is AGENT for frame in frames),
    }


# ----------------------------------------------------------------------------- frames


def test_frames_are_numbered_over_both_peers():
    recorder = Recorder()
    assert recorder.frames(CLIENT, b"a\nb\n", 0.5) == [
        Frame(1, 0.5, CLIENT, b"a\n"),
        Frame(2, 0.5, CLIENT, b"b\n"),
    ]
    assert recorder.frames(AGENT, b"c\n", 0.75) == [Frame(3, 0.75, AGENT, b"c\n")]
    assert recorder.frames(CLIENT, b"d\n", 1.0) == [Frame(4, 1.0, CLIENT, b"d\n")]
    assert recorder.counts == {CLIENT: 3, AGENT: 1}


def test_a_frame_has_the_time_and_place_of_the_chunk_that_completes_it():
    recorder = Recorder()
    assert recorder.frames(CLIENT, b'{"id"', 1.0) == []
    assert recorder.frames(AGENT, b"{}\n", 2.0) == [Frame(1, 2.0, AGENT, b"{}\n")]
    assert recorder.frames(CLIENT, b":1}\n{", 3.0) == [Frame(2, 3.0, CLIENT, b'{"id":1}\n')]


def test_parts_of_lines_of_both_peers_do_not_mix():
    recorder = Recorder()
    recorder.frames(CLIENT, b"from the ", 1.0)
    recorder.frames(AGENT, b"from the ", 1.0)
    assert recorder.frames(CLIENT, b"client\n", 2.0) == [
        Frame(1, 2.0, CLIENT, b"from the client\n")
    ]
    assert recorder.frames(AGENT, b"agent\n", 3.0) == [Frame(2, 3.0, AGENT, b"from the agent\n")]


def test_a_line_too_long_goes_on_in_the_next_frame_of_its_sender():
    recorder = Recorder()
    recorder._framers[AGENT] = Framer(longest=4)
    assert recorder.frames(AGENT, b"abcdef", 1.0) == [Frame(1, 1.0, AGENT, b"abcdef")]
    assert recorder.frames(CLIENT, b"{}\n", 2.0) == [Frame(2, 2.0, CLIENT, b"{}\n")]
    assert recorder.frames(AGENT, b"gh\n", 3.0) == [Frame(3, 3.0, AGENT, b"gh\n")]


# ----------------------------------------------------------------------------- ends


def test_the_end_of_a_stream_is_recorded():
    assert Recorder().closed(AGENT, 1.5) == [Closed(1.5, AGENT)]


def test_unterminated_tail_is_recorded_before_the_end_of_its_stream():
    recorder = Recorder()
    recorder.frames(AGENT, b"{}\nbye", 1.0)
    assert recorder.closed(AGENT, 2.0) == [Frame(2, 2.0, AGENT, b"bye"), Closed(2.0, AGENT)]
    assert recorder.exit(0, {}, 3.0) == [Exit(3.0, 0)]


def test_the_exit_comes_after_all_that_was_held_back():
    recorder = Recorder()
    recorder.frames(AGENT, b"half an answer", 1.0)
    recorder.frames(CLIENT, b"half a question", 1.0)
    recorder.stderr(b"\xf0\x9f", 1.0)
    assert recorder.exit(-9, {"client": 14, "agent": 15}, 2.0) == [
        Frame(1, 2.0, CLIENT, b"half a question"),
        Frame(2, 2.0, AGENT, b"half an answer"),
        Stderr(2.0, b"\xf0\x9f"),
        Exit(2.0, -9, {"client": 14, "agent": 15}),
    ]
    assert recorder.counts == {CLIENT: 1, AGENT: 1}


# ----------------------------------------------------------------------------- stderr


def test_stderr_is_recorded_at_once_and_by_lines():
    recorder = Recorder()
    assert recorder.stderr(b"one\r\ntwo\nthr", 1.0) == [
        Stderr(1.0, b"one\r\n"),
        Stderr(1.0, b"two\n"),
        Stderr(1.0, b"thr"),
    ]
    assert recorder.stderr(b"ee\n", 2.0) == [Stderr(2.0, b"ee\n")]


def test_stderr_does_not_count_as_frames():
    recorder = Recorder()
    recorder.stderr(b"one\n", 1.0)
    assert recorder.frames(AGENT, b"{}\n", 2.0) == [Frame(1, 2.0, AGENT, b"{}\n")]
    assert recorder.counts == {CLIENT: 0, AGENT: 1}


def test_a_split_character_waits_for_its_other_half():
    recorder = Recorder()
    euro = "€".encode()
    assert recorder.stderr(b"10 " + euro[:1], 1.0) == [Stderr(1.0, b"10 ")]
    assert recorder.stderr(euro[1:2], 2.0) == []
    assert recorder.stderr(euro[2:] + b"\n", 3.0) == [Stderr(3.0, euro + b"\n")]


def test_bytes_that_can_begin_no_character_do_not_wait():
    recorder = Recorder()
    assert recorder.stderr(b"\x80\x80\x80\x80", 1.0) == [Stderr(1.0, b"\x80\x80\x80\x80")]
    assert recorder.stderr(b"a\xa9", 2.0) == [Stderr(2.0, b"a\xa9")]


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(min_value=1, max_value=5))
def test_text_on_stderr_stays_text_however_it_is_cut(text, size):
    recorder = Recorder()
    data = text.encode()
    records = []
    for start in range(0, len(data), size):
        records += recorder.stderr(data[start : start + size], float(start))
    assert "".join(record.raw.decode() for record in records) == text
    assert recorder.exit(0, {}, 1.0) == [Exit(1.0, 0)]
    assert all(record.raw.count(b"\n") == record.raw.endswith(b"\n") for record in records)


def test_a_flood_of_lines_on_stderr_is_one_record():
    recorder = Recorder()
    assert len(recorder.stderr(b"x\n" * MOST_LINES, 0.1)) == MOST_LINES
    assert recorder.stderr(b"x\n" * (MOST_LINES + 1), 0.2) == [
        Stderr(0.2, b"x\n" * (MOST_LINES + 1))
    ]
