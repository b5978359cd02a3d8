"""Threads: the first week of Zed's own crate. No `jsonrpc`, and everything is a request."""

from typing import Any

from acp_spy.dialect.model import Dialect, Evidence, Line, Params
from acp_spy.dialect.reading import reach, text_block
from acp_spy.protocol import events as ev
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


def _thread(p: Params) -> str | None:
    return text(p.get("threadId"))


THREADS = Dialect(
    name="threads",
    title="the threads dialect",
    origin="Zed's acp crate of June 2025",
    evidence=(
        Evidence(
            3,
            "a method about threads without `jsonrpc`",
            lambda line: not line.has_jsonrpc,
            calls=_METHODS,
            answers=_METHODS,
        ),
        Evidence(
            2,
            "`threadId`",
            lambda line: reach(line.body, "threadId") is not None,
            calls=(*_METHODS, "readTextFile"),
            answers=("createThread",),
        ),
        Evidence(
            2,
            "a text in `chunk`",
            _has_chunk,
            calls=("sendMessage", "streamMessageChunk"),
            answers=("getThreadEntries",),
        ),
    ),
    words={
        "getThreads": "session/list",
        "createThread": "session/new",
        "openThread": "session/load",
        "getThreadEntries": "the session/update notifications after session/load",
        "sendMessage": "session/prompt",
        "streamMessageChunk": "session/update with agent_message_chunk, a notification",
        "readTextFile": "fs/read_text_file",
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
        "createThread": lambda _, r: ev.SessionOpened("new", _thread(r), None),
        "openThread": lambda p, _: ev.SessionOpened("load", _thread(p), None),
        "sendMessage": lambda p, _: ev.TurnEnded(_thread(p), None),
    },
    prompts=("sendMessage",),
    session_keys=("threadId",),
)
