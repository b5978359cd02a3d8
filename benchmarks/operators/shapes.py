"""Mistakes in the shape of a message: names, types and values."""

from benchmarks.mutating import DROP, operator, renamed, shape

SCH = "SCH"
CHUNKS = "update agent_message_chunk|agent_thought_chunk|user_message_chunk"
SETUP = "result session/new|session/load|session/resume"


def _sch(what, where, value, *rows, version=0):
    shape(SCH, what, where, value, *rows, version=version)


def _flat(value):
    return {key: one for key, one in value.items() if key != "update"} | value["update"]


def _as_map(value):
    """Return a list of names and values as a map."""
    return {one["name"]: one["value"] for one in value} if value else None


# ------------------------------------------------------------------------------------- handshake

_sch("`protocolVersion` is a string", "params initialize: protocolVersion", str, "INI-07")
_sch(
    "`protocolVersion` is a date, as in MCP",
    "params initialize: protocolVersion",
    "2024-11-05",
    "INI-07",
)
_sch("`protocolVersion` is a boolean", "params initialize: protocolVersion", True, "INI-07")
_sch("`protocolVersion` is a fraction", "params initialize: protocolVersion", 1.5, "INI-07")
_sch("`protocolVersion` is missing", "params initialize: protocolVersion", DROP, "INI-02")
_sch(
    "the agent answers with a version that is a string",
    "result initialize: protocolVersion",
    str,
    "INI-07",
)
_sch("the agent answers without a version", "result initialize: protocolVersion", DROP, "INI-05")
_sch(
    "`clientCapabilities` is called `capabilities`",
    "params initialize",
    renamed("clientCapabilities", "capabilities"),
    "INI-19",
    version=1,
)
_sch(
    "`clientInfo` is called `info`",
    "params initialize",
    renamed("clientInfo", "info"),
    "INI-19",
    version=1,
)
_sch(
    "`agentInfo` is called `serverInfo`",
    "result initialize",
    renamed("agentInfo", "serverInfo"),
    "INI-19",
    version=1,
)
_sch(
    "`agentCapabilities` contains `tools`, as in MCP",
    "result initialize: agentCapabilities/+tools",
    {"listChanged": True},
    "INI-19",
    "INI-20",
    version=1,
)
_sch(
    "a capability is not defined",
    "result initialize: agentCapabilities/+streaming",
    True,
    "INI-20",
    version=1,
)
_sch(
    "a capability of the client is not defined",
    "params initialize: clientCapabilities/+diff",
    True,
    "INI-20",
    version=1,
)
_sch(
    "a capability that is an object is a boolean",
    "result initialize: agentCapabilities/sessionCapabilities/+close",
    True,
    "INI-18",
    version=1,
)
_sch(
    "a capability that is a boolean is an object",
    "result initialize: agentCapabilities/loadSession",
    {},
    "INI-18",
    version=1,
)
_sch(
    "`terminal` is a string",
    "params initialize: clientCapabilities/+terminal",
    "yes",
    "INI-18",
    version=1,
)
_sch("`fs` is a boolean", "params initialize: clientCapabilities/fs", True, "INI-18", version=1)
_sch(
    "`clientInfo` has no version",
    "params initialize: clientInfo/version",
    DROP,
    "INI-04",
    version=1,
)
_sch("`agentInfo` is a string", "result initialize: agentInfo", "agent 1.0", "INI-06", version=1)
_sch("a login method has no id", "result initialize: authMethods/*/id", DROP, "AUT-01", version=1)
_sch("a login method has no name", "result initialize: authMethods/*/name", DROP, "AUT-01")
_sch(
    "a login method has the type `env_var`",
    "result initialize: authMethods/*/+type",
    "env_var",
    "AUT-01",
    version=1,
)
_sch("`authMethods` is a map", "result initialize: authMethods", lambda _: {"oauth": {}}, "AUT-01")
_sch(
    "the variables of a terminal login are a list",
    "result initialize: authMethods/*/env",
    [{"name": "A", "value": "b"}],
    "AUT-12",
    version=1,
)
_sch(
    "`authenticate` without a method id", "params authenticate: methodId", DROP, "AUT-04", version=1
)
_sch("`authenticate` is answered with null", "result authenticate", None, "AUT-05", version=1)

