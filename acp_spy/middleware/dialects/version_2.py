"""Version 2 (draft): a turn ends by an update, and tool calls and plans are upserts."""

from typing import Any, ClassVar

import msgspec

from acp_spy.dialect.reading import OFFICIAL_UPDATES
from acp_spy.middleware.dialects.tables import (
    NOTHING,
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
    INTERNAL,
    METHOD_NOT_FOUND,
    Asked,
    Message,
    Params,
    Translation,
    name_of,
)
from acp_spy.protocol.tables import spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items, text

_INFO = {"name": "unknown", "version": "0"}
_STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
_PROMPT = ("image", "audio", "embeddedContext")
_WHOLE = {
    "user_message": "user_message_chunk",
    "agent_message": "agent_message_chunk",
    "agent_thought": "agent_thought_chunk",
}
_PLAN = "plan"  # the id of the only one
_AGAIN = 256 * 1024  # bytes of a tool call's content that are sent again whatever comes
_TIMES = 8  # so often is what has come sent again besides
_REQUIRED = ("list", "resume", "close")  # of every agent of version 2


class _Prompt:
    """A prompt of version 1, which is answered when the turn ends."""

    def __init__(self, asked: Asked | None) -> None:
        self.asked = asked
        self.is_accepted = False


class _Content:
    """
    The content of a tool call, which version 2 sends in pieces and version 1 whole each time.

    Sent whole with each piece, all would take the square of its length, however short the pieces
    are. So what is sent again is in proportion to what has come: beyond that, pieces wait for the
    next ones, or until the tool call or the turn ends.
    """

    def __init__(self) -> None:
        self.fields: Params = {}  # what came with pieces that wait
        self._blocks: list[Any] = []
        self._size = self._told = 0  # in bytes: of all of it, and of what was sent of it
        self._added = self._came = 0  # in pieces; and in all, also what was replaced
        self._again = self._again_at_ends = 0  # what was sent more than once

    def add(self, block: Any) -> None:
        """Take another piece."""
        self._blocks.append(block)
        size = _size_of(block)
        self._size += size
        self._added += size
        self._came += size

    def replace(self, blocks: list[Any]) -> None:
        """Take what replaces all of it, and is sent now."""
        self._blocks = [*blocks]
        self._size = self._told = _size_of(blocks)
        self._came += self._size

    @property
    def can_wait(self) -> bool:
        """Whether so much would be sent again that more has to come first."""
        return self._again + self._told > _AGAIN + _TIMES * self._added

    @property
    def is_worth_an_end(self) -> bool:
        """Whether it is sent also at the end of a turn that no prompt began."""
        return self._again_at_ends + self._told <= _TIMES * self._came

    def whole(self, *, at_end: bool = False) -> list[Any]:
        """Return all of it, which is sent now."""
        if at_end:
            self._again_at_ends += self._told
        else:
            self._again += self._told
        self._told = self._size
        return [*self._blocks]


def _size_of(block: Any) -> int:
    """Return how many bytes a block takes in a list, when it is sent."""
    try:
        return len(msgspec.json.encode(block)) + 1
    except RecursionError:  # nested too deeply to be sent: it passes as it is
        return len(str(block))


def _switch(*names: str) -> Both:
    """Return capabilities: objects in version 2, booleans in version 1."""

    def read(sent: Any, _note: Note) -> Any:
        return {name: fields(sent).get(name) is not None for name in names}

    def write(sent: Any, _note: Note) -> Any:
        return {name: {} for name in names if fields(sent).get(name) is True}

    return Both(read, write)


def _read_client(sent: Any, note: Note) -> Any:
    made = record(inside={"auth": _switch("terminal")}).read(sent, note)
    fs = {"readTextFile": False, "writeTextFile": False}
    return {"fs": fs, "terminal": False, **made}


def _write_client(sent: Any, note: Note) -> Any:
    made = record(inside={"auth": _switch("terminal")}).write(sent, note)
    for key in ("fs", "terminal", "session"):
        value = made.pop(key, None)
        if value and (value is True or any(fields(value).values())):
            note(f"`{key}` is left out")
    return made


def _read_agent(sent: Any, note: Note) -> Any:
    session = fields(fields(sent).get("session"))
    lists: Params = {key: {} for key in _REQUIRED}
    more = {key: session[key] for key in ("delete", "additionalDirectories") if session.get(key)}
    made = {
        "loadSession": True,
        "promptCapabilities": _switch(*_PROMPT).read(session.get("prompt"), note),
        "mcpCapabilities": {"http": fields(session.get("mcp")).get("http") is not None},
        "sessionCapabilities": lists | more,
    }
    if fields(sent).get("auth") is not None:
        made["auth"] = {"logout": {}}
    return made


