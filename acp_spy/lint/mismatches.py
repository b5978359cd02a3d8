"""
How a message differs from the schema of the negotiated version, or from a dialect's own document.

The validator is fast and accepts nearly every frame. Only the others are walked, to find out why.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from acp_spy.conversation.mcp import MESSAGE, has_connection
from acp_spy.conversation.state import Step
from acp_spy.conversation.successor import SUCCESSOR
from acp_spy.protocol.capability_gates import V1, V2, is_advertised
from acp_spy.protocol.names import SETUPS
from acp_spy.protocol.tables import Kind, Method, Spec, spec
from acp_spy.protocol.validator import REFUSALS, decoder, fits, passes
from acp_spy.protocol.walk import Mismatch, walk
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import CALL, Request, Response
from acp_spy.wire.pointer import steps
from acp_spy.wire.values import HUGE, fields, items


def spec_of(step: Step, edition: str) -> Spec:
    """Return the tables of `edition` for a step; `auto` follows the negotiated version."""
    if (dialect := step.state.dialects.settled) and dialect.document:
        return dialect.document
    if edition != "auto":
        return spec(edition)
    version = step.state.version
    if step.method == "initialize":
        # The request is checked by the version that it requests, the response by its own.
        version = step.body.get("protocolVersion") if isinstance(step.body, dict) else None
    return spec("v2" if version == 2 and not isinstance(version, bool) else "v1")


def find_mismatches(step: Step, edition: str = "auto") -> list[Mismatch]:
    """Return every mismatch of the schema in `step`; paths begin at the frame."""
    if step.mcp is not None and has_connection(step.exchange, step.body):
        return []  # an older draft of MCP over ACP, of which there is no schema
    found = _find_mismatches(step, edition)
    if found and step.method in SETUPS:
        return _without_acp_servers(found, step)
    if found and step.method == SUCCESSOR:  # the Rust conductor takes `meta` for `_meta`
        return [each for each in found if each.path != "/params/meta"]
    return found


class Schema:
    """
    Finds the messages of one conversation that surely match the schema: nearly all do.

    So this does little: the decoder for each kind of message is looked up once. `edition` is as in
    `find_mismatches`, which finds what is wrong with the others, if anything is.
    """

    def __init__(self, edition: str = "auto") -> None:
        self._edition = edition
        self._decoders: dict[tuple[Any, ...], Callable[[bytes], Any] | None] = {}

    def surely_fits(self, step: Step) -> bool:
        """Whether a request, a notification or a response surely is as the schema says."""
        message, decoders = step.message, self._decoders
        kind = type(message)
        raw: bytes = message.result if kind is Response else message.params  # type: ignore[union-attr]  # compared by its type
        key = step.method, kind, step.frame.sender, step.state.version == 2
        if key not in decoders:
            if len(decoders) > _MOST_KINDS:
                decoders.clear()  # somebody makes names up
            decoders[key] = self._decoder(step)
        decode = decoders[key]
        if decode is None or not raw or (not step.is_plain and len(raw) > HUGE):
            return False
        try:
            decode(raw)
        except REFUSALS:
            return False
        return True

    def _decoder(self, step: Step) -> Callable[[bytes], Any] | None:
        """Return the decoder for messages like this one."""
        tables = spec_of(step, self._edition)
        method = None if step.method == "initialize" else _find(tables, step)  # has its own version
        if method is None:
            return None
        return decoder(tables, method.result if type(step.message) is Response else method.params)


def _passes(tables: Spec, shape: str, raw: bytes, step: Step) -> bool:
    return passes(tables, shape, raw) if len(raw) <= HUGE else fits(tables, shape, step.body)


# How the client describes itself in `initialize`, in version 1 and in version 2.
CLIENT_V1 = frozenset({"clientCapabilities", "clientInfo"})
CLIENT_V2 = frozenset({"capabilities", "info"})


def _find_mismatches(step: Step, edition: str) -> list[Mismatch]:
    tables = spec_of(step, edition)
    if edition != "auto" or tables.name not in _UNSTABLE:
        return _mismatches(step, tables)
    if step.method == "initialize" and tables.name == "v2" and type(step.message) is Request:
        return _of_client_of_version_2(step)
    return _of_version(step, tables)


def _of_client_of_version_2(step: Step) -> list[Mismatch]:
    """Return the mismatches of a client that requests version 2, but may get version 1."""
    older = _of_version(step, spec("v1"))
    if CLIENT_V2.isdisjoint(fields(step.body)):
        return older  # SCH007 reports it if the agent selects version 2
    places = tuple(f"/params/{key}" for key in CLIENT_V1)
    of_both = [each for each in older if each.path.startswith(places)]
    return [*_of_version(step, spec("v2")), *of_both]


def _of_version(step: Step, tables: Spec) -> list[Mismatch]:
    """Return the mismatches by a version and, if a message uses it, by its unstable part."""
    unstable = _UNSTABLE[tables.name]
    if step.method and not tables.find(step.method):
        return _mismatches(step, spec(unstable))
    found = _mismatches(step, tables)
    if not found:
        return found
    evidence = [mismatch for mismatch in found if mismatch.legal_in == unstable]
    return [*evidence, *_mismatches(step, spec(unstable))] if evidence else found


_MOST_KINDS = 1024
_UNSTABLE = {"v1": "v1-unstable", "v2": "v2-unstable"}


def _mismatches(step: Step, tables: Spec) -> list[Mismatch]:
    message = step.message
    if isinstance(message, Response) and message.error and not message.result:
        return _judge(tables, "Error", message.error, step, "/error")
    method = _find(tables, step)
    if method is None:
        return []
    if isinstance(message, Response):
        return _judge(tables, method.result, message.result, step, "/result")
    if isinstance(message, CALL):
        # `null` is another way to omit them.
        params = b"" if message.params == b"null" else message.params
        return _judge(tables, method.params, params, step, "/params")
    return []


def _without_acp_servers(found: list[Mismatch], step: Step) -> list[Mismatch]:
    """
    Leave out what is right with MCP servers over ACP for an agent that has said that it takes them.

    They are unstable, and the first draft has `id` for `serverId`.
    """
    gate = (V2 if step.state.is_draft else V1).methods[MESSAGE]
    if not is_advertised(step.state.capabilities.get(Peer.AGENT), gate):
        return found
    servers = items(fields(step.body).get("mcpServers"))
    fine = {
        str(index)
        for index, server in enumerate(map(fields, servers))
        if server.get("type") == "acp"
        and isinstance(server.get("name"), str)
        and isinstance(server.get("serverId", server.get("id")), str)
    }
    return [each for each in found if not fine.intersection(steps(each.path)[2:3])]


def _find(tables: Spec, step: Step) -> Method | None:
    """Return the method of a step, in its own direction if there is one, else in any."""
    if step.exchange is None:
        return _method(tables, step.method, step.frame.sender, "notification")
    return _method(tables, step.method, step.exchange.sender, "request")


@lru_cache(maxsize=1024)  # peers may make names up
def _method(tables: Spec, name: str, asker: Peer, kind: Kind) -> Method | None:
    ways = tables.find(name)
    return tables.method(name, asker, kind) or (ways[0] if ways else None)


def _judge(tables: Spec, shape: str, raw: bytes, step: Step, place: str) -> list[Mismatch]:
    if not shape or _passes(tables, shape, raw or b"{}", step):
        return []
    value = {} if not raw else step.body
    return [
        msgspec.structs.replace(mismatch, path=place + mismatch.path)
        for mismatch in walk(tables, shape, value)
    ]
