"""Threads: the first week of Zed's own crate. No `jsonrpc`, and everything is a request."""

from typing import Any

from acp_spy.dialect.declaration import Dialect, Evidence, Line, Params
from acp_spy.dialect.document import (
    ANY,
    BOOL,
    BOTH,
    INT,
    NULL,
    TEXT,
    asks,
    document,
    many,
    one_of,
    record,
    union,
)
from acp_spy.dialect.reading import reach, text_block
from acp_spy.protocol import events as ev
from acp_spy.protocol.shapes import Integer, Text
from acp_spy.wire.values import fields, items, text

_METHODS = (
    "getThreads",
    "createThread",
    "openThread",
    "getThreadEntries",
    "sendMessage",
    "streamMessageChunk",
    "readBinaryFile",
    "stat",
    "globSearch",
)


def _has_chunk(line: Line) -> bool:
    chunks = [reach(line.body, "chunk"), *items(reach(line.body, "message", "chunks"))]
    for entry in items(reach(line.body, "entries")):
        chunks += items(reach(entry, "chunks"))
    return any(isinstance(reach(chunk, "chunk"), str) for chunk in chunks)


def _block(chunk: Any) -> Any:
    """Return the official content block for a chunk."""
    return text_block(chunk["chunk"]) if "chunk" in fields(chunk) else chunk


def _sent(p: Params) -> ev.Event:
    """Return a turn's beginning: who sends a message waits for what is made of it."""
    chunks = items(reach(p, "message", "chunks"))
    return ev.TurnStarted(_thread(p), [_block(chunk) for chunk in chunks])


def _listed(_: Params, r: Params) -> ev.Event:
    named = [text(fields(thread).get("id")) for thread in items(r.get("threads"))]
    threads = tuple(name for name in named if name is not None)
    return ev.SessionsListed(threads, (None,) * len(threads))


def _entries(p: Params, r: Params) -> ev.Event:
    """Return a thread's history, which official ACP tells in updates."""
    events: list[ev.Event] = []
    for number, entry in enumerate(map(fields, items(r.get("entries")))):
        if entry.get("type") == "message":
            role = "user" if entry.get("role") == "user" else "agent"
            chunks = [_block(chunk) for chunk in items(entry.get("chunks"))]
            events.append(ev.Said(_thread(p), role, chunks))
        elif entry.get("type") == "readFile":
            path = entry.get("path")
            content = [{"type": "content", "content": text_block(entry.get("content"))}]
            read = {"title": path, "kind": "read", "status": "completed", "content": content}
            events.append(
                ev.ToolCallChanged(_thread(p), f"entry-{number}", is_new=True, fields=read)
            )
    return ev.HistoryReplayed(_thread(p), tuple(events))


def _thread(p: Params) -> str | None:
    return text(p.get("threadId"))


