"""Crow: other names, permissions by notification, and `cancel` as a request."""

from collections import OrderedDict, defaultdict, deque
from typing import Any, ClassVar

import msgspec

from acp_spy.dialect.crow import CHOICES, CROW, KINDS, WORDS
from acp_spy.middleware.dialects.tables import Calls, Note, call, record, word
from acp_spy.middleware.dialects.translation import (
    INTERNAL,
    Asked,
    Message,
    Params,
    Translation,
    chunk,
    name_of,
)
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items, text

_PROMPT = record({"resource": "embeddedContext"}, lacks=("text",), write={"text": True})
_AGENT = record(WORDS, {"promptCapabilities": _PROMPT})
_TOOL_CALL = record({"tool_call_id": "toolCallId"}, write={"kind": "other", "status": "pending"})
_TOOL_CALL_UPDATE = record({"tool_call_id": "toolCallId"})
_STOP_REASON = word({}, dict.fromkeys(("max_tokens", "max_turn_requests", "refusal"), "end_turn"))
_SESSION = {"session_id": "sessionId"}
_About = tuple[Any, Any]  # a session and a tool call
_Index = defaultdict[Any, OrderedDict[_About, None]]


class _Permissions:
    """
    What the client has been asked for, in order, found by session, by tool call or by both.

    Both may be null in a request, and an answer may name less: a name is that of `name_of`.
    """

    def __init__(self) -> None:
        self._asked: dict[_About, deque[Asked | None]] = {}
        # An `OrderedDict`, in which the first is found at once however many were before it.
        self._all: OrderedDict[_About, None] = OrderedDict()
        self._of_session: _Index = defaultdict(OrderedDict)
        self._of_call: _Index = defaultdict(OrderedDict)

    def add(self, about: _About, asked: Asked | None) -> None:
        """Take another request."""
        if about not in self._asked:
            self._asked[about] = deque()
            for index in self._indexes(about):
                index[about] = None
        self._asked[about].append(asked)

    def find(self, session: Any, call_of: Any) -> _About | None:
        """Return what the first is about that fits; a part that is not named fits all."""
        if session is not None and call_of is not None:
            return (session, call_of) if (session, call_of) in self._asked else None
        if session is not None:
            found = self._of_session.get(session)
        else:
            found = self._all if call_of is None else self._of_call.get(call_of)
        return next(iter(found), None) if found else None

    def take_first(self, about: _About) -> Asked | None:
        """Return the first request about it, which is answered now."""
        asked = self._asked[about].popleft()
        if not self._asked[about]:
            self._forget(about)
        return asked

    def take_session(self, session: Any) -> list[Asked | None]:
        """Return all requests of a session, which are answered now."""
        taken: list[Asked | None] = []
        for about in [*self._of_session.get(session, ())]:
            taken += self._asked[about]
            self._forget(about)
        return taken

    def _forget(self, about: _About) -> None:
        del self._asked[about]
        for index in self._indexes(about):
            del index[about]
        for by_part, part in zip((self._of_session, self._of_call), about, strict=True):
            if not by_part[part]:
                del by_part[part]

    def _indexes(self, about: _About) -> tuple[OrderedDict[_About, None], ...]:
        session, call_of = about
        return self._all, self._of_session[session], self._of_call[call_of]


