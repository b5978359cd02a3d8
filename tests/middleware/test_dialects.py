"""Translation: peers written from a dialect's document talk to the official SDK, and each other."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.loop import LONGEST, limit
from support import effort
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE, until

from acp_spy import check
from acp_spy.capture.codec import encode
from acp_spy.capture.delivered import on_side, seen_by
from acp_spy.capture.records import Closed, Delivery, Header
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Severity
from acp_spy.middleware.dialects.known import TRANSLATIONS, find
from acp_spy.middleware.options import make_stages
from acp_spy.middleware.pipeline import Pipeline
from acp_spy.protocol.tables import spec
from acp_spy.protocol.walk import walk
from acp_spy.wire.frame import Frame, Peer
from tests.support.dialect_peers import NOTES, PEERS
from tests.support.piped import Piped

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT
NOT_READ = "not read: -32601"
each_dialect = pytest.mark.parametrize("name", PEERS)


def turns(
    lacks=(),
    call=("call", "Look", "execute", "in_progress"),
    reads=("read", NOTES),
    found="Wool.",
    done=(("call", "completed"),),
    failed=(("call", "failed"),),
    is_denied=True,
    more=(),
    end="end_turn",
    cancelled=(("text", "waiting"), ("end", "cancelled")),
    error="error: no model",
):
    """Return what is noted in four turns; `lacks` are things that the dialect has no words for."""
    begin = [("thought", "Hm"), ("plan", "Look"), call, ("asked", "Look")]
    work = [*begin, reads, *done, ("text", found), *more, ("end", end)]
    denied = [*begin, *failed, ("text", "denied"), *more, ("end", end)] if is_denied else work
    noted = [work, denied, [*cancelled], [("end", error)]]
    return [[note for note in turn if note and note[0] not in lacks] for turn in noted]


# What an official client is told by the agent of a dialect.
BY_AGENT = {
    "crow": turns(
        reads=None,
        found="nothing read",
        error="error: the agent ended the turn with `stop_reason: error`",
    ),
    "threads": turns(
        lacks=("thought", "plan", "call", "asked"),
        is_denied=False,
        cancelled=[("text", "waiting"), ("read", NOTES), ("end", "cancelled")],
    ),
    "quickref": turns(reads=None, found="nothing read"),
    "jetbrains": turns(lacks=("thought",), more=[("text", "That is all.")]),
    "acpex": turns(lacks=("asked",), call=("call", "Look", "other", "pending"), is_denied=False),
    "zed-0.0.10": turns(call=("call", "Look", "execute", "pending")),
    "zed-0.0.15": turns(),
    "zed-0.0.17": turns(),
    "zed-0.0.29": turns(),
    "v2": turns(reads=None, found="nothing read"),
}
REJECTED = [("text", "denied"), ("end", None)]
# What the client of a dialect is told by an official agent.
BY_CLIENT = {
    "crow": turns(reads=None, found=NOT_READ),
    "threads": [REJECTED, REJECTED, [], [("end", "error: no model")]],
    "quickref": turns(call=("call", "Look", "command", "in_progress"), reads=None, found=NOT_READ),
    "jetbrains": turns(lacks=("thought",)),
    "acpex": [
        *[
            [
                *[("thought", "Hm"), ("plan", "Look"), ("call", "Look"), ("result", "")],
                *[("text", "denied"), ("end", "done")],
            ]
        ]
        * 2,
        [("text", "waiting"), ("end", "cancelled")],
        [("end", "error: no model")],
    ],
    "zed-0.0.10": turns(
        call=("call", "Look", "terminal"),
        done=[("call", "finished")] * 2,  # a tool call of its own, and that of the permission
        failed=[("call", "error")] * 2,
        end=None,
        cancelled=[("text", "waiting"), ("end", None)],
    ),
    "zed-0.0.15": turns(call=("call", "Look", "execute", "inProgress")),
    "zed-0.0.17": turns(call=("call", "Look", "execute", "inProgress")),
    "zed-0.0.29": turns(cancelled=[("text", "waiting"), ("end", "canceled")]),
    "v2": turns(reads=None, found=NOT_READ),
}


def talk(client, agent, talk=None, **options):
    """Let two peers talk through a pipeline; return what the client noted, and the records."""
    piped = Piped(**options)
    return asyncio.run(piped.converse(client(), agent(), talk)), piped


def mistakes(piped, edition, to):
    """Return the mismatches with an edition of ACP, or a document, in what `to` has received."""
    asked, found = {}, []
    for record in piped.records:
        message = json.loads(record.raw) if isinstance(record, Frame) else {}
        if isinstance(record, Frame) and record.sender is to and "method" in message:
            asked[json.dumps(message.get("id"))] = message.get("method")
    for record in seen_by(to, piped.records):
        if record.sender is to:
            continue
        message = json.loads(record.raw)
        ways = edition.find(message.get("method") or asked.get(json.dumps(message["id"]), ""))
        value = message.get("params", message.get("result"))
        if ways and value is not None:
            shape = ways[0].params if "method" in message else ways[0].result
            found += [(message, each) for each in walk(edition, shape, value)] if shape else []
    return found


@each_dialect
def test_an_official_client_talks_to_an_agent_of_the_dialect(name):
    from tests.support.sdk_peers import SdkClient

    noted, piped = talk(SdkClient, PEERS[name][0], agent_dialect=name)
    assert noted == BY_AGENT[name]
    assert mistakes(piped, spec("v1"), CLIENT) == []


@each_dialect
def test_a_client_of_the_dialect_talks_to_an_official_agent(name):
    from tests.support.sdk_peers import SdkAgent

    noted, piped = talk(PEERS[name][1], SdkAgent, client_dialect=name)
    assert noted == BY_CLIENT[name]
    assert mistakes(piped, spec("v1"), AGENT) == []


@each_dialect
def test_two_peers_of_one_dialect_through_official_acp(name):
    agent, client = PEERS[name]
    _, piped = talk(client, agent, agent_dialect=name, client_dialect=name)
    document = TRANSLATIONS[name].document
    if document:
        assert mistakes(piped, document, CLIENT) == []
        assert mistakes(piped, document, AGENT) == []


@pytest.mark.long
@each_dialect
@pytest.mark.parametrize("other", PEERS)
def test_any_two_dialects_through_official_acp(name, other):
    noted, piped = talk(PEERS[name][1], PEERS[other][0], agent_dialect=other, client_dialect=name)
    work, _denied, _cancelled, failed = noted
    ends = {word for word, *_ in work}
    assert {"text", "end"} <= ends
    assert failed[-1][1].startswith("error: ")
    document = TRANSLATIONS[name].document
    assert document is None or mistakes(piped, document, CLIENT) == []


def test_there_is_a_peer_for_every_translation():
    assert list(TRANSLATIONS) == list(PEERS)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("quikref", "did you mean `quickref`? run `acp-spy dialects`"),
        ("klingon", "run `acp-spy dialects`"),
        ("zed", "its stages are `zed-0.0.10`, `zed-0.0.15`, `zed-0.0.17`, `zed-0.0.29`"),
    ],
)
def test_an_unknown_name_is_an_error_with_a_hint(name, hint):
    with pytest.raises(AcpSpyError) as error:
        find(name)
    assert str(error.value) == f"cannot translate `{name}`: no such dialect"
    assert error.value.hint == hint


# Single messages


class Talk:
    """A pipeline with one translation, message by message."""

    def __init__(self, **options):
        self.complaints, self.count, self.records = [], 0, []
        self.pipeline = Pipeline(make_stages(options), complain=self.complaints.append)

    def __call__(self, sender, message):
        """Send a message or a line; return what is delivered, and to whom."""
        self.count += 1
        raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.pipeline.take(Frame(self.count, 0.0, sender, raw))
        records, lines = self.pipeline.collect()
        self.records += records
        return [
            (to, line if isinstance(message, bytes) else json.loads(line)) for to, line in lines
        ]

    def open(self, session="s1"):
        """Have a session of official peers."""
        self(CLIENT, ask(1, "initialize", {"protocolVersion": 1}))
        self(AGENT, {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}})
        self(CLIENT, ask(2, "session/new", {"cwd": "/", "mcpServers": []}))
        self(AGENT, {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": session}})
        return self


def ask(ident, method, params):
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


def tell(method, params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def update(name, tag="sessionUpdate", session="s1", **rest):
    return tell("session/update", {"sessionId": session, "update": {tag: name, **rest}})


def test_what_is_the_same_in_both_keeps_its_bytes():
    talk = Talk(agent_dialect="crow")
    line = (
        b'{"id": 7,  "jsonrpc":"2.0","method":"session/new","params":{"mcpServers":[],"cwd":"/"}}\n'
    )
    assert talk(CLIENT, line) == [(AGENT, line)]
    assert talk(AGENT, b"[info] ready\n") == [(CLIENT, b"[info] ready\n")]
    assert not any(isinstance(record, Delivery) for record in talk.records)


def test_every_translated_frame_is_a_delivery_that_says_what_was_lost():
    talk = Talk(client_dialect="crow")
    call = {"toolCallId": "c", "title": "Look", "locations": [{"path": "/a"}], "content": []}
    ((to, made),) = talk(AGENT, update("tool_call", **call))
    kept = {"kind": "other", "status": "pending", "tool_call_id": "c", "title": "Look"}
    assert (to, made["params"]["update"]) == (CLIENT, {"@type": "tool_call_start", **kept})
    (delivery,) = [record for record in talk.records if isinstance(record, Delivery)]
    assert (delivery.seq, delivery.to, delivery.action) == (1, CLIENT, "replaced")
    assert delivery.by == "dialect crow; `tool_call`: `locations` is left out"
    talk(AGENT, update("tool_call", **call))
    assert talk.complaints == ["dialect crow: `tool_call`: `locations` is left out"]


def test_what_has_no_counterpart_is_answered_or_dropped_and_reported():
    talk = Talk(agent_dialect="crow")
    ((to, refused),) = talk(CLIENT, ask(9, "session/set_mode", {"sessionId": "s1", "modeId": "m"}))
    message = "Method not found: crow has no `session/set_mode`"
    assert (to, refused["id"]) == (CLIENT, 9)
    assert refused["error"] == {"code": -32601, "message": message}
    assert talk(CLIENT, tell("$/cancel_request", {"requestId": 9})) == []
    actions = [record.action for record in talk.records if isinstance(record, Delivery)]
    assert actions == ["answered", "dropped"]
    assert len(talk.complaints) == 2


def test_a_prompt_of_which_nothing_is_left_is_refused():
    talk = Talk(agent_dialect="crow").open()
    audio = [{"type": "audio", "data": "", "mimeType": "audio/wav"}]
    params = {"sessionId": "s1", "prompt": audio}
    ((to, refused),) = talk(CLIENT, ask(3, "session/prompt", params))
    assert (to, refused["error"]["code"]) == (CLIENT, -32602)


def test_an_extension_passes_in_both_directions():
    talk = Talk(agent_dialect="crow")
    asked = ask(4, "_vendor/thing", {"a": 1})
    assert talk(CLIENT, asked) == [(AGENT, asked)]
    answer = {"jsonrpc": "2.0", "id": 4, "result": {"b": 2}}
    assert talk(AGENT, answer) == [(CLIENT, answer)]


def test_crow_cancel_answers_what_the_client_was_asked_for():
    talk = Talk(client_dialect="crow")
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    asked = {"sessionId": "s1", "toolCall": {"toolCallId": "c", "title": "T"}, "options": options}
    ((to, made),) = talk(AGENT, ask(5, "session/request_permission", asked))
    assert (to, made["params"]["update"]["@type"]) == (CLIENT, "permission_request")
    made = talk(CLIENT, ask(8, "cancel", {"session_id": "s1"}))
    assert made == [
        (AGENT, tell("session/cancel", {"sessionId": "s1"})),
        (CLIENT, {"jsonrpc": "2.0", "id": 8, "result": {}}),
        (AGENT, {"jsonrpc": "2.0", "id": 5, "result": {"outcome": {"outcome": "cancelled"}}}),
    ]
    late = {"session_id": "s1", "tool_call_id": "c", "option_id": "y"}
    assert talk(CLIENT, tell("permission_response", late)) == []


def test_crow_an_unknown_option_is_not_taken_for_permission_silently():
    talk = Talk(agent_dialect="crow")
    options = [{"id": "sure", "title": "Sure", "is_primary": True}, {"id": "nah", "title": "Nah"}]
    about = {"tool_call_id": "c", "title": "T", "arguments": "ls", "permission_options": options}
    ((_, made),) = talk(AGENT, update("permission_request", "@type", **about))
    kinds = [option["kind"] for option in made["params"]["options"]]
    assert kinds == ["allow_once", "reject_once"]
    assert len(talk.complaints) == 2


def test_crow_load_replays_and_its_result_is_an_object():
    talk = Talk(agent_dialect="crow")
    asked = ask(3, "session/load", {"sessionId": "s1", "cwd": "/", "mcpServers": []})
    ((_, made),) = talk(CLIENT, asked)
    assert made["params"] == {"session_id": "s1", "cwd": "/"}
    assert talk(AGENT, {"jsonrpc": "2.0", "id": 3, "result": None})[0][1]["result"] == {}


def test_threads_loads_lists_and_reads():
    talk, own = Talk(agent_dialect="threads"), 1_000_000_000
    talk(CLIENT, ask("a", "initialize", {"protocolVersion": 1}))
    ((_, made),) = talk(CLIENT, ask("b", "session/list", {}))
    assert made == {"id": own + 1, "method": "getThreads", "params": None}
    thread = {"id": "t", "title": "T", "modifiedAt": "2025-06-30T12:00:00Z"}
    ((_, made),) = talk(AGENT, {"id": own + 1, "result": {"threads": [thread]}})
    assert (made["id"], made["result"]["sessions"][0]["sessionId"]) == ("b", "t")
    talk(CLIENT, ask("c", "session/load", {"sessionId": "t", "cwd": "/", "mcpServers": []}))
    ((_, made),) = talk(AGENT, {"id": own + 2, "result": None})
    assert made == {"id": own + 3, "method": "getThreadEntries", "params": {"threadId": "t"}}
    entries = [
        {"type": "message", "role": "user", "chunks": [{"type": "text", "chunk": "Hi"}]},
        {"type": "readFile", "path": "/a", "content": "A"},
    ]
    made = [each for _, each in talk(AGENT, {"id": own + 3, "result": {"entries": entries}})]
    names = [each["params"]["update"]["sessionUpdate"] for each in made[:2]]
    assert names == ["user_message_chunk", "tool_call"]
    assert (made[2]["id"], made[2]["result"]) == ("c", {})
    lines = {"threadId": "t", "path": "/a", "lineOffset": 4, "lineLimit": 2}
    ((_, made),) = talk(AGENT, {"id": 0, "method": "readTextFile", "params": lines})
    assert made["params"] == {"sessionId": "t", "path": "/a", "limit": 2, "line": 5}
    ((to, made),) = talk(CLIENT, {"jsonrpc": "2.0", "id": 0, "result": {"content": "A"}})
    assert (to, made) == (AGENT, {"id": 0, "result": {"version": 0, "content": "A"}})
    ((to, made),) = talk(AGENT, {"id": 1, "method": "stat", "params": {"path": "/a"}})
    assert (to, made["error"]["code"]) == (AGENT, -32601)


def test_a_client_of_threads_opens_a_thread_and_asks_for_its_entries():
    from tests.support.sdk_peers import SdkAgent

    async def read(client):
        assert await client.ask("getThreads", None) == {"threads": []}
        assert await client.ask("openThread", {"threadId": "t-9"}) is None
        return await client.ask("getThreadEntries", {"threadId": "t-9"})

    got, _ = talk(PEERS["threads"][1], SdkAgent, read, client_dialect="threads")
    assert got["entries"] == [
        {"type": "message", "role": role, "chunks": [{"type": "text", "chunk": chunk}]}
        for role, chunk in (("user", "before"), ("assistant", "it was so"))
    ]


def list_threads(cursors):
    """Have a client of threads ask for them, and the agent respond with these cursors, if asked."""
    talk, cursors = Talk(client_dialect="threads"), iter(cursors)
    ((_, asked),) = talk(CLIENT, {"id": 1, "method": "getThreads"})
    capabilities = {"sessionCapabilities": {"list": {}}}
    result = {"protocolVersion": 1, "agentCapabilities": capabilities}
    ((to, asked),) = talk(AGENT, {"jsonrpc": "2.0", "id": asked["id"], "result": result})
    while to is AGENT:
        session = {"sessionId": f"s{talk.count}", "cwd": "/p", "updatedAt": "2026-01-01T00:00:00Z"}
        result = {"sessions": [session], "nextCursor": next(cursors, None)}
        ((to, asked),) = talk(AGENT, {"jsonrpc": "2.0", "id": asked["id"], "result": result})
    return len(asked["result"]["threads"]), talk


def test_the_responses_to_further_pages_that_the_translation_asks_for_have_no_finding():
    pages, talk = list_threads(["two", "three"])
    assert pages == 3
    errors = [each for each in check([Header(), *talk.records]) if each.severity is Severity.ERROR]
    assert {each.blame for each in errors} == {CLIENT}


def test_what_waits_for_a_response_is_recorded_after_it():
    """Else the agent would seem to get a request before it has responded to `initialize`."""
    _, talk = list_threads([])
    seen = [json.loads(each.raw) for each in seen_by(AGENT, talk.records)]
    assert [each.get("method", "a response") for each in seen] == [
        *("initialize", "a response", "session/list", "a response"),
    ]
    assert {each.code for each in check(seen_by(AGENT, talk.records))} == {"LIF004"}


@pytest.mark.parametrize("side", [["--delivered"], ["--seen-by", "agent"], ["--seen-by", "client"]])
def test_what_the_translation_asks_for_is_the_mistake_of_no_peer(side, tmp_path):
    """The agent has no `agentInfo`; a translation sends no `clientInfo`."""
    _, talk = list_threads(["two"])
    path = tmp_path / "run.jsonl"
    remark = make_stages({"client_dialect": "threads"})[0].remark
    path.write_bytes(encode([Header(note=remark), *talk.records]))
    done = acp_spy("check", str(path), *side, "--format", "json")
    findings = json.loads(done.out)["captures"][0]["findings"]
    codes = {each["code"] for each in findings if not each.get("by")}
    assert codes <= {"LIF004"}
    assert all(each["blame"] == "agent" for each in findings if not each.get("by"))


@pytest.mark.parametrize(
    ("cursors", "pages"),
    [(["a", "b", "a"] * 1000, 3), ([{"x": 1}] * 1000, 2), (map(str, range(10_000)), 1001)],
)
def test_a_list_of_sessions_that_does_not_end_is_left_off(cursors, pages):
    listed, talk = list_threads(cursors)
    assert listed == pages
    assert any("does not end: the rest is left out" in each for each in talk.complaints)


@pytest.mark.parametrize("name", TRANSLATIONS)
@pytest.mark.parametrize("method", [[], {}, 5, None])
def test_a_message_whose_method_is_no_string_passes(name, method):
    for options in ({"agent_dialect": name}, {"client_dialect": name}):
        talk = Talk(**options)
        for sender in (CLIENT, AGENT):
            talk(sender, {"jsonrpc": "2.0", "id": 1, "method": method})
        assert not [line for line in talk.complaints if "a bug" in line]


def test_the_end_of_a_client_reaches_an_agent_that_does_not_respond():
    talk, tasks, slept = Talk(client_dialect="threads"), [], []

    async def sleep(seconds):
        slept.append(seconds)

    talk.pipeline.begin(tasks.append, sleep)
    ((_, first),) = talk(CLIENT, tell("x/y", {}))
    assert first["method"] == "initialize"
    talk.pipeline.note(Closed(0.1, CLIENT))
    assert talk.pipeline.is_holding(AGENT)
    (task,) = tasks
    asyncio.run(task())
    assert (slept, talk.pipeline.is_holding(AGENT)) == ([4.0], False)
    assert [json.loads(line)["method"] for _, line in talk.pipeline.collect()[1]] == ["x/y"]


SLOW = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        # Not before the client has ended: what comes before it has been read then.
        open(sys.argv[1]).read()
        result = {"protocolVersion": 1, "agentCapabilities": {}}
    else:
        result = {"sessionId": "s"}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def test_the_end_of_a_client_reaches_an_agent_that_responds_after_it(tmp_path):
    """The first request waits for a response of the agent, and the end for the request."""
    os.mkfifo(gate := tmp_path / "gate")
    command = [*ACP_SPY, "-o", str(tmp_path / "c.jsonl"), "--client-dialect", "threads", "--"]
    with subprocess.Popen(
        [*command, sys.executable, "-c", SLOW, str(gate)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as proxy:  # fmt: skip
        proxy.stdin.write(b'{"id":1,"method":"createThread","params":{}}\n')
        proxy.stdin.close()
        until(
            lambda: b'"closed"' in b"".join(map(Path.read_bytes, tmp_path.glob("c.*"))), "its end"
        )
        gate.write_bytes(b"now")
        assert json.loads(proxy.stdout.read()) == {"id": 1, "result": {"threadId": "s"}}
        assert proxy.wait(DEADLINE) == 0


def test_quickref_and_acpex_content_in_both_directions():
    blocks = {
        "image": {"type": "image", "data": "iVBO", "mimeType": "image/png"},
        "resource": {"type": "resource", "resource": {"uri": "file:///a", "text": "A"}},
        "link": {"type": "resource_link", "uri": "file:///b", "name": "b"},
    }
    asked = ask(3, "session/prompt", {"sessionId": "s1", "prompt": list(blocks.values())})
    ((_, quick),) = Talk(agent_dialect="quickref").open()(CLIENT, asked)
    ((_, other),) = Talk(agent_dialect="acpex").open()(CLIENT, asked)
    kinds = [block["type"] for block in quick["params"]["prompt"]]
    assert kinds == ["image", "embedded_resource", "resource_link"]
    source = {"type": "base64", "mediaType": "image/png", "data": "iVBO"}
    assert other["params"]["content"] == [
        {"type": "image", "source": source},
        {"type": "resource", "uri": "file:///a", "text": "A"},
        {"type": "resource_link", "uri": "file:///b"},
    ]
    for name, sent in (("quickref", quick), ("acpex", other)):
        ((_, back),) = Talk(client_dialect=name)(CLIENT, sent)
        assert back["params"]["prompt"] == list(blocks.values())


def test_acpex_error_codes():
    talk = Talk(agent_dialect="acpex")
    for method, code in (("authenticate", -32000), ("session/load", -32002)):
        talk(CLIENT, ask(1, method, {"methodId": "m", "sessionId": "s", "cwd": "/"}))
        error = {"code": -32001, "message": "no"}
        ((_, made),) = talk(AGENT, {"jsonrpc": "2.0", "id": 1, "error": error})
        assert made["error"] == {**error, "code": code}


def test_acpex_never_passes_on_a_secret():
    talk = Talk(client_dialect="acpex")
    params = {"methodId": "api_key", "data": {"apiKey": "sk-not-a-real-one"}}
    ((_, made),) = talk(CLIENT, ask(1, "authenticate", params))
    assert made["params"] == {"methodId": "api_key"}
    assert talk.complaints == ["dialect acpex: `authenticate`: `data` is left out"]


def test_version_2_tool_calls_servers_and_commands():
    talk = Talk(agent_dialect="v2")
    server = {"name": "m", "command": "/m", "args": [], "env": []}
    params = {"cwd": "/", "mcpServers": [server, {"type": "sse", "name": "n", "url": "u"}]}
    ((_, made),) = talk(CLIENT, ask(1, "session/new", params))
    assert made["params"]["mcpServers"] == [{"type": "stdio", **server}]
    block = {"type": "content", "content": {"type": "text", "text": "a"}}
    first = {"toolCallId": "c", "content": block}
    ((_, made),) = talk(AGENT, update("tool_call_content_chunk", **first))
    assert made["params"]["update"] == {
        "sessionUpdate": "tool_call",
        "title": "c",
        "toolCallId": "c",
        "content": [block],
    }
    ((_, made),) = talk(AGENT, update("tool_call_content_chunk", **first))
    assert made["params"]["update"]["content"] == [block, block]
    command = {"type": "command", "name": "x", "description": "X"}
    command["input"] = {"type": "text", "hint": "h"}
    ((_, made),) = talk(AGENT, update("available_commands_update", availableCommands=[command]))
    (told,) = made["params"]["update"]["availableCommands"]
    assert told == {"name": "x", "description": "X", "input": {"hint": "h"}}


@pytest.mark.parametrize("end", ["tool_call_update", "state_update"])
@pytest.mark.parametrize("between", ["nothing", "_meta", "state_update", "tool_call_update"])
def test_long_content_of_version_2_is_sent_in_proportion_and_all_of_it(end, between):
    talk = Talk(agent_dialect="v2")
    blocks = [
        {"type": "content", "content": {"type": "text", "text": f"{number} " + "x" * 200}}
        for number in range(2000)
    ]
    sent = []
    for block in blocks:
        meta = {"_meta": {"number": len(sent)}} if between == "_meta" else {}
        chunk = update("tool_call_content_chunk", toolCallId="c", content=block, **meta)
        sent += [made["params"]["update"] for _, made in talk(AGENT, chunk)]
        if between == "state_update":
            talk(AGENT, update("state_update", state="running"))
        elif between == "tool_call_update":
            told = update("tool_call_update", toolCallId="c", status="in_progress")
            sent += [made["params"]["update"] for _, made in talk(AGENT, told)]
    last = (
        {"toolCallId": "c", "status": "completed"} if end != "state_update" else {"state": "idle"}
    )
    sent += [made["params"]["update"] for _, made in talk(AGENT, update(end, **last))]
    assert sent[-1]["content"] == blocks
    assert sum(len(each.get("content", ())) for each in sent) < 100 * len(blocks)


BLOCKS = {
    "a number": 1,
    "a letter": {"type": "content", "content": {"type": "text", "text": "x"}},
    "what takes more when it is sent": "\x00" * 20,
    "what is left out": {"type": "diff", "path": "/p"},
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize("between", ["nothing", "state_update", "tool_call_update"])
def test_short_content_of_version_2_is_sent_in_proportion_too(block, between):
    """Two megabytes of the shortest once became 146."""
    talk = Talk(agent_dialect="v2")
    chunk = json.dumps(update("tool_call_content_chunk", toolCallId="c", content=block)).encode()
    told = {
        "nothing": [],
        "state_update": [update("state_update", state="idle")],
        "tool_call_update": [update("tool_call_update", toolCallId="c", content=[block] * 900)],
    }[between]
    came = 0
    for number in range(1200):
        more = told if number % 300 == 200 or between == "state_update" else []
        for line in (chunk, *(json.dumps(message).encode() for message in more)):
            talk(AGENT, line + b"\n")
            came += len(line)
    content = 1200 * len(json.dumps(block))
    sent = sum(len(each.raw or b"") for each in talk.records if isinstance(each, Delivery))
    assert sent < 256 * 1024 + 2 * came + 20 * content


def test_all_content_of_version_2_is_sent_when_a_prompt_is_answered():
    talk = Talk(agent_dialect="v2")
    blocks = []
    for turn in range(30):
        talk(CLIENT, prompt(turn))
        talk(AGENT, answer(turn, result={}))
        for _ in range(40 if turn == 0 else 1):
            text = {"type": "text", "text": "x" * (20_000 if turn == 0 else 1)}
            blocks.append({"type": "content", "content": text})
            chunk = update("tool_call_content_chunk", toolCallId="c", content=blocks[-1])
            got = talk(AGENT, chunk)
        got += talk(AGENT, update("state_update", state="idle", stopReason="end_turn"))
        assert got[-1][1]["result"] == {"stopReason": "end_turn"}
        assert got[-2][1]["params"]["update"]["content"] == blocks


@pytest.mark.parametrize(
    ("name", "method", "params"),
    [
        ("v2", "initialize", {"protocolVersion": 2, "info": {"name": "a", "version": "1"}}),
        ("v2", "session/new", {"cwd": "/p"}),
        ("crow", "session/prompt", {"session_id": "s", "prompt": []}),
    ],
)
def test_a_response_without_what_the_dialect_needs_is_an_error_and_not_nothing(
    name, method, params
):
    talk = Talk(client_dialect=name)
    ((_, asked),) = talk(CLIENT, ask(1, method, params))
    result = {"protocolVersion": 1, "agentInfo": {"name": "x"}} if method == "initialize" else {}
    ((to, got),) = talk(AGENT, answer(asked["id"], result=result))
    assert (to, got["id"], got["error"]["code"]) == (CLIENT, 1, -32603)
    assert "has no counterpart for" in got["error"]["message"]


def test_an_image_in_a_response_is_not_taken_for_a_word():
    talk = Talk(agent_dialect="jetbrains")
    talk(CLIENT, prompt(1))
    said = {"type": "text", "text": "None of the tests fail; see the picture."}
    talk(AGENT, update("agent_message_chunk", content=said))
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    got = talk(AGENT, answer(1, result={"stopReason": "end_turn", "content": [said, image]}))
    assert [made["params"]["update"]["content"] for _, made in got[:-1]] == [image]


ENTRY = {"type": "message", "role": "assistant", "chunks": [{"type": "text", "chunk": "it was so"}]}


@pytest.mark.parametrize(
    ("response", "answers"),
    [
        ({"result": {}}, [{"result": None}, {"result": {"entries": [ENTRY]}}]),
        ({"error": {"code": -32002, "message": "no"}}, None),
    ],
)
def test_a_thread_that_is_asked_for_twice_at_once_is_loaded_once(response, answers):
    talk = Talk(client_dialect="threads")
    asked = []
    for number, method in enumerate(("openThread", "getThreadEntries"), 1):
        asked += talk(CLIENT, {"id": number, "method": method, "params": {"threadId": "t"}})
    can = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    asked += talk(AGENT, {"jsonrpc": "2.0", "id": asked[0][1]["id"], "result": can})
    assert [each["method"] for _, each in asked] == ["initialize", "session/load"]
    content = {"type": "text", "text": "it was so"}
    talk(AGENT, update("agent_message_chunk", session="t", content=content))
    got = talk(AGENT, {"jsonrpc": "2.0", "id": asked[1][1]["id"], **response})
    assert [each for _, each in got] == [
        {"id": number, **answer} for number, answer in enumerate(answers or [response] * 2, 1)
    ]
    assert talk.complaints == []


def prompt(ident):
    return ask(
        ident, "session/prompt", {"sessionId": "s1", "prompt": [{"type": "text", "text": "x"}]}
    )


def answer(ident, **what):
    return {"jsonrpc": "2.0", "id": ident, **what}


BUSY = {"code": -32600, "message": "busy"}
TAKEN = {"result": {"messageId": "m"}}


@pytest.mark.parametrize(
    ("answers", "ended"),
    [
        ([(1, TAKEN), (2, {"error": BUSY})], [2, 1]),
        ([(1, {"error": BUSY}), (2, TAKEN)], [1, 2]),
        ([(1, TAKEN), (2, TAKEN)], [1, 2]),
    ],
)
def test_each_prompt_of_version_1_is_answered_though_there_are_two_at_once(answers, ended):
    talk = Talk(agent_dialect="v2")
    talk(CLIENT, prompt(1))
    talk(CLIENT, prompt(2))
    got = [made for ident, what in answers for made in talk(AGENT, answer(ident, **what))]
    got += talk(AGENT, update("state_update", state="idle", stopReason="end_turn"))
    assert [made["id"] for _, made in got] == ended


@each_dialect
def test_an_update_that_is_a_request_is_answered(name):
    for option in ("agent_dialect", "client_dialect"):
        talk = Talk(**{option: name})
        block = {"type": "text", "text": "x"}
        got = talk(AGENT, {"id": 77, **update("agent_message_chunk", content=block)})
        assert [made["id"] for to, made in got if to is AGENT and "method" not in made] == [77]


def test_two_permissions_for_one_tool_call_are_answered_in_crow():
    talk = Talk(client_dialect="crow")
    options = [{"optionId": "a", "name": "A", "kind": "allow_once"}]
    asking = {"sessionId": "s1", "toolCall": {"toolCallId": "c", "title": "t"}, "options": options}
    for ident in (1, 2):
        talk(AGENT, ask(ident, "session/request_permission", asking))
    chosen = {"session_id": "s1", "tool_call_id": "c", "option_id": "a"}
    got = [talk(CLIENT, tell("permission_response", chosen)) for _ in range(3)]
    assert [made["id"] for (_, made), *_ in got[:2]] == [1, 2]


@pytest.mark.parametrize(
    ("named", "answered"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"session_id": "s2"}, [3, 5]),
        ({"tool_call_id": "d"}, [2, 3]),
        ({"session_id": "s2", "tool_call_id": "d"}, [3]),
        ({"session_id": "s3"}, []),
        ({"session_id": ["s1"]}, []),
    ],
)
def test_the_answer_of_a_crow_client_may_name_less(named, answered):
    talk = Talk(client_dialect="crow")
    pending = [("s1", "c"), ("s1", "d"), ("s2", "d"), ("s1", "e"), ("s2", "c")]
    for ident, (session, call) in enumerate(pending, 1):
        asking = {"sessionId": session, "toolCall": {"toolCallId": call}, "options": []}
        talk(AGENT, ask(ident, "session/request_permission", asking))
    got = [talk(CLIENT, tell("permission_response", {**named, "option_id": "a"})) for _ in range(6)]
    assert [made["id"] for each in got for _, made in each] == answered


def test_pending_permissions_of_crow_are_not_searched_for_each_message():
    compared = 0

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    translation, sent = Talk(client_dialect="crow").pipeline.stages[0]._translation, []
    translation._send = lambda message, **_: sent.append(message)  # JSON has no such names
    for number in range(400):
        session = Name("s1" if number < 200 else "s2")
        asking = {"sessionId": session, "toolCall": {"toolCallId": Name(number)}, "options": []}
        request = ask(number, "session/request_permission", asking)
        translation.take(request, is_official=True)
    sent.clear()
    compared = 0
    for number in range(200):
        chosen = tell("permission_response", {"session_id": Name("s2"), "option_id": "a"})
        translation.take(chosen, is_official=False)
        cancel = ask(number, "cancel", {"session_id": Name("s3")})
        translation.take(cancel, is_official=False)
    assert [made["id"] for made in sent if "outcome" in (made.get("result") or ())]
    assert compared < 200 * 40


def test_of_many_permissions_for_one_tool_call_the_last_has_the_updates_in_zed():
    """Each update once went to all of them: 300 of both became 90,000 messages."""
    talk = Talk(client_dialect="zed-0.0.10")

    def told(sender, message):
        """Send a message; return what the client is told."""
        return [made for to, made in talk(sender, message) if to is CLIENT]

    def changed(messages):
        calls = [each["params"] for each in messages if each["method"] == "updateToolCall"]
        return [(call["toolCallId"], call["status"]) for call in calls]

    (push,) = told(AGENT, update("tool_call", toolCallId="c", title="T"))
    told(CLIENT, answer(push["id"], result={"id": 0}))
    options = [{"optionId": "a", "name": "A", "kind": "allow_once"}]
    asking = {"sessionId": "s1", "toolCall": {"toolCallId": "c", "title": "T"}, "options": options}
    ended = []
    for number in (1, 2, 3, 3):
        (asked,) = told(AGENT, ask(number, "session/request_permission", asking))
        chosen = {"id": number, "outcome": "allow"}
        ended.append(changed(told(CLIENT, answer(asked["id"], result=chosen))))
    assert ended == [[], [(1, "finished")], [(2, "finished")], []]
    running = told(AGENT, update("tool_call_update", toolCallId="c", status="in_progress"))
    assert changed(running) == [(0, "running"), (3, "running")]


def test_a_long_turn_is_not_copied_with_each_chunk_nor_searched_for_each_block():
    talk = Talk(agent_dialect="jetbrains")
    talk(CLIENT, prompt(1))
    translation = talk.pipeline.stages[0]._translation
    with limit(LONGEST):
        for text in ("x" * 20_000, "a" * 20):
            translation.say_blocks(
                "s1", "agent_message_chunk", [{"type": "text", "text": text}] * 4000
            )
            translation.out.clear()
        blocks = [{"type": "text", "text": "a" * 20 + "b" + "a" * 19}] * 16_000
        got = talk(AGENT, answer(1, result={"stopReason": "end_turn", "content": blocks}))
    assert len(got) == 16_001


@pytest.mark.parametrize("dialect", ["v2", "zed-0.0.15"])
def test_what_is_nested_nearly_too_deeply_is_no_bug(dialect):
    talk = Talk(agent_dialect=dialect)
    for depth in range(1470, 1500):
        deep = b'{"a":' * depth + b"1" + b"}" * depth
        told = update("tool_call_content_chunk", session="s1", toolCallId="c", content="DEEP")
        raw = json.dumps(told).encode().replace(b'"DEEP"', deep) + b"\n"
        flat = (
            b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","type":"plan","x":%b}}\n'
            % deep
        )
        talk(AGENT, raw)
        talk(AGENT, flat)
    assert not [each for each in talk.complaints if "bug" in each]


@pytest.mark.parametrize("dialect", ["v2", "jetbrains", "crow", "threads", "zed-0.0.15"])
def test_an_id_that_is_nested_nearly_too_deeply_is_no_bug(dialect):
    talk = Talk(agent_dialect=dialect)
    chunk = '"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}'
    for depth in range(930, 1000):
        deep = "[" * depth + "]" * depth
        talk(AGENT, f'{{"id":{deep},"method":"fs/read_text_file","params":{{}}}}\n'.encode())
        told = f'{{"method":"session/update","params":{{"sessionId":{deep},{chunk}}}}}\n'
        talk(AGENT, told.encode())
    assert not [each for each in talk.complaints if "bug" in each]


def test_not_all_who_wait_for_a_thread_get_all_of_it_at_once():
    """1,500 of them, and a message of half a megabyte, took 1.6 GB."""
    talk = Talk(client_dialect="threads")
    entries = {"method": "getThreadEntries", "params": {"threadId": "t"}}
    asked = [each for number in range(1, 30) for each in talk(CLIENT, {"id": number, **entries})]
    can = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    asked += talk(AGENT, answer(asked[0][1]["id"], result=can))
    made = [each for _, each in asked]
    assert [each["method"] for each in made if "method" in each] == ["initialize", "session/load"]
    refused = [each["error"]["message"] for each in made if "error" in each]
    assert refused == ["the thread is still being opened: ask again later"] * 21


ROOM = 10_000
ROOM_OF = "acp_spy.middleware.dialects.translation._ROOM"
WAITS = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}


def size_of(got):
    """Return how many bytes were delivered."""
    return sum(len(json.dumps(message)) for _, message in got)


@pytest.mark.parametrize("dialect", ["v2", "acpex", "jetbrains"])
def test_what_is_repeated_for_each_block_of_a_message_has_a_limit(monkeypatch, dialect):
    """A message of half a megabyte became 500 MB."""
    monkeypatch.setattr(ROOM_OF, ROOM)
    talk, blocks, name = Talk(agent_dialect=dialect), [{}] * 1000, "m" * 1000
    sent = {
        "v2": update("agent_message", messageId=name, content=blocks),
        "acpex": update("message", "kind", name, content={"content": blocks}),
        "jetbrains": update("message", session=name, message={"content": blocks}),
    }[dialect]
    got = talk(AGENT, sent)
    assert ROOM / 2 < size_of(got) < ROOM + 2 * size_of([(AGENT, sent)])
    (complaint,) = talk.complaints
    assert complaint.endswith("its translation would be too long: what is too much is left out")
    first = next(each for each in talk.records if isinstance(each, Delivery))
    assert complaint.endswith(first.by.removeprefix(f"dialect {dialect}; "))
    short = update("message", "kind", content="Hi")
    if dialect != "acpex":
        short = update("agent_message_chunk", content={"type": "text", "text": "Hi"})
    assert len(talk(AGENT, short)) == 1


def test_what_is_repeated_in_each_of_many_messages_has_a_limit(monkeypatch):
    """A title of 650 kB and 3,000 updates became 1.95 GB."""
    monkeypatch.setattr(ROOM_OF, ROOM)
    talk = Talk(client_dialect="quickref").open()
    call = update("tool_call", toolCallId="c", title="t" * 8000, kind="execute")
    progress = update("tool_call_update", toolCallId="c", status="in_progress")
    sent, got = [call, *[progress] * 300], []
    for message in sent:
        got += talk(AGENT, message)
    came = size_of([(AGENT, message) for message in sent])
    assert 100_000 < size_of(got) < ROOM + 32 * came
    assert len(talk.records) > 2 * 300  # each that was left out has a record of that


def test_the_folder_of_the_client_is_not_repeated_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(ROOM_OF, ROOM)
    talk, own = Talk(agent_dialect="threads"), 1_000_000_000
    talk(CLIENT, ask("a", "session/new", {"cwd": "/" + "m" * 1000, "mcpServers": []}))
    talk(CLIENT, ask("b", "session/list", {}))
    ((to, made),) = talk(AGENT, {"id": own + 2, "result": {"threads": [{}] * 1000}})
    assert (to, made["id"], made["error"]["code"]) == (CLIENT, "b", -32603)
    talk(CLIENT, ask("c", "session/list", {}))
    ((_, made),) = talk(AGENT, {"id": own + 3, "result": {"threads": [{}] * 3}})
    assert len(made["result"]["sessions"]) == 3


def test_a_request_whose_translated_response_is_too_long_is_answered(monkeypatch):
    talk, said = Talk(client_dialect="threads"), {"type": "text", "text": "x" * 600}
    ((_, asked),) = talk(CLIENT, {"id": 1, "method": "openThread", "params": {"threadId": "t"}})
    ((_, asked),) = talk(AGENT, answer(asked["id"], result=WAITS))
    for _ in range(20):
        talk(AGENT, update("agent_message_chunk", session="t", content=said))
    talk(AGENT, answer(asked["id"], result={}))
    monkeypatch.setattr(ROOM_OF, ROOM)
    entries = {"method": "getThreadEntries", "params": {"threadId": "t"}}
    ((to, made),) = talk(CLIENT, {"id": 2, **entries})
    error = {"code": -32603, "message": "its translation would be too long"}
    assert (to, made) == (CLIENT, {"id": 2, "error": error})


def test_a_request_whose_translation_is_too_long_is_answered(monkeypatch):
    talk = Talk(client_dialect="threads")
    ((_, asked),) = talk(CLIENT, {"id": 1, "method": "createThread"})
    talk(AGENT, answer(asked["id"], result=WAITS))
    monkeypatch.setattr(ROOM_OF, 10)
    talk.pipeline.stages[0]._translation.folder = "/" + "m" * 1000
    ((to, made),) = talk(CLIENT, {"id": 2, "method": "createThread"})
    assert (to, made["id"], made["error"]["code"]) == (CLIENT, 2, -32603)


def test_messages_that_wait_are_not_too_long_because_there_are_many(monkeypatch):
    monkeypatch.setattr(ROOM_OF, ROOM)
    talk = Talk(client_dialect="zed-0.0.10")
    chunks = {"chunks": [{"text": "x" * ROOM}]}
    ((_, asked),) = talk(CLIENT, ask(1, "sendUserMessage", chunks))
    for number in range(2, 6):
        assert not talk(CLIENT, ask(number, "sendUserMessage", chunks))
    got = talk(AGENT, answer(asked["id"], result={"sessionId": "s"}))
    assert [made["id"] for _, made in got if made["method"] == "session/prompt"] == [*range(1, 6)]


def test_what_is_noted_is_not_repeated_at_length_with_each_line():
    """A type of half a megabyte was in `by` of each of thousands of lines."""
    talk = Talk(client_dialect="zed-0.0.10").open()
    ((_, push),) = talk(AGENT, update("tool_call", toolCallId="c", title="T"))
    for number in range(100):
        content = [{"type": f"{number}" + "m" * 1000}]
        talk(AGENT, update("tool_call_update", toolCallId="c", content=content))
        talk(AGENT, update("tool_call_update", toolCallId="c", status="in_progress"))
    del talk.records[:], talk.complaints[:]
    assert len(talk(CLIENT, answer(push["id"], result={"id": 0}))) == 100
    made = [each.by for each in talk.records if isinstance(each, Delivery) and each.by]
    assert len(made) >= 100
    assert max(map(len, made)) < 16 * 250
    assert made[0].endswith("m …; and 84 more")
    assert len(talk.complaints) == 100


def test_scripts_and_faults_see_official_messages(tmp_path):
    script = tmp_path / "it.py"
    script.write_text(
        "def response(e):\n"
        "    if e.method == 'session/prompt':\n"
        "        e.replace({'jsonrpc': '2.0', 'id': e.id, 'result': {'stopReason': 'refusal'}})\n"
    )
    fault = "drop method:session/update"
    talk = Talk(agent_dialect="threads", script=[str(script)], fault=[fault])
    talk(CLIENT, ask(1, "initialize", {"protocolVersion": 1}))
    talk(CLIENT, ask(2, "session/new", {"cwd": "/", "mcpServers": []}))
    talk(AGENT, {"id": 2, "result": {"threadId": "s1"}})
    prompt = {"sessionId": "s1", "prompt": [{"type": "text", "text": "x"}]}
    talk(CLIENT, ask(3, "session/prompt", prompt))
    chunk = {"threadId": "s1", "chunk": {"type": "text", "chunk": "x"}}
    made = talk(AGENT, {"id": 0, "method": "streamMessageChunk", "params": chunk})
    assert made == [(AGENT, {"id": 0, "result": None})]  # the update is dropped
    ((to, made),) = talk(AGENT, {"id": 3, "result": None})
    assert (to, made["result"]) == (CLIENT, {"stopReason": "refusal"})


@each_dialect
def test_nobody_is_blamed_for_what_the_translation_did(name):
    """What was sent is judged; requests and responses are matched with those of the other peer."""
    from tests.support.sdk_peers import SdkAgent, SdkClient

    for client, agent, option in (
        (SdkClient, PEERS[name][0], "agent_dialect"),
        (PEERS[name][1], SdkAgent, "client_dialect"),
    ):
        _, piped = talk(client, agent, **{option: name})
        found = {finding.code for finding in check([Header(), *piped.records])}
        assert not found & {"RPC003", "RPC004", "RPC005", "RPC006", "RPC007", "RPC008"}


@each_dialect
def test_an_official_peer_has_no_finding_because_of_the_translation(name):
    """Neither in what was sent, nor in what it has seen. Its own mistakes are made on purpose."""
    from tests.support.sdk_peers import SdkAgent, SdkClient

    own = {"CAP001", "LIF067", "LIF115"}  # reads, fails and goes on though it may not
    for peer, client, agent, option in (
        (CLIENT, SdkClient, PEERS[name][0], "agent_dialect"),
        (AGENT, PEERS[name][1], SdkAgent, "client_dialect"),
    ):
        _, piped = talk(client, agent, **{option: name})
        for side in ("sent", peer.value):
            found = check([Header(), *on_side(side, piped.records)])
            errors = [each for each in found if each.severity is Severity.ERROR]
            blamed = {each.code for each in errors if each.blame is peer and not each.because}
            assert blamed <= own


def test_a_session_that_is_loaded_through_threads_has_no_finding():
    talk = Talk(agent_dialect="threads")
    talk(CLIENT, ask(1, "initialize", {"protocolVersion": 1}))
    talk(CLIENT, ask(2, "session/load", {"sessionId": "t", "cwd": "/", "mcpServers": []}))
    ((_, asked),) = talk(AGENT, {"id": 2, "result": None})
    talk(AGENT, {"id": asked["id"], "result": {"entries": []}})
    found = check([Header(), *talk.records])
    assert not {each.code for each in found} & {"LIF001", "LIF029", "RPC008"}


def test_a_dialect_that_was_translated_is_not_what_went_wrong(tmp_path):
    from tests.support.sdk_peers import SdkClient

    _, piped = talk(SdkClient, PEERS["crow"][0], agent_dialect="crow")
    path = tmp_path / "run.jsonl"
    for stages, is_wrong in (((), True), (make_stages({"agent_dialect": "crow"}), False)):
        header = Header(note="".join(stage.remark for stage in stages))
        path.write_bytes(encode([header, *piped.records]))
        assert acp_spy("why", str(path)).out.startswith("dialect") is is_wrong
    assert acp_spy("why", str(path)).out.startswith("fine")


def test_each_side_of_a_translated_capture_is_checked_by_its_own_protocol(tmp_path):
    from tests.support.sdk_peers import SdkClient

    _, piped = talk(SdkClient, PEERS["crow"][0], agent_dialect="crow")
    path = tmp_path / "run.jsonl"
    remark = make_stages({"agent_dialect": "crow"})[0].remark
    path.write_bytes(encode([Header(note=remark), *piped.records]))
    sent = acp_spy("check", str(path))
    assert (sent.status, "DIA001" in sent.out) == (1, True)
    assert "check what each peer saw: `--seen-by client`, `--seen-by agent`" in sent.err
    for peer in ("client", "agent"):
        done = acp_spy("check", str(path), "--seen-by", peer, "--format", "json")
        findings = json.loads(done.out)["captures"][0]["findings"]
        errors = {each["code"] for each in findings if each["severity"] == "error"}
        assert errors <= {"LIF067"}  # it fails on purpose after the cancel
        assert "saw" not in done.err
    assert acp_spy("check", str(path), "--seen-by", "agent", "--dialect", "acp").status == 1
    refused = acp_spy("check", str(path), "--seen-by", "agent", "--delivered")
    assert "`--delivered` cannot be used with `--seen-by`" in refused.err


ODD = (None, True, 7, "odd", [], {}, [None], {"type": 1}, ["x", {"text": None}])


def oddities(value, at=0):
    """Give a message with something odd at each place in turn."""
    keys = value if isinstance(value, dict) else range(len(value))
    for number, key in enumerate(keys):
        odd = ODD[(at + number) % len(ODD)]
        if isinstance(value, dict):
            yield {name: item for name, item in value.items() if name != key}
            yield {**value, key: odd}
        else:
            yield [*value[:key], odd, *value[key + 1 :]]
        if isinstance(value[key], dict | list):
            for inner in oddities(value[key], at + number + 1):
                changed = {**value} if isinstance(value, dict) else [*value]
                changed[key] = inner
                yield changed


@each_dialect
def test_whatever_a_peer_sends_nothing_raises(name):
    """A stage that raises lets a frame pass untranslated."""
    from tests.support.sdk_peers import SdkAgent, SdkClient

    step = 1 if effort.is_long else 9
    for client, agent, option in (
        (SdkClient, PEERS[name][0], "agent_dialect"),
        (PEERS[name][1], SdkAgent, "client_dialect"),
    ):
        _, piped = talk(client, agent, **{option: name})
        one, count = Talk(**{option: name}), 0
        for frame in [record for record in piped.records if isinstance(record, Frame)]:
            message = json.loads(frame.raw)
            one(frame.sender, message)
            for odd in oddities(message):
                count += 1
                if count % step == 0:
                    one(frame.sender, odd)
        assert [words for words in one.complaints if "bug" in words] == []
