"""
A conversation that can be changed in one place, and the declaration of what changes it.

An operator is shown a conversation and gives edits: each is one mistake that a peer could make, or
one difference that the specification allows. An edit names the records that it replaces.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from acp_spy.capture.records import Record
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.values import decoded

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT

# What replaces the records at these places.
Edit = dict[int, list[Record]]


class Said(msgspec.Struct, frozen=True):
    """A message and its place; `method` of a response is that of its request."""

    place: int
    frame: Frame
    message: dict[str, Any]
    method: str
    request: "Said | None" = None

    @property
    def sender(self) -> Peer:
        return self.frame.sender

    @property
    def is_request(self) -> bool:
        return "method" in self.message and "id" in self.message

    @property
    def is_notification(self) -> bool:
        return "method" in self.message and "id" not in self.message

    @property
    def params(self) -> dict[str, Any]:
        return self.message.get("params") or {}

    @property
    def result(self) -> Any:
        return self.message.get("result")

    @property
    def session(self) -> Any:
        source = self.request or self
        return source.params.get("sessionId")

    @property
    def update(self) -> dict[str, Any]:
        return self.params.get("update") or {} if self.method == "session/update" else {}

    @property
    def kind(self) -> str:
        return self.update.get("sessionUpdate", "")


class Talk:
    """A conversation, with what an operator looks for and the edits that it can make."""

    def __init__(self, name: str, records: Sequence[Record], dialect: str = "auto") -> None:
        self.name = name
        self.records = list(records)
        self.dialect = dialect
        self.said: list[Said] = []
        self.answers: dict[int, Said] = {}  # by the place of the request
        pending: dict[tuple[Peer, str], Said] = {}
        for place, record in enumerate(records):
            if not isinstance(record, Frame):
                continue
            message = decoded(record.payload)
            if not isinstance(message, dict):
                continue
            ident = repr(message.get("id"))
            request = None
            if "method" not in message and "id" in message:
                request = pending.pop((record.sender.other, ident), None)
            method = str(message.get("method") or (request.method if request else ""))
            said = Said(place, record, message, method, request)
            self.said.append(said)
            if request:
                self.answers[request.place] = said
            if said.is_request:
                pending[record.sender, ident] = said
        self.version = next(
            (
                said.result.get("protocolVersion", 1)
                for said in self.said
                if said.request and said.method == "initialize" and isinstance(said.result, dict)
            ),
            1,
        )

    # ------------------------------------------------------------------------- what is looked for

    def requests(self, *methods: str) -> list[Said]:
        return [said for said in self.said if said.is_request and _is(said, methods)]

    def notifications(self, *methods: str) -> list[Said]:
        return [said for said in self.said if said.is_notification and _is(said, methods)]

    def responses(self, *methods: str) -> list[Said]:
        return [said for said in self.said if said.request and _is(said, methods)]

    def results(self, *methods: str) -> list[Said]:
        return [said for said in self.responses(*methods) if isinstance(said.result, dict)]

    def updates(self, *kinds: str) -> list[Said]:
        return [said for said in self.said if said.kind and (not kinds or said.kind in kinds)]

    def by(self, sender: Peer) -> list[Said]:
        return [said for said in self.said if said.sender is sender]

    def turns(self) -> Iterator[tuple[Said, Said, list[Said]]]:
        """Give each turn of version 1: its prompt, the response, and what came in between."""
        for prompt in self.requests("session/prompt"):
            answer = self.answers.get(prompt.place)
            if answer and isinstance(answer.result, dict) and "stopReason" in answer.result:
                between = [
                    said
                    for said in self.said
                    if prompt.place < said.place < answer.place and said.session == prompt.session
                ]
                yield prompt, answer, between

    def in_turn(self, said: Said) -> bool:
        """Whether a turn of its session is open."""
        return any(
            prompt.place < said.place < answer.place
            for prompt, answer, _ in self.turns()
            if prompt.session == said.session
        )

    def in_replay(self, said: Said) -> bool:
        """Whether a session is being loaded or resumed."""
        return any(
            request.place < said.place < self.answers[request.place].place
            for request in self.requests("session/load", "session/resume")
            if request.place in self.answers
        )

    def is_cancelled(self, prompt: Said) -> bool:
        """Whether the turn of `prompt` was cancelled."""
        answer = self.answers.get(prompt.place)
        end = answer.place if answer else len(self.records)
        return any(
            prompt.place < said.place < end and said.session == prompt.session
            for said in self.notifications("session/cancel")
        )

    @property
    def last(self) -> int:
        """The place of the last frame."""
        return max(place for place, one in enumerate(self.records) if isinstance(one, Frame))

    # -------------------------------------------------------------------------------------- edits

    def raw(self, said: Said, *lines: bytes) -> Edit:
        """Send these bytes instead: a frame for each."""
        return {said.place: [_frame(said.frame, line) for line in lines]}

    def send(self, said: Said, message: Any) -> Edit:
        """Send another message instead."""
        return self.raw(said, line_of(message))

    def change(self, said: Said, change: Callable[[dict[str, Any]], Any]) -> Edit:
        """Change the message; what `change` returns is not looked at."""
        message = copy.deepcopy(said.message)
        change(message)
        return self.send(said, message)

    def drop(self, *what: Said) -> Edit:
        """Do not send it."""
        return {said.place: [] for said in what}

    def after(self, said: Said, sender: Peer, *messages: Any) -> Edit:
        """Send more after it: messages, or bytes."""
        return {said.place: [said.frame, *(_made(said, sender, one) for one in messages)]}

    def before(self, said: Said, sender: Peer, *messages: Any) -> Edit:
        """Send more before it."""
        return {said.place: [*(_made(said, sender, one) for one in messages), said.frame]}

    def move(self, said: Said, after: Said) -> Edit:
        """Send it later: after that one."""
        moved = msgspec.structs.replace(said.frame, t=after.frame.t)
        return {said.place: [], after.place: [after.frame, moved]}

    def move_before(self, said: Said, before: Said) -> Edit:
        """Send it earlier: before that one."""
        moved = msgspec.structs.replace(said.frame, t=before.frame.t)
        return {before.place: [moved, before.frame], said.place: []}

    def delay(self, place: int, seconds: float) -> Edit:
        """Let everything from this place on happen later."""
        return {
            later: [msgspec.structs.replace(self.records[later], t=self.records[later].t + seconds)]
            for later in range(place, len(self.records))
        }

    def everywhere(self, change: Callable[[Said], Any]) -> Edit:
        """Send what `change` returns instead of each message: another message, or bytes."""
        edit: Edit = {}
        for said in self.said:
            line = change(said)
            edit[said.place] = [
                _frame(said.frame, line if isinstance(line, bytes) else line_of(line))
            ]
        return edit

    def apply(self, edit: Edit) -> list[Record]:
        """Return the records with one edit, numbered again."""
        changed: list[Record] = []
        seq = 0
        for place, record in enumerate(self.records):
            for one in edit.get(place, (record,)):
                if isinstance(one, Frame):
                    seq += 1
                    one = msgspec.structs.replace(one, seq=seq)  # noqa: PLW2901 - the same, numbered
                changed.append(one)
        return changed


def advertise_extension(talk: Talk, edit: Edit) -> Edit:
    """Let the agent advertise an extension, too: else a custom method is a mistake of its own."""
    key = "capabilities" if talk.version == 2 else "agentCapabilities"

    def change(message: dict[str, Any]) -> None:
        capabilities = message["result"].setdefault(key, {})
        capabilities["_meta"] = {**(capabilities.get("_meta") or {}), "vendor.example": {}}

    for said in talk.results("initialize")[:1]:
        return {**edit, **talk.change(said, change)}
    return edit


def line_of(message: Any) -> bytes:
    """Return a message as it is sent."""
    return msgspec.json.encode(message) + b"\n"


def _made(said: Said, sender: Peer, content: Any) -> Frame:
    line = content if isinstance(content, bytes) else line_of(content)
    return Frame(0, said.frame.t, sender, line)


def _frame(frame: Frame, line: bytes) -> Frame:
    return msgspec.structs.replace(frame, raw=line, redacted=())


def _is(said: Said, methods: tuple[str, ...]) -> bool:
    return not methods or said.method in methods


# ---------------------------------------------------------------------------------- declarations

Edits = Callable[[Talk], Iterator[Edit]]


class Operator(msgspec.Struct, frozen=True):
    """What is changed, in words; `rows` name the sentences of the specification about it."""

    family: str
    what: str
    edits: Edits
    rows: tuple[str, ...] = ()
    version: int = 0  # 1 or 2: only in conversations of this version
    dialect: str = "auto"

    @property
    def is_legal(self) -> bool:
        return self.family == LEGAL

    def applies_to(self, talk: Talk) -> bool:
        return self.version in (0, talk.version) and self.dialect == talk.dialect


LEGAL = "legal"
OPERATORS: list[Operator] = []


def operator(
    family: str, what: str, *rows: str, version: int = 0, dialect: str = "auto"
) -> Callable[[Edits], Edits]:
    """Declare an operator; the decorated function gives its edits."""

    def declare(edits: Edits) -> Edits:
        OPERATORS.append(Operator(family, what, edits, rows, version, dialect))
        return edits

    return declare


def shape(family: str, what: str, where: str, value: Any, *rows: str, version: int = 0) -> None:
    """
    Declare an operator that puts `value` somewhere, or what it returns for the value there.

    `where` is as in `update tool_call: locations/*/path`: what is looked at (`params`, `result` or
    `error` of a method, or an update of a kind), and the way to the field. `*` is each element of a
    list, and a last field with `+` need not be there.
    """
    root, _, way = where.partition(": ")
    what_of, _, name = root.partition(" ")

    def edits(talk: Talk) -> Iterator[Edit]:
        for said in talk.said:
            start = _start(said, what_of, name)
            if start is None:
                continue
            for keys in _ways(start, way.split("/") if way else []):
                yield from _put(talk, said, what_of, keys, value)

    operator(family, what, *rows, version=version)(edits)


DROP = object()


def _start(said: Said, what: str, name: str) -> Any:
    methods = name.split("|")
    if what == "update":
        return said.update if said.kind in methods else None
    if said.method not in methods or said.method == "":
        return None
    is_asked = what == "params"
    return said.message.get(what) if is_asked == ("method" in said.message) else None


def _ways(value: Any, way: list[str]) -> Iterator[list[Any]]:
    """Give the ways that there are: the keys of each."""
    if not way:
        yield []
        return
    key, *rest = way
    if key == "*":
        for index, one in enumerate(value if isinstance(value, list) else ()):
            yield from ([index, *more] for more in _ways(one, rest))
    elif key.startswith("+"):
        if isinstance(value, dict):
            yield [key[1:]]
    elif isinstance(value, dict) and key in value:
        yield from ([key, *more] for more in _ways(value[key], rest))


def _put(talk: Talk, said: Said, what: str, keys: list[Any], value: Any) -> Iterator[Edit]:
    message = copy.deepcopy(said.message)
    place: Any = {"update": lambda: message["params"]["update"]}.get(what, lambda: message[what])()
    if not keys:
        new = value(place) if callable(value) else value
        if new is not None or not callable(value):
            (message["params"] if what == "update" else message)[what] = new
            yield talk.send(said, message)
        return
    for key in keys[:-1]:
        place = place[key]
    last = keys[-1]
    if value is DROP:
        del place[last]
    else:
        old = place.get(last) if isinstance(place, dict) else place[last]
        new = value(old) if callable(value) else value
        if new is None and callable(value):
            return  # it does not apply to this value
        if new == old and type(new) is type(old):
            return
        place[last] = new
    yield talk.send(said, message)


def renamed(old: str, new: str) -> Callable[[Any], Any]:
    """Return what renames a key of an object, in its place; for `shape`."""

    def rename(value: Any) -> Any:
        if not isinstance(value, dict) or old not in value:
            return None
        return {new if key == old else key: one for key, one in value.items()}

    return rename