# -------------------------------------------------------------------------------------- sessions

_sch("`session/new` without `cwd`", "params session/new: cwd", DROP, "SES-03")
_sch(
    "`session/new` without `mcpServers`",
    "params session/new: mcpServers",
    DROP,
    "SES-23",
    version=1,
)
_sch("`cwd` is null", "params session/new|session/load: cwd", None, "SES-03")
_sch("`mcpServers` is a map", "params session/new|session/load: mcpServers", {}, "SES-23")
_sch(
    "an MCP server has its variables in a map",
    "params session/new: mcpServers/*/env",
    _as_map,
    "SES-23",
)
_sch(
    "an MCP server has its headers in a map",
    "params session/new: mcpServers/*/headers",
    _as_map,
    "SES-23",
)
_sch(
    "an MCP server has no variables",
    "params session/new: mcpServers/*/env",
    DROP,
    "SES-23",
    version=1,
)
_sch("an MCP server has no command", "params session/new: mcpServers/*/command", DROP, "SES-23")
_sch("an MCP server has no name", "params session/new: mcpServers/*/name", DROP, "SES-23")
_sch(
    "the arguments of an MCP server are a string",
    "params session/new: mcpServers/*/args",
    "--quiet",
    "SES-23",
)
_sch(
    "an MCP server has an unknown type",
    "params session/new: mcpServers/*/+type",
    "websocket",
    "SES-23",
    version=1,
)
_sch(
    "`session/new` is answered without a session id",
    "result session/new: sessionId",
    DROP,
    "SES-02",
)
_sch(
    "`session/new` is answered with a session id in the wrong case",
    "result session/new",
    renamed("sessionId", "session_id"),
    "EXT-09",
)
_sch(
    "`session/new` is answered with `id`",
    "result session/new",
    renamed("sessionId", "id"),
    "SES-02",
)
_sch("a session id is a number", "result session/new: sessionId", 7, "SES-02")
_sch("`session/load` is answered with null", "result session/load", None, "SES-28", version=1)
_sch(
    "`session/load` is answered with a session id",
    "result session/load: +sessionId",
    "one",
    "SES-28",
    version=1,
)
_sch(
    "`session/load` without `mcpServers`",
    "params session/load: mcpServers",
    DROP,
    "SES-07",
    version=1,
)
_sch("`session/resume` without `cwd`", "params session/resume: cwd", DROP, "SES-11")
_sch("`session/list` is answered without sessions", "result session/list: sessions", DROP, "LST-02")
_sch(
    "a listed session has `id`",
    "result session/list: sessions/*",
    renamed("sessionId", "id"),
    "LST-10",
)
_sch("a listed session has no `cwd`", "result session/list: sessions/*/cwd", DROP, "LST-03")
_sch(
    "`updatedAt` is a number",
    "result session/list: sessions/*/updatedAt",
    lambda old: 1794730926 if old else None,
    "LST-09",
)
_sch(
    "`session_info_update` contains `cwd`",
    "update session_info_update: +cwd",
    "/home/dev/project",
    "INF-01",
)

# ---------------------------------------------------------------------------------------- prompts

