"""A script played as the client, in process: what a live agent may do otherwise, and what not."""

import json

import msgspec
import pytest
from support.replays import RICH, Play, capture_of, play, script_of

from acp_spy import Peer
from acp_spy.replay.agent_exit import AgentExit
from acp_spy.replay.options import Options
from acp_spy.replay.script import Script

CAPTURE = capture_of(RICH)
CLIENT = [frame.raw for frame in CAPTURE.frames if frame.sender is Peer.CLIENT]
AGENT = [frame.raw for frame in CAPTURE.frames if frame.sender is Peer.AGENT]
SCRIPT = Script.of(CAPTURE, Peer.CLIENT, "run.jsonl")
EXACT, DRIVING = Options(expect="exact"), Options(expect="none")


def changed(old: bytes, new: bytes) -> list[bytes]:
    assert any(old in line for line in AGENT)
    return [line.replace(old, new) for line in AGENT]


def kinds(done):
    return [divergence.kind for divergence in done.player.divergences]


def test_requests_are_sent_when_what_preceded_them_has_happened():
    done = Play(SCRIPT)
    assert done.wire == CLIENT[:1]
    done.hear(AGENT[0])
    assert done.wire == CLIENT[:3]
    done.hear(AGENT[1])
    assert done.wire == CLIENT[:3]
    done.hear(AGENT[2])
    assert done.wire == CLIENT[:5]


def test_the_whole_part_is_played_and_the_stream_is_ended():
    done = play(SCRIPT, AGENT)
    assert (done.wire, done.said[-1].stream) == (CLIENT, "close")
    assert (done.player.reported, done.player.status) == ([], 0)
    assert done.player.is_complete


def test_sessions_have_the_ids_that_the_live_agent_gave_them():
    done = play(SCRIPT, changed(b'"s-1"', b'"live"'))
    assert done.wire == [line.replace(b'"s-1"', b'"live"') for line in CLIENT]
    assert done.player.reported == []


def test_the_agents_requests_are_answered_with_their_own_ids():
    done = play(SCRIPT, changed(b'"id": 2, "method"', b'"id": "two", "method"'))
    assert done.wire == [
        line.replace(b'"id":2,"result"', b'"id":"two","result"') for line in CLIENT
    ]


def test_the_agents_requests_may_come_in_another_order():
    script = script_of(
        """
        -> {"id":0,"method":"session/prompt","params":{"sessionId":"s"}}
        <- {"id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}
        -> {"id":0,"result":{"content":"A"}}
        <- {"id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/b"}}
        -> {"id":1,"result":{"content":"B"}}
        <- {"id":0,"result":{"stopReason":"end_turn"}}
        """,
        Peer.CLIENT,
    )
    done = play(
        script,
        [
            b'{"id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/b"}}\n',
            b'{"id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}\n',
            b'{"id":0,"result":{"stopReason":"end_turn"}}\n',
        ],
    )
    assert done.wire[1:] == [
        b'{"id":0,"result":{"content":"B"}}\n',
        b'{"id":1,"result":{"content":"A"}}\n',
    ]
    assert done.player.reported == []


def test_more_or_fewer_chunks_are_the_agents_own_business():
    chunk = next(line for line in AGENT if b"agent_message_chunk" in line)
    at = AGENT.index(chunk)
    more = [*AGENT[:at], chunk, chunk.replace(b"Hi", b"Ho"), chunk, *AGENT[at + 1 :]]
    for lines in more, [line for line in AGENT if b"agent_message_chunk" not in line]:
        done = play(SCRIPT, lines)
        assert (sorted(done.wire), done.player.divergences) == (sorted(CLIENT), [])
        assert done.player.status == 0


def test_they_are_not_if_everything_is_compared():
    chunk = next(line for line in AGENT if b"agent_message_chunk" in line)
    at = AGENT.index(chunk)
    assert kinds(play(SCRIPT, [*AGENT[:at], chunk, *AGENT[at:]], EXACT)) == ["recorded, but later"]
    assert kinds(play(SCRIPT, [*AGENT[:at], *AGENT[at + 1 :]], EXACT)) == ["missing"]
    assert kinds(play(SCRIPT, changed(b'"Hi"', b'"Ho"'), EXACT)) == ["differs from the recording"]


