"""A conversation for each kind of diagnosis, in arrow notation; and the diagnosis of any."""

import json
from typing import NamedTuple

from acp_spy.capture.records import IMPORTED, Header, Record
from acp_spy.capture.transcript import parse
from acp_spy.diagnosis.diagnosing_checker import DiagnosingChecker
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    INITIALIZE,
    NEW_SESSION,
    PROMPT,
)
from acp_spy.lint.rules.network import _examples as network
from acp_spy.lint.rules.network._examples import over
from acp_spy.lint.ruleset import ALL_RULES

LEAVES = "-> EOF\n<- EOF\n== 0"
AGAIN = PROMPT.replace('"id": 2', '"id": 3')
ASKS_NEW = NEW_SESSION.splitlines()[0]


def diagnosed(*parts: str, now: float | None = None, note: str = "") -> Diagnosis:
    """Return the diagnosis of a conversation; `now` is the time of a recording that runs."""
    checker = DiagnosingChecker(ALL_RULES.checker())
    for record in (Header(note=note), *parse("\n".join(parts))):
        checker.feed(record)
    if now is None:
        checker.close()
    return checker.diagnosis(now)


def ask(number: int, method: str, session: str = "s1", **params) -> str:
    """Return a request of the agent."""
    body = {"jsonrpc": "2.0", "id": number, "method": method}
    return f"<- {json.dumps({**body, 'params': {'sessionId': session, **params}})}"


def fails(number: int, message: str, code: int = -32603) -> str:
    """Return an error response of the agent."""
    error = {"code": code, "message": message}
    return f"<- {json.dumps({'jsonrpc': '2.0', 'id': number, 'error': error})}"


PERMISSION = {
    "toolCall": {"toolCallId": "c1", "title": "Run make"},
    "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
}
WRONG_UPDATE = CHUNK.replace("agent_message_chunk", "agent_mesage_chunk")


class Talk(NamedTuple):
    """A transcript, the time if the recording runs, and the note of its header."""

    transcript: str
    now: float | None = None
    note: str = ""

    def records(self) -> list[Record]:
        """Return the capture."""
        return [Header(note=self.note), *parse(self.transcript)]

    def diagnosis(self) -> Diagnosis:
        """Return the diagnosis of it."""
        return diagnosed(self.transcript, now=self.now, note=self.note)


def _talk(*parts: str, now: float | None = None, note: str = "") -> Talk:
    return Talk("\n".join(parts), now, note)


