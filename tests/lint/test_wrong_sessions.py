"""
The 53 deliberately wrong sessions that were put to the best validator there is, and what we say.

Each is the same whole session with one mistake, so that what follows from a mistake is there to be
mistaken for another: it must be reported once, and the right peer must be blamed. The other
validator flagged 15 of them, with up to 61 lines for one.
"""

import json

import msgspec
import pytest

from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import check
from acp_spy.wire.frame import Peer

# A handshake, a session, a turn with a plan, a file, a permission and a terminal, and a turn that
# the user cancels while a permission is open. Nothing is wrong with it.
CLEAN = r"""
-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"auth":{"terminal":false}},"clientInfo":{"name":"editor","title":"Editor","version":"1.4.0"}}}
<- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":{"image":false,"audio":false,"embeddedContext":true},"mcpCapabilities":{"http":true,"sse":false}},"agentInfo":{"name":"agent","title":"Agent","version":"0.9.2"},"authMethods":[]}}
-> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/dev/shop","mcpServers":[]}}
<- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"sess_7f3a"}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"test","description":"Run the tests"}]}}}
-> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"sess_7f3a","prompt":[{"type":"text","text":"Why does the total not add up?"}]}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"plan","entries":[{"content":"Read cart.py","priority":"high","status":"in_progress"},{"content":"Run the tests","priority":"medium","status":"pending"}]}}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Let me look."}}}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call","toolCallId":"call_1","title":"Read cart.py","kind":"read","status":"pending","locations":[{"path":"/home/dev/shop/cart.py"}]}}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"in_progress"}}}
<- {"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"sess_7f3a","path":"/home/dev/shop/cart.py"}}
-> {"jsonrpc":"2.0","id":0,"result":{"content":"total = sum(prices)\n"}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"1 line"}}]}}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call","toolCallId":"call_2","title":"Run the tests","kind":"execute","status":"pending"}}}
<- {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"sess_7f3a","toolCall":{"toolCallId":"call_2"},"options":[{"optionId":"once","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
-> {"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}
<- {"jsonrpc":"2.0","id":2,"method":"terminal/create","params":{"sessionId":"sess_7f3a","command":"pytest","args":["-q"],"cwd":"/home/dev/shop"}}
-> {"jsonrpc":"2.0","id":2,"result":{"terminalId":"term_1"}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_2","status":"in_progress","content":[{"type":"terminal","terminalId":"term_1"}]}}}
<- {"jsonrpc":"2.0","id":3,"method":"terminal/wait_for_exit","params":{"sessionId":"sess_7f3a","terminalId":"term_1"}}
-> {"jsonrpc":"2.0","id":3,"result":{"exitCode":0,"signal":null}}
<- {"jsonrpc":"2.0","id":4,"method":"terminal/output","params":{"sessionId":"sess_7f3a","terminalId":"term_1"}}
-> {"jsonrpc":"2.0","id":4,"result":{"output":"4 passed\n","truncated":false,"exitStatus":{"exitCode":0,"signal":null}}}
<- {"jsonrpc":"2.0","id":5,"method":"terminal/release","params":{"sessionId":"sess_7f3a","terminalId":"term_1"}}
-> {"jsonrpc":"2.0","id":5,"result":{}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_2","status":"completed"}}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"plan","entries":[{"content":"Read cart.py","priority":"high","status":"completed"},{"content":"Run the tests","priority":"medium","status":"completed"}]}}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The tests pass: it does add up."}}}}
<- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
-> {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"sess_7f3a","prompt":[{"type":"text","text":"Then delete the cache."}]}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call","toolCallId":"call_3","title":"Delete .cache","kind":"delete","status":"pending"}}}
<- {"jsonrpc":"2.0","id":6,"method":"session/request_permission","params":{"sessionId":"sess_7f3a","toolCall":{"toolCallId":"call_3"},"options":[{"optionId":"yes","name":"Delete","kind":"allow_once"},{"optionId":"keep","name":"Keep","kind":"reject_once"}]}}
-> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"sess_7f3a"}}
-> {"jsonrpc":"2.0","id":6,"result":{"outcome":{"outcome":"cancelled"}}}
<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_3","status":"failed"}}}
<- {"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}
-> EOF
<- EOF
== 0
"""