def test_an_agent_that_falls_silent_in_a_turn_is_cancelled_all_the_same():
    """It sent one chunk less before the client cancelled."""
    quiet = [line for line in AGENT if b'"text": "1"' not in line]
    done = Play(SCRIPT).hear(*quiet[:-2])
    assert b"session/cancel" not in done.wire[-1]
    assert done.player.wake_at == 102.0
    done.now = 102.0
    assert [said.data for said in done.player.take(102.0)] == [CLIENT[-1]]


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        (b'"stopReason": "cancelled"', b'"stopReason": "end_turn"', True),
        (b'{"protocolVersion": 1}', b'{"protocolVersion": 2}', True),
        (b'{"protocolVersion": 1}', b'{"protocolVersion": 1, "agentInfo": {}}', False),
        (b'"result": {"sessionId": "s-2"}', b'"error": {"code": 1, "message": "no"}', True),
        (b'{"stopReason": "end_turn"}', b"null", True),
        (b'{"stopReason": "end_turn"}', b'{"stopReason": "end_turn", "usage": {"n": 1}}', False),
        (b'"title": "Read', b'"title": "Look at', False),
    ],
)
def test_which_answers_have_another_shape(old, new, counts):
    done = play(SCRIPT, changed(old, new))
    assert ("differs from the recording" in kinds(done)) == counts
    assert kinds(play(SCRIPT, changed(old, new), DRIVING)) == []
    assert play(SCRIPT, changed(old, new), EXACT).player.status == 1


def test_an_answer_that_differs_does_not_stop_the_drive():
    done = play(SCRIPT, changed(b'"stopReason": "end_turn"', b'"stopReason": "refusal"'))
    assert (done.wire, done.player.status) == (CLIENT, 1)


def test_a_question_that_was_not_recorded_gets_an_error():
    extra = (
        b'{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":"s-1"}}\n'
    )
    for options in Options(), DRIVING:
        done = play(SCRIPT, [*AGENT[:5], extra, *AGENT[5:]], options)
        errors = [json.loads(line) for line in done.wire if b"-32603" in line]
        assert [error["id"] for error in errors] == ["w"]
        assert errors[0]["error"]["data"] == {
            "expected": "fs/read_text_file",
            "frame": 11,
            "capture": "run.jsonl",
        }
        counted = ([], 0) if options is DRIVING else (["never recorded"], 1)
        assert (kinds(done), done.player.status) == counted
        assert [line for line in done.wire if line in CLIENT] == CLIENT


def test_a_question_that_is_not_asked_is_missing_when_the_turn_ends():
    done = play(SCRIPT, [line for line in AGENT if b"request_permission" not in line])
    assert [part.line.seq for part in done.player.divergences[0].expected] == [13]
    assert done.player.divergences[0].summary == (
        "`session/request_permission` did not come before the response to `session/prompt`"
    )
    assert len(done.wire) == len(CLIENT) - 1  # all but the answer


def test_leave_is_given_by_the_kind_of_option_when_the_ids_differ():
    done = play(SCRIPT, changed(b'"optionId": "yes"', b'"optionId": "proceed"'))
    assert done.wire == [line.replace(b'"yes"', b'"proceed"') for line in CLIENT]
    assert done.player.divergences == []


def test_who_is_only_driven_may_offer_other_options_and_ask_with_other_params():
    """It gets an error where there is no answer for it; and none of it counts, whatever `--match` says."""
    other = changed(
        b'"optionId": "yes", "name": "Allow", "kind": "allow_once"', b'"optionId": "ja"'
    )
    other = [line.replace(b'"command": "make"', b'"command": "ls"') for line in other]
    done = play(SCRIPT, other, Options(expect="none", match=("params",)))
    errors = [json.loads(line)["id"] for line in done.wire if b"-32603" in line]
    assert (errors, kinds(done), done.player.status) == ([1], [], 0)
    assert any(b"term-7" in line for line in done.wire)