def _write_agent(sent: Any, note: Note) -> Any:
    given = fields(sent)
    offered = fields(given.get("sessionCapabilities"))
    mcp: Params = {"stdio": {}}
    if fields(given.get("mcpCapabilities")).get("http") is True:
        mcp["http"] = {}
    session = {"prompt": _switch(*_PROMPT).write(given.get("promptCapabilities"), note), "mcp": mcp}
    for key in ("delete", "additionalDirectories"):
        if offered.get(key) is not None:
            session[key] = offered[key]
    return {"session": session}


def _read_method(sent: Any, note: Note) -> Any:
    made = record({"methodId": "id"}).read(sent, note)
    if made.get("type") == "agent":
        del made["type"]
    if isinstance(made.get("env"), list):
        made["env"] = {str(fields(e).get("name")): fields(e).get("value") for e in made["env"]}
    return made


def _write_method(sent: Any, note: Note) -> Any:
    made = record({"methodId": "id"}, write={"type": "agent"}).write(sent, note)
    if isinstance(made.get("env"), dict):
        made["env"] = [{"name": key, "value": value} for key, value in made["env"].items()]
    return made


def _read_server(sent: Any, _note: Note) -> Any:
    return {key: item for key, item in fields(sent).items() if (key, item) != ("type", "stdio")}


def _write_server(sent: Any, _note: Note) -> Any:
    server = fields(sent)
    if server.get("type") == "sse":
        raise NoCounterpart("an MCP server of type `sse`")
    return {"type": "stdio", **server}


def _drop_null(sent: Any, _note: Note) -> Any:
    return {key: item for key, item in fields(sent).items() if item is not None}


_INITIALIZE = record(
    {"info": "clientInfo", "capabilities": "clientCapabilities"},
    {
        "protocolVersion": Both(lambda *_: 1, lambda *_: 2),
        "clientCapabilities": Both(_read_client, _write_client),
    },
    write={"info": _INFO},
)
_INITIALIZED = record(
    {"info": "agentInfo", "capabilities": "agentCapabilities"},
    {
        "protocolVersion": Both(lambda *_: 1, lambda *_: 2),
        "agentCapabilities": Both(_read_agent, _write_agent),
        "authMethods": each(Both(_read_method, _write_method)),
    },
    write={"info": _INFO, "capabilities": {"session": {"mcp": {"stdio": {}}}}},
    read={"agentCapabilities": _read_agent({}, lambda _: None)},
)
_SERVERS = {"mcpServers": each(Both(_read_server, _write_server))}
_OPTIONS = each(record({"configId": "id"}))
_OPENED = record(inside={"configOptions": _OPTIONS})
_COMMANDS = each(
    Both(
        lambda sent, _: _without_type({**fields(sent), "input": fields(sent).get("input")}),
        lambda sent, _: {"type": "command", **_typed_input(fields(sent))},
    )
)


def _without_type(command: Params) -> Params:
    made = {key: item for key, item in command.items() if key not in ("type", "input")}
    if fields(command.get("input")):
        hint = {key: item for key, item in command["input"].items() if key != "type"}
        made["input"] = hint
    return made


def _typed_input(command: Params) -> Params:
    if fields(command.get("input")):
        return {**command, "input": {"type": "text", **command["input"]}}
    return command


def _piece(sent: Any, _note: Note) -> Any:
    """Return a piece of a tool call's content, if both versions have it."""
    if fields(sent).get("type") in ("diff", "terminal"):
        raise NoCounterpart(f"content of type `{sent['type']}`")
    return sent


_TOOL_CALL = record(
    inside={
        "content": each(Both(_piece, _piece)),
        "status": Both(
            word({"paused": "in_progress", "cancelled": "failed"}).read, lambda value, _: value
        ),
    },
    lacks=("capabilities",),
)


def _read_plan(sent: Any, note: Note) -> Any:
    plan = fields(fields(sent).get("plan"))
    if plan.get("type") != "items":
        raise NoCounterpart(f"a plan of type `{plan.get('type')}`")
    cancelled = word({"cancelled": "completed"})
    return {"entries": each(record(inside={"status": cancelled})).read(plan.get("entries"), note)}