class Crow(Translation):
    """The dialect of the crow agent framework."""

    name = CROW.name
    origin = CROW.origin
    cannot = "files, terminals, modes, the user's own messages, most stop reasons"
    document = CROW.document
    tag = "@type"
    calls: ClassVar[Calls] = {
        "initialize": call(
            "initialize",
            record(WORDS, write={"client_capabilities": {}}),
            record(WORDS, {"agentCapabilities": _AGENT}, write={"agent_capabilities": {}}),
        ),
        "session/new": call("session/new"),
        "session/load": call("session/load", record(_SESSION, read={"mcpServers": []}), record()),
        "session/prompt": call(
            "session/prompt", record(_SESSION), record(WORDS, {"stopReason": _STOP_REASON})
        ),
    }
    updates: ClassVar[Calls] = {
        "agent_message_chunk": call("agent_message_text", chunk("text")),
        "agent_thought_chunk": call("agent_thought_text", chunk("text")),
        "tool_call": call("tool_call_start", _TOOL_CALL),
        "tool_call_update": call("tool_call_update", _TOOL_CALL_UPDATE),
        "plan": call("plan_update"),
    }

    def __init__(self, side: Peer, *more: Any) -> None:
        super().__init__(side, *more)
        self._permissions = _Permissions()
        self.writes |= {
            "session/cancel": self._write_cancel,
            "session/request_permission": self._write_permission,
        }
        self.reads |= {
            "cancel": self._read_cancel,
            "permission_response": self._read_answer,
            "session/update": self._read_any_update,
        }

    def read_prompt_response(self, asked: Asked | None, response: Message) -> None:
        """Read the end of a turn, which may be an error."""
        if fields(response.get("result")).get("stop_reason") == "error":
            self.refuse(asked, INTERNAL, "the agent ended the turn with `stop_reason: error`")
            return
        result = self.calls["session/prompt"].result
        self.returned(asked, lambda value: result.read(value, self.note))(response)

    def _write(self, of: Any, params: Params, asked: Asked | None) -> None:
        if of.name != "session/prompt":
            super()._write(of, params, asked)
            return
        made = of.params.write(params, self.note)
        self.ask_dialect(of.name, made, lambda r: self.read_prompt_response(asked, r), asked)

    def _write_cancel(self, params: Params, _asked: Asked | None) -> None:
        self.ask_dialect("cancel", {"session_id": params.get("sessionId")})

    def _read_cancel(self, params: Params, asked: Asked | None) -> None:
        session = _session(params)
        self.tell_official("session/cancel", {"sessionId": session})
        self.answer(asked, {})
        for permission in self._permissions.take_session(name_of(session)):
            self.answer(permission, {"outcome": {"outcome": "cancelled"}})

    def _read_any_update(self, params: Params, asked: Asked | None) -> None:
        update = fields(params.get("update"))
        if update.get("@type") != "permission_request":
            self._read_update(params, asked)
            return
        session, identity = _session(params), text(update.get("tool_call_id"))
        options = [_option(each, self.note) for each in items(update.get("permission_options"))]
        tool_call = {"toolCallId": identity, "title": update.get("title")}
        if "arguments" in update:
            tool_call["rawInput"] = update["arguments"]

        def answered(response: Message) -> None:
            outcome = fields(fields(response.get("result")).get("outcome"))
            chosen = outcome.get("optionId") if outcome.get("outcome") == "selected" else None
            answer = {"session_id": session, "tool_call_id": identity, "option_id": chosen}
            self.tell_dialect("permission_response", answer)

        asking = {"sessionId": session, "toolCall": tool_call, "options": options}
        self.ask_official("session/request_permission", asking, answered)

    def _write_permission(self, params: Params, asked: Asked | None) -> None:
        session, tool_call = name_of(params.get("sessionId")), fields(params.get("toolCall"))
        tool_call = self.titled(session, tool_call)
        identity, given = name_of(tool_call.get("toolCallId")), tool_call.get("rawInput")
        self._permissions.add((session, identity), asked)
        options = [fields(each) for each in items(params.get("options"))]
        primary = next((each for each in options if each.get("kind") == "allow_once"), None)
        update = {
            "@type": "permission_request",
            "tool_call_id": identity,
            "title": tool_call.get("title") or "",
            "arguments": given if isinstance(given, str) else _as_text(given),
            "permission_options": [
                {"id": each.get("optionId"), "title": each.get("name")}
                | ({"is_primary": True} if each is primary else {})
                for each in options
            ],
        }
        self.tell_dialect("session/update", {"sessionId": session, "update": update})

    def _read_answer(self, params: Params, asked: Asked | None) -> None:
        session, identity = _session(params), params.get("tool_call_id")
        self.answer(asked, {})
        about = self._permissions.find(name_of(session), name_of(identity))
        if about is None:
            self.note("no permission is pending")
            return
        option = next((params[key] for key in CHOICES if key in params), None)
        outcome = {"outcome": "selected", "optionId": option}
        chosen = {"outcome": "cancelled"} if option is None else outcome
        self.answer(self._permissions.take_first(about), {"outcome": chosen})


def _session(params: Params) -> Any:
    return params.get("session_id", params.get("sessionId"))


def _option(option: Any, note: Note) -> Params:
    sent = fields(option)
    identity = text(sent.get("id")) or ""
    kind = KINDS.get(identity)
    if kind is None:
        kind = "allow_once" if sent.get("is_primary") else "reject_once"
        note(f"the option `{identity}` is taken for `{kind}`")
    return {"optionId": identity, "name": sent.get("title"), "kind": kind}


def _as_text(value: Any) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()
