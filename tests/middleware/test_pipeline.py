"""The pipeline: what stages make of a frame is recorded, delivered, and kept in order."""

from collections.abc import Callable, Sequence

from acp_spy.capture.delivered import delivered
from acp_spy.capture.records import Delivery, Record
from acp_spy.middleware.line import Held, Line
from acp_spy.middleware.pipeline import Pipeline, Stage
from acp_spy.wire.frame import Frame, Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT


class Do(Stage):
    """A stage that does what a test wants."""

    name = "test"

    def __init__(self, handle: Callable[[Line], Sequence[Line | Held]]) -> None:
        super().__init__()
        self._handle = handle

    def handle(self, line: Line) -> Sequence[Line | Held]:
        return self._handle(line)


def _frame(seq: int, sender: Peer, raw: bytes) -> Frame:
    return Frame(seq, seq / 10, sender, raw)


def _in_session(seq: int, session: str) -> Frame:
    raw = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%b"}}\n'
    return _frame(seq, AGENT, raw % session.encode())


def _outcome(pipeline: Pipeline) -> tuple[list[tuple[int, str, bytes | None]], list[bytes]]:
    records, lines = pipeline.collect()
    done = [(r.seq, r.action, r.raw) for r in records if isinstance(r, Delivery)]
    return done, [raw for _, raw in lines]


def test_a_frame_that_nobody_changes_passes_without_a_delivery() -> None:
    pipeline = Pipeline([Stage(), Stage()])
    sent = _frame(1, CLIENT, b"{}\n")
    pipeline.take(sent)
    assert pipeline.collect() == ([sent], [(AGENT, b"{}\n")])


def test_frames_pass_the_stages_in_the_order_of_their_direction() -> None:
    passed: list[str] = []

    def stage(name: str) -> Do:
        def handle(line: Line) -> Sequence[Line]:
            passed.append(name)
            return (line,)

        return Do(handle)

    pipeline = Pipeline([stage("left"), stage("right")])
    pipeline.take(_frame(1, CLIENT, b"1\n"))
    pipeline.take(_frame(2, AGENT, b"2\n"))
    assert passed == ["left", "right", "right", "left"]


def test_a_replaced_line_is_recorded_and_delivered() -> None:
    pipeline = Pipeline([Do(lambda line: (line.replaced(b"other\n", "me"),))])
    pipeline.take(_frame(1, AGENT, b"1\n"))
    assert _outcome(pipeline) == ([(1, "replaced", b"other\n")], [b"other\n"])


def test_a_line_that_is_replaced_by_itself_is_as_sent() -> None:
    pipeline = Pipeline([Do(lambda line: (line.replaced(line.raw, "me"),))])
    pipeline.take(_frame(1, AGENT, b"1\n"))
    assert _outcome(pipeline) == ([], [b"1\n"])


def test_a_dropped_line_is_seen_by_no_further_stage() -> None:
    def refuse(_line: Line) -> Sequence[Line]:
        raise AssertionError

    pipeline = Pipeline([Do(lambda line: (line.dropped("me"),)), Do(refuse)])
    pipeline.take(_frame(1, CLIENT, b"1\n"))
    assert _outcome(pipeline) == ([(1, "dropped", None)], [])


def test_no_line_at_all_means_dropped() -> None:
    pipeline = Pipeline([Do(lambda _line: ())])
    pipeline.take(_frame(1, CLIENT, b"1\n"))
    records, lines = pipeline.collect()
    assert records[1:] == [Delivery(1, 0.1, AGENT, "test", "dropped")]
    assert not lines


def test_an_answer_passes_only_the_stages_on_its_way_back() -> None:
    passed: list[bytes] = []

    def left(line: Line) -> Sequence[Line]:
        passed.append(line.raw)
        return (line,)

    def right(_line: Line) -> Sequence[Line]:
        raise AssertionError

    answer = Do(lambda line: (line.answered(b"answer\n", "me"),))
    pipeline = Pipeline([Do(left), answer, Do(right)])
    pipeline.take(_frame(1, CLIENT, b"1\n"))
    assert passed == [b"1\n", b"answer\n"]
    assert _outcome(pipeline) == ([(1, "answered", b"answer\n")], [b"answer\n"])


def test_what_is_injected_comes_after_the_frame() -> None:
    pipeline = Pipeline([Do(lambda line: (line, line.injected(line.to, b"more\n", "me")))])
    pipeline.take(_frame(1, AGENT, b"1\n"))
    assert _outcome(pipeline) == ([(1, "injected", b"more\n")], [b"1\n", b"more\n"])


def _holding(sessions: set[str]) -> tuple[Pipeline, list[Held]]:
    held: list[Held] = []

    def handle(line: Line) -> Sequence[Line | Held]:
        if stage.pipeline.context.session_of(line.frame) not in sessions:
            return (line,)
        held.append(Held(line, "me"))
        return (held[-1],)

    stage = Do(handle)
    return Pipeline([stage]), held


def test_lines_of_the_same_session_wait_behind_a_held_one() -> None:
    pipeline, held = _holding({"s1"})
    frames = [_in_session(1, "s1"), _in_session(2, "s2"), _in_session(3, "s1")]
    for frame in frames:
        pipeline.take(frame)
    done, lines = _outcome(pipeline)
    assert done == [(1, "held", None), (3, "held", None)]
    assert lines == [frames[1].raw]
    held[1].release(held[1].line)
    assert _outcome(pipeline) == ([], [])
    assert pipeline.is_holding(CLIENT)
    assert not pipeline.is_holding(AGENT)
    held[0].release(held[0].line)
    done, lines = _outcome(pipeline)
    assert done == [(1, "delayed", frames[0].raw), (3, "delayed", frames[2].raw)]
    assert lines == [frames[0].raw, frames[2].raw]
    assert not pipeline.is_holding(CLIENT)