EXAMPLES: dict[str, Talk] = {  # by kind
    "agent-not-started": _talk("== 127 command not found: `example-agent`"),
    "target-unreachable": _talk(
        over("post", INITIALIZE), '<> 502 {"by": "proxy", "error": "connection refused"}'
    ),
    "response-refused": _talk(
        network.OPENING,
        network.PROMPT,
        network.PERMISSION,
        f"->[post c1] {network.ALLOWED}",
        '<> 400 {"body": "Missing Acp-Session-Id"}',
        "@ 60",
        "<> END 4 client",
    ),
    "connection-lost": _talk(
        network.OPENING, network.PROMPT, "@ 9", '<> END 4 agent {"lost": true}'
    ),
    "connection-unknown": _talk(
        network.OPENING, over("post c1 s1", PROMPT), '<> 404 {"body": "Unknown connection"}'
    ),
    "request-refused": _talk(
        network.OPENING, over("post c1", PROMPT), '<> 400 {"body": "Missing Acp-Session-Id"}'
    ),
    "stream-not-opened": _talk(
        network.CONNECT, *network.NEW_SESSION.splitlines()[:-1], network.PROMPT, now=60.0
    ),
    "ended-by-acp-spy": _talk(
        HANDSHAKE, NEW_SESSION, PROMPT, "*> signaled by fault crash", "<- EOF", "== -9"
    ),
    "frame-held": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        ask(0, "session/request_permission", **PERMISSION),
        "<* held by intercept",
        now=60.0,
    ),
    "agent-died": _talk(INITIALIZE, "!! ImportError: no module x", "<- EOF", "== 1"),
    "agent-killed": _talk(HANDSHAKE, NEW_SESSION, PROMPT, "<- EOF", "== -9"),
    "frame-dropped": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        CHUNK,
        END_TURN,
        "<* dropped by script quiet.py",
        "@ 60",
        LEAVES,
    ),
    "frame-changed": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        f"<* answered by fault error: {fails(2, 'Oops')[3:]}",
        LEAVES,
    ),
    "agent-echoes": _talk(INITIALIZE, f"<- {INITIALIZE.strip().removeprefix('-> ')}", LEAVES),
    "other-protocol": _talk(
        '-> {"jsonrpc": "2.0", "method": "notifications/initialized"}',
        '-> {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
    ),
    "dialect": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update":'
        ' {"sessionUpdate": "message", "role": "assistant", "content": [{"type": "text", "text":'
        ' "Hi!"}]}}}',
        END_TURN,
    ),
    "one-stream": _talk(INITIALIZE, NEW_SESSION.splitlines()[0], note=f"{IMPORTED}somewhere"),
    "no-messages": _talk("!! ready", "@ 60", LEAVES),
    "noise-in-handshake": _talk(INITIALIZE, "<- Ok to proceed? (y)", now=30.0),
    "version-mismatch": _talk(
        INITIALIZE.replace('"protocolVersion": 1', '"protocolVersion": 2'),
        '<- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}',
        LEAVES,
    ),
    "initialize-refused": _talk(INITIALIZE, fails(0, "no home folder"), LEAVES),
    "answer-lost": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        CHUNK,
        END_TURN.replace('"id": 2', '"id": "2"'),
        "@ 40",
        LEAVES,
    ),
    "initialize-pending": _talk(INITIALIZE, now=45.0),
    "login-required": _talk(
        HANDSHAKE.replace('"authMethods": []', '"authMethods": [{"id": "k", "name": "API key"}]'),
        ASKS_NEW,
        fails(1, "Authentication required", -32000),
        LEAVES,
    ),
    "session-refused": _talk(HANDSHAKE, ASKS_NEW, fails(1, "Internal error"), LEAVES),
    "permission-unknown-session": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        ask(0, "session/request_permission", "s1-child", **PERMISSION),
        now=60.0,
    ),
    "permission-pending": _talk(
        HANDSHAKE, NEW_SESSION, PROMPT, ask(0, "session/request_permission", **PERMISSION), now=60.0
    ),
    "client-request-pending": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        ask(0, "fs/read_text_file", path="/home/dev/project/a"),
        now=60.0,
    ),
    "cancel-not-confirmed": _talk(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, CANCEL, "@ 20", LEAVES),
    "session-unusable-after-cancel": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        CANCEL,
        CANCELLED,
        AGAIN,
        fails(3, "Session not found", -32002),
        LEAVES,
    ),
    "session-pending": _talk(HANDSHAKE, ASKS_NEW, now=33.0),
    "prompt-pending": _talk(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, now=75.0),
    "request-pending": _talk(
        HANDSHAKE,
        '-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}',
        now=33.0,
    ),
    "prompt-failed": _talk(HANDSHAKE, NEW_SESSION, PROMPT, fails(2, "model overloaded"), LEAVES),
    "empty-turn": _talk(HANDSHAKE, NEW_SESSION, PROMPT, END_TURN, LEAVES),
    "in-progress": _talk(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, now=3.0),
    "client-left": _talk(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, LEAVES),
    "cut-off": _talk(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK),
    "script-failed": _talk(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        "*> failed by script a.py: KeyError: 'x', line 2",
        CHUNK,
        END_TURN,
        "<* failed by script a.py: KeyError: 'y', line 7",
        LEAVES,
    ),
    "protocol-errors": _talk(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, WRONG_UPDATE, END_TURN, LEAVES),
    "fine": _talk(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, LEAVES),
}

# For docs/why.md: a chat that hangs, because nobody answers the agent's question.
HANG = "\n".join(
    [
        HANDSHAKE,
        "@ 0.4",
        NEW_SESSION,
        "@ 6.1",
        PROMPT,
        "@ 8.3",
        CHUNK.replace("Done.", "I will run the tests."),
        ask(0, "session/request_permission", **PERMISSION),
        "@ 71",
        LEAVES,
    ]
)
