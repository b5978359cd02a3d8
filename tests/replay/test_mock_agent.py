"""A script played as the agent, in process."""

import json

import pytest
from support.replays import RICH, Play, capture_of, play, script_of

from acp_spy import AcpSpyError, Peer
from acp_spy.replay.divergence import explain_note
from acp_spy.replay.options import Options, parse_timing
from acp_spy.replay.script import Script

CAPTURE = capture_of(RICH)
CLIENT = [frame.raw for frame in CAPTURE.frames if frame.sender is Peer.CLIENT]
AGENT = [frame.raw for frame in CAPTURE.frames if frame.sender is Peer.AGENT]
SCRIPT = Script.of(CAPTURE, Peer.AGENT, "run.jsonl")
STOPPING, WARNING = Options(on_divergence="stop"), Options(on_divergence="warn")


def request(ident, method, **params):
    message = {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def kinds(done):
    return [divergence.kind for divergence in done.player.divergences]


def seqs(done):
    """Which recorded frames were said, by number."""
    by_raw = {frame.raw: frame.seq for frame in CAPTURE.frames}
    return [by_raw.get(raw) for raw in done.wire]


def test_everything_is_said_as_recorded_and_the_status_is_the_agents():
    done = play(SCRIPT, CLIENT)
    assert done.wire == AGENT
    assert [said.data for said in done.said if said.stream == "stderr"] == [
        b"agent 1.0 is ready\n",
        b"made in /project\n",
    ]
    assert (done.player.status, done.player.reported) == (3, [])


def test_nothing_is_said_before_what_it_waits_for():
    done = Play(SCRIPT)
    assert done.wire == []
    assert seqs(done.hear(CLIENT[0])) == [2]
    assert seqs(done.hear(CLIENT[1])) == [2]  # the other session/new came first in the capture
    assert seqs(done.hear(CLIENT[2])) == [2, 5, 6]


def test_frames_side_by_side_may_come_in_any_order():
    a, b, c, d, e, *rest = CLIENT
    done = play(SCRIPT, [a, c, b, e, d, *rest])
    assert (done.wire, done.player.reported) == (AGENT, [])


def test_not_so_if_strict():
    a, b, c, d, e, *rest = CLIENT
    done = play(SCRIPT, [a, b, c, e, d, *rest], Options(strict=True))
    assert kinds(done)[0] == "recorded, but later"
    assert done.player.status == 1
    assert play(SCRIPT, CLIENT, Options(strict=True)).player.reported == []


def test_what_another_session_said_first_is_held_back_for_only_as_long_as_there_is_hope():
    done = Play(SCRIPT).hear(*CLIENT[:3], CLIENT[4])
    assert seqs(done) == [2, 5, 6]  # in the capture the first session's prompt comes before
    assert done.player.wake_at == 100.25
    assert seqs(done.hear(CLIENT[3])) == [2, 5, 6, 9, 10, 11]


def test_a_whole_session_can_be_had_before_the_other_begins():
    """Silence is evidence enough that the other session will not come first."""
    first, second = CLIENT[:3], [CLIENT[4], *CLIENT[9:12]]
    done = Play(SCRIPT).hear(*first)
    for line in second:
        done.hear(line)
        while done.player.wake_at is not None and done.player.wake_at < done.now + 1:
            done.now = done.player.wake_at
            done.said += done.player.take(done.now)
    assert seqs(done)[3:] == [10, 14, 23, 25, 27]
    done.hear(CLIENT[3], *CLIENT[5:9]).end().wait()
    assert sorted(done.wire) == sorted(AGENT)
    assert done.player.reported == []


def test_a_client_that_has_gone_on_is_not_waited_for():
    """Without any silence: who prompts again has seen that the first turn is over, or does not care."""
    lines = [line for line in CLIENT if b'"s-1"' not in line]
    done = play(SCRIPT, lines[:4] + lines[8:])
    assert seqs(done)[3:] == [10, 14, 23, 25, 27, 28]
    assert kinds(done) == ["missing"]


def test_live_requests_are_answered_with_the_live_id_and_its_type():
    asked = CLIENT[0].replace(b'"id":0', b'"id":"first"')
    assert Play(SCRIPT).hear(asked).wire == [AGENT[0].replace(b'"id": 0', b'"id": "first"')]


def test_the_ids_of_the_two_sides_never_meet():
    """The client's 102 stands for 3, which is also an id of the agent's own requests."""
    changed = [line.replace(b'"id":3,"method"', b'"id":102,"method"') for line in CLIENT]
    done = play(SCRIPT, changed)
    assert done.player.reported == []
    turn, release = b'"id": 3, "result": {"stop', b'"id": 3, "method"'
    assert done.wire == [
        raw.replace(b'"id": 3', b'"id": 102') if turn in raw else raw for raw in AGENT
    ]
    assert any(release in raw for raw in done.wire)


def test_a_terminal_has_the_name_that_the_live_client_gave_it():
    changed = [line.replace(b"term-7", b"T") for line in CLIENT]
    done = play(SCRIPT, changed)
    assert done.wire == [raw.replace(b"term-7", b"T") for raw in AGENT]
    assert done.player.reported == []


def test_a_loaded_session_has_the_name_that_the_live_client_asked_for():
    script = script_of(
        """
        -> {"id":0,"method":"session/load","params":{"sessionId":"old","cwd":"/a"}}
        <- {"method":"session/update","params":{"sessionId":"old","update":{}}}
        <- {"id":0,"result":{}}
        """
    )
    done = Play(script).hear(request(5, "session/load", sessionId="mine", cwd="/b"))
    assert done.wire == [
        b'{"method":"session/update","params":{"sessionId":"mine","update":{}}}\n',
        b'{"id":5,"result":{}}\n',
    ]


def test_paths_are_in_the_live_folder_unless_that_is_not_wanted():
    changed = [line.replace(b"/project", b"/elsewhere") for line in CLIENT]
    done = play(SCRIPT, changed)
    assert done.wire == [raw.replace(b"/project", b"/elsewhere") for raw in AGENT]
    assert done.player.reported == []
    assert play(SCRIPT, changed, Options(map_cwd=False)).wire == AGENT


def test_a_request_that_was_never_recorded_gets_an_error_and_the_play_goes_on():
    extra = request("x", "session/list")
    done = play(SCRIPT, [*CLIENT[:3], extra, *CLIENT[3:]])
    error = (
        b'{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"acp-spy replay: `session/list` was'
        b' never recorded; expected `session/prompt`, frame 7 of run.jsonl",'
        b'"data":{"expected":"session/prompt","frame":7,"capture":"run.jsonl"}}}\n'
    )
    assert [raw for raw in done.wire if raw not in AGENT] == [error]
    assert len(done.wire) == len(AGENT) + 1
    assert (kinds(done), done.player.status) == (["never recorded"], 1)


def test_a_request_that_comes_twice_was_recorded_but_is_used():
    done = Play(SCRIPT).hear(CLIENT[0], request(9, "initialize"))
    assert kinds(done) == ["recorded, but already used"]


def test_a_doubled_request_is_not_answered_in_the_place_of_the_first():
    done = Play(SCRIPT).hear(*CLIENT[:4], CLIENT[3])
    assert kinds(done) == ["recorded, but already used"]
    assert b"-32603" not in b"".join(done.wire)


def test_a_request_of_a_later_block_comes_too_early():
    early = request(9, "session/set_mode", sessionId="s-1", modeId="ask")
    done = Play(SCRIPT).hear(*CLIENT[:3], CLIENT[9], early)
    assert kinds(done) == ["recorded, but later", "never recorded"]


def test_a_prompt_for_a_session_that_nobody_opened_is_not_answered_with_a_turn():
    done = Play(SCRIPT).hear(*CLIENT[:3], request(9, "session/prompt", sessionId="s-9", prompt=[]))
    assert done.player.divergences[0].summary == (
        "`session/prompt` was never recorded for session `s-9`"
    )
    assert json.loads(done.wire[-1])["id"] == 9


def test_leave_that_is_refused_where_it_was_given_ends_the_turn_with_an_error():
    changed = [line.replace(b'"optionId":"yes"', b'"optionId":"no"') for line in CLIENT[:7]]
    done = Play(SCRIPT).hear(*changed)
    assert kinds(done) == ["differs from the recording"]
    answer = json.loads(done.wire[-1])
    assert (answer["id"], answer["error"]["data"]["frame"]) == (3, 15)


@pytest.mark.parametrize(
    ("match", "ignore", "agrees"),
    [
        ((), (), True),
        (("params",), (), False),
        (("prompt",), (), False),
        (("exact",), (), False),
        (("params",), ("/params/prompt/0/text",), True),
        (("exact",), ("/params/prompt",), True),
        (("prompt", "params"), ("/params/prompt",), True),
    ],
)
def test_another_prompt_counts_if_a_matcher_says_so(match, ignore, agrees):
    changed = [line.replace(b"Hello", b"Goodbye") for line in CLIENT]
    done = play(SCRIPT, changed, Options(match=match, ignore=ignore))
    assert (not done.player.divergences) == agrees
    assert done.player.status == (3 if agrees else 1)
    assert len(done.player.reported) == (0 if ignore else len(done.player.divergences) or 1)


@pytest.mark.parametrize(
    ("old", "new", "agrees"),
    [
        (b'"version":"1.0"', b'"version":"2.0"', {"params", "prompt"}),
        (b'"protocolVersion":1,', b'"protocolVersion":1,"_meta":{"a":1},', {"params", "prompt"}),
        (b'"name":"ed"', b'"name":"vi"', {"prompt"}),
        (b'"id":0,', b'"id":0.0,', {"params", "prompt", "exact"}),
    ],
)
def test_what_each_matcher_leaves_out(old, new, agrees):
    assert old in CLIENT[0]
    for name in ("params", "prompt", "exact"):
        done = Play(SCRIPT, Options(match=(name,))).hear(CLIENT[0].replace(old, new))
        assert (kinds(done) == []) == (name in agrees), name


def test_what_a_refused_request_has_taught_is_forgotten():
    done = Play(SCRIPT, Options(match=("params",))).hear(CLIENT[0])
    done.hear(request(1, "session/new", cwd="/wrong", mcpServers=[{"name": "x"}]))
    assert kinds(done) == ["differs from the recording"]
    done.hear(request(1, "session/new", cwd="/right", mcpServers=[]), CLIENT[2])
    done.hear(*(line.replace(b"/project", b"/right") for line in CLIENT[3:5]))
    assert len(done.player.divergences) == 1
    assert b"/right/a.txt" in done.wire[-1]


def test_what_a_refused_answer_has_taught_is_forgotten():
    """The name in it is that of another terminal, as the next answer says."""
    script = script_of(
        """
        <- {"id":0,"method":"terminal/create","params":{"sessionId":"s"}}
        <- {"id":1,"method":"terminal/create","params":{"sessionId":"t"}}
        -> {"id":0,"result":{"terminalId":"term-7","x":1}}
        -> {"id":1,"result":{"terminalId":"term-8"}}
        <- {"id":2,"method":"terminal/kill","params":{"sessionId":"t","terminalId":"term-8"}}
        """
    )
    wrong = b'{"id":0,"result":{"terminalId":"mine","x":2}}\n'
    right = b'{"id":1,"result":{"terminalId":"mine"}}\n'
    options = Options(match=("params",), timeout=0)
    done = Play(script, options).hear(wrong, right).wait()
    assert kinds(done) == ["differs from the recording"]
    assert done.wire[2:] == [script.parts[-1].line.raw.replace(b"term-8", b"mine")]


def test_stop_ends_the_play_and_tells_whoever_waits():
    done = Play(SCRIPT, STOPPING).hear(*CLIENT[:5], request(9, "session/list"), *CLIENT[5:])
    assert done.player.is_over
    assert [json.loads(raw)["id"] for raw in done.wire[-3:]] == [3, 4, 9]
    assert all(b"-32603" in raw for raw in done.wire[-3:])
    assert (len(done.player.divergences), done.player.status) == (1, 1)


def test_warn_tells_and_does_not_fail():
    changed = [line.replace(b'"yes"', b'"no"') for line in CLIENT]
    done = play(SCRIPT, changed, WARNING)
    assert (done.wire, kinds(done), done.player.status) == (
        AGENT,
        ["differs from the recording"],
        3,
    )


def test_what_is_missing_at_the_end_is_listed():
    done = play(SCRIPT, CLIENT[:10])
    assert [part.line.seq for part in done.player.divergences[0].expected] == [24, 26]
    assert done.player.status == 1


def test_a_client_that_falls_silent_is_not_waited_for_for_ever():
    done = Play(SCRIPT, Options(timeout=5)).hear(*CLIENT[:5]).wait()
    assert done.player.is_over
    assert done.now == 105.25  # what was held back for the first session was said at 100.25
    assert done.player.divergences[0].summary == "nothing came for 5 s"
    waited_for = [part.line.seq for part in done.player.divergences[0].expected]
    assert 12 in waited_for
    assert json.loads(done.wire[-1])["id"] == 3  # its prompt gets an error


@pytest.mark.parametrize(
    "noise",
    [
        b"[debug] still here\n",
        b"\n",
        request(9, "session/list"),
        b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s-9"}}\n',
        b'{"jsonrpc":"2.0","id":0,"result":{}}\n',  # a response to what nobody has asked
    ],
)
def test_what_was_not_recorded_is_no_progress(noise):
    """It may go on for ever, and be told an error each time: what was awaited has not come."""
    done = Play(SCRIPT, Options(timeout=5)).hear(CLIENT[0])
    for _ in range(3):
        done.now += 1.5
        done.hear(noise)
    assert done.player.wake_at == 105.0
    done.wait()
    assert done.player.divergences[-1].summary == "nothing came for 5 s"


def test_a_frame_that_is_refused_is_no_progress():
    done = Play(SCRIPT, Options(timeout=5, match=("params",))).hear(CLIENT[0])
    done.now += 3
    done.hear(request(9, "session/new", cwd="/project", mcpServers=[{"name": "x"}]))
    assert kinds(done) == ["differs from the recording"]
    assert done.player.wake_at == 105.0


def test_what_is_said_at_its_recorded_time_is_progress():
    script = script_of(
        """
        -> {"id":0,"method":"initialize"}
        @ 40
        <- {"id":0,"result":{}}
        -> {"id":1,"method":"session/list"}
        """
    )
    done = Play(script, Options(timeout=30, pace=1.0)).hear(request(0, "initialize")).wait()
    assert len(done.wire) == 1
    assert done.now == pytest.approx(170, abs=0.01)


def test_after_a_stop_there_is_nothing_to_wake_up_for():
    """What was held back for another session would have been given up on at 100.25."""
    done = Play(SCRIPT, STOPPING).hear(*CLIENT[:3], CLIENT[4])
    assert done.player.wake_at == 100.25
    done.hear(request(9, "session/list"))
    assert (done.player.is_over, done.player.wake_at) == (True, None)


def test_nobody_is_hurried_to_end():
    done = Play(SCRIPT, Options(timeout=5)).hear(*CLIENT)
    assert done.player.wake_at is None
    assert not done.player.is_over


def test_an_agent_that_ended_by_itself_ends_without_the_client():
    script = script_of(
        """
        -> {"id":0,"method":"initialize"}
        <- no thanks
        <- EOF
        == 7
        """
    )
    done = Play(script).hear(request(0, "initialize"))
    assert done.player.is_over
    assert (done.said[-1].stream, done.player.status) == ("close", 7)


@pytest.mark.parametrize("ending", ["== -9", ""])
def test_a_signal_or_a_cut_is_no_status_to_repeat(ending):
    script = script_of(f'-> {{"id":0,"method":"initialize"}}\n-> EOF\n{ending}')
    assert play(script, [request(0, "initialize")]).player.status == 0


def test_noise_of_the_client_is_waited_for_and_answered_as_recorded():
    script = script_of(
        r"""
        -> {oops
        <- {"id":null,"error":{"code":-32700,"message":"Parse error"}}
        -> {"id":0,"method":"initialize"}
        <- {"id":0,"result":{}}
        """
    )
    done = Play(script).hear(b"\r\n", b"\n", b"{ooops\n", request(0, "initialize"))
    assert [json.loads(raw).get("id") for raw in done.wire] == [None, 0]
    assert kinds(done) == []


def test_the_gaps_are_kept_or_shortened():
    script = script_of(
        """
        -> {"id":0,"method":"initialize"}
        @ 4
        <- {"id":0,"result":{}}
        @ 6
        -> {"id":1,"method":"session/new","params":{"cwd":"/a"}}
        @ 7
        <- {"id":1,"result":{"sessionId":"s"}}
        """
    )
    for word, pace in ("recorded", 1), ("2x", 2), ("0.5x", 0.5):
        done = Play(script, Options(pace=parse_timing(word)))
        done.hear(request(0, "initialize"), request(1, "session/new", cwd="/a"))  # at once
        assert done.wire == []
        done.wait()
        assert len(done.wire) == 2
        assert done.now == pytest.approx(100 + (4 - 0.001 + 3) / pace, abs=0.01)


@pytest.mark.parametrize("word", ["slow", "2", "x", "0x", "-1x", "infx", "nanx", ""])
def test_a_timing_that_is_none_is_refused(word):
    with pytest.raises(AcpSpyError, match="`fast`, `recorded` or a factor such as `2x`"):
        parse_timing(word)


def test_a_matcher_or_pointer_that_is_none_is_refused():
    with pytest.raises(AcpSpyError, match="no such matcher: `text`"):
        Play(SCRIPT, Options(match=("text",)))
    with pytest.raises(AcpSpyError, match="`params/prompt` is not a JSON Pointer"):
        Play(SCRIPT, Options(ignore=("params/prompt",)))


def test_an_answer_in_a_later_block_may_come_as_soon_as_it_was_asked_for():
    script = script_of(
        """
        -> {"id":0,"method":"session/prompt","params":{"sessionId":"s"}}
        <- {"id":7,"method":"fs/read_text_file","params":{"sessionId":"s"}}
        -> {"method":"session/cancel","params":{"sessionId":"s"}}
        <- {"method":"session/update","params":{"sessionId":"s"}}
        -> {"id":7,"result":{}}
        <- {"id":0,"result":{"stopReason":"cancelled"}}
        """
    )
    prompt, cancel = (
        request(0, "session/prompt", sessionId="s"),
        b'{"method":"session/cancel","params":{"sessionId":"s"}}\n',
    )
    done = play(script, [prompt, b'{"id":7,"result":{}}\n', cancel])
    assert (len(done.wire), done.player.reported) == (3, [])


def test_the_agents_silence_is_recorded_and_told():
    done = Play(script_of('-> {"id":0,"method":"initialize"}')).hear(
        b'{"id":0,"method":"initialize"}\n'
    )
    assert [explain_note(note) for note in done.player.reported] == [
        "frame 1, `initialize`, has no response in the capture, so none is sent\n"
    ]
    assert done.player.wake_at is None
