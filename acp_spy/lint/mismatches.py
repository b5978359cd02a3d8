"""
How a message differs from the schema of the negotiated version, or from a dialect's own document.

The validator is fast and accepts nearly every frame. Only the others are walked, to find out why.
"""

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.protocol.tables import Kind, Method, Spec, spec
from acp_spy.protocol.validator import passes
from acp_spy.protocol.walk import Mismatch, walk
from acp_spy.wire.jsonrpc import CALL, Response


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
    tables = spec_of(step, edition)
    if edition != "auto" or tables.name not in _UNSTABLE:
        return _mismatches(step, tables)
    # A message that uses the unstable part is checked by that schema, too.
    unstable = _UNSTABLE[tables.name]
    if step.method and not tables.find(step.method):
        return _mismatches(step, spec(unstable))
    found = _mismatches(step, tables)
    if not found:
        return found
    evidence = [mismatch for mismatch in found if mismatch.legal_in == unstable]
    return [*evidence, *_mismatches(step, spec(unstable))] if evidence else found


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


def _find(tables: Spec, step: Step) -> Method | None:
    """Return the method of a step, in its own direction if there is one, else in any."""
    ways = tables.find(step.method)
    if len(ways) < 2:
        return ways[0] if ways else None
    asker = step.exchange.sender if step.exchange else step.frame.sender
    kind: Kind = "request" if step.exchange else "notification"
    return tables.method(step.method, asker, kind) or ways[0]


def _judge(tables: Spec, shape: str, raw: bytes, step: Step, place: str) -> list[Mismatch]:
    if not shape or passes(tables, shape, raw or b"{}"):
        return []
    value = {} if not raw else step.body
    return [
        msgspec.structs.replace(mismatch, path=place + mismatch.path)
        for mismatch in walk(tables, shape, value)
    ]
