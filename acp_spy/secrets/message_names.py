"""
What messages call the things by which secrets are found: in ACP, in its drafts and its dialects.

The dialects have their declarations. A proxy that redacts need not load those for a few names; a
test compares both.
"""

from collections.abc import Iterator
from typing import Any

from acp_spy.wire.values import fields, items, text

MESSAGE_IDS = ("messageId", "message_id")  # which some chunks of a message may lack
SESSION_IDS = ("sessionId", "session_id", "threadId")
TOOL_CALL_IDS = frozenset(("toolCallId", "tool_call_id"))
TERMINAL_IDS = frozenset(("terminalId", "terminal_id"))
# Where an update has its kind, and what else has one.
KINDS = frozenset(("sessionUpdate", "session_update", "@type", "update", "type", "kind", "method"))
_KINDS_OF_UPDATE = ("sessionUpdate", "session_update", "@type", "kind")

# Updates and methods that bring a text of the agent, or a piece of one, and of a person.
SAID_BY_AGENT = frozenset(
    {
        *("agent_message_chunk", "agent_message", "agent_message_text", "agentMessageChunk"),
        *("message", "streamAssistantMessageChunk", "streamMessageChunk"),
    }
)
SAID_BY_PERSON = frozenset(
    ("user_message_chunk", "user_message", "userMessage", "userMessageChunk")
)
# Pieces, though their names do not end with `chunk`; some agents send a whole message so.
MAY_BE_WHOLE = frozenset(("message", "agent_message", "agent_thought", "user_message"))
# A text of version 2 may begin as a whole, and go on in chunks.
AS_CHUNK = {whole: f"{whole}_chunk" for whole in MAY_BE_WHOLE if "_" in whole}
PIECES = MAY_BE_WHOLE | {"agent_message_text", "agent_thought_text"}
PROMPTS = frozenset(("session/prompt", "sendMessage", "sendUserMessage", "acp/prompt"))
_TEXTS = ("text", "chunk", "thought")


def params_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return the params of a message; of a tool of MCP that is a method, its arguments."""
    params = fields(message.get("params"))
    return fields(params.get("arguments")) or params


def session_of(message: dict[str, Any]) -> Any:
    """Return the session that a message names."""
    params = params_of(message)
    return next((params[name] for name in SESSION_IDS if name in params), None)


def message_id_of(message: dict[str, Any]) -> Any:
    """Return the id of the message of which an update has a piece, or all."""
    update = fields(params_of(message).get("update"))
    return next((update[name] for name in MESSAGE_IDS if name in update), None)


def kind_of(message: dict[str, Any]) -> str:
    """Return the kind of an update, or else the method of a message; nothing if that is no name."""
    method = text(message.get("method")) or ""
    if not method or method in PROMPTS:  # as nearly all that are asked about
        return method
    params = params_of(message)
    for place in (fields(params.get("update")), params):
        for name in _KINDS_OF_UPDATE:
            if kind := text(place.get(name)):
                return kind
    if method == "tools/call":
        return text(fields(message.get("params")).get("name")) or ""
    return method


def is_said_by_agent(message: dict[str, Any]) -> bool:
    """Whether a message has a text of the agent, or a piece of one: the response may have it."""
    if "method" not in message:
        result = fields(message.get("result"))
        return "stopReason" in result and bool(items(result.get("content")))
    return kind_of(message) in SAID_BY_AGENT and not _is_of_user(message)


def is_said_by_person(message: dict[str, Any]) -> bool:
    """Whether a message is a prompt, or has the text of one."""
    kind = kind_of(message)
    return kind in PROMPTS or kind in SAID_BY_PERSON or (kind == "message" and _is_of_user(message))


def _is_of_user(message: dict[str, Any]) -> bool:
    update = fields(params_of(message).get("update"))
    holders = (update, fields(update.get("message")), fields(update.get("content")))
    return any(each.get("role") == "user" for each in holders)


def texts_of(message: dict[str, Any]) -> list[str]:
    """Return the texts of a prompt, or of a piece of a message."""
    params = params_of(message)
    update = fields(params.get("update"))
    places = (
        *(params.get("prompt"), params.get("content"), fields(params.get("message")).get("chunks")),
        *(params.get("chunks"), params.get("chunk"), update.get("content"), update.get("text")),
        fields(update.get("message")).get("content"),
        fields(message.get("result")).get("content"),
    )
    return [each for place in places for each in _texts_in(place)]


def _texts_in(value: Any) -> Iterator[str]:
    """Give the text of a block, or of a list of them; a block may be no more than its text."""
    for block in items(value) or [value]:
        if isinstance(block, str):
            yield block
            continue
        block = fields(block)  # noqa: PLW2901
        yield from (block[name] for name in _TEXTS if isinstance(block.get(name), str))
        if isinstance(within := block.get("content"), list):
            yield from _texts_in(within)
