"""JetBrains: an update `message` with a whole message in it, and a handshake as MCP has it."""

from acp_spy.dialect.model import Dialect, Evidence, Params
from acp_spy.dialect.reading import reach, renamed, update_of
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request, interpret_response
from acp_spy.wire.values import fields, text


def _update(p: Params) -> ev.Event | None:
    update = fields(p.get("update"))
    if update.get("sessionUpdate") != "message":
        return interpret_request("session/update", p)
    whole = fields(update.get("message")) or update
    role = "user" if whole.get("role") == "user" else "agent"
    return ev.Said(text(p.get("sessionId")), role, whole.get("content"), update.get("messageId"))


def _initialize_answered(p: Params, r: Params) -> ev.Event | None:
    return interpret_response("initialize", p, renamed(r, {"serverInfo": "agentInfo"}))


JETBRAINS = Dialect(
    name="jetbrains",
    title="the jetbrains dialect",
    origin="the guide of a Koog code reviewer for JetBrains IDEs",
    evidence=(
        Evidence(
            3,
            '`"sessionUpdate": "message"`',
            lambda line: update_of(line).get("sessionUpdate") == "message",
            calls=("session/update",),
        ),
        Evidence(
            2,
            "a list of tools in `capabilities`",
            lambda line: isinstance(reach(line.body, "capabilities", "tools"), list),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`serverInfo`",
            lambda line: "serverInfo" in fields(line.body),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`content` in the answer to a prompt",
            lambda line: (
                "content" in fields(line.body) and reach(line.body, "stopReason") != "done"
            ),
            answers=("session/prompt",),
        ),
    ),
    words={
        "message": "agent_message_chunk",
        "capabilities": "agentCapabilities",
        "serverInfo": "agentInfo",
    },
    calls={"session/update": _update},
    answers={"initialize": _initialize_answered},
)