_sch("a prompt is a string", "params session/prompt: prompt", "Please help", "CNT-02")
_sch(
    "a prompt is one block",
    "params session/prompt: prompt",
    lambda old: old[0] if old else None,
    "CNT-09",
)
_sch(
    "a prompt is called `content`", "params session/prompt", renamed("prompt", "content"), "EXT-02"
)
_sch("a prompt has no session id", "params session/prompt: sessionId", DROP, "PRM-01")
_sch(
    "a prompt has the session id in the wrong case",
    "params session/prompt",
    renamed("sessionId", "session_id"),
    "EXT-09",
)
_sch("a text block has no text", "params session/prompt: prompt/*/text", DROP, "CNT-02")
_sch(
    "a block is called `content` instead of `text`",
    "params session/prompt: prompt/*",
    renamed("text", "content"),
    "CNT-02",
)
_sch("a block has no type", "params session/prompt: prompt/*/type", DROP, "CNT-02")
_sch(
    "a block has an unknown type",
    "params session/prompt: prompt/*/type",
    "file",
    "CNT-02",
    version=1,
)
_sch(
    "an image is in `image_url`",
    "params session/prompt: prompt/*/type",
    lambda old: "image_url" if old == "image" else None,
    "CNT-02",
    version=1,
)
_sch("an image has no data", "params session/prompt: prompt/*/data", DROP, "CNT-03")
_sch(
    "an image has no MIME type",
    "params session/prompt: prompt/*",
    lambda old: (
        {key: one for key, one in old.items() if key != "mimeType"}
        if old.get("type") in ("image", "audio")
        else None
    ),
    "CNT-03",
)
_sch("a link has no name", "params session/prompt: prompt/*/name", DROP, "CNT-05")
_sch("a link has no URI", "params session/prompt: prompt/*/uri", DROP, "CNT-05")
_sch(
    "the fields of a resource are around it",
    "params session/prompt: prompt/*",
    lambda old: {"type": "resource", **old["resource"]} if "resource" in old else None,
    "CNT-04",
)
_sch(
    "a resource has neither a text nor a blob",
    "params session/prompt: prompt/*/resource/text",
    DROP,
    "CNT-04",
)
_sch(
    "a prompt is answered without a stop reason",
    "result session/prompt: stopReason",
    DROP,
    "PRM-03",
    version=1,
)
_sch(
    "`stopReason` in the wrong case",
    "result session/prompt",
    renamed("stopReason", "stop_reason"),
    "EXT-09",
    version=1,
)
for _reason in ("error", "tool_use", "done", "stop", "endTurn", "completed"):
    _sch(
        f"the stop reason is `{_reason}`",
        "result session/prompt: stopReason",
        _reason,
        "PRM-04",
        version=1,
    )
_sch("the stop reason is null", "result session/prompt: stopReason", None, "PRM-04", version=1)
_sch("a prompt is answered with null", "result session/prompt", None, "PRM-03")
_sch("a prompt is answered with a string", "result session/prompt", "end_turn", "PRM-03", version=1)
_sch(
    "a prompt is answered with the text",
    "result session/prompt: +content",
    [{"type": "text", "text": "Hello"}],
    "PRM-15",
    version=1,
)
_sch("`session/cancel` without a session id", "params session/cancel: sessionId", DROP, "CAN-01")

# ---------------------------------------------------------------------------------------- updates

_sch("an update is not in `update`", "params session/update", _flat, "EXT-09")
_sch("an update has no session id", "params session/update: sessionId", DROP, "SES-25")
_sch(
    "an update has the session id in the wrong case",
    "params session/update",
    renamed("sessionId", "session_id"),
    "EXT-09",
)
_sch(
    "an update is in `updates`, a list",
    "params session/update",
    lambda old: {"sessionId": old["sessionId"], "updates": [old["update"]]},
    "EXT-09",
)
_sch(
    "an update is named by `type`",
    "params session/update: update",
    renamed("sessionUpdate", "type"),
    "EXT-09",
)
_sch(
    "an update is named by `session_update`",
    "params session/update: update",
    renamed("sessionUpdate", "session_update"),
    "EXT-09",
)
_sch("an update has no kind", "params session/update: update/sessionUpdate", DROP, "EXT-09")
_sch("an update has an invented kind", f"{CHUNKS}: sessionUpdate", "message", "EXT-02", version=1)
_sch(
    "an update has the kind `agent_error`",
    f"{CHUNKS}: sessionUpdate",
    "agent_error",
    "EXT-02",
    version=1,
)
_sch(
    "the kind of an update is in camel case",
    f"{CHUNKS}: sessionUpdate",
    "agentMessageChunk",
    "EXT-09",
    version=1,
)
_sch(
    "an update has a kind of version 2",
    f"{CHUNKS}: sessionUpdate",
    "agent_message",
    "INI-09",
    version=1,
)
_sch("an update contains an unknown field", f"{CHUNKS}: +timestamp", 1794730926, "EXT-02")
_sch(
    "the params of an update contain an unknown field",
    "params session/update: +timestamp",
    1794730926,
    "EXT-02",
)
_sch("the content of a chunk is a list", f"{CHUNKS}: content", lambda old: [old], "CNT-09")
_sch(
    "the content of a chunk is a string",
    f"{CHUNKS}: content",
    lambda old: old.get("text"),
    "CNT-09",
)
_sch("a chunk has its text around the content", f"{CHUNKS}: content", DROP, "CNT-09")
_sch("a chunk has no content type", f"{CHUNKS}: content/type", DROP, "CNT-02")
_sch(
    "a chunk has an unknown content type",
    f"{CHUNKS}: content/type",
    "markdown",
    "CNT-02",
    version=1,
)
_sch("the text of a chunk is null", f"{CHUNKS}: content/text", None, "CNT-02")
_sch("the text of a chunk is a list", f"{CHUNKS}: content/text", lambda old: [old], "CNT-02")
_sch("`_meta` is a string", f"{CHUNKS}: +_meta", "trace", "EXT-01")
_sch("`_meta` is a list", "params session/prompt: +_meta", [], "EXT-01")
_sch("`messageId` is a number", f"{CHUNKS}: +messageId", 7, "PRM-08")
_sch(
    "`annotations.audience` is unknown",
    f"{CHUNKS}: content/+annotations",
    {"audience": ["everybody"]},
    "CNT-10",
    version=1,
)