def test_a_held_line_can_be_replaced_or_dropped() -> None:
    pipeline, held = _holding({"s1"})
    pipeline.take(_in_session(1, "s1"))
    pipeline.take(_in_session(2, "s1"))
    pipeline.collect()
    held[0].release(held[0].line.replaced(b"edited\n", "person"))
    held[1].release()
    assert _outcome(pipeline) == (
        [(1, "replaced", b"edited\n"), (2, "dropped", None)],
        [b"edited\n"],
    )


def test_a_second_release_changes_nothing() -> None:
    pipeline, held = _holding({"s1"})
    pipeline.take(_in_session(1, "s1"))
    held[0].release()
    held[0].release(held[0].line)
    assert _outcome(pipeline)[1] == []


def test_what_is_still_held_at_the_end_is_delivered() -> None:
    pipeline, _held = _holding({"s1"})
    pipeline.take(_in_session(1, "s1"))
    pipeline.take(_in_session(2, "s1"))
    pipeline.collect()
    pipeline.end()
    assert len(_outcome(pipeline)[1]) == 2


def test_a_stage_that_raises_lets_frames_pass_and_is_reported_once() -> None:
    complaints: list[str] = []

    def fail(_line: Line) -> Sequence[Line]:
        raise ValueError("oh")

    pipeline = Pipeline([Do(fail)], complain=complaints.append)
    pipeline.take(_frame(1, AGENT, b"1\n"))
    pipeline.take(_frame(2, AGENT, b"2\n"))
    assert _outcome(pipeline) == ([], [b"1\n", b"2\n"])
    assert len(complaints) == 1


def test_a_capture_as_its_peers_received_it() -> None:
    frames = [_frame(n, AGENT, b"%d\n" % n) for n in range(1, 6)]
    records: list[Record] = [
        frames[0],
        frames[1],
        Delivery(2, 0.2, CLIENT, "me", "dropped"),
        frames[2],
        Delivery(3, 0.3, CLIENT, "me", "held"),
        frames[3],
        Delivery(4, 0.4, CLIENT, "me", "injected", b"more\n"),
        Delivery(3, 0.5, CLIENT, "me", "delayed", b"3\n"),
        frames[4],
        Delivery(5, 0.6, AGENT, "me", "answered", b"answer\n"),
    ]
    got = [(r.seq, r.sender, r.raw) for r in delivered(records) if isinstance(r, Frame)]
    assert got == [
        (1, AGENT, b"1\n"),
        (4, AGENT, b"4\n"),
        (4, AGENT, b"more\n"),
        (3, AGENT, b"3\n"),
        (5, AGENT, b"5\n"),
        (5, CLIENT, b"answer\n"),
    ]


def _aside(seq: int) -> tuple[Pipeline, list[Held]]:
    held: list[Held] = []

    def handle(line: Line) -> Sequence[Line | Held]:
        if line.frame.seq == seq:
            held.append(Held(line, "me", lets_pass=True, has_limit=False))
            return (held[-1],)
        late = held[0].withdraw() if line.raw == b"last\n" else None
        return (line, late) if late else (line,)

    return Pipeline([Do(handle)]), held


def test_a_line_that_is_set_aside_lets_others_pass() -> None:
    pipeline, held = _aside(1)
    pipeline.take(_frame(1, AGENT, b"1\n"))
    pipeline.take(_frame(2, AGENT, b"2\n"))
    assert _outcome(pipeline) == ([(1, "held", None)], [b"2\n"])
    assert pipeline.is_holding(CLIENT)
    assert not pipeline.is_delaying(CLIENT)
    held[0].release(held[0].line)
    assert _outcome(pipeline) == ([(1, "delayed", b"1\n")], [b"1\n"])
    assert not pipeline.is_holding(CLIENT)


def test_a_line_that_is_withdrawn_can_follow_another() -> None:
    pipeline, held = _aside(1)
    pipeline.take(_frame(1, AGENT, b"1\n"))
    pipeline.take(_frame(2, AGENT, b"last\n"))
    done, lines = _outcome(pipeline)
    assert done == [(1, "held", None), (1, "delayed", b"1\n")]
    assert lines == [b"last\n", b"1\n"]
    assert not pipeline.is_holding(CLIENT)
    assert held[0].withdraw() is None


def test_a_sliced_line_is_recorded_whole_and_written_in_pieces() -> None:
    pipeline = Pipeline([Do(lambda line: (line.sliced((1, 3), "me"),))])
    pipeline.take(_frame(1, AGENT, b"12345\n"))
    done, lines = _outcome(pipeline)
    assert done == [(1, "sliced", b"12345\n")]
    assert lines == [b"1", b"", b"23", b"", b"45\n", b""]


def test_what_is_replaced_after_it_was_sliced_is_recorded_as_replaced() -> None:
    stages = [
        Do(lambda line: (line.replaced(b"x\n", "b"),)),
        Do(lambda line: (line.sliced((1, 9), "a"),)),
    ]
    pipeline = Pipeline(stages)
    pipeline.take(_frame(1, AGENT, b"12345\n"))
    assert _outcome(pipeline) == ([(1, "replaced", b"x\n")], [b"x", b"", b"\n", b""])


def test_an_act_is_done_once() -> None:
    done: list[str] = []
    pipeline = Pipeline([])
    pipeline.on_output = lambda: done.append("output")
    pipeline.act(lambda _controls: None)
    assert len(pipeline.collect_acts()) == 1
    assert not pipeline.collect_acts()
    assert done == ["output"]
