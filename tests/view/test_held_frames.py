"""What is said of held frames comes from a socket: nothing in it acts on a terminal."""

import pytest

from acp_spy.view.held_frames import describe_all, describe_event

ODD = "\x1b[31m\r\u202e##[x]"
ENTRY = {
    "seq": 7,
    "sender": "agent",
    "what": "initialize",
    "gist": "{}",
    "size": 20,
    "left": 9.0,
    "edited": False,
    "aside": False,
    "behind": None,
    "waiting": 0,
}
EVENTS = [
    *({"event": name, **ENTRY} for name in ("held", "edited", "aside")),
    {"event": "resumed", "seq": 7, "action": "released", "why": "timeout"},
]


@pytest.mark.parametrize(
    "event",
    [
        *({**event, field: ODD} for event in EVENTS for field in ("what", "gist", "behind", "seq")),
        *({**EVENTS[-1], field: ODD} for field in ("action", "why")),
        {"event": "filter", "filter": [ODD]},
        {"event": "faults", "faults": [{"specs": [ODD]}]},
        {"event": "response", "message": {ODD: ODD}},
        {"event": ODD},
    ],
)
def test_no_field_of_an_event_acts(event):
    shown = describe_event(event)
    assert shown.isprintable()
    assert "\u202e" not in shown
    assert "##[" not in shown


def test_nor_does_one_of_the_list():
    reply = {"held": [{**ENTRY, "what": ODD, "gist": ODD, "seq": ODD}], "filter": [], "viewers": 1}
    (line,) = describe_all(reply)
    assert line.isprintable()
    assert r"\x1b[31m" in line