# ------------------------------------------------------------------------------------- tool calls

CALL = "update tool_call"
ANY_CALL = "update tool_call|tool_call_update"
_sch("a tool call has no title", f"{CALL}: title", DROP, "TLC-04", version=1)
_sch("a tool call has no id", f"{ANY_CALL}: toolCallId", DROP, "TLC-02")
_sch("a tool call has its id in `id`", f"{ANY_CALL}", renamed("toolCallId", "id"), "TLC-02")
_sch(
    "a tool call has its id in the wrong case",
    f"{ANY_CALL}",
    renamed("toolCallId", "tool_call_id"),
    "EXT-09",
)
_sch("the id of a tool call is a number", f"{CALL}: toolCallId", 7, "TLC-02", version=1)
_sch("a tool call has an unknown kind", f"{CALL}: +kind", "bash", "TLC-05", version=1)
_sch(
    "a tool call has the status `cancelled`",
    f"{ANY_CALL}: status",
    lambda old: "cancelled" if old == "failed" else None,
    "TLC-06",
    version=1,
)
_sch(
    "a tool call has the status `running`",
    f"{ANY_CALL}: status",
    lambda old: "running" if old == "in_progress" else None,
    "TLC-06",
    version=1,
)
_sch(
    "a tool call has the status `done`",
    f"{ANY_CALL}: status",
    lambda old: "done" if old == "completed" else None,
    "TLC-06",
    version=1,
)
_sch("the title of a tool call is null", f"{CALL}: title", None, "TLC-04", version=1)
_sch(
    "the content of a tool call is an object",
    f"{ANY_CALL}: content",
    lambda old: old[0] if old else None,
    "CNT-09",
)
_sch(
    "the content of a tool call is a string",
    f"{ANY_CALL}: content",
    lambda old: "text" if old else None,
    "CNT-09",
)
_sch(
    "a block is directly in the content of a tool call",
    f"{ANY_CALL}: content/*",
    lambda old: old.get("content"),
    "TLC-09",
    version=1,
)
_sch(
    "the content of a tool call has an unknown type",
    f"{ANY_CALL}: content/*/type",
    "output",
    "TLC-09",
    version=1,
)
_sch(
    "a tool result of another API is in the content",
    f"{ANY_CALL}: content/*",
    lambda old: (
        {"type": "content", "content": {"type": "tool_result", "content": []}} if old else None
    ),
    "CNT-02",
    version=1,
)
_sch("a diff has no `newText`", f"{ANY_CALL}: content/*/newText", DROP, "TLC-13", version=1)
_sch("a diff has no path", f"{ANY_CALL}: content/*/path", DROP, "TLC-10", version=1)
_sch(
    "a diff has `new_text`",
    f"{ANY_CALL}: content/*",
    renamed("newText", "new_text"),
    "EXT-09",
    version=1,
)
_sch("a location is a string", f"{ANY_CALL}: locations/*", lambda old: old.get("path"), "TLC-10")
_sch("a location has no path", f"{ANY_CALL}: locations/*/path", DROP, "TLC-10")
_sch(
    "a line number is a string",
    f"{ANY_CALL}: locations/*/line",
    lambda old: str(old) if old is not None else None,
    "TLC-11",
)
_sch("a line number is negative", f"{ANY_CALL}: locations/*/+line", -1, "TLC-11")
_sch("terminal content has no id", f"{ANY_CALL}: content/*/terminalId", DROP, "TLC-12")

