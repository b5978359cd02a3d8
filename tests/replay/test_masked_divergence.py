"""What is said of a divergence has no secret of the recording, also none that another line shows."""

import json

import pytest

from acp_spy.capture.records import Capture, Header
from acp_spy.replay.masked_divergence import MaskedDivergences
from acp_spy.replay.script import Script
from acp_spy.wire.frame import Frame, Peer

SECRET = "hk7Jm2x9Qpw"


@pytest.mark.parametrize("role", Peer)
def test_a_file_that_is_read_is_known_by_the_request_for_it(role):
    asked = {"id": 5, "method": "fs/read_text_file", "params": {"path": "/run/secrets/db_password"}}
    said = {"id": 5, "result": {"content": SECRET}}
    frames = [
        Frame(seq, 0.0, sender, json.dumps(message).encode() + b"\n")
        for seq, (sender, message) in enumerate([(Peer.AGENT, asked), (Peer.CLIENT, said)], 1)
    ]
    script = Script.of(Capture(Header(), tuple(frames)), role)
    masked = MaskedDivergences(script)
    shown = [masked._line(part.line).raw for part in script.parts]
    assert len(shown) >= 2
    assert SECRET.encode() not in b"".join(shown)
