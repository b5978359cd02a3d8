"""What became of frames: written, read back, and put in the place of what was sent."""

import json

import pytest

from acp_spy.capture.codec import decode, encode
from acp_spy.capture.delivered import delivered, seen_by, with_fates
from acp_spy.capture.records import (
    ACTIONS,
    ANSWERED,
    DROPPED,
    INJECTED,
    Closed,
    Delivery,
    Exit,
    Header,
    Stderr,
)
from acp_spy.wire.frame import Frame, Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT


@pytest.mark.parametrize("raw", [None, b"{}\n", b"noise\n", b"\xff", b"", b"{}"])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_delivery_comes_back(action, raw):
    error = "ValueError: no, line 3" if action == "failed" else ""
    record = Delivery(3, 1.5, CLIENT, "script x.py", action, raw, error=error)
    assert decode(encode([record])) == record


def test_a_delivery_with_two_kinds_of_bytes_is_no_record():
    line = b'{"type":"delivery","seq":1,"t":1,"to":"client","by":"","action":"replaced"'
    with pytest.raises(ValueError, match="exactly one of"):
        decode(line + b',"message":{},"text":"x"}\n')


def _frame(seq):
    return Frame(seq, seq / 10, AGENT, b"%d\n" % seq)


def _delivery(seq, action, raw=None, to=CLIENT):
    return Delivery(seq, seq / 10, to, "test", action, raw)


@pytest.mark.parametrize("action", ["dropped", "replaced", "held", "delayed", "answered"])
def test_a_frame_that_was_not_delivered_as_sent_is_known_at_its_place(action):
    records = [_frame(1), _delivery(1, "injected", b"x\n"), _delivery(1, action), _frame(2)]
    assert [fate for _, fate in with_fates(records)] == [action, "", "", ""]


@pytest.mark.parametrize("action", ["injected", "failed"])
def test_other_actions_let_it_pass(action):
    assert [fate for _, fate in with_fates([_frame(1), _delivery(1, action)])] == ["", ""]


def test_every_record_is_given_once_and_in_its_place():
    records = [
        _frame(1),
        _delivery(1, "held"),
        Exit(0.1, 0),
        _frame(2),
        _delivery(1, "delayed", b"1\n"),
        _frame(3),
        _frame(4),
    ]
    assert [record for record, _ in with_fates(records)] == records


def test_an_injection_before_a_replacement_is_delivered_first():
    records = [_frame(1), _delivery(1, "injected", b"a\n"), _delivery(1, "delayed", b"1\n")]
    assert [frame.raw for frame in delivered(records)] == [b"a\n", b"1\n"]


def test_an_injection_alone_is_delivered_after_its_frame():
    records = [_frame(1), _delivery(1, "injected", b"a\n"), _frame(2)]
    assert [frame.raw for frame in delivered(records)] == [b"1\n", b"a\n", b"2\n"]


@pytest.mark.parametrize("before", [(), ("held",)])
def test_an_answered_request_stays_with_its_answer(before):
    held = [_delivery(1, action) for action in before]
    records = [_frame(1), *held, _delivery(1, "answered", b"a\n", to=AGENT)]
    assert [frame.raw for frame in delivered(records)] == [b"1\n", b"a\n"]


def test_the_response_to_an_injected_request_stays_though_nobody_else_gets_it():
    asked = b'{"jsonrpc":"2.0","id":"x","method":"_ask"}\n'
    answers = [b'{"jsonrpc":"2.0","id":"%b","result":{}}\n' % name for name in (b"x", b"y", b"x")]
    records = [Delivery(0, 0.0, AGENT, "test", INJECTED, asked)]
    for seq, answer in enumerate(answers, start=1):
        records += [Frame(seq, seq / 10, AGENT, answer), _delivery(seq, "dropped")]
    assert [frame.raw for frame in delivered(records)] == [asked, answers[0]]


def test_each_peer_saw_what_it_sent_and_what_it_got():
    records = [
        _frame(1),
        _delivery(1, "replaced", b"one\n"),
        _frame(2),
        _delivery(2, "answered", b"a\n", to=AGENT),
        Exit(1.0, 0),
    ]
    by_client, by_agent = (
        [record.raw for record in seen_by(peer, records) if isinstance(record, Frame)]
        for peer in (CLIENT, AGENT)
    )
    assert by_client == [b"one\n"]
    assert by_agent == [b"1\n", b"2\n", b"a\n"]


# The types of records that 0.1 knew. It read by the rule that docs/capture-format.md has for
# readers: records of an unknown type are ignored, wherever they are.
TYPES_OF_0_1 = {"header", "frame", "stderr", "finding", "closed", "exit"}


def test_old_readers_skip_deliveries_and_see_what_was_sent():
    sent = [
        Header(),
        Frame(1, 0.1, CLIENT, b'{"jsonrpc":"2.0","id":1,"method":"_ask"}\n'),
        Frame(2, 0.2, AGENT, b"noise\n"),
        Stderr(0.3, b"log\n"),
        Closed(0.4, AGENT),
        Exit(0.5, 0),
    ]
    answer = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    became = [
        Delivery(1, 0.1, CLIENT, "script a.py", ANSWERED, answer),
        Delivery(2, 0.2, CLIENT, "fault drop", DROPPED),
        Delivery(2, 0.2, CLIENT, "script a.py", INJECTED, b"\xff\n"),
        Delivery(0, 0.6, AGENT, "intercept", INJECTED, b"not JSON\n"),
    ]
    changed = encode([*sent[:2], became[0], sent[2], *became[1:3], *sent[3:], became[3]])
    lines = changed.splitlines(keepends=True)
    assert len(lines) == len(sent) + len(became)

    known = [line for line in lines if json.loads(line)["type"] in TYPES_OF_0_1]
    assert b"".join(known) == encode(sent)  # as if nothing had been changed

    # Our own reader does with a type that it does not know what 0.1 does with `delivery`.
    later = [line.replace(b'{"type":"delivery"', b'{"type":"of-a-later-version"') for line in lines]
    assert later != lines
    assert [record for line in later if (record := decode(line))] == sent
