import msgspec
import pytest

from acp_spy.wire.frame import Frame, Peer


def test_each_peer_is_the_other_of_the_other():
    assert Peer.CLIENT.other is Peer.AGENT
    assert Peer.AGENT.other is Peer.CLIENT


def test_peers_are_spelled_as_in_a_capture():
    assert [peer.value for peer in Peer] == ["client", "agent"]
    assert Peer("agent") is Peer.AGENT


def test_peers_are_two_keys_of_a_dictionary():
    counts = {Peer.CLIENT: 1, Peer.AGENT: 2}
    assert counts[Peer("client")] == 1
    assert counts[Peer("agent")] == 2


@pytest.mark.parametrize(
    ("raw", "payload"),
    [
        (b"{}\n", b"{}"),
        (b"{}\r\n", b"{}"),
        (b"{}", b"{}"),
        (b"\n", b""),
        (b"\r\n", b""),
        (b"", b""),
        (b" {} \n", b" {} "),
        (b"{}\r\r\n", b"{}\r"),
        (b"{}\n\n", b"{}\n"),
        (b"\xff\n", b"\xff"),
    ],
)
def test_the_payload_is_the_frame_without_its_one_line_end(raw, payload):
    assert Frame(1, 0.0, Peer.CLIENT, raw).payload == payload


def test_a_frame_cannot_be_changed():
    frame = Frame(1, 0.0, Peer.CLIENT, b"{}\n")
    with pytest.raises(AttributeError):
        frame.raw = b"[]\n"


def test_frames_are_equal_when_all_they_say_is():
    frame = Frame(1, 0.5, Peer.CLIENT, b"{}\n")
    assert frame == Frame(1, 0.5, Peer.CLIENT, b"{}\n")
    for other in (
        Frame(2, 0.5, Peer.CLIENT, b"{}\n"),
        Frame(1, 0.25, Peer.CLIENT, b"{}\n"),
        Frame(1, 0.5, Peer.AGENT, b"{}\n"),
        Frame(1, 0.5, Peer.CLIENT, b"{}"),
    ):
        assert frame != other
    assert len({frame, msgspec.structs.replace(frame)}) == 1


def test_a_message_is_parsed_and_what_is_no_json_is_nothing():
    def message(raw):
        return Frame(1, 0.0, Peer.AGENT, raw).message

    assert message(b'{"id": 1, "result": {}}\r\n') == {"id": 1, "result": {}}
    assert message(b"[1, 2]\n") == [1, 2]
    for raw in b"ready\n", b"\n", b'{"id": ', b"\xff\n", b"[" * 100_000:
        assert message(raw) is None