# ------------------------------------------------------------------------------------ permissions

ASK = "params session/request_permission"
SELECTED = "result session/request_permission"
_sch("a permission request has no options", f"{ASK}: options", DROP, "PER-05")
_sch("the options of a permission are strings", f"{ASK}: options", ["allow", "reject"], "PER-05")
_sch("an option has no id", f"{ASK}: options/*/optionId", DROP, "PER-05")
_sch("an option has its id in `id`", f"{ASK}: options/*", renamed("optionId", "id"), "PER-05")
_sch("an option has no name", f"{ASK}: options/*/name", DROP, "PER-05")
_sch("an option has its name in `label`", f"{ASK}: options/*", renamed("name", "label"), "PER-05")
_sch("an option has no kind", f"{ASK}: options/*/kind", DROP, "PER-05")
_sch(
    "an option has the kind `allow_persistent`",
    f"{ASK}: options/*/kind",
    "allow_persistent",
    "PER-05",
    version=1,
)
_sch("an option has the kind `allow`", f"{ASK}: options/*/kind", "allow", "PER-05", version=1)
_sch("a permission request has no tool call", f"{ASK}: toolCall", DROP, "PER-07", version=1)
_sch(
    "a permission request names its tool call directly",
    f"{ASK}",
    lambda old: (
        {
            **{k: v for k, v in old.items() if k != "toolCall"},
            "toolCallId": old["toolCall"]["toolCallId"],
        }
        if "toolCall" in old
        else None
    ),
    "PER-07",
    version=1,
)
_sch("a permission request has no session id", f"{ASK}: sessionId", DROP, "PER-09")
_sch(
    "a permission is answered with `optionId` alone",
    SELECTED,
    lambda old: {"optionId": old["outcome"]["optionId"]} if "optionId" in old["outcome"] else None,
    "PER-03",
)
_sch(
    "a permission is answered without the outer `outcome`",
    SELECTED,
    lambda old: old["outcome"],
    "PER-03",
)
_sch(
    "the outcome of a permission is a string",
    f"{SELECTED}: outcome",
    lambda old: old["outcome"],
    "PER-03",
)
_sch(
    "the outcome of a permission is `allowed`",
    f"{SELECTED}: outcome/outcome",
    lambda old: "allowed" if old == "selected" else None,
    "PER-03",
    version=1,
)
_sch(
    "a permission is selected without an option id", f"{SELECTED}: outcome/optionId", DROP, "PER-03"
)
_sch(
    "a permission is selected with `option_id`",
    f"{SELECTED}: outcome",
    renamed("optionId", "option_id"),
    "PER-03",
)
_sch("a permission is answered with a boolean", SELECTED, lambda _: {"approved": True}, "PER-03")
_sch("a permission is answered with null", SELECTED, None, "PER-03")

# ---------------------------------------------------------------------------- files and terminals