@pytest.mark.parametrize("expect", ["shape", "exact", "none"])
@pytest.mark.parametrize(("recorded", "live"), [(3, 0), (3, 3), (-9, 0), (None, 1)])
def test_the_exit_status_counts_if_everything_does(expect, recorded, live):
    script = msgspec.structs.replace(SCRIPT, status=recorded)
    done = play(script, AGENT, Options(expect=expect))
    done.player.agent_exited(AgentExit(live))
    counts = expect == "exact" and (recorded, live) == (3, 0)
    assert kinds(done) == (["the agent ended differently"] if counts else [])


def test_an_agent_that_streams_is_alive_and_one_that_mutters_is_not():
    chunk = next(line for line in AGENT if b"agent_message_chunk" in line)
    done = Play(SCRIPT, Options(timeout=5)).hear(*AGENT[:3])
    done.now += 3
    assert done.hear(chunk).player.wake_at == 108.0
    for _ in range(2):
        done.now += 1
        alive = b'{"jsonrpc":"2.0","method":"_x/alive"}\n'  # never recorded, which is its business
        assert done.hear(alive).player.wake_at == 108.0


@pytest.mark.parametrize(
    "again",
    [
        b'"session/request_permission", "params": {"sessionId": "s-1", "options": []}',
        b'"fs/read_text_file", "params": {"sessionId": "s-2", "path": "/project/a.txt"}',
    ],
    ids=["cannot be answered", "of another session"],
)
def test_what_an_agent_asks_and_is_refused_is_no_progress(again):
    """The first may be the recorded one; what it asks for is refused each time."""
    done = Play(SCRIPT, Options(timeout=5)).hear(*AGENT[:3])
    while not done.player.is_over and done.now < 120:
        done.hear(b'{"jsonrpc": "2.0", "id": "%d", "method": %b}\n' % (done.now, again))
        done.now += 1
        done.said += done.player.take(done.now)
    assert (done.now, kinds(done)[-1]) == (105.0, "nothing came")


def chunk_of(session):
    chunk = next(line for line in AGENT if b"agent_message_chunk" in line)
    return chunk.replace(b'"s-2"', b'"%b"' % session)


@pytest.mark.parametrize("heard", [0, 1], ids=["before initialize", "before there is a session"])
def test_what_an_agent_tells_of_a_session_that_nobody_knows_is_no_progress(heard):
    done = Play(SCRIPT, Options(timeout=5)).hear(*AGENT[:heard])
    for _ in range(4):  # after the first, which may be the recorded one
        done.hear(chunk_of(b"unknown"))
    at = done.player.wake_at
    for _ in range(3):
        done.now += 1
        assert done.hear(chunk_of(b"unknown")).player.wake_at == at


@pytest.mark.parametrize("how", ["result", "error"])
def test_what_an_agent_tells_while_it_owes_nothing_is_no_progress(how):
    """Here the client waits for the other session."""
    script = script_of(
        """
        -> {"id":0,"method":"session/prompt","params":{"sessionId":"a"}}
        -> {"id":1,"method":"session/prompt","params":{"sessionId":"b"}}
        <- {"method":"session/update","params":{"sessionId":"a"}}
        <- {"id":0,"result":{"stopReason":"end_turn"}}
        <- {"id":1,"result":{"stopReason":"end_turn"}}
        """.replace("result", how, 1),
        Peer.CLIENT,
    )
    update = b'{"method":"session/update","params":{"sessionId":"a"}}\n'
    done = Play(script, Options(timeout=5)).hear(update)
    for at in (106.0, 107.0):
        done.now += 1
        assert done.hear(update).player.wake_at == at
    done.hear(b'{"id":0,"%b":{"stopReason":"end_turn"}}\n' % how.encode())
    done.now += 1
    assert done.hear(update).player.wake_at == 107.0


