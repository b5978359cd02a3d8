"""Uses of what the other peer did not advertise."""

from benchmarks.mutating import AGENT, CLIENT, DROP, operator

CAP = "CAP"


def unadvertised(what, *rows, method, field, used, version=1, value=DROP):
    """
    Declare an operator that does not advertise what is used later.

    `method` says who advertises: `params` of `initialize` is the client, `result` the agent.
    `field` is the way to the capability, and `used` whether the conversation uses it.
    """

    def edits(talk):
        if not used(talk):
            return
        picked = talk.requests("initialize") if method == "params" else talk.results("initialize")
        for said in picked[:1]:
            *way, last = field.split("/")

            def change(message, way=way, last=last):
                place = message[method]
                for key in way:
                    place = place[key]
                if value is DROP:
                    del place[last]
                else:
                    place[last] = value

            try:
                yield talk.change(said, change)
            except (KeyError, TypeError):
                continue

    operator(CAP, what, *rows, version=version)(edits)


def _uses(*methods):
    return lambda talk: talk.requests(*methods)


def _has_block(kind):
    return lambda talk: any(
        block.get("type") == kind
        for said in talk.requests("session/prompt")
        for block in said.params.get("prompt", ())
        if isinstance(block, dict)
    )


def _has_server(kind):
    return lambda talk: any(
        server.get("type") == kind
        for said in talk.requests("session/new")
        for server in said.params.get("mcpServers", ())
    )


