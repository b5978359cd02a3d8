"""
Which capability must be advertised before a peer may send what depends on it.

Paths start in `clientCapabilities` or `agentCapabilities`; version 2 calls both `capabilities`.
An entry that an edition does not define, such as an unstable method, has no effect there.
"""

from typing import Any, Literal

import msgspec

from acp_spy.wire.frame import Peer

Marker = Literal["bool", "object"]


class Gate(msgspec.Struct, frozen=True):
    """`side` must have advertised `path`: with `true` or with an object, depending on `marker`."""

    side: Peer
    path: tuple[str, ...]
    marker: Marker

    @property
    def name(self) -> str:
        """The path with dots."""
        return ".".join(self.path)


class Gates(msgspec.Struct, frozen=True):
    """All gates of one version, by what they permit."""

    methods: dict[str, Gate]
    updates: dict[str, Gate]  # by `sessionUpdate`
    prompt_blocks: dict[str, Gate]  # by `type`
    mcp_servers: dict[str, Gate]  # by `type`; "stdio" is one without a type
    auth_methods: dict[str, Gate]  # by `type`
    config_options: dict[str, Gate]  # by `type`
    elicitation_modes: dict[str, Gate]  # by `mode`
    tool_contents: dict[str, Gate]  # by `type`
    fields: dict[tuple[str, str], Gate]  # by shape and key


def is_advertised(capabilities: Any, gate: Gate) -> bool:
    """Return whether these capabilities, as they were sent, open the gate."""
    value = capabilities
    for key in gate.path:
        if not isinstance(value, dict):
            return False
        value = value.get(key)
    return value is True if gate.marker == "bool" else isinstance(value, dict)


def gates(version: int) -> Gates:
    """Return the gates of a protocol version."""
    return V2 if version >= 2 else V1


def _client(path: str, marker: Marker = "object") -> Gate:
    return Gate(Peer.CLIENT, tuple(path.split(".")), marker)


def _agent(path: str, marker: Marker = "object") -> Gate:
    return Gate(Peer.AGENT, tuple(path.split(".")), marker)


_terminal = _client("terminal", "bool")
_directories = _agent("sessionCapabilities.additionalDirectories")
_system_prompt = _agent("sessionCapabilities.systemPrompt")

V1 = Gates(
    methods={
        "auth/status": _agent("auth.status"),
        "auth/status_update": _agent("auth.status"),
        "elicitation/complete": _client("elicitation.url"),
        "elicitation/create": _client("elicitation"),  # which mode: see elicitation_modes
        "fs/read_text_file": _client("fs.readTextFile", "bool"),
        "fs/write_text_file": _client("fs.writeTextFile", "bool"),
        "logout": _agent("auth.logout"),
        "mcp/message": _agent("mcpCapabilities.acp", "bool"),
        "providers/disable": _agent("providers"),
        "providers/list": _agent("providers"),
        "providers/set": _agent("providers"),
        "session/archive": _agent("sessionCapabilities.archive"),
        "session/close": _agent("sessionCapabilities.close"),
        "session/delete": _agent("sessionCapabilities.delete"),
        "session/fork": _agent("sessionCapabilities.fork"),
        "session/list": _agent("sessionCapabilities.list"),
        "session/load": _agent("loadSession", "bool"),
        "session/resume": _agent("sessionCapabilities.resume"),
        "session/set_title": _agent("sessionCapabilities.title"),
        "session/status": _agent("sessionCapabilities.status"),
        "session/unarchive": _agent("sessionCapabilities.archive"),
        "terminal/create": _terminal,
        "terminal/kill": _terminal,
        "terminal/output": _terminal,
        "terminal/release": _terminal,
        "terminal/wait_for_exit": _terminal,
    },
    updates={
        "compaction_summary_chunk": _client("session.compaction"),
        "compaction_update": _client("session.compaction"),
        "notice": _client("session.notices"),
        "plan_removed": _client("plan"),
        "plan_update": _client("plan"),
        "session_message": _client("subagents"),
        "session_message_chunk": _client("subagents"),
        "subagent_update": _client("subagents"),
    },
    prompt_blocks={
        "audio": _agent("promptCapabilities.audio", "bool"),
        "image": _agent("promptCapabilities.image", "bool"),
        "resource": _agent("promptCapabilities.embeddedContext", "bool"),
    },
    mcp_servers={
        "acp": _agent("mcpCapabilities.acp", "bool"),
        "http": _agent("mcpCapabilities.http", "bool"),
        "sse": _agent("mcpCapabilities.sse", "bool"),
    },
    auth_methods={"terminal": _client("auth.terminal", "bool")},
    config_options={"boolean": _client("session.configOptions.boolean")},
    elicitation_modes={
        "form": _client("elicitation.form"),
        "url": _client("elicitation.url"),
    },
    tool_contents={"terminal": _terminal},
    fields={
        ("ForkSessionRequest", "additionalDirectories"): _directories,
        ("ForkSessionRequest", "systemPrompt"): _system_prompt,
        ("LoadSessionRequest", "additionalDirectories"): _directories,
        ("LoadSessionRequest", "systemPrompt"): _system_prompt,
        ("NewSessionRequest", "additionalDirectories"): _directories,
        ("NewSessionRequest", "systemPrompt"): _system_prompt,
        ("ResumeSessionRequest", "additionalDirectories"): _directories,
        ("ResumeSessionRequest", "systemPrompt"): _system_prompt,
        ("SessionInfo", "additionalDirectories"): _directories,
    },
)

_directories_v2 = _agent("session.additionalDirectories")
_system_prompt_v2 = _agent("session.systemPrompt")

# Version 2 uses objects throughout, and needs no capability for much that did in version 1.
V2 = Gates(
    methods={
        "auth/status": _agent("auth.status"),
        "auth/status_update": _agent("auth.status"),
        "elicitation/complete": _client("elicitation.url"),
        "elicitation/create": _client("elicitation"),
        "mcp/message": _agent("session.mcp.acp"),
        "providers/disable": _agent("providers"),
        "providers/list": _agent("providers"),
        "providers/set": _agent("providers"),
        "session/archive": _agent("session.archive"),
        "session/delete": _agent("session.delete"),
        "session/fork": _agent("session.fork"),
        "session/set_title": _agent("session.title"),
        "session/status": _agent("session.status"),
        "session/unarchive": _agent("session.archive"),
    },
    updates={},
    prompt_blocks={
        "audio": _agent("session.prompt.audio"),
        "image": _agent("session.prompt.image"),
        "resource": _agent("session.prompt.embeddedContext"),
    },
    mcp_servers={
        "acp": _agent("session.mcp.acp"),
        "http": _agent("session.mcp.http"),
        "stdio": _agent("session.mcp.stdio"),
    },
    auth_methods={"terminal": _client("auth.terminal")},
    config_options={},
    elicitation_modes={
        "form": _client("elicitation.form"),
        "url": _client("elicitation.url"),
    },
    tool_contents={},
    fields={
        ("ForkSessionRequest", "additionalDirectories"): _directories_v2,
        ("ForkSessionRequest", "systemPrompt"): _system_prompt_v2,
        ("NewSessionRequest", "additionalDirectories"): _directories_v2,
        ("NewSessionRequest", "systemPrompt"): _system_prompt_v2,
        ("ResumeSessionRequest", "additionalDirectories"): _directories_v2,
        ("ResumeSessionRequest", "systemPrompt"): _system_prompt_v2,
        ("SessionInfo", "additionalDirectories"): _directories_v2,
    },
)