AGENT, CLIENT = Peer.AGENT, Peer.CLIENT
LOOK = '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Let me look."}}'
LOOK_LINE = (
    '<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_7f3a","update":'
    + LOOK
    + "}}"
)
END = '<- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'
NEW = '-> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/dev/shop","mcpServers":[]}}'
NEW_ANSWER = '<- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"sess_7f3a"}}'
PROMPT = '-> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"sess_7f3a","prompt":[{"type":"text","text":"Why does the total not add up?"}]}}'
LEAVE = '-> {"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}'
READ = '<- {"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"sess_7f3a","path":"/home/dev/shop/cart.py"}}'
READ_ANSWER = '-> {"jsonrpc":"2.0","id":0,"result":{"content":"total = sum(prices)\\n"}}'
CANCEL = '-> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"sess_7f3a"}}'
CANCELLED = '<- {"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}'
VERSION_7 = ('"protocolVersion":1,"agentC', '"protocolVersion":7,"agentC')


class Wrong(msgspec.Struct, frozen=True):
    """A mistake: what is to be replaced in the clean session by what, and what is found."""

    what: str
    code: str
    blame: Peer
    edits: tuple[tuple[str, str], ...]

    @property
    def session(self) -> str:
        text = CLEAN
        for old, new in self.edits:
            assert text.count(old) == 1, f"{text.count(old)} times in the session: {old}"
            text = text.replace(old, new)
        return text


def wrong(what: str, code: str, blame: Peer, *edits: tuple[str, str]) -> Wrong:
    return Wrong(what, code, blame, edits)


def method_between(opening: str, closing: str) -> str:
    """Return the lines of the clean session from one that begins so to the next that does."""
    start = CLEAN.index(opening)
    end = CLEAN.index("\n", CLEAN.index(closing, start)) + 1
    return CLEAN[start:end]


TERMINAL = method_between(
    '<- {"jsonrpc":"2.0","id":2,"method":"terminal/create"', '-> {"jsonrpc":"2.0","id":5,'
)

SHAPES = [
    wrong("discriminator type", "SCH001", AGENT, (LOOK, LOOK.replace("sessionUpdate", "type"))),
    wrong("discriminator @type", "SCH001", AGENT, (LOOK, LOOK.replace("sessionUpdate", "@type"))),
    wrong("discriminator kind", "SCH001", AGENT, (LOOK, LOOK.replace("sessionUpdate", "kind"))),
    wrong("no update wrapper", "SCH002", AGENT, (f'"update":{LOOK}', LOOK[1:-1])),
    wrong(
        "unknown variant",
        "SCH003",
        AGENT,
        (LOOK, LOOK.replace("agent_message_chunk", "agent_text")),
    ),
    wrong(
        "content block without type", "SCH004", AGENT, (LOOK, LOOK.replace('"type":"text",', ""))
    ),
    wrong(
        "content block a bare string",
        "SCH018",
        AGENT,
        ('"content":{"type":"text","text":"Let me look."}', '"content":"Let me look."'),
    ),
    wrong(
        "snake_case keys in an update",
        "SCH005",
        AGENT,
        (LOOK_LINE, LOOK_LINE.replace("sessionId", "session_id")),
    ),
    wrong(
        "session_id in the result",
        "SCH005",
        AGENT,
        (NEW_ANSWER, NEW_ANSWER.replace("sessionId", "session_id")),
    ),
    wrong("bad tool kind", "SCH025", AGENT, ('"kind":"read"', '"kind":"open_file"')),
    wrong("wrong stop reason", "SCH023", AGENT, (END, END.replace("end_turn", "done"))),
    wrong("no stop reason", "SCH011", AGENT, (END, END.replace('"stopReason":"end_turn"', ""))),
    wrong("null result", "SCH016", AGENT, (END, END.replace('{"stopReason":"end_turn"}', "null"))),
    wrong(
        "permission outcome malformed",
        "SCH015",
        CLIENT,
        (LEAVE, LEAVE.replace('{"outcome":"selected","optionId":"once"}', '"once"')),
    ),
    wrong(
        "protocolVersion a string",
        "SCH013",
        CLIENT,
        ('"protocolVersion":1,"clientC', '"protocolVersion":"1","clientC'),
    ),
]