CLIENTS, AGENTS = "clientCapabilities", "agentCapabilities"
unadvertised(
    "files are read, but `readTextFile` is false",
    "FS-01",
    method="params",
    field=f"{CLIENTS}/fs/readTextFile",
    used=_uses("fs/read_text_file"),
    value=False,
)
unadvertised(
    "files are read, but `fs` is not advertised",
    "FS-01",
    method="params",
    field=f"{CLIENTS}/fs",
    used=_uses("fs/read_text_file"),
)
unadvertised(
    "files are written, but `writeTextFile` is not advertised",
    "FS-01",
    method="params",
    field=f"{CLIENTS}/fs/writeTextFile",
    used=_uses("fs/write_text_file"),
)
unadvertised(
    "a terminal is created, but `terminal` is false",
    "TRM-01",
    method="params",
    field=f"{CLIENTS}/terminal",
    used=_uses("terminal/create"),
    value=False,
)
unadvertised(
    "a terminal login is offered, but not advertised",
    "AUT-02",
    method="params",
    field=f"{CLIENTS}/auth",
    used=lambda talk: any(
        one.get("type") == "terminal"
        for said in talk.results("initialize")
        for one in said.result.get("authMethods") or ()
    ),
)
unadvertised(
    "a boolean option is offered, but not advertised",
    "CFG-02",
    method="params",
    field=f"{CLIENTS}/session/configOptions",
    used=lambda talk: any(
        one.get("type") == "boolean"
        for said in talk.results("session/new")
        for one in said.result.get("configOptions") or ()
    ),
)
unadvertised(
    "a notice is sent, but not advertised",
    "NTC-01",
    method="params",
    field=f"{CLIENTS}/session/notices",
    used=lambda talk: talk.updates("notice"),
)
unadvertised(
    "a compaction is sent, but not advertised",
    "CMP-01",
    method="params",
    field=f"{CLIENTS}/session/compaction",
    used=lambda talk: talk.updates("compaction_update"),
)
unadvertised(
    "a form is sent, but not advertised",
    "ELI-01",
    "ELI-03",
    method="params",
    field=f"{CLIENTS}/elicitation/form",
    used=lambda talk: any(
        said.params.get("mode") == "form" for said in talk.requests("elicitation/create")
    ),
)
unadvertised(
    "a URL is sent, but not advertised",
    "ELI-01",
    "ELI-03",
    method="params",
    field=f"{CLIENTS}/elicitation/url",
    used=lambda talk: any(
        said.params.get("mode") == "url" for said in talk.requests("elicitation/create")
    ),
)
unadvertised(
    "a session is loaded, but `loadSession` is false",
    "SES-06",
    method="result",
    field=f"{AGENTS}/loadSession",
    used=_uses("session/load"),
    value=False,
)
unadvertised(
    "a session is resumed, but not advertised",
    "SES-10",
    method="result",
    field=f"{AGENTS}/sessionCapabilities/resume",
    used=_uses("session/resume"),
)
unadvertised(
    "sessions are listed, but not advertised",
    "LST-01",
    method="result",
    field=f"{AGENTS}/sessionCapabilities/list",
    used=_uses("session/list"),
)
unadvertised(
    "a session is closed, but not advertised",
    "SES-14",
    method="result",
    field=f"{AGENTS}/sessionCapabilities/close",
    used=_uses("session/close"),
)
unadvertised(
    "a session is deleted, but not advertised",
    "DEL-01",
    method="result",
    field=f"{AGENTS}/sessionCapabilities/delete",
    used=_uses("session/delete"),
)
unadvertised(
    "directories are added, but not advertised",
    "SES-17",
    method="result",
    field=f"{AGENTS}/sessionCapabilities/additionalDirectories",
    used=lambda talk: any(
        said.params.get("additionalDirectories") for said in talk.requests("session/new")
    ),
)
unadvertised(
    "the client logs out, but `logout` is not advertised",
    "AUT-07",
    method="result",
    field=f"{AGENTS}/auth/logout",
    used=_uses("logout"),
)
unadvertised(
    "a prompt has an image, but none is advertised",
    "PRM-02",
    method="result",
    field=f"{AGENTS}/promptCapabilities/image",
    used=_has_block("image"),
    value=False,
)
unadvertised(
    "a prompt has audio, but none is advertised",
    "PRM-02",
    method="result",
    field=f"{AGENTS}/promptCapabilities/audio",
    used=_has_block("audio"),
)
unadvertised(
    "a prompt has a resource, but none is advertised",
    "PRM-02",
    method="result",
    field=f"{AGENTS}/promptCapabilities/embeddedContext",
    used=_has_block("resource"),
)
unadvertised(
    "an MCP server uses HTTP, but it is not advertised",
    "SES-22",
    method="result",
    field=f"{AGENTS}/mcpCapabilities/http",
    used=_has_server("http"),
    value=False,
)
unadvertised(
    "a prompt of version 2 has an image, but none is advertised",
    "PRM-02",
    method="result",
    field="capabilities/session/prompt",
    used=_has_block("image"),
    version=2,
)
unadvertised(
    "a login of version 2 without login methods",
    "V2-03",
    method="result",
    field="authMethods",
    used=_uses("auth/login"),
    version=2,
)
unadvertised(
    "an MCP server of version 2 uses stdio, but it is not advertised",
    "SES-22",
    method="result",
    field="capabilities/session/mcp",
    used=_has_server("stdio"),
    version=2,
)


def _call(what, *rows, version, request, answer, before="session/prompt"):
    """Declare an operator that sends a request that may not be sent, and its response."""

    def edits(talk):
        for said in talk.requests(before)[-1:]:
            asked = {"jsonrpc": "2.0", "id": 70_001, **request(talk, said)}
            edit = talk.before(said, CLIENT, asked)
            reply = {"jsonrpc": "2.0", "id": 70_001, **answer}
            edit[said.place][1:1] = talk.before(said, AGENT, reply)[said.place][:1]
            yield edit

    operator(CAP, what, *rows, version=version)(edits)


_NOT_FOUND = {"error": {"code": -32601, "message": "Method not found"}}


@operator(CAP, "an advertised method is not implemented", "X-08", "INI-15", version=1)
def not_implemented(talk):
    for said in talk.responses(
        "session/list",
        "session/close",
        "session/resume",
        "fs/read_text_file",
        "session/delete",
        "terminal/create",
        "fs/write_text_file",
    ):
        message = {key: value for key, value in said.message.items() if key != "result"}
        yield talk.send(said, {**message, **_NOT_FOUND})