_sch("a file is read without a path", "params fs/read_text_file: path", DROP, "FS-02", version=1)
_sch(
    "a file is read by `file_path`",
    "params fs/read_text_file",
    renamed("path", "file_path"),
    "FS-02",
    version=1,
)
_sch(
    "a file is read by `uri`",
    "params fs/read_text_file",
    renamed("path", "uri"),
    "FS-02",
    version=1,
)
_sch(
    "a file is read without a session id",
    "params fs/read_text_file: sessionId",
    DROP,
    "FS-07",
    version=1,
)
_sch(
    "a line number of a read is negative", "params fs/read_text_file: +line", -5, "FS-03", version=1
)
_sch(
    "the limit of a read is a string", "params fs/read_text_file: +limit", "all", "FS-03", version=1
)
_sch(
    "a file is answered as `text`",
    "result fs/read_text_file",
    renamed("content", "text"),
    "FS-05",
    version=1,
)
_sch(
    "a file is answered as a list of lines",
    "result fs/read_text_file: content",
    lambda old: old.splitlines(),
    "FS-05",
    version=1,
)
_sch(
    "a file is answered as a string",
    "result fs/read_text_file",
    lambda old: old["content"],
    "FS-05",
    version=1,
)
_sch(
    "a file is written without content",
    "params fs/write_text_file: content",
    DROP,
    "FS-06",
    version=1,
)
_sch("a write is answered with `true`", "result fs/write_text_file", True, "FS-06", version=1)
_sch("a write is answered with null", "result fs/write_text_file", None, "FS-06", version=1)
_sch("a terminal has no command", "params terminal/create: command", DROP, "TRM-01", version=1)
_sch(
    "a command is a list", "params terminal/create: command", lambda old: [old], "TRM-11", version=1
)
_sch(
    "the arguments of a command are a string",
    "params terminal/create: args",
    "-q",
    "TRM-11",
    version=1,
)
_sch(
    "the variables of a command are a map",
    "params terminal/create: env",
    {"CI": "1"},
    "TRM-11",
    version=1,
)
_sch(
    "the output limit is negative",
    "params terminal/create: +outputByteLimit",
    -1,
    "TRM-06",
    version=1,
)
_sch(
    "a terminal is created without an id",
    "result terminal/create: terminalId",
    DROP,
    "TRM-02",
    version=1,
)
_sch(
    "a terminal is created with `id`",
    "result terminal/create",
    renamed("terminalId", "id"),
    "TRM-02",
    version=1,
)
_sch("output without `truncated`", "result terminal/output: truncated", DROP, "TRM-06", version=1)
_sch("output without `output`", "result terminal/output: output", DROP, "TRM-06", version=1)
_sch("an exit code is negative", "result terminal/wait_for_exit: exitCode", -1, "TRM-12", version=1)
_sch(
    "an exit code is a string", "result terminal/wait_for_exit: exitCode", "0", "TRM-12", version=1
)
_sch("an exit status is a number", "result terminal/output: +exitStatus", 0, "TRM-07", version=1)
_sch(
    "`terminal/release` without a terminal id",
    "params terminal/release: terminalId",
    DROP,
    "TRM-03",
    version=1,
)

# ------------------------------------------------------------- plans, modes, options and the rest