def _write_plan(sent: Any, _note: Note) -> Any:
    plan = {"type": "items", "planId": _PLAN, "entries": fields(sent).get("entries")}
    return {"plan": plan}


_SAME = OFFICIAL_UPDATES - {
    *("tool_call", "plan", "current_mode_update", "tool_call_update"),
    *("config_option_update", "available_commands_update", *_WHOLE.values()),
}
_GATED = {
    "notice": "notices",
    "compaction_update": "compaction",
    "compaction_summary_chunk": "compaction",
}


class Version2(Translation):
    """Official ACP's next version."""

    name = "v2"
    origin = "version 2 of ACP, a draft"
    cannot = "files and terminals of the client, modes, diffs, MCP servers of type `sse`"
    document = spec("v2")
    calls: ClassVar[Calls] = {
        "initialize": call("initialize", _INITIALIZE, _INITIALIZED),
        "authenticate": call("auth/login"),
        "logout": call("auth/logout"),
        "session/new": call("session/new", record(inside=_SERVERS), _OPENED),
        "session/resume": call("session/resume", record(inside=_SERVERS), _OPENED),
        "session/set_config_option": call(
            "session/set_config_option",
            Both(
                lambda sent, _: {k: v for k, v in sent.items() if (k, v) != ("type", "id")},
                lambda sent, _: {"type": "id", **sent},
            ),
            record(inside={"configOptions": _OPTIONS}),
        ),
        **{
            name: call(name)
            for name in (
                *("session/list", "session/delete", "session/close", "session/cancel"),
                *("elicitation/create", "elicitation/complete", "$/cancel_request"),
            )
        },
    }
    updates: ClassVar[Calls] = {
        **{name: call(name) for name in (*sorted(_SAME), *_WHOLE.values())},
        "tool_call_update": call("tool_call_update", _TOOL_CALL),
        "plan": call("plan_update", Both(_read_plan, _write_plan)),
        "config_option_update": call(
            "config_option_update", record(inside={"configOptions": _OPTIONS})
        ),
        "available_commands_update": call(
            "available_commands_update", record(inside={"availableCommands": _COMMANDS})
        ),
    }

    def __init__(self, side: Peer, *more: Any) -> None:
        super().__init__(side, *more)
        self._prompts: dict[Any, list[_Prompt]] = {}  # of version 1, which wait for the turn's end
        self._offered: Params = {}  # what the agent of version 1 can do
        self._receives: Params = {}  # what the client of version 1 can be sent of a session
        self._seen: set[tuple[Any, Any]] = set()  # tool calls
        self._content: dict[tuple[Any, Any], _Content] = {}  # of tool calls, in pieces
        self._unsent: dict[Any, set[tuple[Any, Any]]] = {}  # what of it was not sent, by session
        self._message: tuple[Any, str] = (None, "")  # who is speaking, and in which session
        self._messages = 0
        self.writes |= {
            "initialize": self._write_initialize,
            "session/load": self._write_load,
            "session/prompt": self._write_prompt,
            "session/update": self._write_any_update,
            "session/request_permission": self._write_permission,
        }
        self.reads |= {
            "initialize": self._read_initialize,
            "session/new": self._read_new,
            "session/resume": self._read_resume,
            "session/list": self._read_required,
            "session/close": self._read_required,
            "session/prompt": self._read_prompt,
            "session/update": self._read_any_update,
            "session/request_permission": self._read_permission,
        }

    # A client of version 1, and an agent of version 2

    def _write_initialize(self, params: Params, asked: Asked | None) -> None:
        self._receives = fields(fields(params.get("clientCapabilities")).get("session"))
        self._write(self.calls["initialize"], params, asked)

    def _write_load(self, params: Params, asked: Asked | None) -> None:
        made = record(inside=_SERVERS).write(params, self.note)
        then = self.returned(asked, lambda result: _opened(result, self.note))
        self.ask_dialect("session/resume", {**made, "replayFrom": {"type": "start"}}, then, asked)

    def _write_prompt(self, params: Params, asked: Asked | None) -> None:
        session = name_of(params.get("sessionId"))
        prompt = _Prompt(asked)
        self._prompts.setdefault(session, []).append(prompt)

        def accepted(response: Message) -> None:
            prompt.is_accepted = True
            if response.get("error") is not None and prompt in self._prompts[session]:
                self._prompts[session].remove(prompt)
                self.fail(asked, response["error"])

        self.ask_dialect("session/prompt", params, accepted, asked)

    def _read_any_update(self, params: Params, asked: Asked | None) -> None:
        session, update = name_of(params.get("sessionId")), fields(params.get("update"))
        name = text(update.get("sessionUpdate")) or ""
        self._about = name or self._about
        if name == "state_update":
            self._read_state(session, update)
        elif name in _WHOLE:
            for block in items(update.get("content")):
                chunk = {"sessionUpdate": _WHOLE[name], "content": block}
                self.tell_update(session, {**chunk, "messageId": update.get("messageId")})
        elif name in ("tool_call_update", "tool_call_content_chunk"):
            self._read_tool_call(session, name, update)
        elif name in _GATED and self._receives.get(_GATED[name]) is None:
            raise NoCounterpart("this update, which the client has not asked for,")
        elif name not in self._official_updates:
            raise NoCounterpart("this update")
        else:
            self._read_update(params, asked)

    def _read_state(self, session: Any, update: Params) -> None:
        if update.get("state") != "idle":
            return
        waiting = self._prompts.get(session, [])
        for about in sorted(self._unsent.get(session, ()), key=str):
            if waiting or self._content[about].is_worth_an_end:
                last = {"toolCallId": about[1]}
                self._read_tool_call(session, "tool_call_update", last, is_last=True)
        ended = [prompt for prompt in waiting if prompt.is_accepted] or waiting[:1]
        for prompt in ended:
            waiting.remove(prompt)
            self._end_turn(prompt.asked, update)

    def _end_turn(self, asked: Asked | None, update: Params) -> None:
        reason = update.get("stopReason") or "end_turn"
        if reason == "error":
            error = update.get("error") or {"code": INTERNAL, "message": "the turn failed"}
            self.fail(asked, error)
            return
        if reason not in _STOP_REASONS:
            self.note(f"the stop reason `{reason}` is sent as `end_turn`")
            reason = "end_turn"
        self.answer(asked, {"stopReason": reason})

    def _read_tool_call(
        self, session: Any, name: str, update: Params, *, is_last: bool = False
    ) -> None:
        about = session, name_of(update.get("toolCallId"))
        rest = {key: item for key, item in update.items() if key != "sessionUpdate"}
        unsent = self._unsent.setdefault(session, set())
        has_ended = rest.get("status") in ("completed", "failed", "cancelled")
        content = self._content.get(about)
        if name == "tool_call_content_chunk":
            content = content or self._content.setdefault(about, _Content())
            content.add(rest.pop("content", None))
            if content.can_wait and not has_ended:
                content.fields |= rest
                unsent.add(about)
                return
            rest["content"] = content.whole()
        elif "content" in rest:
            content = content or self._content.setdefault(about, _Content())
            content.replace(items(rest["content"]))
        elif content and about in unsent and (has_ended or is_last or not content.can_wait):
            rest["content"] = content.whole(at_end=is_last)
        if content and "content" in rest:
            unsent.discard(about)
            rest, content.fields = content.fields | rest, {}
        if has_ended:
            self._content.pop(about, None)
        if rest.get("status") in ("paused", "cancelled"):
            self.note(f"the status `{rest['status']}` has no counterpart")
        made = _drop_null(_TOOL_CALL.read(rest, self.note), self.note)
        is_new = about not in self._seen
        self._seen.add(about)
        if is_new:
            made = {"title": made.get("name") or str(about[1]), **made}
        self.tell_update(
            session, {"sessionUpdate": "tool_call" if is_new else "tool_call_update", **made}
        )

    def _read_permission(self, params: Params, asked: Asked | None) -> None:
        session, subject = params.get("sessionId"), fields(params.get("subject"))
        title = params.get("title")
        if params.get("description"):
            self.note("`description` is left out")
        call_of = fields(subject.get("toolCall"))
        if subject.get("type") == "tool_call" and call_of:
            tool_call = _drop_null(_TOOL_CALL.read(call_of, self.note), self.note)
        else:
            self._count += 1
            own = f"acp-spy:{self.name}:{self._count}"
            tool_call = {"toolCallId": subject.get("toolCallId") or own}
            if subject.get("type") == "command":
                command = {key: subject.get(key) for key in ("command", "cwd")}
                tool_call |= {"kind": "execute", "rawInput": command}
        asking = {
            "sessionId": session,
            "toolCall": {**tool_call, "title": title},
            "options": params.get("options"),
        }
        then = self.returned(asked, lambda result: result)
        self.ask_official("session/request_permission", asking, then, asked)

    # A client of version 2, and an agent of version 1

    def _read_initialize(self, params: Params, asked: Asked | None) -> None:
        of = self.calls["initialize"]

        def initialized(result: Any) -> Any:
            self._offered = fields(fields(result).get("agentCapabilities"))
            return self.result_of(of, result)

        made = of.params.read(params, self.note)
        self.ask_official("initialize", made, self.returned(asked, initialized), asked)

    def _read_new(self, params: Params, asked: Asked | None) -> None:
        made = record(inside=_SERVERS, read={"mcpServers": []}).read(params, self.note)
        then = self.returned(asked, lambda r: self.result_of(self.calls["session/new"], r))
        self.ask_official("session/new", made, then, asked)

    def _read_resume(self, params: Params, asked: Asked | None) -> None:
        made = record(inside=_SERVERS, read={"mcpServers": []}).read(params, self.note)
        replays = made.pop("replayFrom", None) is not None
        resumes = fields(self._offered.get("sessionCapabilities")).get("resume") is not None
        loads = self._offered.get("loadSession") is True
        if replays and not loads:
            self.note("the agent cannot replay a session: it is resumed")
        if not resumes and not loads:
            self.note("the agent can neither load nor resume sessions")
            self.refuse(asked, METHOD_NOT_FOUND, "the agent cannot resume a session")
            return
        method = "session/load" if loads and (replays or not resumes) else "session/resume"
        if method == "session/load" and not replays:
            self.note("the agent cannot resume without a replay: the session is loaded")
        then = self.returned(asked, lambda r: self.result_of(self.calls["session/resume"], r))
        self.ask_official(method, made, then, asked)

    def _read_required(self, params: Params, asked: Asked | None) -> None:
        """Read a request that every agent of version 2 answers."""
        method = self._about
        what = method.removeprefix("session/")
        if fields(self._offered.get("sessionCapabilities")).get(what) is None:
            self.note("the agent cannot do it: answered for it")
            self.answer(asked, {"sessions": []} if what == "list" else {})
            return
        self._read(self.calls[method], params, asked)

    def _read_prompt(self, params: Params, asked: Asked | None) -> None:
        session = name_of(params.get("sessionId"))

        def ended(response: Message) -> None:
            result = fields(response.get("result"))
            idle: Params = {"state": "idle", "stopReason": result.get("stopReason")}
            if response.get("error") is not None:
                idle |= {"stopReason": "error", "error": response["error"]}
            self._tell_state(session, idle)

        self.ask_official("session/prompt", params, ended)
        self.answer(asked, {"messageId": self._next_message()})
        self._message = (session, "")
        self._tell_state(session, {"state": "running"})

    def _tell_state(self, session: Any, state: Params) -> None:
        update = {"sessionUpdate": "state_update", **state}
        self.tell_dialect("session/update", {"sessionId": session, "update": update})

    def _next_message(self) -> str:
        self._messages += 1
        return f"acp-spy-{self._messages}"

    def _write_any_update(self, params: Params, asked: Asked | None) -> None:
        update = dict(fields(params.get("update")))
        name = update.get("sessionUpdate")
        if name in _WHOLE.values() and update.get("messageId") is None:
            if self._message != (params.get("sessionId"), name):
                self._message = (params.get("sessionId"), str(name))
                self._next_message()
            update["messageId"] = f"acp-spy-{self._messages}"
        elif name == "tool_call":
            self._message = (None, "")
            self._about = "tool_call"
            update = {**update, "sessionUpdate": "tool_call_update"}
        self._write_update({**params, "update": update}, asked)

    def _write_permission(self, params: Params, asked: Asked | None) -> None:
        tool_call = fields(params.get("toolCall"))
        title = self.titled(params.get("sessionId"), tool_call).get("title")
        made = _TOOL_CALL.write(tool_call, self.note)
        asking = {
            "sessionId": params.get("sessionId"),
            "title": title or str(tool_call.get("toolCallId")),
            "subject": {"type": "tool_call", "toolCall": made},
            "options": params.get("options"),
        }
        then = self.returned(asked, lambda result: result)
        self.ask_dialect("session/request_permission", asking, then, asked)


def _opened(result: Any, note: Note) -> Any:
    made = _OPENED.read(result, note)
    return {key: item for key, item in made.items() if item not in NOTHING}
