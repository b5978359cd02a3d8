"""Zed's crate in July 2025: one session without a name, and every message is a request."""

from collections.abc import Callable
from typing import Any, ClassVar
from urllib.parse import quote, unquote

from acp_spy.dialect.zed_history import ASKED, KINDS, STATUS
from acp_spy.middleware.dialects.tables import (
    Both,
    Calls,
    NoCounterpart,
    Note,
    call,
    each,
    record,
    word,
)
from acp_spy.middleware.dialects.translation import (
    INVALID_PARAMS,
    Asked,
    Message,
    Params,
    Translation,
    name_of,
    text_of,
)
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items, text

_VERSION = "0.0.10"
_SIGN_IN = -32000
_FILE = "file://"
_CONFIRMATION = "requestToolCallConfirmation"
_OF_MCP = ("alwaysAllowMcpServer", "alwaysAllowTool")
_NAMES = {
    "allow": "Allow",
    "alwaysAllow": "Always allow",
    "alwaysAllowMcpServer": "Always allow this MCP server",
    "alwaysAllowTool": "Always allow this tool",
    "reject": "Reject",
}
_ICONS = word(
    {
        "fileSearch": "read",
        "folder": "read",
        "globe": "fetch",
        "lightBulb": "think",
        "pencil": "edit",
        "regex": "search",
        "terminal": "execute",
        "hammer": "other",
    },
    dict.fromkeys(("delete", "move", "switch_mode"), "hammer"),
)
_STATUS = word(
    {name: official for name, official in STATUS.items() if name != "inProgress"},
    {"pending": "running"},
)


def _read_content(content: Any, _note: Note) -> Any:
    """Return the content of a tool call, one piece or none, as a list."""
    sent = fields(content)
    if sent.get("type") == "markdown":
        block = {"type": "text", "text": sent.get("markdown")}
        return [{"type": "content", "content": block}]
    return [sent] if sent else []


def _write_content(content: Any, note: Note) -> Any:
    """Return the first piece that the dialect has a shape for."""
    pieces = [fields(piece) for piece in items(content)]
    if len(pieces) > 1:
        note("of several pieces of content, the first is sent")
    if not pieces:
        return None
    if pieces[0].get("type") == "content":
        return {"type": "markdown", "markdown": text_of(pieces[0].get("content"))}
    if pieces[0].get("type") == "diff":
        return pieces[0]
    raise NoCounterpart(f"content of type `{pieces[0].get('type')}`")


_TOOL_CALL = record(
    {"label": "title", "icon": "kind"},
    {"kind": _ICONS, "status": _STATUS, "content": Both(_read_content, _write_content)},
)


def _read_chunk(chunk: Any, _note: Note) -> Any:
    sent = fields(chunk)
    if "path" not in sent:
        return {"type": "text", "text": sent.get("text")}
    path = text(sent["path"]) or ""
    return {"type": "resource_link", "uri": _FILE + quote(path), "name": path.rsplit("/", 1)[-1]}


def _write_chunk(block: Any, _note: Note) -> Any:
    uri = text(fields(block).get("uri")) or ""
    if fields(block).get("type") == "resource_link" and uri.startswith(_FILE):
        return {"path": unquote(uri.removeprefix(_FILE))}
    return {"text": text_of(block)}


_CHUNKS = each(Both(_read_chunk, _write_chunk))


