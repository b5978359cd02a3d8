"""
What a run says at its control socket, as types: replies by their action, and events by their name.

What answers there may be another program, or another version. So everything is compared with these
types where it is received, and what reads it can rely on them. Fields beside these may be there.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec


class Held(TypedDict):
    """A held frame."""

    seq: int
    sender: Literal["client", "agent"]
    kind: str
    what: str
    gist: str
    size: int
    left: float
    edited: bool
    aside: bool
    behind: int | None
    waiting: int
    frame: NotRequired[dict[str, Any]]


class Hello(TypedDict):
    """The first message of all."""

    protocol: int
    capture: str


class Listed(TypedDict):
    """What is held, and why."""

    filter: list[str]
    timeout: float
    viewers: int
    held: list[Held]


class Whole(TypedDict):
    """A held frame with its bytes."""

    seq: int
    frame: Any  # as it is spelled: `frame_of` reads it


class Done(TypedDict):
    """The frames to which something was done."""

    seq: list[int]


class DoneToOne(TypedDict):
    """The frame to which something was done."""

    seq: Annotated[list[int], msgspec.Meta(min_length=1)]


class Behind(TypedDict):
    """A frame that was released, and the held one that it waits behind."""

    seq: int
    behind: int


class Released(Done):
    """Frames that were released."""

    behind: list[Behind]


class Aside(DoneToOne):
    """A frame that was set aside, and how many have passed it."""

    passed: int


class Injected(TypedDict):
    """A message that was sent."""

    expects_response: bool


class Filter(TypedDict):
    """The filter."""

    filter: list[str]


class Fault(TypedDict):
    """A fault, as it was given."""

    fault: int
    specs: list[str]


class Faults(TypedDict):
    """All faults."""

    faults: list[Fault]


class Resumed(TypedDict):
    """A frame that is no longer held."""

    seq: int
    action: str
    why: str


class Response(TypedDict):
    """A response to a message that was injected."""

    message: Any


REPLIES: dict[str, Any] = {
    "attach": Listed,
    "list": Listed,
    "get": Whole,
    "release": Released,
    "revert": DoneToOne,
    "drop": Done,
    "answer": DoneToOne,
    "aside": Aside,
    "inject": Injected,
    "filter": Filter,
    "faults": Faults,
}
EVENTS: dict[str, Any] = {
    "held": Held,
    "edited": Held,
    "aside": Held,
    "resumed": Resumed,
    "filter": Filter,
    "faults": Faults,
    "response": Response,
}


def is_as_expected(message: dict[str, Any], form: Any) -> bool:
    """Whether a message has the fields of a type here."""
    try:
        msgspec.convert(message, form)
    except msgspec.ValidationError:
        return False
    return True