def test_in_version_2_it_is_progress_until_the_turn_has_ended():
    """The prompt is answered at once."""
    tell = '{"method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"state_update","state":"%s"}}}'
    script = script_of(
        f"""
        -> {{"id":0,"method":"session/prompt","params":{{"sessionId":"s"}}}}
        -> {{"id":1,"method":"session/prompt","params":{{"sessionId":"t"}}}}
        <- {{"id":0,"result":{{"messageId":"m-0"}}}}
        <- {{"id":1,"result":{{"messageId":"m-1"}}}}
        <- {tell % ("s", "idle")}
        <- {tell % ("t", "idle")}
        -> {{"id":2,"method":"session/close","params":{{"sessionId":"t"}}}}
        """,
        Peer.CLIENT,
    )
    done = Play(script, Options(timeout=5))
    done.hear(*[part.line.raw for part in script.parts[2:4]])
    for state, at in ("running", 106.0), ("running", 107.0), ("idle", 108.0), ("running", 108.0):
        done.now += 1
        done.hear((tell % ("s", state)).encode() + b"\n")
        assert done.player.wake_at == at


@pytest.mark.parametrize("moved", [b"[info] done", b'"text": "Hi"'])
def test_notifications_and_noise_are_in_order_if_strict_and_exact(moved):
    at = next(index for index, line in enumerate(AGENT) if moved in line)
    lines = [*AGENT[:at], AGENT[at + 1], AGENT[at], *AGENT[at + 2 :]]
    both = Options(strict=True, expect="exact")
    assert kinds(play(SCRIPT, lines, both))[:1] == ["recorded, but later"]
    assert kinds(play(SCRIPT, lines, Options(strict=True))) == []
    assert play(SCRIPT, AGENT, both).player.reported == []


def test_leave_that_is_asked_for_a_tool_call_that_nobody_told_of_is_another():
    """Told of under another name, it is the recorded one; under none, it is not."""
    lines = changed(b'"toolCall": {"toolCallId": "call-1"}', b'"toolCall": {"toolCallId": "other"}')
    assert kinds(play(SCRIPT, lines, EXACT)) == ["differs from the recording"]
    lines = changed(b'"toolCallId": "call-1"', b'"toolCallId": "other"')
    assert kinds(play(SCRIPT, lines, EXACT)) == []


def test_leave_is_not_given_by_another_kind_of_option():
    lines = changed(
        b'"optionId": "yes", "name": "Allow", "kind": "allow_once"', b'"optionId": "ja"'
    )
    done = play(SCRIPT, lines)
    assert kinds(done)[0] == "cannot be answered"
    error = next(json.loads(line) for line in done.wire if b"-32603" in line)
    assert (error["id"], error["error"]["data"]["frame"]) == (1, 15)


def test_paths_are_in_the_folder_where_it_is_played():
    here = [line.replace(b"/project", b"/here") for line in AGENT]
    done = play(SCRIPT, here, cwd="/here")
    assert done.wire == [line.replace(b"/project", b"/here") for line in CLIENT]
    assert done.player.reported == []
    assert play(SCRIPT, AGENT, Options(map_cwd=False), cwd="/here").wire == CLIENT


def test_an_agent_that_ends_too_soon_leaves_something_missing():
    done = play(SCRIPT, AGENT[:3], DRIVING)
    assert kinds(done) == ["missing"]
    assert (
        done.player.divergences[0].summary
        == "6 recorded messages did not come before the end of the stream"
    )


def test_an_agent_that_never_answers_is_not_waited_for_for_ever():
    done = Play(SCRIPT, Options(timeout=30)).hear(*AGENT[:1]).wait()
    assert done.player.is_over
    assert done.now == 130.0
    assert [part.line.seq for part in done.player.divergences[0].expected] == [5, 6]


def test_noise_is_no_reason_to_stop_unless_everything_is_compared():
    lines = [b"[debug]\n", *AGENT]
    assert play(SCRIPT, lines).player.reported == []
    assert kinds(play(SCRIPT, lines, EXACT)) == ["recorded, but later"]


