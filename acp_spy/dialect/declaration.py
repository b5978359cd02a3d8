"""
A dialect is declared by what identifies it, what it means, and what is valid in it.

A new one is a module here and an entry in `known.DIALECTS`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from acp_spy.protocol.events import Event
from acp_spy.protocol.tables import Spec

Params = Mapping[str, Any]
ReadCall = Callable[[Params], Event | None]
ReadAnswer = Callable[[Params, Params], Event | None]  # what was asked, what was answered


class Line(msgspec.Struct, frozen=True):
    """
    A message as evidence is looked for in it.

    `body` is the params of a call, or the result of an answer to `method`.
    """

    method: str
    body: Any
    is_request: bool = False
    has_jsonrpc: bool = True


class Evidence(msgspec.Struct, frozen=True):
    """
    One thing that betrays a dialect, and how much it weighs.

    `holds` is asked about calls of the methods in `calls` and results of those in `answers`, and
    only about these: what streams by must not be looked at by everybody. `betrays` are the
    methods, keys and values that give it away, as they are sent: who is told of the evidence has
    been told of these.
    """

    weight: int
    words: str
    holds: Callable[[Line], bool]
    betrays: tuple[str, ...]
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


class Dialect(msgspec.Struct, frozen=True):
    """
    A protocol of its own.

    `calls` and `answers` say what its messages bring about, in the events of official ACP; what
    is not among them means what it means there. `prompts` are the methods that begin a turn, and
    `session_keys` the names under which params name their session, the likeliest first. `words`
    has the official spelling of each of its own.

    `document` is what its own document says, for those who want to be judged by that: methods and
    shapes, as the tables of official ACP have them. Without `has_jsonrpc` its messages are not
    JSON-RPC's; the shapes `Call` and `Answer` of the document say what they are instead. If the
    document `shows_refusal`, then to ask for an unknown method and be refused is a part of it.
    `rules` are names of rules about order and ids that hold by the document as well.
    """

    name: str
    title: str
    origin: str
    evidence: tuple[Evidence, ...]
    words: Mapping[str, str]
    calls: Mapping[str, ReadCall]
    answers: Mapping[str, ReadAnswer]
    prompts: tuple[str, ...] = ("session/prompt",)
    session_keys: tuple[str, ...] = ("sessionId",)
    document: Spec | None = None
    has_jsonrpc: bool = True
    shows_refusal: bool = False
    rules: tuple[str, ...] = ()