_PATH = {"threadId": TEXT, "path": TEXT}
_VERSION = Integer(0, 2**64 - 1)
# Its document has the directions the other way round than the crate that it describes: who sends
# what is not judged.
_DOCUMENT = document(
    "threads",
    (
        asks("getThreads", "Nothing", "GetThreadsResponse", BOTH),
        asks("createThread", "Nothing", "CreateThreadResponse", BOTH),
        asks("openThread", "OfThread", "Null", BOTH),
        asks("getThreadEntries", "OfThread", "GetThreadEntriesResponse", BOTH),
        asks("sendMessage", "SendMessageParams", "Null", BOTH),
        asks("streamMessageChunk", "StreamMessageChunkParams", "Null", BOTH),
        asks("readTextFile", "ReadTextFileParams", "File", BOTH),
        asks("readBinaryFile", "ReadBinaryFileParams", "BinaryFile", BOTH),
        asks("stat", "StatParams", "StatResponse", BOTH),
        asks("globSearch", "GlobSearchParams", "GlobSearchResponse", BOTH),
    ),
    {
        "Call": record({"id": INT, "method": TEXT, "params?": ANY}),
        "Answer": record({"id": ANY, "result?": ANY, "error?": ANY}),
        "Error": record({"code": INT, "message": TEXT}),
        "Nothing": record({}),
        "Null": NULL,
        "OfThread": record({"threadId": TEXT}),
        "GetThreadsResponse": record({"threads": many("ThreadMetadata")}),
        "ThreadMetadata": record(
            {"id": TEXT, "title": TEXT, "modifiedAt": Text(format="date-time")}
        ),
        "CreateThreadResponse": record({"threadId": TEXT}),
        "GetThreadEntriesResponse": record({"entries": many("ThreadEntry")}),
        "ThreadEntry": union(
            "type",
            {
                "message": record({"role": "Role", "chunks": many("MessageChunk")}),
                "readFile": record({"path": TEXT, "content": TEXT}),
            },
        ),
        "SendMessageParams": record({"threadId": TEXT, "message": "Message"}),
        "Message": record({"role": "Role", "chunks": many("MessageChunk")}),
        "MessageChunk": union("type", {"text": record({"chunk": TEXT})}),
        "Role": one_of("user", "assistant"),
        "StreamMessageChunkParams": record({"threadId": TEXT, "chunk": "MessageChunk"}),
        "ReadTextFileParams": record({**_PATH, "lineOffset?": INT, "lineLimit?": INT}),
        "ReadBinaryFileParams": record({**_PATH, "byteOffset?": INT, "byteLimit?": INT}),
        "File": record({"version": _VERSION, "content": TEXT}),
        "BinaryFile": record({"version": _VERSION, "content": Text(format="base64")}),
        "StatParams": record(_PATH),
        "StatResponse": record({"exists": BOOL, "isDirectory": BOOL}),
        "GlobSearchParams": record({"threadId": TEXT, "pattern": TEXT}),
        "GlobSearchResponse": record({"matches": many(TEXT)}),
    },
)

THREADS = Dialect(
    name="threads",
    title="the threads dialect",
    origin="the wire format of Zed's acp crate, June 2025",
    evidence=(
        Evidence(
            3,
            "a method about threads without `jsonrpc`",
            lambda line: not line.has_jsonrpc,
            betrays=_METHODS,
            calls=_METHODS,
            answers=_METHODS,
        ),
        Evidence(
            2,
            "`threadId`",
            lambda line: reach(line.body, "threadId") is not None,
            betrays=("threadId",),
            calls=(*_METHODS, "readTextFile"),
            answers=("createThread",),
        ),
        Evidence(
            2,
            "a text in `chunk`",
            _has_chunk,
            betrays=("chunk",),
            calls=("sendMessage", "streamMessageChunk"),
            answers=("getThreadEntries",),
        ),
    ),
    words={
        "getThreads": "session/list",
        "createThread": "session/new",
        "openThread": "session/load",
        "getThreadEntries": "the session/update notifications before the response to session/load",
        "sendMessage": "session/prompt",
        "streamMessageChunk": "session/update with agent_message_chunk, a notification",
        "readTextFile": "fs/read_text_file",
        "readBinaryFile": "not in ACP",
        "stat": "not in ACP",
        "globSearch": "not in ACP",
        "lineOffset": "line, from 1",
        "lineLimit": "limit",
        "threadId": "sessionId",
        "modifiedAt": "updatedAt",
        "chunk": "text",
    },
    calls={
        "createThread": lambda _: ev.SessionAsked("new", None, None),
        "openThread": lambda p: ev.SessionAsked("load", _thread(p), None),
        "sendMessage": _sent,
        "streamMessageChunk": lambda p: ev.Said(_thread(p), "agent", _block(p.get("chunk"))),
    },
    answers={
        "getThreads": _listed,
        "getThreadEntries": _entries,
        "createThread": lambda _, r: ev.SessionOpened("new", _thread(r), None),
        "openThread": lambda p, _: ev.SessionOpened("load", _thread(p), None),
        "sendMessage": lambda p, _: ev.TurnEnded(_thread(p), None),
    },
    prompts=("sendMessage",),
    session_keys=("threadId",),
    document=_DOCUMENT,
    has_jsonrpc=False,
    shows_refusal=True,
    rules=("unknown-session",),
)