LINES = [
    wrong("missing jsonrpc", "RPC001", AGENT, (END, END.replace('"jsonrpc":"2.0",', ""))),
    wrong("jsonrpc 1.0", "RPC001", AGENT, (END, END.replace('"2.0"', '"1.0"'))),
    wrong(
        "neither result nor error", "RPC002", CLIENT, (READ_ANSWER, '-> {"jsonrpc":"2.0","id":0}')
    ),
    wrong("noise on stdout", "FRM004", AGENT, (LOOK_LINE, f"<- Loading model...\n{LOOK_LINE}")),
    wrong(
        "pretty-printed JSON",
        "FRM007",
        AGENT,
        (
            END,
            r"""
<~ {\n
<~   "jsonrpc": "2.0",\n
<~   "id": 2,\n
<~   "result": {\n
<~     "stopReason": "end_turn"\n
<~   }\n
<~ }\n
""",
        ),
    ),
    wrong(
        "LSP framing",
        "FRM008",
        AGENT,
        (END, "<~ Content-Length: 58\\r\\n\n<~ \\r\\n\n" + END),
    ),
    wrong(
        "batch",
        "RPC016",
        AGENT,
        (LOOK_LINE, "<- [" + LOOK_LINE[3:] + "," + LOOK_LINE[3:] + "]"),
    ),
]

ENVELOPES = [
    wrong(
        "both result and error",
        "RPC002",
        CLIENT,
        (READ_ANSWER, READ_ANSWER[:-1] + ',"error":{"code":-32603,"message":"?"}}'),
    ),
    wrong(
        "response to an unknown id",
        "RPC008",
        CLIENT,
        (READ_ANSWER, f'{READ_ANSWER}\n-> {{"jsonrpc":"2.0","id":77,"result":{{}}}}'),
    ),
    wrong("response sent twice", "RPC010", CLIENT, (READ_ANSWER, f"{READ_ANSWER}\n{READ_ANSWER}")),
    wrong(
        "id in flight used again",
        "RPC009",
        AGENT,
        (READ, f"{READ}\n{READ.replace('cart.py', 'shop.py')}"),
        (READ_ANSWER, f"{READ_ANSWER}\n{READ_ANSWER.replace('sum', 'max')}"),
    ),
    wrong("id of another type", "RPC005", AGENT, (END, END.replace('"id":2', '"id":"2"'))),
    wrong("request never answered", "RPC006", CLIENT, (READ_ANSWER, "")),
    wrong(
        "permission as a notification",
        "RPC014",
        AGENT,
        ('"id":1,"method":"session/request_permission"', '"method":"session/request_permission"'),
        (LEAVE, ""),
    ),
    wrong(
        "session/update as a request",
        "RPC014",
        AGENT,
        (
            LOOK_LINE,
            LOOK_LINE.replace('"method"', '"id":50,"method"')
            + '\n-> {"jsonrpc":"2.0","id":50,"error":{"code":-32601,"message":"Method not found"}}',
        ),
    ),
    wrong(
        "session/cancel as a request",
        "RPC014",
        CLIENT,
        (
            CANCEL,
            CANCEL.replace('"method"', '"id":4,"method"')
            + '\n<- {"jsonrpc":"2.0","id":4,"result":{}}',
        ),
    ),
]