class Zed0010(Translation):
    """July 2 to 18."""

    name = "zed-0.0.10"
    origin = "Zed's crate 0.0.2 to 0.0.10, July 2025"
    cannot = (
        "more than one session, folders, MCP servers, loading sessions, terminals, stop reasons"
    )
    has_numbers = True
    calls: ClassVar[Calls] = {
        "fs/read_text_file": call("readTextFile"),
        "fs/write_text_file": call("writeTextFile", result=Both(lambda *_: {}, lambda *_: None)),
    }

    def __init__(self, side: Peer, *more: Any) -> None:
        super().__init__(side, *more)
        self._session: Any = None  # the only one
        self._failure: Any = None  # why there is none
        self._is_asking = False
        self._is_signed_in = True
        self._is_cancelled = False
        self._calls = 0  # of tools, numbered by us for an agent
        # For a client: what it calls a tool call, and what has to wait until that is known.
        self._numbers: dict[Any, dict[str, Any]] = {}  # by the method that has announced it
        self._updates: dict[Any, list[Params]] = {}
        self.writes |= {
            "initialize": self._write_initialize,
            "authenticate": self._write_authenticate,
            "session/new": self._write_new,
            "session/prompt": self._write_prompt,
            "session/cancel": self._write_cancel,
            "session/update": self._write_pushed,
            "session/request_permission": self._write_permission,
            "fs/read_text_file": self._write_file("readTextFile"),
            "fs/write_text_file": self._write_file("writeTextFile"),
        }
        self.reads |= {
            "initialize": self._read_initialize,
            "authenticate": self._read_authenticate,
            "sendUserMessage": self._read_message,
            "cancelSendMessage": self._read_cancel,
            "streamAssistantMessageChunk": self._read_stream,
            "pushToolCall": self._read_push,
            "updateToolCall": self._read_tool_call,
            _CONFIRMATION: self._read_confirmation,
            "updatePlan": self._read_plan,
            "readTextFile": self._read_file("fs/read_text_file"),
            "writeTextFile": self._read_file("fs/write_text_file"),
        }

    def is_ready(self, message: Message) -> bool:
        """Whether the official agent has a session for the message."""
        is_prompt = message.get("method") == "sendUserMessage"
        if self.side is Peer.AGENT or not is_prompt or self._session is not None:
            return True
        if not self._is_asking:
            self._is_asking = True
            self.note("the dialect has no sessions: one is created in acp-spy's folder")
            new = {"cwd": self.folder, "mcpServers": []}
            self.ask_official("session/new", new, self._created)
        return False

    def _created(self, response: Message) -> None:
        self._failure = response.get("error")
        self._session = fields(response.get("result")).get("sessionId", "")

    # An official client, and an agent of that time

    def _write_initialize(self, _params: Params, asked: Asked | None) -> None:
        def initialized(result: Any) -> Any:
            self._is_signed_in = fields(result).get("isAuthenticated") is not False
            methods = [] if self._is_signed_in else [{"id": "zed", "name": "Sign in"}]
            return {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": methods}

        version = {"protocolVersion": _VERSION}
        self.ask_dialect("initialize", version, self.returned(asked, initialized), asked)

    def _write_authenticate(self, _params: Params, asked: Asked | None) -> None:
        def signed_in(_result: Any) -> Any:
            self._is_signed_in = True
            return {}

        self.ask_dialect("authenticate", None, self.returned(asked, signed_in), asked)

    def _write_new(self, _params: Params, asked: Asked | None) -> None:
        if not self._is_signed_in:
            self.refuse(asked, _SIGN_IN, "Authentication required")
        elif self._session is not None:
            self.note("the dialect has one session only")
            self.refuse(asked, INVALID_PARAMS, f"{self.name} has one session only")
        else:
            self._session = "zed"
            self.note("`cwd` and `mcpServers` are left out")
            self.answer(asked, {"sessionId": self._session})

    def _write_prompt(self, params: Params, asked: Asked | None) -> None:
        chunks = _CHUNKS.write(items(params.get("prompt")), self.note)
        if not chunks:
            raise NoCounterpart("such a prompt")
        self._is_cancelled = False

        def ended(_result: Any) -> Any:
            return {"stopReason": "cancelled" if self._is_cancelled else "end_turn"}

        then = self.returned(asked, ended)
        self.ask_dialect("sendUserMessage", {"chunks": chunks}, then, asked)

    def _write_cancel(self, _params: Params, _asked: Asked | None) -> None:
        self._is_cancelled = True
        self.ask_dialect("cancelSendMessage", None)

    def _read_stream(self, params: Params, asked: Asked | None) -> None:
        chunk = fields(params.get("chunk"))
        is_thought = "thought" in chunk
        block = {"type": "text", "text": chunk.get("thought" if is_thought else "text")}
        name = "agent_thought_chunk" if is_thought else "agent_message_chunk"
        self.say(self._session, name, block)
        self.answer(asked, None)

    def _read_push(self, params: Params, asked: Asked | None) -> None:
        self.answer(asked, {"id": self._announce(params, "in_progress")})

    def _announce(self, params: Params, status: str) -> int:
        """Send the client a new tool call; return its number."""
        self._calls += 1
        made = _TOOL_CALL.read(params, self.note)
        made.pop("confirmation", None)
        update = {"sessionUpdate": "tool_call", "toolCallId": str(self._calls), "status": status}
        self.tell_update(self._session, {**update, **made})
        return self._calls

    def _read_tool_call(self, params: Params, asked: Asked | None) -> None:
        made = _TOOL_CALL.read(params, self.note)
        made["toolCallId"] = str(made.get("toolCallId"))
        if params.get("content") is None:
            made.pop("content", None)
        self.tell_update(self._session, {"sessionUpdate": "tool_call_update", **made})
        self.answer(asked, None)

    def _read_confirmation(self, params: Params, asked: Asked | None) -> None:
        number = self._announce(params, "pending")
        is_mcp = fields(params.get("confirmation")).get("type") == "mcp"
        offered = [*ASKED, *(_OF_MCP if is_mcp else ())]
        options = [
            {"optionId": name, "name": _NAMES[name], "kind": KINDS[name]} for name in offered
        ]
        tool_call = {"toolCallId": str(number), "title": params.get("label")}
        if params.get("confirmation"):
            tool_call["rawInput"] = params["confirmation"]

        def answered(result: Any) -> Any:
            outcome = fields(fields(result).get("outcome"))
            is_chosen = outcome.get("outcome") == "selected"
            return {"id": number, "outcome": outcome.get("optionId") if is_chosen else "cancel"}

        asking = {"sessionId": self._session, "toolCall": tool_call, "options": options}
        then = self.returned(asked, answered)
        self.ask_official("session/request_permission", asking, then, asked)

    def _read_plan(self, params: Params, asked: Asked | None) -> None:
        entries = items(params.get("entries"))
        self.tell_update(self._session, {"sessionUpdate": "plan", "entries": entries})
        self.answer(asked, None)

    def _read_file(self, official: str) -> Callable[[Params, Asked | None], None]:
        def read(params: Params, asked: Asked | None) -> None:
            result = self.calls[official].result
            then = self.returned(asked, lambda value: result.write(value, self.note))
            self.ask_official(official, {"sessionId": self._session, **params}, then, asked)

        return read

    # A client of that time, and an official agent

    def _read_initialize(self, params: Params, asked: Asked | None) -> None:
        version = text(params.get("protocolVersion")) or _VERSION

        def initialized(result: Any) -> Any:
            if items(fields(result).get("authMethods")):
                self.note("whether the user is signed in is not known: it is said to be so")
            return {"protocolVersion": version, "isAuthenticated": True}

        fs = {"readTextFile": True, "writeTextFile": True}
        offered = {"protocolVersion": 1, "clientCapabilities": {"fs": fs, "terminal": False}}
        self.ask_official("initialize", offered, self.returned(asked, initialized), asked)

    def _read_authenticate(self, _params: Params, asked: Asked | None) -> None:
        self.note("the dialect does not say how to sign in")
        self.refuse(asked, INVALID_PARAMS, "sign in with the agent's own command")

    def _read_message(self, params: Params, asked: Asked | None) -> None:
        def ended(result: Any) -> None:
            reason = fields(result).get("stopReason")
            if reason not in ("end_turn", "cancelled"):
                self.note(f"the stop reason `{reason}` is left out")

        if self._failure is not None:
            self.fail(asked, self._failure)
            self._session, self._is_asking = None, False  # the next one tries again
            return
        prompt = _CHUNKS.read(items(params.get("chunks")), self.note)
        asking = {"sessionId": self._session, "prompt": prompt}
        self.ask_official("session/prompt", asking, self.returned(asked, ended), asked)

    def _read_cancel(self, _params: Params, asked: Asked | None) -> None:
        if self._session is not None:
            self.tell_official("session/cancel", {"sessionId": self._session})
        self.answer(asked, None)

    def _write_pushed(self, params: Params, _asked: Asked | None) -> None:
        update = fields(params.get("update"))
        name = text(update.get("sessionUpdate")) or ""
        self._about = name or self._about
        if name in ("agent_message_chunk", "agent_thought_chunk"):
            key = "thought" if name == "agent_thought_chunk" else "text"
            chunk = {key: text_of(update.get("content"))}
            self.ask_dialect("streamAssistantMessageChunk", {"chunk": chunk})
        elif name == "plan":
            self.ask_dialect("updatePlan", {"entries": update.get("entries")})
        elif name == "tool_call":
            self._push(update)
        elif name == "tool_call_update":
            self._update(name_of(update.get("toolCallId")), update)
        else:
            raise NoCounterpart("this update")

    def _push(self, update: Params) -> None:
        identity = name_of(update.get("toolCallId"))
        self._updates[identity] = []
        self._numbers.pop(identity, None)

        def pushed(response: Message) -> None:
            self._named(identity, "pushToolCall", fields(response.get("result")).get("id"))

        self.ask_dialect("pushToolCall", self._shown(update), pushed)
        if update.get("status") in ("completed", "failed"):
            self._update(identity, update)

    def _shown(self, update: Params) -> Params:
        """Return a tool call as it is announced."""
        made = _TOOL_CALL.write(update, self.note)
        for key in ("rawInput", "rawOutput"):
            if made.get(key):
                self.note(f"`{key}` is left out")
        shown: Params = {"label": "", "icon": "hammer", "content": None, "locations": []}
        return {key: made.get(key, default) for key, default in shown.items()}

    def _named(self, identity: Any, method: str, number: Any) -> None:
        """Take the number that the client has for a tool call; send what has waited for it."""
        numbers = self._numbers.setdefault(identity, {})
        earlier = numbers.get(method, number)
        numbers[method] = number
        if earlier not in numbers.values():
            # Each permission is a tool call of its own there. Only the last one has updates: for
            # all of them, many permissions and updates would take the product of both.
            self.ask_dialect(
                "updateToolCall", {"toolCallId": earlier, "status": "finished", "content": None}
            )
        for update in self._updates.pop(identity, ()):
            try:
                self._update(identity, update)
            except NoCounterpart as missing:  # those after it have one, perhaps
                self.note(f"{missing} has no counterpart")

    def _update(self, identity: Any, update: Params) -> None:
        if identity in self._updates:
            self._updates[identity].append(update)
            return
        known = self.tool_call(self._session, identity)
        status = update.get("status") or (known.status if known else "in_progress")
        made = _TOOL_CALL.write({**update, "status": status}, lambda _words: None)
        for number in self._numbers.get(identity, {}).values():
            sent = {"toolCallId": number, "status": made["status"], "content": made.get("content")}
            self.ask_dialect("updateToolCall", sent)

    def _write_permission(self, params: Params, asked: Asked | None) -> None:
        tool_call = self.titled(params.get("sessionId"), fields(params.get("toolCall")))
        options = [fields(each) for each in items(params.get("options"))]
        identity = name_of(tool_call.get("toolCallId"))

        def confirmed(result: Any) -> Any:
            self._named(identity, _CONFIRMATION, fields(result).get("id"))
            return {"outcome": self._outcome(fields(result).get("outcome"), options)}

        shown = self._shown(tool_call)
        about = {"type": "other", "description": shown["label"]}
        self.ask_dialect(
            _CONFIRMATION,
            {**shown, "confirmation": about},
            self.returned(asked, confirmed),
            asked,
        )

    def _outcome(self, answer: Any, options: list[Params]) -> Params:
        """Return the option for what the client has answered; a narrower one, if need be."""
        kind = KINDS.get(answer) if isinstance(answer, str) else None
        narrower = {"allow_always": "allow_once"}
        for wanted in (kind, narrower.get(kind or "")):
            for option in options:
                if wanted and option.get("kind") == wanted:
                    if wanted != kind:
                        self.note(f"`{kind}` is not offered: sent as `{wanted}`")
                    return {"outcome": "selected", "optionId": option.get("optionId")}
        return {"outcome": "cancelled"}

    def _write_file(self, name: str) -> Callable[[Params, Asked | None], None]:
        official = {each.name: key for key, each in self.calls.items()}[name]

        def write(params: Params, asked: Asked | None) -> None:
            result = self.calls[official].result
            rest = {key: item for key, item in params.items() if key != "sessionId"}
            then = self.returned(asked, lambda value: result.read(value, self.note))
            self.ask_dialect(name, rest, then, asked)

        return write