_sch("a plan has no entries", "update plan: entries", DROP, "PLN-02", version=1)
_sch(
    "a plan has its entries in `items`",
    "update plan",
    renamed("entries", "items"),
    "PLN-04",
    version=1,
)
_sch(
    "an entry of a plan has no priority",
    "update plan: entries/*/priority",
    DROP,
    "PLN-04",
    version=1,
)
_sch(
    "an entry of a plan has the priority `urgent`",
    "update plan: entries/*/priority",
    "urgent",
    "PLN-04",
    version=1,
)
_sch(
    "an entry of a plan has the status `done`",
    "update plan: entries/*/status",
    lambda old: "done" if old == "completed" else None,
    "PLN-04",
    version=1,
)
_sch(
    "an entry of a plan is a string",
    "update plan: entries/*",
    lambda old: old["content"],
    "PLN-04",
    version=1,
)
_sch(
    "an entry of a plan has its text in `title`",
    "update plan: entries/*",
    renamed("content", "title"),
    "PLN-04",
    version=1,
)
_sch("modes have no current mode", f"{SETUP}: modes/currentModeId", DROP, "MOD-01", version=1)
_sch(
    "modes are a list",
    f"{SETUP}: modes",
    lambda old: old["availableModes"] if old else None,
    "MOD-01",
    version=1,
)
_sch("a mode has no name", f"{SETUP}: modes/availableModes/*/name", DROP, "MOD-01", version=1)
_sch(
    "`current_mode_update` has `modeId`",
    "update current_mode_update",
    renamed("currentModeId", "modeId"),
    "MOD-04",
    version=1,
)
_sch(
    "`session/set_mode` without a mode",
    "params session/set_mode: modeId",
    DROP,
    "MOD-03",
    version=1,
)
_sch(
    "`session/set_mode` has `mode`",
    "params session/set_mode",
    renamed("modeId", "mode"),
    "MOD-03",
    version=1,
)
_sch(
    "a config option has no current value", f"{SETUP}: configOptions/*/currentValue", DROP, "CFG-05"
)
_sch("a config option has no id", f"{SETUP}: configOptions/*/id", DROP, "CFG-05", version=1)
_sch("a config option has no options", f"{SETUP}: configOptions/*/options", DROP, "CFG-12")
_sch(
    "a config option has an unknown type",
    f"{SETUP}: configOptions/*/type",
    "slider",
    "CFG-06",
    version=1,
)
_sch(
    "a config option has a reserved category",
    f"{SETUP}: configOptions/*/+category",
    "temperature",
    "CFG-04",
)
_sch(
    "the values of a config option are strings",
    f"{SETUP}: configOptions/*/options/*",
    lambda old: old.get("value"),
    "CFG-12",
)
_sch(
    "`session/set_config_option` is answered with an empty object",
    "result session/set_config_option: configOptions",
    DROP,
    "CFG-07",
)
_sch(
    "`session/set_config_option` without a value",
    "params session/set_config_option: value",
    DROP,
    "CFG-09",
)
_sch(
    "`session/set_config_option` has `optionId`",
    "params session/set_config_option",
    renamed("configId", "optionId"),
    "CFG-09",
)
_sch(
    "commands are strings",
    "update available_commands_update: availableCommands/*",
    lambda old: old["name"],
    "CMD-02",
)
_sch(
    "a command has no description",
    "update available_commands_update: availableCommands/*/description",
    DROP,
    "CMD-02",
)
_sch(
    "commands are in `commands`",
    "update available_commands_update",
    renamed("availableCommands", "commands"),
    "CMD-01",
)
_sch("commands are null", "update available_commands_update: availableCommands", None, "CMD-01")
_sch(
    "the input of a command is a string",
    "update available_commands_update: availableCommands/*/+input",
    "a file",
    "CMD-02",
)
_sch("usage has no size", "update usage_update: size", DROP, "USG-01")
_sch("usage is negative", "update usage_update: used", -1, "USG-01")
_sch("usage is a string", "update usage_update: used", str, "USG-01")
_sch("a cost has no currency", "update usage_update: cost/currency", DROP, "USG-01")
_sch("a cost is a number", "update usage_update: +cost", 0.02, "USG-01")
_sch("a notice has no title", "update notice: title", DROP, "NTC-02")
_sch("a notice has an unknown severity", "update notice: severity", "fatal", "NTC-02")
_sch("a compaction has no id", "update compaction_update: compactionId", DROP, "CMP-02")
_sch(
    "a compaction has an unknown status",
    "update compaction_update: status",
    lambda old: "done" if old == "completed" else None,
    "CMP-02",
)
_sch("an elicitation has no mode", "params elicitation/create: mode", DROP, "ELI-02")
_sch("an elicitation has no message", "params elicitation/create: message", DROP, "ELI-02")
_sch("a form has no schema", "params elicitation/create: requestedSchema", DROP, "ELI-07")
_sch(
    "a form has a nested object",
    "params elicitation/create: requestedSchema/properties/branch",
    {"type": "object", "properties": {}},
    "ELI-07",
)
_sch("the action of an elicitation is `ok`", "result elicitation/create: action", "ok", "ELI-10")
_sch(
    "an elicitation is answered without an action",
    "result elicitation/create: action",
    DROP,
    "ELI-10",
)
_sch(
    "an error of an elicitation has no id",
    "params elicitation/complete: elicitationId",
    DROP,
    "ELI-13",
)

# -------------------------------------------------------------------------------------- version 2