TOOL_CALLS = [
    wrong(
        "update of an unknown tool call",
        "LIF102",
        AGENT,
        (
            LOOK_LINE,
            LOOK_LINE
            + "\n"
            + LOOK_LINE.replace(
                LOOK,
                '{"sessionUpdate":"tool_call_update","toolCallId":"call_9","status":"completed"}',
            ),
        ),
    ),
    wrong(
        "id of a tool call used again",
        "LIF101",
        AGENT,
        ('"toolCallId":"call_3","title"', '"toolCallId":"call_2","title"'),
        ('{"toolCallId":"call_3"}', '{"toolCallId":"call_2"}'),
        ('"toolCallId":"call_3","status":"failed"', '"toolCallId":"call_2","status":"failed"'),
    ),
    wrong(
        "tool call left open at the end of the turn",
        "LIF054",
        AGENT,
        (
            '"toolCallId":"call_2","status":"completed"',
            '"toolCallId":"call_2","title":"Ran the tests"',
        ),
    ),
    wrong(
        "from completed to pending",
        "LIF103",
        AGENT,
        (
            END,
            LOOK_LINE.replace(
                LOOK,
                '{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"pending"}',
            )
            + "\n"
            + END,
        ),
    ),
]

NO_METHOD = '"error":{"code":-32601,"message":"Method not found"}}'

ORDER = [
    wrong(
        "session/new before initialize",
        "LIF001",
        CLIENT,
        (NEW + "\n" + NEW_ANSWER + "\n", ""),
        (
            '-> {"jsonrpc":"2.0","id":0,"method":"initialize"',
            NEW + "\n" + NEW_ANSWER + '\n-> {"jsonrpc":"2.0","id":0,"method":"initialize"',
        ),
    ),
    wrong(
        "prompt before session/new",
        "LIF029",
        CLIENT,
        (
            NEW,
            PROMPT.replace('"id":2', '"id":9')
            + '\n<- {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Unknown session"}}\n'
            + NEW,
        ),
    ),
    wrong(
        "fs/read_text_file without the capability",
        "CAP001",
        AGENT,
        ('"readTextFile":true', '"readTextFile":false'),
        (READ_ANSWER, '-> {"jsonrpc":"2.0","id":0,' + NO_METHOD),
    ),
    wrong(
        "terminal/create without the capability",
        "CAP001",
        AGENT,
        ('"terminal":true', '"terminal":false'),
        (TERMINAL, TERMINAL.splitlines()[0] + '\n-> {"jsonrpc":"2.0","id":2,' + NO_METHOD + "\n"),
        ('"toolCallId":"call_2","status":"completed"', '"toolCallId":"call_2","status":"failed"'),
    ),
    wrong("relative path", "LIF106", AGENT, (READ, READ.replace("/home/dev/shop/", ""))),
    wrong(
        "session/load without the capability",
        "CAP002",
        CLIENT,
        (
            NEW,
            '-> {"jsonrpc":"2.0","id":9,"method":"session/load","params":{"sessionId":"sess_old","cwd":"/home/dev/shop","mcpServers":[]}}\n'
            '<- {"jsonrpc":"2.0","id":9,' + NO_METHOD + "\n" + NEW,
        ),
    ),
    wrong(
        "image in a prompt without the capability",
        "CAP003",
        CLIENT,
        (
            PROMPT,
            PROMPT.replace('"id":2', '"id":9').replace(
                "}]", '},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]'
            )
            + '\n<- {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Images are not supported"}}\n'
            + PROMPT,
        ),
    ),
]

