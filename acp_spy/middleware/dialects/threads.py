"""Threads: no handshake, no notifications, and nothing but texts and files."""

from typing import Any, ClassVar

import msgspec

from acp_spy.dialect.threads import THREADS
from acp_spy.middleware.dialects.tables import Both, Calls, NoCounterpart, Note, call, each, record
from acp_spy.middleware.dialects.translation import (
    INTERNAL,
    METHOD_NOT_FOUND,
    Asked,
    Message,
    Params,
    Then,
    Translation,
    name_of,
    text_of,
)
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items, text

_MOST_WAITING = 8  # requests, until a thread is opened
_MOST_PAGES = 1000  # of a list, after the first: an agent may send a new cursor with each
_VERSION = 0  # of a file: official ACP has none
_NO_TIME = "1970-01-01T00:00:00Z"
_NOT_THERE = ("readBinaryFile", "stat", "globSearch")


def _read_chunk(chunk: Any, _note: Note) -> Any:
    return {"type": "text", "text": fields(chunk).get("chunk")}


def _write_chunk(block: Any, _note: Note) -> Any:
    return {"type": "text", "chunk": text_of(block)}


_CHUNKS = each(Both(_read_chunk, _write_chunk))


def _read_lines(params: Any, note: Note) -> Any:
    made = record({"threadId": "sessionId", "lineLimit": "limit"}).read(params, note)
    offset = made.pop("lineOffset", None)
    return {**made, "line": offset + 1} if isinstance(offset, int) else made


def _write_lines(params: Any, note: Note) -> Any:
    made = record({"threadId": "sessionId", "lineLimit": "limit"}).write(params, note)
    line = made.pop("line", None)
    return {**made, "lineOffset": max(line - 1, 0)} if isinstance(line, int) else made


