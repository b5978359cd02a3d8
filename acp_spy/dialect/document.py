"""
A few words to write down what a document says, in the terms of the protocol's tables.

A key that ends in `?` may be left out, or be null. A string in place of a shape is the name of one.
Only what a document shows is written down: where it shows `...`, anything may stand.
"""

from collections.abc import Mapping

from acp_spy.protocol.shapes import (
    Anything,
    Boolean,
    Field,
    Integer,
    List,
    Null,
    Object,
    Ref,
    Shape,
    Tagged,
    Text,
)
from acp_spy.protocol.tables import Method, Spec
from acp_spy.wire.frame import Peer

Named = Shape | str

ANY = Anything()
BOOL = Boolean()
INT = Integer()
NULL = Null()
TEXT = Text()
SOMETHING = Object({}, open=True)
ERROR: dict[str, Named] = {"code": INT, "message": TEXT, "data?": ANY}

_CLIENT, _AGENT = frozenset((Peer.CLIENT,)), frozenset((Peer.AGENT,))
BOTH = frozenset(Peer)


def record(fields: Mapping[str, Named], *, more: bool = False) -> Object:
    """Return an object with these keys, and `more` of which nothing is said."""
    return Object(
        {
            key.removesuffix("?"): Field(
                shape(named), required=not key.endswith("?"), nullable=key.endswith("?")
            )
            for key, named in fields.items()
        },
        open=more,
    )


def union(tag: str, branches: Mapping[str, Object], *, more: bool = False) -> Tagged:
    """Return objects that are told apart by the string under `tag`, and `more` kinds of them."""
    return Tagged(
        tag,
        {
            name: Object({tag: Field(one_of(name), required=True), **branch.fields}, branch.open)
            for name, branch in branches.items()
        },
        other=SOMETHING if more else None,
    )


def flags(*names: str) -> Object:
    """Return an object with these switches, none of which has to be there."""
    return record({f"{name}?": BOOL for name in names})


def one_of(*values: str) -> Text:
    """Return one of these strings."""
    return Text(values)


def many(named: Named) -> List:
    """Return a list of such."""
    return List(shape(named))


def shape(named: Named) -> Shape:
    """Return a shape, or the one of that name."""
    return Ref(named) if isinstance(named, str) else named


# Names of rules about order that hold wherever there are a handshake, sessions and turns.
IN_ORDER = ("request-before-initialize", "unknown-session", "update-outside-turn")
# What all but one of them have as official ACP has it.
IN_SESSION: Mapping[str, Shape] = {
    "NewSessionRequest": record({"cwd": TEXT, "mcpServers": many(ANY)}),
    "NewSessionResponse": record({"sessionId": TEXT}),
    "CancelNotification": record({"sessionId": TEXT}),
    "SessionNotification": record({"sessionId": TEXT, "update": "SessionUpdate"}),
}


def asks(
    name: str, params: str, result: str = "", senders: frozenset[Peer] | None = None
) -> Method:
    """Return a request; the client sends it unless somebody else is named."""
    return Method(name, senders or _CLIENT, "request", params, result)


def tells(name: str, params: str, senders: frozenset[Peer] | None = None) -> Method:
    """Return a notification; the client sends it unless somebody else is named."""
    return Method(name, senders or _CLIENT, "notification", params)


def agent_asks(name: str, params: str, result: str = "") -> Method:
    """Return a request of the agent."""
    return asks(name, params, result, _AGENT)


def agent_tells(name: str, params: str) -> Method:
    """Return a notification of the agent."""
    return tells(name, params, _AGENT)


def document(name: str, methods: tuple[Method, ...], shapes: Mapping[str, Named]) -> Spec:
    """Return what a document says; errors are JSON-RPC's unless it says otherwise."""
    named = {"Error": record(ERROR), **{key: shape(named) for key, named in shapes.items()}}
    return Spec(name, 1, methods, named)
