"""Frames that a run holds: as the page shows them, and what is done with them from there."""

from collections.abc import Callable
from typing import Any

from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.client import connect
from acp_spy.middleware.holds.editing import frame_of, readable, send_text
from acp_spy.middleware.holds.watching import Holding
from acp_spy.wire.values import decoded, fields

_SHOWN = ("seq", "sender", "size", "left", "edited", "aside", "behind", "waiting")
_LONGEST = 500  # characters


def as_shown(now: Holding, masked: Callable[[str], str], *, is_masked: bool) -> dict[str, Any]:
    """
    Return what is held; `masked` replaces the secrets.

    The gist of a frame may quote a part of one, and then nothing shows that it is one. So a page
    without secrets has none here: the row of the frame has one, of what is left of the frame.
    """
    return {
        "isHolding": now.is_attached,
        "filter": [masked(token) for token in now.filter],
        "frames": [
            {
                **{name: each[name] for name in _SHOWN},
                "what": masked(each["what"])[:_LONGEST],
                "gist": "" if is_masked else each["gist"][:_LONGEST],
            }
            for each in now.held
        ],
    }


def act(path: str, body: bytes) -> dict[str, Any]:
    """
    Do what the page asks for; return the reply.

    What is to be edited is given as it was sent, for placeholders could not be delivered.
    Raises `AcpSpyError` if it is refused.
    """
    asked = fields(decoded(body))
    do, seq, text = asked.get("do"), asked.get("seq"), asked.get("text")
    which = {"all": True} if asked.get("all") is True else {"seq": seq}
    with connect(path) as client:
        if do in ("release", "drop"):
            client.ask(do, **which)
        elif do == "revert":
            client.ask(do, seq=seq)
        elif do == "get":
            return {"text": readable(frame_of(client.ask("get", seq=seq)).raw)}
        elif do == "edit" and type(seq) is int and isinstance(text, str):
            send_text(client, seq, text)
        else:
            raise AcpSpyError("cannot do what the page asks for", hint="reload the page")
    return {}