class Threads(Translation):
    """The dialect of the first week of Zed's own crate."""

    name = THREADS.name
    origin = THREADS.origin
    cannot = (
        "thoughts, plans, tool calls, permissions, cancellation, stop reasons, folders, writing"
        " files, terminals"
    )
    document = THREADS.document
    has_jsonrpc = False
    has_numbers = True
    calls: ClassVar[Calls] = {
        "fs/read_text_file": call(
            "readTextFile",
            Both(_read_lines, _write_lines),
            record(lacks=("version",), write={"version": _VERSION}),
        ),
    }

    def __init__(self, side: Peer, *more: Any) -> None:
        super().__init__(side, *more)
        self._capabilities: Params | None = None  # of an official agent
        self._is_asking = False
        self._cancelled: set[Any] = set()
        self._entries: dict[Any, list[Params]] = {}  # what was said and read, by session
        self._loading: dict[Any, list[Then]] = {}  # and who waits for it
        self.writes |= {
            "initialize": self._write_initialize,
            "session/new": self._write_new,
            "session/list": self._write_list,
            "session/load": self._write_load,
            "session/prompt": self._write_prompt,
            "session/cancel": self._write_cancel,
            "session/update": self._write_message,
            "session/request_permission": self.reject,
        }
        self.reads |= {
            "createThread": self._read_create,
            "getThreads": self._read_get,
            "openThread": self._read_open,
            "getThreadEntries": self._read_entries,
            "sendMessage": self._read_send,
            "streamMessageChunk": self._read_stream,
            **dict.fromkeys(_NOT_THERE, self._refuse),
        }

    def is_ready(self, _message: Message) -> bool:
        """Whether the official agent has been initialized."""
        if self.side is Peer.AGENT or self._capabilities is not None:
            return True
        if not self._is_asking:
            self._is_asking = True
            fs = {"readTextFile": True, "writeTextFile": False}
            offered = {"protocolVersion": 1, "clientCapabilities": {"fs": fs, "terminal": False}}
            self.ask_official("initialize", offered, self._initialized)
        return False

    def _initialized(self, response: Message) -> None:
        result = fields(response.get("result"))
        self._capabilities = fields(result.get("agentCapabilities"))

    def _refuse(self, _params: Params, asked: Asked | None) -> None:
        self.note("official ACP has no counterpart for it")
        message = f"Method not found - '{self._about}'"
        self.refuse(asked, METHOD_NOT_FOUND, message)

    # An official client, and an agent that speaks threads

    def _write_initialize(self, _params: Params, asked: Asked | None) -> None:
        offered = {"loadSession": True, "sessionCapabilities": {"list": {}}}
        result = {"protocolVersion": 1, "agentCapabilities": offered, "authMethods": []}
        self.answer(asked, result)

    def _write_new(self, params: Params, asked: Asked | None) -> None:
        self.folder = text(params.get("cwd")) or self.folder
        self.note("`cwd` is left out")
        if params.get("mcpServers"):
            self.note("`mcpServers` is left out")
        then = self.returned(asked, lambda made: {"sessionId": fields(made).get("threadId")})
        self.ask_dialect("createThread", None, then, asked)

    def _write_list(self, _params: Params, asked: Asked | None) -> None:
        def listed(result: Any) -> Any:
            threads = [fields(thread) for thread in items(fields(result).get("threads"))]
            self.note("threads have no `cwd`: the client's is sent")
            size = len(msgspec.json.encode(self.folder))
            if not self.has_room(len(threads) * size):  # one message, made as a whole
                raise NoCounterpart("so long a list of threads, each with the client's `cwd`,")
            return {
                "sessions": [
                    {
                        "sessionId": thread.get("id"),
                        "cwd": self.folder,
                        "title": thread.get("title"),
                        "updatedAt": thread.get("modifiedAt"),
                    }
                    for thread in threads
                ]
            }

        self.ask_dialect("getThreads", None, self.returned(asked, listed), asked)

    def _write_load(self, params: Params, asked: Asked | None) -> None:
        session = name_of(params.get("sessionId"))
        thread = {"threadId": session}

        def replay(result: Any) -> Any:
            for entry in items(fields(result).get("entries")):
                self._tell_entry(session, fields(entry))
            return {}

        def opened(response: Message) -> None:
            if response.get("error") is not None:
                self.fail(asked, response["error"])
            else:
                self.ask_dialect("getThreadEntries", thread, self.returned(asked, replay))

        self.ask_dialect("openThread", thread, opened, asked)

    def _tell_entry(self, session: Any, entry: Params) -> None:
        if entry.get("type") == "message":
            name = "user_message_chunk" if entry.get("role") == "user" else "agent_message_chunk"
            for block in _CHUNKS.read(items(entry.get("chunks")), self.note):
                self.say(session, name, block)
        elif entry.get("type") == "readFile":
            self._count += 1
            block = {"type": "text", "text": entry.get("content")}
            path = text(entry.get("path")) or ""
            read = {
                "sessionUpdate": "tool_call",
                "toolCallId": f"acp-spy:{self.name}:{self._count}",
                "title": f"Read {path}",
                "kind": "read",
                "status": "completed",
                "locations": [{"path": path}],
                "content": [{"type": "content", "content": block}],
            }
            self.tell_update(session, read)

    def _write_prompt(self, params: Params, asked: Asked | None) -> None:
        session = name_of(params.get("sessionId"))
        chunks = _CHUNKS.write(items(params.get("prompt")), self.note)
        if not chunks:
            raise NoCounterpart("a prompt without text")
        self._cancelled.discard(session)

        def ended(_result: Any) -> Any:
            return {"stopReason": "cancelled" if session in self._cancelled else "end_turn"}

        message = {"threadId": session, "message": {"role": "user", "chunks": chunks}}
        self.ask_dialect("sendMessage", message, self.returned(asked, ended), asked)

    def _write_cancel(self, params: Params, _asked: Asked | None) -> None:
        self.note("the dialect cannot cancel: the turn goes on until the agent ends it")
        self._cancelled.add(name_of(params.get("sessionId")))

    def _read_stream(self, params: Params, asked: Asked | None) -> None:
        block = _read_chunk(params.get("chunk"), self.note)
        self.say(name_of(params.get("threadId")), "agent_message_chunk", block)
        self.answer(asked, None)

    # A client that speaks threads, and an official agent

    def _read_create(self, _params: Params, asked: Asked | None) -> None:
        self.note("threads have no folder: `cwd` is that of acp-spy")

        def created(result: Any) -> Any:
            session = name_of(fields(result).get("sessionId"))
            self._entries[session] = []
            return {"threadId": session}

        new = {"cwd": self.folder, "mcpServers": []}
        self.ask_official("session/new", new, self.returned(asked, created), asked)

    def _read_get(self, _params: Params, asked: Asked | None) -> None:
        offered = fields(fields(self._capabilities).get("sessionCapabilities"))
        if offered.get("list") is None:
            self.note("the agent cannot list sessions: none is listed")
            self.answer(asked, {"threads": []})
            return
        found: list[Params] = []
        cursors: set[Any] = set()

        def listed(response: Message) -> None:
            if response.get("error") is not None:
                self.fail(asked, response["error"])
                return
            result = fields(response.get("result"))
            for session in map(fields, items(result.get("sessions"))):
                if not session.get("updatedAt"):
                    self.note(f"a session without a time is of {_NO_TIME}")
                thread = {"id": session.get("sessionId"), "title": session.get("title") or ""}
                found.append({**thread, "modifiedAt": session.get("updatedAt") or _NO_TIME})
            cursor = name_of(result.get("nextCursor"))
            if not cursor:
                self.answer(asked, {"threads": found})
            elif cursor in cursors or len(cursors) == _MOST_PAGES:
                self.note("the agent's list of sessions does not end: the rest is left out")
                self.answer(asked, {"threads": found})
            else:
                cursors.add(cursor)
                self.ask_official("session/list", {"cursor": result["nextCursor"]}, listed)

        self.ask_official("session/list", {}, listed, asked)

    def _read_open(self, params: Params, asked: Asked | None) -> None:
        self._load(name_of(params.get("threadId")), asked, lambda _entries: None)

    def _read_entries(self, params: Params, asked: Asked | None) -> None:
        self._load(name_of(params.get("threadId")), asked, lambda entries: {"entries": entries})

    def _load(self, session: Any, asked: Asked | None, result: Any) -> None:
        """Answer `asked` when the session is there, by what was said in it."""
        then = self.returned(asked, lambda _: result(self._entries[session]))
        if waiting := self._loading.get(session):
            if len(waiting) < _MOST_WAITING:  # each gets all of the thread, at the same moment
                waiting.append(then)
            else:
                self.refuse(asked, INTERNAL, "the thread is still being opened: ask again later")
            return
        if session in self._entries:
            self.answer(asked, result(self._entries[session]))
            return
        if fields(self._capabilities).get("loadSession") is not True:
            self.note("the agent cannot load sessions")
            self.refuse(asked, METHOD_NOT_FOUND, "the agent cannot open a thread again")
            return
        self._entries[session] = []
        self._loading[session] = [then]

        def loaded(response: Message) -> None:
            if response.get("error") is not None:
                del self._entries[session]
            for pass_on in self._loading.pop(session):
                pass_on(response)

        load = {"sessionId": session, "cwd": self.folder, "mcpServers": []}
        self.ask_official("session/load", load, loaded, asked)

    def _read_send(self, params: Params, asked: Asked | None) -> None:
        session, message = name_of(params.get("threadId")), fields(params.get("message"))
        if message.get("role") != "user":
            raise NoCounterpart(f"a message of role `{message.get('role')}`")
        self._remember(session, message)

        def ended(result: Any) -> None:
            reason = fields(result).get("stopReason")
            if reason != "end_turn":
                self.note(f"the stop reason `{reason}` is left out")

        prompt = _CHUNKS.read(items(message.get("chunks")), self.note)
        asking = {"sessionId": session, "prompt": prompt}
        self.ask_official("session/prompt", asking, self.returned(asked, ended), asked)

    def _write_message(self, params: Params, _asked: Asked | None) -> None:
        session, update = name_of(params.get("sessionId")), fields(params.get("update"))
        name = text(update.get("sessionUpdate")) or ""
        self._about = name or self._about
        roles = {"agent_message_chunk": "assistant", "user_message_chunk": "user"}
        if name not in roles:
            raise NoCounterpart("this update")
        chunk = _write_chunk(update.get("content"), self.note)
        self._remember(session, {"role": roles[name], "chunks": [chunk]})
        if session in self._loading:
            return  # the client asks for it
        if name == "user_message_chunk":
            raise NoCounterpart("this update")
        self.ask_dialect("streamMessageChunk", {"threadId": session, "chunk": chunk})

    def _remember(self, session: Any, message: Params) -> None:
        entries = self._entries.setdefault(session, [])
        chunks = items(message.get("chunks"))
        last = entries[-1] if entries else {}
        if last.get("role") == message.get("role"):
            last["chunks"] += chunks
        else:
            entries.append({"type": "message", "role": message.get("role"), "chunks": [*chunks]})
