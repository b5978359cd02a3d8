"""A method is ACP's, or begins with `_`."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.mcp import CONNECT, DISCONNECT, MESSAGE
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.other_protocols import protocol_of_method
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.unusual import KNOWN
from acp_spy.protocol.events import SessionOpened
from acp_spy.protocol.foreign_methods import Foreign, foreign
from acp_spy.protocol.spelling import nearest
from acp_spy.protocol.tables import spec
from acp_spy.wire.jsonrpc import Notification, Request
from acp_spy.wire.values import fields

_V1 = frozenset(method.name for method in spec("v1-unstable").methods)
_V2 = frozenset(method.name for method in spec("v2-unstable").methods)
_OF_ONE_VERSION = sorted(_V1 ^ _V2)
_NAMES = tuple(sorted(KNOWN))


@rule(
    code="RPC013",
    name="unknown-method",
    severity=Severity.ERROR,
    summary="A method is not in ACP and does not begin with `_`",
    on=(
        "unusual",
        "SessionOpened",
        *(f"request:{name}" for name in _OF_ONE_VERSION),
        *(f"notification:{name}" for name in _OF_ONE_VERSION),
    ),
    covers=("EXT-05", "V2-24", "X-07", "CAN-13", "UNS-15"),
    spec="https://agentclientprotocol.com/protocol/extensibility#extension-methods",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/set_model", "params": {"sessionId": "s1", "modelId": "m"}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "_example.com/set_model", "params": {"sessionId": "s1", "modelId": "m"}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    """,
)
def unknown_method(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports methods that ACP does not have, and methods of the version that was not negotiated. If
    the name belongs to an earlier ACP or to another protocol, the hint says what to use.
    `session/set_model` is a warning if the agent offered `models`, which belongs to it. The methods
    of older drafts of MCP over ACP are a note, once in a capture. Notifications that begin with
    `$/` are a note, too: every peer may ignore them.

    ## Why it matters

    Names without a leading `_` are reserved for ACP. A peer refuses an unknown request with -32601
    and silently ignores an unknown notification. A later version of ACP may use the name for
    something else.

    ## Use instead

    Give a custom method a name such as `_example.com/method`.
    """
    if isinstance(step.event, SessionOpened) and "models" in fields(step.body):
        remember(memory, step.event.session)
    message = step.message
    if not isinstance(message, Request | Notification) or message.method.startswith("_"):
        return
    name = step.method
    if name in facts.dialect_words:
        return
    if name in KNOWN:
        here, other = (_V2, 1) if step.state.version == 2 else (_V1, 2)
        if name in here:
            return
        known, seen = foreign(name), f"`{name}` is a method of version {other}"
        seen += f"; version {3 - other} was negotiated" if step.state.version else ""
    elif not facts.members or protocol_of_method(name):
        return
    else:
        known = _of_dialect(step) or foreign(name)
        seen = f"{quote(name.encode())} is not an ACP method"
        seen += f"; it comes from {known.origin}" if known else ""
    instead = (known.instead if known else "") or nearest(name, _NAMES) * (name not in KNOWN)
    session = fields(step.body).get("sessionId")
    if name in (CONNECT, DISCONNECT):
        if "mcp" not in memory:
            memory["mcp"] = True
            yield Remark(
                f"`{name}` is of an older draft of MCP over ACP; the current one has only"
                f" `{MESSAGE}`",
                at="/method",
                severity=Severity.NOTE,
                hint="ignore this if both peers use the older draft",
            )
        return
    is_offered = name == "session/set_model" and isinstance(session, str) and session in memory
    yield Remark(
        f"{seen}; the agent offered `models`" if is_offered else seen,
        at="/method",
        severity=_severity(message, is_offered=is_offered),
        hint=f"use {instead if ' ' in instead else f'`{instead}`'}"
        if instead
        else f"use a leading `_` for a custom method: `_{name[:60]}`",
    )


def _severity(message: Request | Notification, *, is_offered: bool) -> Severity | None:
    if isinstance(message, Notification) and message.method.startswith("$/"):
        return Severity.NOTE  # every peer may ignore it
    return Severity.WARNING if is_offered else None


def _of_dialect(step: Step) -> Foreign | None:
    """Return where a method comes from, if the dialect of its sender has it."""
    dialect = step.state.dialects.reported(step.frame.sender).dialect
    official = dialect.words.get(step.method) if dialect else None
    return Foreign(dialect.title, official) if dialect and official else None
