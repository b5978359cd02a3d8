"""
A translation at work: messages of one peer in, messages for either peer out.

A dialect is a class with tables: its methods, its updates, and the shapes inside, each in both
directions. What a table cannot say is a method of the class, and is entered in `reads` (what the
dialect's peer sends) or `writes` (what the official peer sends). What has no counterpart is
answered for the other side or left out, and noted.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from acp_spy.conversation.state import Conversation, ToolCall
from acp_spy.middleware.dialects.fit import fit
from acp_spy.middleware.dialects.tables import Both, Call, Calls, NoCounterpart, Note
from acp_spy.protocol.shapes import Ref
from acp_spy.protocol.tables import Spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items, text

Message = dict[str, Any]
Params = dict[str, Any]
_OWN_IDS = 1_000_000_000  # from here on, where ids are numbers; no peer gets so far
METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32601, -32602, -32603
# What a translation repeats (a session, an id, a title) may be as long as a message, and may be
# repeated for each item of a message, or for each of many messages. So what is made is counted.
_ROOM = 64 * 1024 * 1024  # bytes that may be made besides: of one message, and of all
_AT_ONCE = 2  # times the length of a message
_TIMES = 32  # times the length of all; pieces of version 2 become up to 18 times as long
_LONGEST_NOTE = 200  # characters
_TOO_LONG = "its translation would be too long"


class Asked(msgspec.Struct, frozen=True):
    """A request that is owed a response: who sent it, and its id there."""

    is_official: bool
    id: Any


Handle = Callable[[Params, Asked | None], None]
Then = Callable[[Message], None]  # what is done with a response


class Translation:
    """
    One connection to a peer that speaks the dialect; `side` is what that peer is.

    `calls` and `updates` are by official names. `tag` is where updates have their name. Without
    `has_jsonrpc` messages do not have that field. With `has_numbers` every id is an integer.
    `document` is what the dialect's peer expects: it is sent nothing else.
    """

    name: ClassVar[str]
    origin: ClassVar[str]  # where it comes from
    cannot: ClassVar[str]  # what it has no words for
    calls: ClassVar[Calls] = {}
    updates: ClassVar[Calls] = {}
    tag: ClassVar[str] = "sessionUpdate"
    document: ClassVar[Spec | None] = None
    has_jsonrpc: ClassVar[bool] = True
    has_numbers: ClassVar[bool] = False

    def __init__(self, side: Peer, folder: str, state: Conversation) -> None:
        self.side = side
        self.folder = folder  # for sessions of a dialect that has no folders
        self.state = state
        self.out: list[tuple[bool, Message, bytes]] = []  # for the official peer? and its line
        self.notes: list[str] = []
        self.reads: dict[str, Handle] = {"session/update": self._read_update}
        self.writes: dict[str, Handle] = {"session/update": self._write_update}
        self._official = {each.name: name for name, each in self.calls.items()}
        self._official_updates = {each.name: name for name, each in self.updates.items()}
        self._waiting: dict[tuple[bool, bytes], Then] = {}  # for a response of whom
        self._count = 0
        self._about = ""
        self._room = _ROOM  # bytes that may be made
        self._not_asked: list[Then] = []  # of requests for which there was no room

    def is_ready(self, _message: Message) -> bool:
        """Whether a call of the dialect's peer can be taken; if not, ask for what it waits for."""
        return True

    def make_room(self, size: int) -> None:
        """Allow more to be made: a message of `size` bytes has come."""
        self._room = min(self._room + _TIMES * size, _ROOM + _AT_ONCE * size)

    def has_room(self, size: int) -> bool:
        """Whether a message of so many bytes can be made."""
        return size <= self._room

    def take(self, message: Message, *, is_official: bool) -> None:
        """Take a message of one of the peers."""
        self._take(message, is_official=is_official)
        not_asked, self._not_asked = self._not_asked, []
        for then in not_asked:  # not before: who has asked goes on as after a request
            self._finish(then, {"error": {"code": INTERNAL, "message": _TOO_LONG}})

    def _finish(self, then: Then, response: Message) -> None:
        try:
            then(response)
        except NoCounterpart as missing:
            self.note(f"{missing} has no counterpart")

    def _take(self, message: Message, *, is_official: bool) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            then = self._waiting.pop((is_official, _key(message.get("id"))), None)
            if then is None:  # nobody has asked for it
                self._pass(message, is_official=is_official)
                return
            self._finish(then, message)
            return
        self._about = method
        asked = Asked(is_official, message["id"]) if "id" in message else None
        try:
            self._take_call(message, method, asked, is_official=is_official)
        except NoCounterpart as missing:
            self.refuse(asked, INVALID_PARAMS, f"{self.name} has no counterpart for {missing}")
            self.note(f"{missing} has no counterpart")
            return
        if asked and method == "session/update":  # else its sender would wait for ever
            self.note("it is a notification: to the id that it has, the response is null")
            self.answer(asked, None)

    def note(self, words: str) -> None:
        """Have it known that something was left out or changed."""
        words = f"`{self._about}`: {words}"
        if len(words) > _LONGEST_NOTE:
            words = f"{words[:_LONGEST_NOTE]} …"
        self.notes.append(words)

    # What is sent

    def ask_dialect(
        self, method: str, params: Any, then: Then | None = None, asked: Asked | None = None
    ) -> None:
        """Send the dialect's peer a request; `asked` is the one that it stands for."""
        params = self._fitted(method, "request", params)
        self._ask(method, params, then, asked, to_official=False)

    def ask_official(
        self, method: str, params: Any, then: Then | None = None, asked: Asked | None = None
    ) -> None:
        """Send the official peer a request; `asked` is the one that it stands for."""
        self._ask(method, params, then, asked, to_official=True)

    def tell_dialect(self, method: str, params: Any) -> None:
        """Send the dialect's peer a notification."""
        params = self._fitted(method, "notification", params)
        self._send({"method": method, "params": params}, to_official=False)

    def tell_official(self, method: str, params: Any) -> None:
        """Send the official peer a notification."""
        self._send({"method": method, "params": params}, to_official=True)

    def tell_update(self, session: Any, update: Params) -> None:
        """Send the official peer an update."""
        self.tell_official("session/update", {"sessionId": session, "update": update})

    def say(self, session: Any, name: str, block: Any) -> None:
        """Send the official peer a piece of a message."""
        self.tell_update(session, {"sessionUpdate": name, "content": block})

    def answer(self, asked: Asked | None, result: Any) -> None:
        """Answer a request."""
        if asked and not self._send(
            {"id": asked.id, "result": result}, to_official=asked.is_official
        ):
            self.refuse(asked, INTERNAL, _TOO_LONG)

    def refuse(self, asked: Asked | None, code: int, message: str, data: Any = None) -> None:
        """Answer a request with an error."""
        error = {"code": code, "message": message, **({} if data is None else {"data": data})}
        self.fail(asked, error)

    def fail(self, asked: Asked | None, error: Any) -> None:
        """Answer a request with this error, official as it is."""
        if asked:
            error = error if asked.is_official else self.write_error(error)
            response = {"id": asked.id, "error": error}
            if not self._send(response, to_official=asked.is_official):
                response["error"] = {"code": INTERNAL, "message": _TOO_LONG}
                self._send(response, to_official=asked.is_official, is_needed=True)

    def returned(self, asked: Asked | None, convert: Callable[[Any], Any]) -> Then:
        """Return what passes on the response to a request, or its error."""
        about = self._about

        def then(response: Message) -> None:
            self._about = about
            if "error" in response and response["error"] is not None:
                error = response["error"]
                is_of_dialect = asked is not None and asked.is_official
                self.fail(asked, self.read_error(error) if is_of_dialect else error)
                return
            try:
                result = convert(response.get("result"))
            except NoCounterpart as missing:  # the peer that has asked must not wait for ever
                self.note(f"{missing} has no counterpart")
                self.refuse(asked, INTERNAL, f"{self.name} has no counterpart for {missing}")
                return
            self.answer(asked, result)

        return then

    # What a dialect may have otherwise

    def read_error(self, error: Any) -> Any:
        """Return an error of the dialect as official ACP has it."""
        return error

    def write_error(self, error: Any) -> Any:
        """Return an official error as the dialect has it."""
        return error

    def reject(self, params: Params, asked: Asked | None) -> None:
        """Deny a permission that the dialect's peer cannot be asked for."""
        self.note("the dialect has no permissions; it is rejected")
        options = [fields(each) for each in items(params.get("options"))]
        chosen = next((each for each in options if each.get("kind") == "reject_once"), None)
        outcome: Params = {"outcome": "cancelled"}
        if chosen:
            outcome = {"outcome": "selected", "optionId": chosen.get("optionId")}
        self.answer(asked, {"outcome": outcome})

    # What is known

    def tool_call(self, session: Any, identity: Any) -> ToolCall | None:
        """Return what is known of a tool call."""
        known = self.state.sessions.get(session) if isinstance(session, str) else None
        return known.tool_calls.get(identity) if known and isinstance(identity, str) else None

    def titled(self, session: Any, call: Params) -> Params:
        """Return a tool call with its title and status, if they were told before."""
        known = self.tool_call(session, call.get("toolCallId"))
        if known is None:
            return call
        earlier = {"title": known.title or None, "status": known.status}
        return {**{key: value for key, value in earlier.items() if value}, **call}

    # How messages pass

    def _take_call(
        self, message: Message, method: str, asked: Asked | None, *, is_official: bool
    ) -> None:
        params = fields(message.get("params"))
        handle = (self.writes if is_official else self.reads).get(method)
        if handle:
            handle(params, asked)
        elif is_official and method in self.calls:
            self._write(self.calls[method], params, asked)
        elif not is_official and method in self._official:
            self._read(self.calls[self._official[method]], params, asked)
        elif not is_official or method.startswith("_"):
            self._pass(message, is_official=is_official)
        else:
            self.note("the dialect has no counterpart for it")
            self.refuse(asked, METHOD_NOT_FOUND, f"Method not found: {self.name} has no `{method}`")

    def _write(self, of: Call, params: Params, asked: Asked | None) -> None:
        made = of.params.write(params, self.note)
        if asked is None:
            self.tell_dialect(of.name, made)
            return
        then = self.returned(asked, lambda result: of.result.read(result, self.note))
        self.ask_dialect(of.name, made, then, asked)

    def _read(self, of: Call, params: Params, asked: Asked | None) -> None:
        made = of.params.read(params, self.note)
        official = self._official[of.name]
        if asked is None:
            self.tell_official(official, made)
            return
        then = self.returned(asked, lambda result: self.result_of(of, result))
        self.ask_official(official, made, then, asked)

    def result_of(self, of: Call, result: Any) -> Any:
        """Return a result of the official peer as the dialect has it."""
        made = of.result.write(result, self.note)
        found = self.document.find(of.name) if self.document else ()
        if self.document is None or not found or not found[0].result:
            return made
        return fit(self.document, Ref(found[0].result), made, self.note)

    def _write_update(self, params: Params, _asked: Asked | None) -> None:
        update = fields(params.get("update"))
        name = text(update.get("sessionUpdate")) or ""
        self._about = name or self._about
        of = self.updates.get(name)
        if of is None:
            raise NoCounterpart("this update")
        rest = {key: item for key, item in update.items() if key != "sessionUpdate"}
        if "toolCallId" in rest:
            rest = self.titled(params.get("sessionId"), rest)
        made = of.params.write(rest, self.note)
        params = {**params, "update": {self.tag: of.name, **made}}
        self.tell_dialect("session/update", params)

    def _read_update(self, params: Params, _asked: Asked | None) -> None:
        update = fields(params.get("update"))
        name = text(update.get(self.tag)) or ""
        self._about = name or self._about
        official = self._official_updates.get(name)
        if official is None:  # as in official ACP, or an extension
            self.tell_official("session/update", params)
            return
        rest = {key: item for key, item in update.items() if key != self.tag}
        made = self.updates[official].params.read(rest, self.note)
        params = {**params, "update": {"sessionUpdate": official, **made}}
        self.tell_official("session/update", params)

    def _fitted(self, method: str, kind: str, params: Any) -> Any:
        if self.document is None:
            return params
        found = [each for each in self.document.find(method) if each.kind == kind]
        if not found or params is None:
            return params
        made = fit(self.document, Ref(found[0].params), params, self.note)
        for key, item in fields(params).items():
            if item and isinstance(item, list) and not fields(made).get(key, item):
                raise NoCounterpart(f"such a `{key}`")
        return made

    def _ask(
        self, method: str, params: Any, then: Then | None, asked: Asked | None, *, to_official: bool
    ) -> None:
        ident = asked.id if asked else None
        needs_number = self.has_numbers and not to_official
        is_number = type(ident) is int and 0 <= ident < _OWN_IDS
        if asked is None or (needs_number and not is_number):
            self._count += 1
            own = f"acp-spy:{self.name}:{self._count}"
            ident = _OWN_IDS + self._count if needs_number else own
        then = then or (lambda _response: None)
        if self._send({"id": ident, "method": method, "params": params}, to_official=to_official):
            self._waiting[to_official, _key(ident)] = then
        else:
            self._not_asked.append(then)

    def _pass(self, message: Message, *, is_official: bool) -> None:
        """Pass on what is the same in both."""
        if "id" in message and isinstance(message.get("method"), str):
            asked = Asked(is_official, message["id"])
            ask = self.ask_dialect if is_official else self.ask_official
            then = self.returned(asked, lambda result: result)
            ask(message["method"], message.get("params"), then, asked)
        else:
            self._send(message, to_official=not is_official)

    def _send(self, message: Message, *, to_official: bool, is_needed: bool = False) -> bool:
        """Have a message sent if there is room, or if it `is_needed`; return whether it is."""
        if to_official or self.has_jsonrpc:
            message = {"jsonrpc": "2.0", **message}
        else:
            message = {key: item for key, item in message.items() if key != "jsonrpc"}
        raw = msgspec.json.encode(message) + b"\n"
        if not is_needed and not self.has_room(len(raw)):
            self.note(f"{_TOO_LONG}: what is too much is left out")
            return False
        self._room = max(self._room - len(raw), 0)
        self.out.append((to_official, message, raw))
        return True


def text_of(content: Any) -> str:
    """Return the text of a content block. Raises `NoCounterpart` for one that is not a text."""
    block = fields(content)
    if block.get("type") != "text":
        raise NoCounterpart(f"content of type `{block.get('type')}`")
    return str(block.get("text", ""))


def chunk(key: str) -> Both:
    """Return a message chunk that the dialect has as a text under `key`."""

    def read(update: Any, _note: Note) -> Any:
        return {"content": {"type": "text", "text": fields(update).get(key)}}

    def write(update: Any, _note: Note) -> Any:
        return {key: text_of(fields(update).get("content"))}

    return Both(read, write)


def name_of(value: Any) -> Any:
    """Return the name of a session or a tool call, which can be a key, whatever was sent."""
    return value if isinstance(value, str | int | None) else repr(value)


def _key(ident: Any) -> bytes:
    return msgspec.json.encode(ident)