TURNS = [
    wrong(
        "update after the end of the turn",
        "LIF052",
        AGENT,
        (END, f"{END}\n{LOOK_LINE.replace('Let me look', 'One more thing')}"),
    ),
    wrong(
        "two prompts at once",
        "LIF051",
        CLIENT,
        (
            LOOK_LINE,
            PROMPT.replace('"id":2', '"id":9').replace("Why", "And why") + "\n" + LOOK_LINE,
        ),
        (END, END + "\n" + END.replace('"id":2', '"id":9')),
    ),
    # Within a quarter of a second the answer may have been on its way already.
    wrong(
        "cancelled turn ends with end_turn",
        "LIF062",
        AGENT,
        (CANCELLED, "@ 2.5\n" + CANCELLED.replace("cancelled", "end_turn")),
    ),
    wrong(
        "update for an unknown session",
        "LIF029",
        AGENT,
        (LOOK_LINE, LOOK_LINE.replace("sess_7f3a", "sess_0000")),
    ),
    wrong(
        "prompt for an unknown session",
        "LIF029",
        CLIENT,
        (
            PROMPT,
            PROMPT.replace('"id":2', '"id":9').replace("sess_7f3a", "sess_0000")
            + '\n<- {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Unknown session"}}\n'
            + PROMPT,
        ),
    ),
    wrong(
        "option that was never offered",
        "LIF112",
        CLIENT,
        (LEAVE, LEAVE.replace('"once"', '"always"')),
    ),
    # The client does as it should, and ends the conversation.
    wrong(
        "protocolVersion 7",
        "LIF201",
        AGENT,
        VERSION_7,
        (CLEAN[CLEAN.index(NEW) : CLEAN.index("-> EOF")], ""),
    ),
    wrong(
        "unknown method without an underscore",
        "RPC013",
        CLIENT,
        (
            PROMPT,
            '-> {"jsonrpc":"2.0","id":9,"method":"session/summarize","params":{"sessionId":"sess_7f3a"}}\n<- {"jsonrpc":"2.0","id":9,'
            + NO_METHOD
            + "\n"
            + PROMPT,
        ),
    ),
    wrong(
        "wrong direction",
        "RPC015",
        CLIENT,
        (
            PROMPT,
            READ.replace("<-", "->").replace('"id":0', '"id":9')
            + '\n<- {"jsonrpc":"2.0","id":9,'
            + NO_METHOD
            + "\n"
            + PROMPT,
        ),
    ),
    wrong(
        "error code a string",
        "SCH030",
        CLIENT,
        (
            READ_ANSWER,
            '-> {"jsonrpc":"2.0","id":0,"error":{"code":"ENOENT","message":"No such file"}}',
        ),
    ),
    wrong(
        "extra field", "SCH010", CLIENT, (NEW, NEW.replace('"cwd"', '"workspaceName":"shop","cwd"'))
    ),
]

ALL = SHAPES + LINES + ENVELOPES + TOOL_CALLS + ORDER + TURNS

# Those four are arguable rather than wrong. We do report them; nothing here is passed over.
ARGUABLE = {
    "extra field": Severity.WARNING,  # _meta is there for it; readers drop the key
    "update after the end of the turn": Severity.WARNING,  # clients may drop it
    "update for an unknown session": Severity.ERROR,  # ids are good on their own connection
    "protocolVersion 7": Severity.ERROR,  # version 1 lets an agent answer its latest, 2 does not
}


def line_with(part: str) -> str:
    """Return the one line of the clean session that has `part`."""
    (line,) = (line for line in CLEAN.splitlines() if part in line)
    return line


def printed(line: str) -> str:
    mark, _, text = line.partition(" ")
    return "\n".join(
        f"{mark} {part}" for part in json.dumps(json.loads(text), indent=2).split("\n")
    )


def batched(line: str) -> str:
    mark, _, text = line.partition(" ")
    return f"{mark} [{text}]"


CALL_1 = line_with('"tool_call","toolCallId":"call_1"')
CALL_2 = line_with('"tool_call","toolCallId":"call_2"')
LAST_2 = line_with('"toolCallId":"call_2","status":"completed"')
READY = line_with('"agentInfo"')
CREATED = '-> {"jsonrpc":"2.0","id":2,"result":{"terminalId":"term_1"}}'