@operator(CAP, "a method that was never advertised works", "X-09", "LST-01", version=1)
def hidden_method(talk):
    (first, *_) = talk.results("initialize")
    if (first.result.get("agentCapabilities") or {}).get("sessionCapabilities", {}).get(
        "list"
    ) is None:
        for said in talk.requests("session/prompt")[:1]:
            asked = {"jsonrpc": "2.0", "id": 70_001, "method": "session/list", "params": {}}
            reply = {"jsonrpc": "2.0", "id": 70_001, "result": {"sessions": []}}
            edit = talk.before(said, CLIENT, asked)
            edit[said.place][1:1] = talk.before(said, AGENT, reply)[said.place][:1]
            yield edit


@operator(CAP, "version 2 calls a method of version 1", "V2-24", version=2)
def removed_methods(talk):
    for said in talk.requests("session/prompt"):
        for method, params in (
            ("session/set_mode", {"sessionId": said.session, "modeId": "code"}),
            ("authenticate", {"methodId": "oauth"}),
            (
                "session/load",
                {"sessionId": said.session, "cwd": "/home/dev/project", "mcpServers": []},
            ),
        ):
            asked = {"jsonrpc": "2.0", "id": 70_001, "method": method, "params": params}
            edit = talk.before(said, CLIENT, asked)
            reply = {"jsonrpc": "2.0", "id": 70_001, **_NOT_FOUND}
            edit[said.place][1:1] = talk.before(said, AGENT, reply)[said.place][:1]
            yield edit


@operator(CAP, "the agent of version 2 calls a file method", "V2-24", version=2)
def removed_file_methods(talk):
    for said in talk.updates("agent_message"):
        if talk.in_replay(said):
            continue
        params = {"sessionId": said.session, "path": "/home/dev/project/a.py"}
        asked = {"jsonrpc": "2.0", "id": 70_001, "method": "fs/read_text_file", "params": params}
        edit = talk.before(said, AGENT, asked)
        reply = {"jsonrpc": "2.0", "id": 70_001, **_NOT_FOUND}
        edit[said.place][1:1] = talk.before(said, CLIENT, reply)[said.place][:1]
        yield edit


def _unstable(what, *rows, method, params, result):
    """Declare an operator that calls a method of the unstable part that nobody advertised."""

    def edits(talk):
        answer = next(iter(talk.results("initialize")), None)
        offered = str(answer.result if answer else "")
        for said in talk.requests("session/prompt")[:1]:
            if method.partition("/")[2] not in offered:
                asked = {**params, **({"sessionId": said.session} if "cwd" in params else {})}
                request = {"jsonrpc": "2.0", "id": 70_001, "method": method, "params": asked}
                edit = talk.before(said, CLIENT, request)
                reply = {"jsonrpc": "2.0", "id": 70_001, "result": result}
                edit[said.place][1:1] = talk.before(said, AGENT, reply)[said.place][:1]
                yield edit

    operator(CAP, what, *rows, version=1)(edits)


_unstable(
    "a session is forked, but not advertised",
    "UNS-02",
    method="session/fork",
    params={"cwd": "/home/dev/project", "mcpServers": []},
    result={"sessionId": "forked"},
)
_unstable(
    "the login is asked for, but not advertised",
    "UNS-08",
    method="auth/status",
    params={},
    result={"state": "authenticated"},
)


@operator(CAP, "a plan is updated in the unstable way, but not advertised", "UNS-01", version=1)
def plan_update(talk):
    for said in talk.updates("plan"):
        if not talk.in_replay(said):
            plan = {"type": "items", "planId": "plan-1", "entries": said.update["entries"]}
            update = {"sessionUpdate": "plan_update", "plan": plan}
            yield talk.change(said, lambda m, update=update: m["params"].update(update=update))


@operator(CAP, "a listed session has additional directories that are not advertised", "LST-08")
def directories_listed(talk):
    for said in talk.results("session/list"):
        if "additionalDirectories" not in str(talk.results("initialize")[0].result):

            def change(message):
                for session in message["result"]["sessions"]:
                    session["additionalDirectories"] = ["/home/dev/library"]

            if said.result["sessions"]:
                yield talk.change(said, change)