def test_in_version_2_no_other_state_is_taken_for_the_end_of_a_turn():
    state = '{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}'
    script = script_of(
        f"""
        -> {{"id":0,"method":"session/prompt","params":{{"sessionId":"s"}}}}
        <- {{"id":0,"result":{{"messageId":"m-1"}}}}
        <- {state}
        -> {{"id":1,"method":"session/close","params":{{"sessionId":"s"}}}}
        """,
        Peer.CLIENT,
    )
    accepted, idle = (part.line.raw for part in script.parts[1:3])
    done = Play(script).hear(accepted, idle.replace(b"idle", b"requires_action"))
    assert len(done.wire) == 1
    assert len(done.hear(idle).wire) == 2


def test_in_version_2_a_turn_ends_with_a_state():
    """The prompt is answered at once; what the turn brings comes after."""
    script = script_of(
        """
        -> {"id":0,"method":"session/prompt","params":{"sessionId":"s"}}
        <- {"id":0,"result":{"messageId":"m-1"}}
        <- {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
        <- {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
        -> {"id":1,"method":"session/close","params":{"sessionId":"s"}}
        <- {"id":1,"result":{}}
        """,
        Peer.CLIENT,
    )
    lines = [part.line.raw for part in script.parts if hasattr(part, "gates")]
    done = Play(script).hear(*lines[:2])
    done.now = 120.0
    assert done.player.take(120.0) == []
    assert len(done.hear(lines[2]).wire) == 2


def test_what_an_agent_asks_for_in_another_order_is_found_by_the_paths_of_this_folder():
    script = script_of(
        """
        -> {"id":0,"method":"session/prompt","params":{"sessionId":"s"}}
        <- {"id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/project/a"}}
        -> {"id":0,"result":{"content":"A"}}
        <- {"id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/project/b"}}
        -> {"id":1,"result":{"content":"B"}}
        """,
        Peer.CLIENT,
    )
    asked = b'{"id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/here/b"}}\n'
    assert Play(script, cwd="/here").hear(asked).wire[-1] == b'{"id":9,"result":{"content":"B"}}\n'


def test_a_session_that_is_told_of_before_it_is_named_is_not_mistaken_for_another():
    """Two are asked for at once; the live agent tells of the second first, by its own name."""
    notes = '{{"method":"session/update","params":{{"sessionId":"{}","update":{{"sessionUpdate":"plan","entries":[]}}}}}}'
    script = script_of(
        f"""
        -> {{"id":0,"method":"session/new","params":{{"cwd":"/a"}}}}
        -> {{"id":1,"method":"session/new","params":{{"cwd":"/b"}}}}
        <- {notes.format("one")}
        <- {notes.format("two")}
        <- {{"id":0,"result":{{"sessionId":"one"}}}}
        <- {{"id":1,"result":{{"sessionId":"two"}}}}
        -> {{"id":2,"method":"session/prompt","params":{{"sessionId":"one"}}}}
        -> {{"id":3,"method":"session/prompt","params":{{"sessionId":"two"}}}}
        """,
        Peer.CLIENT,
    )
    done = Play(script).hear(
        notes.format("B").encode() + b"\n",
        notes.format("A").encode() + b"\n",
        b'{"id":0,"result":{"sessionId":"A"}}\n',
        b'{"id":1,"result":{"sessionId":"B"}}\n',
    )
    assert [json.loads(raw)["params"]["sessionId"] for raw in done.wire[2:4]] == ["A", "B"]


def test_what_was_refused_is_not_allowed_because_the_options_have_other_places_today():
    asked = (
        '{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s",'
        '"options":[{"optionId":"0","kind":"%s"},{"optionId":"1","kind":"%s"}]}}'
    )
    script = script_of(
        f"""
        <- {asked % ("allow_once", "reject_once")}
        -> {{"jsonrpc":"2.0","id":7,"result":{{"outcome":{{"outcome":"selected","optionId":"1"}}}}}}
        """,
        Peer.CLIENT,
    )
    done = play(script, [(asked % ("reject_once", "allow_once")).encode() + b"\n"])
    assert [json.loads(line)["result"]["outcome"]["optionId"] for line in done.wire] == ["0"]
    assert done.player.divergences == []
