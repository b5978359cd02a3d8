"""`check --dialect NAME`: a conversation by a dialect's document is clean, and any other is not."""

from pathlib import Path

import pytest
from support.transcripts import lint

from acp_spy import load
from acp_spy.capture.transcript import parse
from acp_spy.conversation.tracker import Tracker
from acp_spy.dialect.known import documented
from acp_spy.lint.ruleset import check
from acp_spy.protocol.reconcile import accepts
from acp_spy.protocol.shapes import List, Object, Ref, Tagged, Text
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response

EXAMPLES = Path(__file__).parent / "examples"
FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
CLIENT, AGENT = Peer.CLIENT, Peer.AGENT
each_dialect = pytest.mark.parametrize("dialect", documented().values(), ids=lambda d: d.name)


def example(name):
    """Return a conversation that has everything that the dialect's document shows."""
    return (EXAMPLES / f"{name}.txt").read_text()


@each_dialect
def test_all_that_a_document_shows_is_clean_by_it(dialect):
    assert lint(example(dialect.name), dialect=dialect.name) == []


@each_dialect
def test_so_is_the_fixture(dialect):
    records = load(FIXTURES / f"dialect-{dialect.name}.jsonl").records
    assert check(records, dialect=dialect.name) == []


@each_dialect
def test_neither_is_clean_by_official_acp_or_by_another_document(dialect):
    for name in {"auto", "acp", *documented()} - {dialect.name}:
        assert lint(example(dialect.name), dialect=name) != []


@each_dialect
def test_every_method_shape_key_and_value_of_a_document_is_in_its_example(dialect):
    """Else something could be declared that nobody has seen to be clean."""
    document = dialect.document
    declared, seen = set(), set()
    for shape in document.shapes.values():
        declare(document, shape, declared)
    for method in document.methods:
        declared.add((method.name, method.kind))
    tracker = Tracker(dialect.name)
    for frame in parse(example(dialect.name)):
        step = tracker.look_closely(frame)
        look(document, step, seen)
        tracker.advance(step)
    assert {one for one in declared if one not in seen and one not in UNSHOWN} == set()


# What is not in a body: the envelope. And a name that may be a request or a notification.
UNSHOWN = {
    ("permission_response", "request"),
    *((("id", "method", "params"), key) for key in ("id", "method", "params")),
    *((("id", "result", "error"), key) for key in ("id", "result", "error")),
}


def declare(document, shape, found, depth=0):
    """Note each key, branch and value that a shape has."""
    if isinstance(shape, Ref) or depth > 20:
        return
    if isinstance(shape, Object):
        keys = tuple(shape.fields)
        for key, field in shape.fields.items():
            found.add((keys, key))
            declare(document, field.shape, found, depth + 1)
            values = document.resolve(field.shape)
            if isinstance(values, Text):
                found.update((key, value) for value in values.values)
    elif isinstance(shape, Tagged):
        for branch in shape.branches.values():
            declare(document, branch, found, depth + 1)
    elif isinstance(shape, List):
        declare(document, shape.items, found, depth + 1)


def look(document, step, seen):
    """Note what of a document a message shows."""
    if isinstance(step.message, Response):
        ways = document.find(step.method)
        shape = "Error" if step.message.error else ways[0].result if ways else ""
    else:
        kind = "request" if step.exchange else "notification"
        seen.add((step.method, kind))
        method = document.method(step.method, step.frame.sender, kind)
        shape = method.params if method else ""
    if shape:
        walk(document, document.shapes[shape], step.body, seen)


def walk(document, shape, value, seen):
    shape = document.resolve(shape)
    if not accepts(document, shape, value):
        return
    if isinstance(shape, Tagged) and value.get(shape.tag) in shape.branches:
        walk(document, shape.branches[value[shape.tag]], value, seen)
    elif isinstance(shape, Object):
        for key in value.keys() & shape.fields.keys():
            seen.add((tuple(shape.fields), key))
            if isinstance(value[key], str):
                seen.add((key, value[key]))
            walk(document, shape.fields[key].shape, value[key], seen)
    elif isinstance(shape, List):
        for item in value:
            walk(document, shape.items, item, seen)


