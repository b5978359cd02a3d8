"""JetBrains: a whole message in one update, and a handshake as MCP has it."""

from typing import Any, ClassVar

from acp_spy.dialect.jetbrains import JETBRAINS
from acp_spy.middleware.dialects.tables import Both, Calls, Note, call, record, word
from acp_spy.middleware.dialects.translation import Asked, Message, Params, Translation, name_of
from acp_spy.wire.values import fields, items, text

_MOST_SEARCHED = 64  # blocks of a response
_UNKNOWN = {"name": "unknown", "version": "0"}
_KIND = word({}, {"switch_mode": "other"})
_TOOL_CALL = record(inside={"kind": _KIND}, write={"kind": "other", "status": "pending"})
# Its document names them, or the capabilities for them, and has them as they are.
_AS_THEY_ARE = (
    *("session/new", "session/cancel", "session/request_permission"),
    *("fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"),
    *("terminal/wait_for_exit", "terminal/kill", "terminal/release"),
)


def _read_handshake(result: Any, note: Note) -> Any:
    names = {"serverInfo": "agentInfo"}
    return record(names, lacks=("capabilities",), read={"agentCapabilities": {}}).read(result, note)


def _write_handshake(result: Any, note: Note) -> Any:
    sent = fields(result)
    for key in ("agentCapabilities", "authMethods"):
        if any(fields(sent.get(key)).values()) or items(sent.get(key)):
            note(f"`{key}` is left out")
    made = {key: sent[key] for key in sent if key not in ("agentCapabilities", "authMethods")}
    info = made.pop("agentInfo", None) or _UNKNOWN
    return {**made, "capabilities": {}, "serverInfo": info}


def _words(block: Any) -> str:
    """Return the text of a block; of one without any, such as an image, all of it."""
    return text(fields(block).get("text")) or repr(block)


def _not_said(blocks: list[Any], said: str) -> list[Any]:
    """Return what of a response was not sent in updates before, as most agents do."""
    texts = list(map(_words, blocks))
    if "".join(texts) in said:
        return []
    pairs = list(zip(blocks, texts, strict=True))
    rest = [block for block, words in pairs[:_MOST_SEARCHED] if words not in said]
    return [*rest, *blocks[_MOST_SEARCHED:]]


class SaidInResponse(Translation):
    """A dialect in which the response to a prompt may have content."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._said: dict[Any, list[str]] = {}  # in the current turn of a session

    def read_block(self, block: Any) -> Any:
        """Return a content block of the dialect as official ACP has it."""
        return block

    def say_blocks(self, session: Any, name: str, blocks: Any) -> None:
        """Send the blocks of a message one by one."""
        for block in items(blocks):
            made = self.read_block(block)
            if name == "agent_message_chunk":
                self._said.setdefault(session, []).append(_words(made))
            self.say(session, name, made)

    def _write(self, of: Any, params: Params, asked: Asked | None) -> None:
        if of.name != "session/prompt":
            super()._write(of, params, asked)
            return
        session = name_of(params.get("sessionId"))
        self._said[session] = []

        def then(response: Message) -> None:
            result = fields(response.get("result"))
            said = "".join(self._said.pop(session, ()))
            rest = _not_said(items(result.get("content")), said)
            self.say_blocks(session, "agent_message_chunk", rest)
            kept = {key: result[key] for key in result if key != "content"}
            if "result" in response:
                response = {**response, "result": kept}
            self.returned(asked, lambda value: of.result.read(value, self.note))(response)

        self.ask_dialect(of.name, of.params.write(params, self.note), then, asked)


class JetBrains(SaidInResponse):
    """The dialect of a code reviewer for JetBrains IDEs."""

    name = JETBRAINS.name
    origin = JETBRAINS.origin
    cannot = (
        "thoughts, the user's own messages, loading sessions, signing in, what the agent can do"
    )
    document = JETBRAINS.document
    calls: ClassVar[Calls] = {
        "initialize": call(
            "initialize",
            record(write={"clientCapabilities": {}}),
            Both(_read_handshake, _write_handshake),
        ),
        "session/prompt": call("session/prompt"),
        **{name: call(name) for name in _AS_THEY_ARE},
    }
    updates: ClassVar[Calls] = {
        "agent_message_chunk": call("agent_message_chunk"),
        "plan": call("plan"),
        "tool_call": call("tool_call", _TOOL_CALL),
        "tool_call_update": call("tool_call_update", record(inside={"kind": _KIND})),
    }

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.reads["session/update"] = self._read_any_update

    def _read_any_update(self, params: Params, asked: Asked | None) -> None:
        session, update = name_of(params.get("sessionId")), fields(params.get("update"))
        if update.get("sessionUpdate") == "agent_message_chunk":
            self._said.setdefault(session, []).append(_words(update.get("content")))
        if update.get("sessionUpdate") != "message":
            self._read_update(params, asked)
            return
        whole = fields(update.get("message")) or update
        content = whole.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        name = "user_message_chunk" if whole.get("role") == "user" else "agent_message_chunk"
        self.say_blocks(session, name, blocks)