# The same mistakes where the most follows from them: nobody takes in what the frame says, and all
# that builds on it would look wrong, too.
DEEPER = [
    wrong(f"{what} in the {where}", code, AGENT, (line, line.replace(old, new)))
    for where, line in [
        ("announcement", CALL_1),
        ("announcement before a permission", CALL_2),
        ("last update", LAST_2),
    ]
    for what, code, old, new in [
        ("discriminator type", "SCH001", "sessionUpdate", "type"),
        ("discriminator @type", "SCH001", "sessionUpdate", "@type"),
        ("unknown variant", "SCH003", '"tool_call', '"tool_event'),
        ("session_id", "SCH005", "sessionId", "session_id"),
        ("tool_call_id", "SCH005", "toolCallId", "tool_call_id"),
    ]
]
DEEPER += [
    wrong(f"{what} as {where}", code, frame_blame, (line, spoil(line)))
    for where, line, frame_blame in [
        ("announcement", CALL_1, AGENT),
        ("last update", LAST_2, AGENT),
        ("answer to initialize", READY, AGENT),
        ("answer to session/new", NEW_ANSWER, AGENT),
        ("answer to session/prompt", END, AGENT),
        ("answer to terminal/create", CREATED, CLIENT),
        ("session/prompt", PROMPT, CLIENT),
        ("session/cancel", CANCEL, CLIENT),
    ]
    for what, code, spoil in [("printed", "FRM007", printed), ("batch", "RPC016", batched)]
]
DEEPER += [
    wrong(
        "changed id of initialize", "RPC005", AGENT, (READY, READY.replace('"id":0', '"id":"0"'))
    ),
    wrong(
        "changed id of session/new",
        "RPC005",
        AGENT,
        (NEW_ANSWER, NEW_ANSWER.replace('"id":1', '"id":"1"')),
    ),
    wrong(
        "unknown id for session/prompt", "RPC008", AGENT, (END, END.replace('"id":2', '"id":99'))
    ),
    wrong("terminal_id", "SCH005", CLIENT, (CREATED, CREATED.replace("terminalId", "terminal_id"))),
    wrong(
        "prompt as a notification",
        "RPC014",
        CLIENT,
        (PROMPT, PROMPT.replace('"id":2,', "")),
        (END, ""),
    ),
    wrong("bad tool status", "SCH025", AGENT, (LAST_2, LAST_2.replace('"completed"', '"done"'))),
]


def judge(session: str) -> list[tuple[str, Peer]]:
    """Return the code and the blame of what is worse than a note."""
    findings = check(parse(session))
    return [(f.code, f.blame) for f in findings if f.severity is not Severity.NOTE]


def test_nothing_is_wrong_with_the_clean_session():
    assert judge(CLEAN) == []


def test_all_the_mistakes_of_the_comparison_are_here():
    assert len({mistake.what for mistake in ALL}) == 53


@pytest.mark.parametrize("mistake", ALL, ids=lambda mistake: mistake.what)
def test_a_mistake_is_found_once_and_its_author_is_blamed(mistake):
    assert judge(mistake.session) == [(mistake.code, mistake.blame)]


@pytest.mark.parametrize("mistake", DEEPER, ids=lambda mistake: mistake.what)
def test_a_mistake_is_found_once_where_much_depends_on_it(mistake):
    assert judge(mistake.session) == [(mistake.code, mistake.blame)]


def test_what_is_arguable_is_reported_all_the_same():
    found = {
        mistake.what: [f.severity for f in check(parse(mistake.session)) if f.code == mistake.code]
        for mistake in ALL
        if mistake.what in ARGUABLE
    }
    assert found == {what: [severity] for what, severity in ARGUABLE.items()}


def test_a_client_that_goes_on_with_version_7_makes_a_mistake_of_its_own():
    session = CLEAN.replace(*VERSION_7)
    assert judge(session) == [("LIF201", AGENT), ("LIF006", CLIENT)]


def test_a_broken_frame_excuses_only_what_it_names():
    broken = batched(CALL_1.replace("call_1", "call_8"))
    left_open = CLEAN.replace(LAST_2, broken)
    assert judge(left_open) == [("RPC016", AGENT), ("LIF054", AGENT)]
    unannounced = CLEAN.replace(CALL_1, broken)
    assert judge(unannounced) == [("RPC016", AGENT), ("LIF102", AGENT)]
    stranger = CLEAN.replace(PROMPT, PROMPT.replace("sess_7f3a", "sess_0000"))
    assert ("LIF029", CLIENT) in judge(stranger.replace(CALL_1, broken))
    second = PROMPT.replace('"id":2', '"id":9')
    answers = END + "\n" + END.replace('"id":2', '"id":9')
    twice = CLEAN.replace(CALL_2, f"{CALL_2}\n{broken}\n{second}").replace(END, answers)
    assert judge(twice) == [("RPC016", AGENT), ("LIF051", CLIENT)]
