"""The four ways to ask a model over HTTP: what is asked is read, and a reply spelled, in each."""

import json
import uuid
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol

from .script import Asked, Reply, prompt_in

Json = dict[str, Any]
Event = tuple[str | None, Json | str]  # name and data of a server-sent event


class Api(Protocol):
    """One vendor's way."""

    def asked(self, body: Json) -> Asked: ...

    def events(self, reply: Reply) -> Iterator[Event]:
        """Spell the reply as a stream."""

    def whole(self, reply: Reply) -> Json:
        """Spell the reply as one object, for those who do not want a stream."""


def new(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


def text_of(content: Any) -> str:
    """Return all text in a message's content, which is a string, a block, or a list of blocks."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(map(text_of, content))
        case {"text": str(text)}:
            return text
    return ""


def asked_in(turns: Iterator[tuple[str, int]], tools: Iterator[str]) -> Asked:
    """Find the last known prompt, and count the results after it. A turn is (text, results)."""
    prompt, results = "", 0
    for text, more in turns:
        if known := prompt_in(text):
            prompt, results = known, 0
        results += more
    return Asked(prompt, results, tuple(tools))


class Anthropic:
    """POST /v1/messages"""

    usage: ClassVar = {"input_tokens": 100, "output_tokens": 20}

    def asked(self, body: Json) -> Asked:
        def turns() -> Iterator[tuple[str, int]]:
            for message in body["messages"]:
                content = message["content"]
                blocks = content if isinstance(content, list) else []
                results = sum(block.get("type") == "tool_result" for block in blocks)
                if message["role"] == "user":
                    yield text_of(content), results

        return asked_in(turns(), (tool["name"] for tool in body.get("tools") or []))

    def events(self, reply: Reply) -> Iterator[Event]:
        def event(kind: str, **members: Any) -> Event:
            return kind, {"type": kind, **members}

        message = {**self._message(), "content": [], "stop_reason": None}
        yield event("message_start", message=message)
        start, delta, stop = (f"content_block_{word}" for word in ("start", "delta", "stop"))
        yield event(start, index=0, content_block={"type": "text", "text": ""})
        for word in reply.words():
            yield event(delta, index=0, delta={"type": "text_delta", "text": word})
        yield event(stop, index=0)
        if reply.call:
            name, arguments = reply.call
            block = {"type": "tool_use", "id": new("toolu_"), "name": name, "input": {}}
            yield event(start, index=1, content_block=block)
            piece = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
            yield event(delta, index=1, delta=piece)
            yield event(stop, index=1)
        ending = {"stop_reason": self._stop(reply), "stop_sequence": None}
        yield event("message_delta", delta=ending, usage=self.usage)
        yield event("message_stop")

    def whole(self, reply: Reply) -> Json:
        content = [{"type": "text", "text": reply.text}]
        return {**self._message(), "content": content, "stop_reason": "end_turn"}

    def _message(self) -> Json:
        return {
            "id": new("msg_"),
            "type": "message",
            "role": "assistant",
            "model": "stand-in",
            "stop_sequence": None,
            "usage": self.usage,
        }

    def _stop(self, reply: Reply) -> str:
        return "tool_use" if reply.call else "end_turn"


class Chat:
    """POST /v1/chat/completions, which OpenAI had first and many have copied"""

    usage: ClassVar = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

    def asked(self, body: Json) -> Asked:
        def turns() -> Iterator[tuple[str, int]]:
            for message in body["messages"]:
                if message["role"] == "user":
                    yield text_of(message["content"]), 0
                elif message["role"] == "tool":
                    yield "", 1

        return asked_in(turns(), (tool["function"]["name"] for tool in body.get("tools") or []))

    def events(self, reply: Reply) -> Iterator[Event]:
        ident = new("chatcmpl-")

        def event(delta: Json, finish: str | None = None, **members: Any) -> Event:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return None, self._answer("chat.completion.chunk", ident, choice, **members)

        yield event({"role": "assistant", "content": ""})
        for word in reply.words():
            yield event({"content": word})
        if reply.call:
            name, arguments = reply.call
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": 0, "id": new("call_"), "type": "function", "function": function}
            yield event({"tool_calls": [call]})
        yield event({}, "tool_calls" if reply.call else "stop", usage=self.usage)
        yield None, "[DONE]"

    def whole(self, reply: Reply) -> Json:
        message = {"role": "assistant", "content": reply.text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return self._answer("chat.completion", new("chatcmpl-"), choice, usage=self.usage)

    def _answer(self, kind: str, ident: str, choice: Json, **members: Any) -> Json:
        common = {"id": ident, "object": kind, "created": 1, "model": "stand-in"}
        return {**common, "choices": [choice], **members}


class Responses:
    """POST /v1/responses"""

    usage: ClassVar = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}

    def asked(self, body: Json) -> Asked:
        def turns() -> Iterator[tuple[str, int]]:
            for item in body["input"]:
                kind = item.get("type", "message")
                if kind == "message" and item["role"] == "user":
                    yield text_of(item["content"]), 0
                elif kind.endswith("_output"):
                    yield "", 1

        return asked_in(turns(), (tool.get("name", "") for tool in body.get("tools") or []))

    def events(self, reply: Reply) -> Iterator[Event]:
        def event(kind: str, **members: Any) -> Event:
            return kind, {"type": kind, **members}

        response = {"id": new("resp_"), "object": "response", "model": "stand-in", "output": []}
        yield event("response.created", response={**response, "status": "in_progress"})
        message = {"type": "message", "id": new("msg_"), "role": "assistant", "content": []}
        yield event("response.output_item.added", output_index=0, item=message)
        for word in reply.words():
            piece = {"item_id": message["id"], "output_index": 0, "content_index": 0, "delta": word}
            yield event("response.output_text.delta", **piece)
        items = [{**message, "content": [{"type": "output_text", "text": reply.text}]}]
        if reply.call:
            name, arguments = reply.call
            call = {"type": "function_call", "id": new("fc_"), "call_id": new("call_")}
            items.append({**call, "name": name, "arguments": json.dumps(arguments)})
        for index, item in enumerate(items):
            yield event("response.output_item.done", output_index=index, item=item)
        done = {**response, "output": items, "status": "completed", "usage": self.usage}
        yield event("response.completed", response=done)

    def whole(self, reply: Reply) -> Json:
        content = [{"type": "output_text", "text": reply.text}]
        message = {"type": "message", "id": new("msg_"), "role": "assistant", "content": content}
        return {
            "id": new("resp_"),
            "object": "response",
            "status": "completed",
            "output": [message],
        }


class Gemini:
    """POST /v1beta/models/NAME:streamGenerateContent and :generateContent"""

    usage: ClassVar = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}

    def asked(self, body: Json) -> Asked:
        def turns() -> Iterator[tuple[str, int]]:
            for content in body["contents"]:
                parts = content["parts"]
                if content.get("role") != "model":
                    yield text_of(parts), sum("functionResponse" in part for part in parts)

        declared = (
            function["name"]
            for tool in body.get("tools") or []
            for function in tool.get("functionDeclarations") or []
        )
        return asked_in(turns(), declared)

    def events(self, reply: Reply) -> Iterator[Event]:
        for word in reply.words():
            yield None, self._candidate([{"text": word}])
        if reply.call:
            name, arguments = reply.call
            yield None, self._candidate([{"functionCall": {"name": name, "args": arguments}}])
        yield None, self._candidate([{"text": ""}], finishReason="STOP")

    def whole(self, reply: Reply) -> Json:
        return self._candidate([{"text": reply.text}], finishReason="STOP")

    def _candidate(self, parts: list[Json], **members: Any) -> Json:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **members}
        return {"candidates": [candidate], "usageMetadata": self.usage}


def api_at(path: str) -> Api | None:
    """Return whose way it is to ask at this path."""
    if path.endswith("/messages"):
        return Anthropic()
    if path.endswith("/chat/completions"):
        return Chat()
    if path.endswith("/responses"):
        return Responses()
    if path.endswith((":generateContent", ":streamGenerateContent")):
        return Gemini()
    return None