@pytest.mark.parametrize(
    ("name", "right", "wrong", "code", "seq", "blame", "text", "hint"),
    [
        (
            "crow",
            '"session_id": "u-1", "prompt"',
            '"prompt"',
            "DIA003",
            5,
            CLIENT,
            "`session_id` is missing in `params`, @@",
            "add `session_id`: a string",
        ),
        (
            "crow",
            '"session_id": "u-1", "prompt"',
            '"sessionId": "u-1", "prompt"',
            "DIA003",
            5,
            CLIENT,
            "`sessionId` instead of `session_id`, @@",
            "send `session_id`",
        ),
        (
            "crow",
            '"@type": "agent_message_text"',
            '"type": "agent_message_text"',
            "DIA003",
            12,
            AGENT,
            "`type` instead of `@type`, @@",
            "send `@type`",
        ),
        (
            "crow",
            '{"@type": "agent_message_text", "text": "There are three."}',
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}',
            "DIA003",
            12,
            AGENT,
            "`update` has no `@type`, @@",
            "add `@type`: one of `agent_thought_text`, `agent_message_text`, `tool_call_start`, `tool_call_update`, `plan_update`, `permission_request`",
        ),
        (
            "crow",
            '{"@type": "agent_message_text", "text": "There are three."}',
            '{"@type": "agent_message_chunk", "content": {"type": "text", "text": "x"}}',
            "DIA003",
            12,
            AGENT,
            '`@type` is the string "agent_message_chunk"; expected `agent_thought_text`, `agent_message_text`, `tool_call_start`, `tool_call_update`, `plan_update`, `permission_request`, @@',
            "send `agent_message_text`",
        ),
        (
            "crow",
            '"protocol_version": 1, "client',
            '"protocolVersion": 1, "client',
            "DIA003",
            1,
            CLIENT,
            "`protocolVersion` instead of `protocol_version`, @@",
            "send `protocol_version`",
        ),
        (
            "crow",
            '"protocol_version": 1, "client',
            '"protocol_version": "1", "client',
            "DIA003",
            1,
            CLIENT,
            '`protocol_version` is the string "1"; expected an integer, @@',
            "",
        ),
        (
            "crow",
            '"client_info"',
            '"clientInfo"',
            "DIA003",
            1,
            CLIENT,
            "`clientInfo` instead of `client_info`, @@",
            "send `client_info`",
        ),
        (
            "crow",
            '{"stop_reason": "end_turn"}',
            '{"stopReason": "end_turn"}',
            "DIA003",
            13,
            AGENT,
            "`stopReason` instead of `stop_reason`, @@",
            "send `stop_reason`",
        ),
        (
            "crow",
            '{"stop_reason": "end_turn"}',
            '{"stop_reason": "refusal"}',
            "DIA003",
            13,
            AGENT,
            '`stop_reason` is the string "refusal"; expected `end_turn`, `cancelled`, `error`, @@',
            "",
        ),
        (
            "crow",
            '"tool_call_id": "c-1", "status": "completed"',
            '"toolCallId": "c-1", "status": "completed"',
            "DIA003",
            11,
            AGENT,
            "`toolCallId` instead of `tool_call_id`, @@",
            "send `tool_call_id`",
        ),
        (
            "crow",
            '-> {"jsonrpc": "2.0", "id": 6, "method": "cancel", "params": {"session_id": "u-0"}}\n<- {"jsonrpc": "2.0", "id": 6, "result": {}}',
            '-> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "u-0"}}',
            "DIA002",
            18,
            CLIENT,
            "`session/cancel` is not a method @@",
            "use `cancel`",
        ),
        (
            "crow",
            '"method": "session/new"',
            '"method": "session/create"',
            "DIA002",
            3,
            CLIENT,
            "`session/create` is not a method @@",
            "use `session/new`",
        ),
        (
            "crow",
            '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "u-1", "update": {"@type": "agent_thought_text"',
            '-> {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "u-1", "update": {"@type": "agent_thought_text"',
            "DIA002",
            6,
            CLIENT,
            "the client sent `session/update`; only the agent sends it, @@",
            "are client and agent swapped?",
        ),
        (
            "crow",
            '{"jsonrpc": "2.0", "id": 3, "result"',
            '{"id": 3, "result"',
            "RPC001",
            13,
            AGENT,
            '`jsonrpc` is missing; expected `"2.0"`',
            'add `"jsonrpc": "2.0"` to every message',
        ),
        (
            "crow",
            '"code": -32602',
            '"code": "-32602"',
            "DIA003",
            24,
            AGENT,
            '`code` is the string "-32602"; expected an integer, @@',
            "",
        ),
        (
            "threads",
            '{"id": 0, "method": "getThreads"',
            '{"jsonrpc": "2.0", "id": 0, "method": "getThreads"',
            "DIA004",
            1,
            CLIENT,
            "`jsonrpc` is not a key here, @@",
            "remove it",
        ),
        (
            "threads",
            '{"id": 2, "result": {"threadId": "t-1"}}',
            '{"id": 2, "result": {"sessionId": "t-1"}}',
            "DIA003",
            6,
            AGENT,
            "`sessionId` instead of `threadId`, @@",
            "send `threadId`",
        ),
        (
            "threads",
            '"chunk": "It is about wool."',
            '"text": "It is about wool."',
            "DIA003",
            18,
            AGENT,
            "`text` instead of `chunk`, @@",
            "send `chunk`",
        ),
        (
            "threads",
            '"lineOffset": 0',
            '"line": 1',
            "DIA003",
            14,
            AGENT,
            "`line` instead of `lineOffset`, @@",
            "send `lineOffset`",
        ),
        (
            "threads",
            '"role": "assistant"',
            '"role": "agent"',
            "DIA003",
            27,
            CLIENT,
            '`role` is the string "agent"; expected `user`, `assistant`, @@',
            "",
        ),
        (
            "threads",
            '"version": 0',
            '"version": -1',
            "DIA003",
            13,
            CLIENT,
            "`version` is the integer -1; expected 0 to 18446744073709551615, @@",
            "",
        ),
        (
            "threads",
            "2025-06-30T12:00:00Z",
            "yesterday",
            "DIA003",
            22,
            AGENT,
            '`modifiedAt` is the string "yesterday"; expected a date-time, @@',
            "",
        ),
        (
            "threads",
            '{"id": 5, "result": null}\n<- {"id": 3',
            '{"id": 5, "result": {}}\n<- {"id": 3',
            "DIA003",
            19,
            CLIENT,
            "`result` is an object; expected null, @@",
            "",
        ),
        (
            "threads",
            '<- {"id": 1, "error": {"code": -32601, "message": "Method not found - \'unravelThread\'"}}',
            '<- {"id": 1, "result": null}',
            "DIA002",
            3,
            CLIENT,
            "`unravelThread` is not a method @@",
            "use one of `getThreads`, `createThread`, `openThread`, `getThreadEntries`, `sendMessage`, `streamMessageChunk`, `readTextFile`, `readBinaryFile`, `stat`, `globSearch`",
        ),
        (
            "threads",
            '{"id": 7, "method": "sendMessage", "params": {"threadId": "t-1"',
            '{"id": 7, "method": "sendMessage", "params": {"threadId": "t-8"',
            "LIF029",
            27,
            CLIENT,
            "`sendMessage` names session `t-8`, which was never opened on this connection",
            "use the id that `session/new` returned, or load the session first",
        ),
        (
            "threads",
            '"method": "globSearch", "params": {"threadId": "t-1", "pattern": "*.txt"}',
            '"method": "fs/read_text_file", "params": {"sessionId": "t-1", "path": "/x"}',
            "DIA002",
            8,
            AGENT,
            "`fs/read_text_file` is not a method @@",
            "use `readTextFile`",
        ),
        (
            "quickref",
            '"capabilities": {}',
            '"clientCapabilities": {}',
            "DIA003",
            1,
            CLIENT,
            "`clientCapabilities` instead of `capabilities`, @@",
            "send `capabilities`",
        ),
        (
            "quickref",
            '"update": {"sessionUpdate": "tool_call", "id": "k-3", "name": "Grep"',
            '"update": {"sessionUpdate": "tool_call", "toolCallId": "k-3", "title": "Grep"',
            "DIA003",
            17,
            AGENT,
            "`title` and `toolCallId` instead of `name` and `id`, @@",
            "send `name` and `id`",
        ),
        (
            "quickref",
            '"sessionUpdate": "tool_call", "id": "k-3"',
            '"type": "tool_call", "id": "k-3"',
            "DIA003",
            17,
            AGENT,
            "`type` instead of `sessionUpdate`, @@",
            "send `sessionUpdate`",
        ),
        (
            "quickref",
            '"kind": "file"',
            '"kind": "read"',
            "DIA003",
            16,
            AGENT,
            '`kind` is the string "read"; expected `file`, `command`, `search`, `other`, @@',
            "send `file`",
        ),
        (
            "quickref",
            '"embedded_resource"',
            '"resource"',
            "DIA003",
            5,
            CLIENT,
            '`type` is the string "resource"; expected `text`, `image`, `audio`, `resource_link`, `embedded_resource`, @@',
            "send `embedded_resource`",
        ),
        (
            "quickref",
            '"stopReason": "refusal"',
            '"stopReason": "max_turn_requests"',
            "DIA003",
            28,
            AGENT,
            '`stopReason` is the string "max_turn_requests"; expected `end_turn`, `max_tokens`, `cancelled`, `refusal`, @@',
            "",
        ),
        (
            "quickref",
            '"outcome": {"outcome": "selected", "optionId": "allow"}',
            '"outcome": "selected", "optionId": "allow"',
            "DIA003",
            13,
            CLIENT,
            "the fields of `outcome` are directly in `result`, @@",
            "send `outcome` with `outcome`, `optionId` inside",
        ),
        (
            "quickref",
            '"method": "session/new"',
            '"method": "session/load"',
            "DIA002",
            3,
            CLIENT,
            "`session/load` is not a method @@",
            "use one of `initialize`, `session/new`, `session/prompt`, `session/cancel`, `session/update`, `session/request_permission`",
        ),
        (
            "quickref",
            '"name": "Read", "status": "failed"',
            '"name": "Read"',
            "DIA003",
            16,
            AGENT,
            "`status` is missing in `update`, @@",
            "add `status`: `pending`, `in_progress`, `completed`, `failed`",
        ),
        (
            "quickref",
            '"line": 3',
            '"line": "3"',
            "DIA003",
            11,
            AGENT,
            '`line` is the string "3"; expected an integer, @@',
            "",
        ),
        (
            "quickref",
            '-> {"jsonrpc": "2.0", "method": "session/cancel"',
            '-> {"jsonrpc": "2.0", "id": 44, "method": "session/cancel"',
            "DIA002",
            22,
            CLIENT,
            "`session/cancel` has an id; it is a notification, @@",
            "remove `id`",
        ),
        (
            "jetbrains",
            '"capabilities": {"tools"',
            '"agentCapabilities": {"tools"',
            "DIA003",
            2,
            AGENT,
            "`agentCapabilities` instead of `capabilities`, @@",
            "send `capabilities`",
        ),
        (
            "jetbrains",
            '"serverInfo"',
            '"agentInfo"',
            "DIA003",
            2,
            AGENT,
            "`agentInfo` instead of `serverInfo`, @@",
            "send `serverInfo`",
        ),
        (
            "jetbrains",
            '"protocolVersion": 1, "client',
            '"protocolVersion": 2, "client',
            "DIA003",
            1,
            CLIENT,
            "`protocolVersion` is the integer 2; expected 1, @@",
            "",
        ),
        (
            "jetbrains",
            '"params": {"sessionId": "j-1", "update": {"sessionUpdate": "message", "role": "assistant", "content": [{"type": "text", "text": "At once"}]}}',
            '"params": {"sessionId": "j-1", "type": "message", "content": {}}',
            "DIA003",
            6,
            AGENT,
            "the fields of `update` are directly in `params`, @@",
            "send `update` with `type`, `content` inside",
        ),
        (
            "jetbrains",
            '"sessionUpdate": "message", "role": "assistant"',
            '"sessionUpdate": "message"',
            "DIA003",
            6,
            AGENT,
            "`role` is missing in `update`, @@",
            "add `role`: `assistant`",
        ),
        (
            "jetbrains",
            '"role": "assistant", "content": [{"type": "text", "text": "At once"}]',
            '"role": "assistant", "content": {"type": "text", "text": "At once"}',
            "DIA003",
            6,
            AGENT,
            "`content` is an object; expected a list, @@",
            "",
        ),
        (
            "jetbrains",
            '"kind": "read", "status": "pending"',
            '"status": "pending"',
            "DIA003",
            8,
            AGENT,
            "`kind` is missing in `update`, @@",
            "add `kind`: `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `other`",
        ),
        (
            "jetbrains",
            '"sessionUpdate": "message"',
            '"sessionUpdate": "agent_thought_chunk"',
            "DIA003",
            6,
            AGENT,
            '`sessionUpdate` is the string "agent_thought_chunk"; expected `message`, `agent_message_chunk`, `plan`, `tool_call`, `tool_call_update`, @@',
            "",
        ),
        (
            "jetbrains",
            '"sessionUpdate": "message"',
            '"type": "message"',
            "DIA003",
            6,
            AGENT,
            "`type` instead of `sessionUpdate`, @@",
            "send `sessionUpdate`",
        ),
        (
            "jetbrains",
            '"stopReason": "refusal"',
            '"stopReason": "done"',
            "DIA003",
            28,
            AGENT,
            '`stopReason` is the string "done"; expected `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`, @@',
            "",
        ),
        (
            "jetbrains",
            '"stopReason": "refusal"',
            '"reason": "refusal"',
            "DIA003",
            28,
            AGENT,
            "`reason` instead of `stopReason`, @@",
            "send `stopReason`",
        ),
        (
            "jetbrains",
            '"method": "session/new"',
            '"method": "session/start"',
            "DIA002",
            3,
            CLIENT,
            "`session/start` is not a method @@",
            "use one of `initialize`, `session/new`, `session/prompt`, `session/cancel`, `session/update`, `session/request_permission`",
        ),
        (
            "acpex",
            '"content": [{"type": "text", "text": "More"}]',
            '"prompt": [{"type": "text", "text": "More"}]',
            "DIA003",
            31,
            CLIENT,
            "`prompt` instead of `content`, @@",
            "send `content`",
        ),
        (
            "acpex",
            '"kind": "message"',
            '"sessionUpdate": "message"',
            "DIA003",
            10,
            AGENT,
            "`update` has no `kind`, @@",
            "add `kind`: one of `message`, `agent_message_chunk`, `agent_thought_chunk`, `tool_call`, `tool_call_update`, `plan`",
        ),
        (
            "acpex",
            '{"kind": "message", "content": "One moment"}',
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}',
            "DIA003",
            10,
            AGENT,
            "`update` has no `kind`, @@",
            "add `kind`: one of `message`, `agent_message_chunk`, `agent_thought_chunk`, `tool_call`, `tool_call_update`, `plan`",
        ),
        (
            "acpex",
            '{"kind": "message", "content": "One moment"}',
            '{"kind": "agent_message_chunk", "content": {"type": "text", "text": "x"}}',
            "DIA003",
            10,
            AGENT,
            "`role` and `content` are missing in `content`; readers ignore `type` and `text`, @@",
            "add `role` and `content`",
        ),
        (
            "acpex",
            '"stopReason": "done"',
            '"stopReason": "end_turn"',
            "DIA003",
            30,
            AGENT,
            '`stopReason` is the string "end_turn"; expected `done`, `cancelled`, @@',
            "send `done`",
        ),
        (
            "acpex",
            '"capabilities": {"file',
            '"clientCapabilities": {"file',
            "DIA003",
            1,
            CLIENT,
            "`clientCapabilities` instead of `capabilities`, @@",
            "send `capabilities`",
        ),
        (
            "acpex",
            '"fileSystem"',
            '"fs"',
            "DIA003",
            1,
            CLIENT,
            "`fs` instead of `fileSystem`, @@",
            "send `fileSystem`",
        ),
        (
            "acpex",
            '"meta"',
            '"agentInfo"',
            "DIA003",
            2,
            AGENT,
            "`agentInfo` instead of `meta`, @@",
            "send `meta`",
        ),
        (
            "acpex",
            '"sessions": {"new": true, "load": false}',
            '"loadSession": false',
            "DIA003",
            2,
            AGENT,
            "`loadSession` instead of `sessions`, @@",
            "send `sessions`",
        ),
        (
            "acpex",
            '"terminal": {"create": true, "output": true, "waitForExit": true, "kill": true, "release": true}',
            '"terminal": true',
            "DIA003",
            1,
            CLIENT,
            "`terminal` is true; expected an object, @@",
            "",
        ),
        (
            "acpex",
            '{"type": "image", "source": {"type": "base64", "mediaType": "image/png", "data": "iVBO"}}',
            '{"type": "image", "mimeType": "image/png", "data": "iVBO"}',
            "DIA003",
            9,
            CLIENT,
            "the fields of `source` are directly in an item of `content`, @@",
            "send `source` with `data` inside",
        ),
        (
            "acpex",
            '"steps": ["1. Heat", "2. Wait"]',
            '"entries": []',
            "DIA003",
            12,
            AGENT,
            "`steps` is missing in `content`; readers ignore `entries`, @@",
            "add `steps`: a list",
        ),
        (
            "acpex",
            '"methodId": "api_key", "data": {"apiKey": "none"}',
            '"data": {}',
            "DIA003",
            3,
            CLIENT,
            "`methodId` is missing in `params`, @@",
            "add `methodId`: a string",
        ),
        (
            "acpex",
            '"method": "session/new"',
            '"method": "session/fork"',
            "DIA002",
            7,
            CLIENT,
            "`session/fork` is not a method @@",
            "use one of `initialize`, `authenticate`, `session/new`, `session/load`, `session/prompt`, `session/cancel`, `session/update`, `fs/read_text_file`, `fs/write_text_file`, `terminal/create`, `terminal/output`, `terminal/wait_for_exit`, `terminal/kill`, `terminal/release`",
        ),
        (
            "acpex",
            '"readTextFile": true',
            '"readTextFile": false',
            "CAP001",
            13,
            AGENT,
            "`fs/read_text_file` was called, but the client advertised `fs.readTextFile: false`",
            "call it only if the client's `initialize` has `fs.readTextFile: true`",
        ),
    ],
)
def test_what_is_wrong_is_one_finding_that_names_the_document(
    name, right, wrong, code, seq, blame, text, hint
):
    transcript = example(name)
    assert right in transcript
    found = lint(transcript.replace(right, wrong, 1), dialect=name)
    (finding,) = (each for each in found if each.because is None)
    spoken = text.replace("@@", f"per {documented()[name].origin}").replace(
        "method per", "method in"
    )
    assert (finding.code, finding.seq, finding.blame) == (code, seq, blame)
    assert (finding.text, finding.hint) == (spoken, hint)
