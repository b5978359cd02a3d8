"""What waits for what, and captures of odd shapes."""

import msgspec
import pytest
from support.replays import RICH, capture_of, play, script_of

from acp_spy import Capture, Header, Peer
from acp_spy.replay.script import Expect, Script


def waits(transcript, role=Peer.AGENT):
    """Return the numbers of the frames that each frame of the played side waits for."""
    parts = script_of(transcript, role).parts
    return {
        part.line.seq: sorted(parts[place].line.seq for place in part.waits)
        for part in parts
        if not isinstance(part, Expect) and part.line.seq
    }


TWO_SESSIONS = """
    -> {"id":0,"method":"initialize"}
    <- {"id":0,"result":{}}
    -> {"id":1,"method":"session/new"}
    -> {"id":2,"method":"session/new"}
    <- {"id":1,"result":{"sessionId":"a"}}
    <- {"id":2,"result":{"sessionId":"b"}}
    -> {"id":3,"method":"session/prompt","params":{"sessionId":"a"}}
    -> {"id":4,"method":"session/prompt","params":{"sessionId":"b"}}
    <- {"method":"session/update","params":{"sessionId":"b"}}
    <- noise
    <- {"id":3,"result":{}}
    <- {"method":"_everywhere"}
"""


def test_a_frame_waits_for_what_concerns_its_session_or_all_of_them():
    assert waits(TWO_SESSIONS) == {
        2: [1],
        5: [2, 3],  # a request for a session is in the lane of the session that it opens
        6: [2, 4],
        9: [6, 8],
        10: [9],  # noise belongs to what stands before it
        11: [5, 7],
        12: [2, 10, 11],
    }


def test_a_mock_client_waits_for_answers_and_questions_and_its_answers_for_their_question():
    assert waits(RICH, Peer.CLIENT) == {
        1: [],
        3: [1, 2],
        4: [1, 2],
        7: [3, 5],
        8: [4, 6],
        12: [7, 11],
        15: [7, 13],
        17: [7, 16],
        19: [7, 18],
        22: [8, 14],
        24: [22, 23],
        26: [24],
    }


def test_a_withdrawn_request_is_in_the_lane_of_the_request():
    script = script_of(
        """
        <- {"id":7,"method":"fs/read_text_file","params":{"sessionId":"a"}}
        <- {"method":"$/cancel_request","params":{"requestId":7}}
        """
    )
    assert [part.lanes for part in script.parts] == [frozenset({"a"})] * 2


@pytest.mark.parametrize("role", list(Peer), ids=lambda peer: peer.value)
def test_frames_with_the_same_number_are_told_apart(role):
    capture = capture_of(TWO_SESSIONS)
    same = tuple(msgspec.structs.replace(record, seq=1) for record in capture.records)
    sides = {peer: [frame.raw for frame in same if frame.sender is peer] for peer in Peer}
    done = play(Script.of(Capture(Header(), same), role), sides[role.other])
    assert done.wire == sides[role]
    assert done.player.divergences == []


@pytest.mark.parametrize("role", list(Peer), ids=lambda peer: peer.value)
def test_a_capture_without_frames_can_be_played(role):
    done = play(Script.of(Capture(Header(), ()), role), [])
    assert (done.wire, done.player.status) == ([], 0)


def test_every_frame_of_the_live_side_is_expected_but_blank_lines():
    script = script_of(
        r"""
        ~> \r\n
        -> oops
        """
    )
    assert [part.line.raw for part in script.parts] == [b"oops\n"]


def test_a_message_that_was_on_several_lines_over_http_is_sent_on_one():
    printed = r'~>[post] {\n  "id": 0,\r\n  "method": "initialize"\n}\n'
    script = script_of(printed + '\n<> 200\n<-[post c1] {"id":0,"result":{}}', Peer.CLIENT)
    sent = [part.line.raw for part in script.parts if not isinstance(part, Expect)]
    assert sent[0] == b'{   "id": 0,    "method": "initialize" }\n'