_sch(
    "a client of version 2 sends `clientInfo`",
    "params initialize",
    renamed("info", "clientInfo"),
    "V2-01",
    version=2,
)
_sch(
    "an agent of version 2 sends `agentInfo`",
    "result initialize",
    renamed("info", "agentInfo"),
    "V2-01",
    version=2,
)
_sch(
    "an agent of version 2 sends `agentCapabilities`",
    "result initialize",
    renamed("capabilities", "agentCapabilities"),
    "V2-01",
    version=2,
)
_sch(
    "a capability of version 2 is a boolean",
    "result initialize: capabilities/session/+delete",
    True,
    "V2-01",
    version=2,
)
_sch(
    "a login method of version 2 has `id`",
    "result initialize: authMethods/*",
    renamed("methodId", "id"),
    "V2-03",
    "AUT-01",
    version=2,
)
_sch(
    "a login method of version 2 has no type",
    "result initialize: authMethods/*/type",
    DROP,
    "V2-03",
    version=2,
)
_sch(
    "a login method of version 2 has an unknown type",
    "result initialize: authMethods/*/type",
    "browser",
    "V2-03",
    version=2,
)
_sch(
    "a prompt of version 2 is answered with a stop reason",
    "result session/prompt",
    {"stopReason": "end_turn"},
    "V2-05",
    version=2,
)
_sch(
    "a prompt of version 2 is answered with an empty object",
    "result session/prompt",
    {},
    "V2-05",
    version=2,
)
_sch(
    "a message of version 2 has no id",
    "update user_message|agent_message|agent_message_chunk|agent_thought_chunk: messageId",
    DROP,
    "V2-09",
    version=2,
)
_sch(
    "the id of a message of version 2 is null",
    "update user_message|agent_message|agent_message_chunk: messageId",
    None,
    "V2-09",
    version=2,
)
_sch(
    "the content of a message of version 2 is one block",
    "update user_message|agent_message: content",
    lambda old: old[0],
    "CNT-09",
    version=2,
)
_sch("a state is unknown", "update state_update: state", "busy", "V2-18", version=2)
_sch("a state has no value", "update state_update: state", DROP, "V2-07", version=2)
_sch(
    "a stop reason of version 2 is unknown",
    "update state_update: stopReason",
    "done",
    "V2-18",
    version=2,
)
_sch(
    "version 2 sends `tool_call`",
    "update tool_call_update: sessionUpdate",
    "tool_call",
    "V2-12",
    version=2,
)
_sch(
    "version 2 sends an unknown update",
    "update agent_message: sessionUpdate",
    "message",
    "V2-18",
    version=2,
)
_sch(
    "a status of version 2 is unknown",
    "update tool_call_update: status",
    lambda old: "done" if old == "completed" else None,
    "V2-18",
    version=2,
)
_sch(
    "a tool kind of version 2 is unknown",
    "update tool_call_update: kind",
    "bash",
    "V2-18",
    version=2,
)
_sch(
    "the output of a terminal is not Base64",
    "update terminal_output_chunk: data",
    "1 failed!\n",
    "V2-13",
    version=2,
)
_sch(
    "a permission of version 2 has no title",
    "params session/request_permission: title",
    DROP,
    "V2-21",
    version=2,
)
_sch(
    "a permission of version 2 has `toolCall`",
    "params session/request_permission",
    renamed("subject", "toolCall"),
    "V2-21",
    version=2,
)
_sch(
    "a permission of version 2 has an unknown kind of option",
    "params session/request_permission: options/*/kind",
    "allow",
    "V2-18",
    version=2,
)
_sch(
    "`configOptions` of version 2 is null",
    "result session/new: configOptions",
    None,
    "V2-23",
    version=2,
)
_sch(
    "a config option of version 2 has `id`",
    "result session/new: configOptions/*",
    renamed("configId", "id"),
    "V2-23",
    version=2,
)
_sch(
    "a config option of version 2 has no values",
    "result session/new: configOptions/*/options",
    [],
    "V2-23",
    version=2,
)
_sch(
    "an MCP server of version 2 has no type",
    "params session/new: mcpServers/*/type",
    DROP,
    "V2-18",
    version=2,
)
_sch(
    "a content block of version 2 is unknown",
    "update agent_message: content/*/type",
    "markdown",
    "V2-18",
    version=2,
)


@operator(SCH, "an update contains fields in the wrong case", "EXT-09")
def wrong_case(talk):
    for said in talk.updates("tool_call", "tool_call_update"):
        for key in ("rawInput", "rawOutput"):
            if key in said.update:
                name = key.replace("I", "_i").replace("O", "_o")
                yield talk.change(
                    said,
                    lambda message, key=key, name=name: message["params"]["update"].update(
                        {name: message["params"]["update"].pop(key)}
                    ),
                )


_sch(
    "the usage of a turn has no total",
    "result session/prompt: +usage",
    {"inputTokens": 1, "outputTokens": 2},
    "UNS-18",
    version=1,
)
