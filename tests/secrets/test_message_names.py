"""Secrets are found by what a message is, whatever its dialect or version calls it."""

import json
import re
from base64 import b64encode

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.dialect.known import DIALECTS
from acp_spy.lint.ruleset import check
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.message_names import (
    KINDS,
    PIECES,
    PROMPTS,
    SAID_BY_AGENT,
    SAID_BY_PERSON,
    SESSION_IDS,
    TOOL_CALL_IDS,
)
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT
PASSWORD = "q8ZrT5vLw2xN9kP4"
KEY = "ghp_Kq7Zp2Vw9Xn4Rb8Lm3Tc6Yd1Fg5Hj0Sa8Qe2"
TEXT = f"I read the file. It has:\n\nDB_PASSWORD={PASSWORD}\nGITHUB_TOKEN={KEY}\n\nIt is used.\n"
NAME = "marten"
COMMAND = "cat /run/secrets/db_password"
QUESTION = "I can connect now. What is the database password?"

KNOWN = {
    "agent_message_chunk": SAID_BY_AGENT,
    "session/update with agent_message_chunk": SAID_BY_AGENT,
    "session/update with agent_message_chunk, a notification": SAID_BY_AGENT,
    "user_message_chunk": SAID_BY_PERSON,
    "session/prompt": PROMPTS,
    "sessionUpdate": KINDS,
    "sessionId": SESSION_IDS,
    "toolCallId": TOOL_CALL_IDS,
}


@pytest.mark.parametrize("dialect", DIALECTS, ids=[each.name for each in DIALECTS])
def test_what_a_dialect_calls_messages_is_known(dialect):
    for word, official in dialect.words.items():
        # A tool call of quickref has an `id`, as other things have: it is known by what is beside.
        assert word == "id" or word in KNOWN.get(official, (word,)), official
        if official in ("agent_message_chunk", "agent_thought_chunk"):
            assert word in PIECES or word.endswith("hunk"), word


def update(**fields):
    return AGENT, {"method": "session/update", "params": {"sessionId": "s", "update": fields}}


def block(text):
    return {"type": "text", "text": text}


def request(sender, ident, method, **params):
    return sender, {"id": ident, "method": method, "params": params}


def result(sender, ident, **members):
    return sender, {"id": ident, "result": members}


def base64(text):
    return b64encode(text.encode()).decode()


STREAMS = {
    "official": lambda text: update(sessionUpdate="agent_message_chunk", content=block(text)),
    "crow": lambda text: update(**{"@type": "agent_message_text", "text": text}),
    "a thought of crow": lambda text: update(**{"@type": "agent_thought_text", "text": text}),
    "jetbrains": lambda text: update(
        sessionUpdate="message", role="assistant", content=[block(text)]
    ),
    "acpex": lambda text: update(kind="message", content=text),
    "threads": lambda text: (
        *(AGENT,),
        {
            "id": 4,
            "method": "streamMessageChunk",
            "params": {"threadId": "s", "chunk": {"type": "text", "chunk": text}},
        },
    ),
    "zed": lambda text: update(sessionUpdate="agentMessageChunk", content=block(text)),
    "a name that is wrong": lambda text: update(sessionUpdate="agent_message", content=block(text)),
    "a terminal of version 2": lambda text: update(
        sessionUpdate="terminal_output_chunk", terminalId="t", data=base64(text)
    ),
}

SAID = {
    "a question of crow": [
        update(**{"@type": "agent_message_text", "text": QUESTION}),
        request(CLIENT, 9, "session/prompt", session_id="s", prompt=[block(PASSWORD)]),
    ],
    "a question of jetbrains": [
        update(sessionUpdate="message", role="assistant", content=[block(QUESTION)]),
        request(CLIENT, 9, "session/prompt", sessionId="s", prompt=[block(PASSWORD)]),
    ],
    "a question of jetbrains in a response": [
        result(AGENT, 2, stopReason="end_turn", content=[block(QUESTION)]),
        request(CLIENT, 9, "session/prompt", sessionId="s", prompt=[block(PASSWORD)]),
    ],
    "a question of acpex": [
        update(kind="message", content=QUESTION),
        request(CLIENT, 9, "session/prompt", sessionId="s", content=[block(PASSWORD)]),
    ],
    "a question of threads": [
        request(
            *(AGENT, 4, "streamMessageChunk"),
            threadId="s",
            chunk={"type": "text", "chunk": QUESTION},
        ),
        request(
            *(CLIENT, 5, "sendMessage"),
            threadId="s",
            message={"role": "user", "chunks": [{"type": "text", "chunk": PASSWORD}]},
        ),
    ],
    "a question of version 2": [
        update(sessionUpdate="agent_message", messageId="m", content=[block(QUESTION)]),
        request(CLIENT, 9, "session/prompt", sessionId="s", prompt=[block(PASSWORD)]),
    ],
    "a command of crow": [
        update(**{"@type": "tool_call_start", "tool_call_id": "c", "arguments": COMMAND}),
        update(**{"@type": "tool_call_update", "tool_call_id": "c", "output": f"{PASSWORD}\n"}),
    ],
    "a command of quickref": [
        update(sessionUpdate="tool_call", id="c", name="Bash", rawInput={"command": COMMAND}),
        update(sessionUpdate="tool_call_update", id="c", rawOutput=PASSWORD),
    ],
    "a command of acpex": [
        update(
            kind="tool_call",
            content={
                "toolCallId": "c",
                "function": {"name": "bash", "arguments": json.dumps({"command": COMMAND})},
            },
        ),
        update(kind="tool_call_update", content={"toolCallId": "c", "output": f"{PASSWORD}\n"}),
    ],
    "a command of zed": [
        request(AGENT, 3, "pushToolCall", label=COMMAND, icon="terminal"),
        result(CLIENT, 3, id=7),
        request(
            *(AGENT, 4, "updateToolCall"),
            toolCallId=7,
            content={"type": "markdown", "markdown": f"{PASSWORD}\n"},
        ),
    ],
    "a file of threads": [
        request(AGENT, 2, "readTextFile", threadId="s", path="/run/secrets/db_password"),
        result(CLIENT, 2, version=3, content=f"{PASSWORD}\n"),
    ],
    "a thread that is shown again": [
        request(CLIENT, 6, "getThreadEntries", threadId="s"),
        result(
            *(AGENT, 6),
            entries=[{"type": "readFile", "path": "/srv/db_password", "content": f"{PASSWORD}\n"}],
        ),
    ],
    "a terminal of version 2": [
        update(sessionUpdate="terminal_update", terminalId="t", command=COMMAND),
        update(sessionUpdate="terminal_output_chunk", terminalId="t", data=base64(f"{PASSWORD}\n")),
    ],
    "a terminal of version 2, whose output comes at once": [
        update(
            sessionUpdate="terminal_update",
            terminalId="t",
            command=COMMAND,
            output={"data": base64(f"{PASSWORD}\n")},
        ),
    ],
}


def fields_of(record):
    return json.loads(record.raw)["params"]["update"]


def frames(messages):
    return [
        Frame(seq, seq / 10, sender, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        for seq, (sender, message) in enumerate(messages, 1)
    ]


def redacted(records):
    redactor = Redactor()
    redactor.learn_all(records)
    return [redactor.record(record) for record in records]


def found_in(records, path):
    path.write_bytes(encode([Header(), *records]))
    return list(secrets_in_file(str(path), Redactor()))


@pytest.mark.parametrize("size", [4, 7, 31])
@pytest.mark.parametrize("name", STREAMS)
def test_a_text_is_read_in_one_whatever_its_pieces_are_called(name, size, tmp_path):
    records = frames(STREAMS[name](TEXT[at : at + size]) for at in range(0, len(TEXT), size))
    masked = redacted(records)
    left = b"".join(record.raw for record in masked)
    for at in range(0, len(TEXT), size):
        piece = TEXT[at : at + size]
        is_within = any(piece in secret for secret in (PASSWORD, KEY))
        if is_within and size > 4:
            assert base64(piece).encode() not in left
            assert json.dumps(piece).encode()[1:-1] not in left
    assert b"It has:" in left or size < 31 or "version 2" in name
    assert found_in(records, tmp_path / "a.jsonl")
    assert found_in(masked, tmp_path / "b.jsonl") == []
    assert redacted(masked) == masked


@pytest.mark.parametrize("name", SAID)
def test_what_another_message_shows_to_be_a_secret_is_one_in_every_dialect(name, tmp_path):
    records = frames(SAID[name])
    for masked in (redacted(records), [*map(Redactor().record, records)]):
        left = b"".join(record.raw for record in masked)
        assert PASSWORD.encode() not in left
        assert base64(f"{PASSWORD}\n").encode() not in left
        assert redacted(masked) == masked
    assert found_in(records, tmp_path / "a.jsonl")
    assert found_in(redacted(records), tmp_path / "b.jsonl") == []


OUTPUTS = [
    f"\x1b[32mok\x1b[0m DB_PASSWORD={PASSWORD}\n",
    f"caf\u00e9 \u2713 {KEY}\n",
    "> Authorization: Bearer q7Rw2mXz9TbK4vLsP0aE\n",
    f"DATABASE_URL=postgres://app:{PASSWORD}@db/shop\n",
    "postgres://app:q7Rw2mXz9TbK4vLs@db/shop \u65e5\u672c\n",
]


@pytest.mark.parametrize("text", OUTPUTS)
@pytest.mark.parametrize("is_whole", [False, True])
def test_the_output_of_a_terminal_of_version_2_is_read_as_a_text(text, is_whole, tmp_path):
    data = base64(text)
    output = {"output": {"data": data}} if is_whole else {"data": data}
    kind = "terminal_update" if is_whole else "terminal_output_chunk"
    records = frames([update(sessionUpdate=kind, terminalId="t", **output)])
    for masked in (redacted(records), [*map(Redactor().record, records)]):
        assert data.encode() not in masked[0].raw
        assert redacted(masked) == masked
    assert found_in(records, tmp_path / "a.jsonl")
    assert found_in(redacted(records), tmp_path / "b.jsonl") == []


def with_persons(records):
    redactor = Redactor(persons=Persons(homes=True, users=True))
    redactor.learn_all(records)
    return [redactor.record(record) for record in records]


def test_the_name_of_a_person_in_a_terminal_of_version_2_hides_no_secret():
    """Of a piece with a home folder all is replaced, and what another message shows is known."""
    home = f"/home/{NAME}"
    says = update(sessionUpdate="agent_message_chunk", content=block(f"I used {PASSWORD} there"))
    terminal = STREAMS["a terminal of version 2"]
    for pieces in (
        [update(sessionUpdate="terminal_update", terminalId="t", command=COMMAND)],
        [terminal("A=1\nDB_PASSWORD=")],
    ):
        printed = f"{PASSWORD}\nDATA={home}/data\n"
        records = frames([*pieces, terminal(printed), says])
        masked = with_persons(records)
        left = b"".join(record.raw for record in masked)
        assert PASSWORD.encode() not in left
        assert base64(printed).encode() not in left
        assert with_persons(masked) == masked


def test_a_home_folder_that_is_cut_in_a_terminal_of_version_2_is_found():
    home = f"/home/{NAME}"
    text = f"ls\ncd {home}/proj\ncat {home}/x\n"
    for cut in range(1, len(text)):
        terminal = STREAMS["a terminal of version 2"]
        masked = with_persons(frames([terminal(text[:cut]), terminal(text[cut:])]))
        assert with_persons(masked) == masked, cut


@pytest.mark.parametrize("pieces", [("/", "marten/pr", "oj/src"), ("/mar", "ten/proj"), ("/", "m")])
def test_a_home_folder_in_pieces_of_a_terminal_of_version_2_is_masked_once(pieces):
    terminal = STREAMS["a terminal of version 2"]
    texts = (f"ls\ncd /home{pieces[0]}", *pieces[1:], " && make\n")
    masked = with_persons(frames(map(terminal, texts)))
    assert with_persons(masked) == masked


def test_a_text_of_version_2_may_begin_as_a_whole():
    begun = update(sessionUpdate="agent_message", messageId="m", content=[block("DB_PASSWORD=")])
    rest = block(f"{PASSWORD} is it")
    goes_on = update(sessionUpdate="agent_message_chunk", messageId="m", content=rest)
    assert PASSWORD.encode() not in redacted(frames([begun, goes_on]))[1].raw


@pytest.mark.parametrize("kind", ["user_message", "agent_message", "agent_thought"])
def test_blocks_of_a_whole_text_of_version_2_are_texts_of_their_own(kind):
    blocks = [block(f"DB_PASSWORD={PASSWORD}"), block("Please fix the build")]
    records = frames([update(sessionUpdate=kind, messageId="m", content=blocks)])
    done = redacted(records)
    assert [each["text"] for each in fields_of(done[0])["content"]] == [
        "DB_PASSWORD=redacted-variable-1",
        "Please fix the build",
    ]
    assert redacted(done) == done


@pytest.mark.parametrize("whole", [f"Use DB_PASSWORD={PASSWORD}", "Please use it"])
def test_a_whole_text_of_version_2_is_not_the_rest_of_its_chunks(whole):
    begun = block(f"Use DB_PASSWORD={PASSWORD}")
    records = frames(
        [
            update(sessionUpdate="agent_message_chunk", messageId="m", content=begun),
            update(sessionUpdate="agent_message", messageId="m", content=[block(whole)]),
        ]
    )
    first, second = redacted(records)
    masked = "redacted-variable-1"
    assert fields_of(first)["content"]["text"] == f"Use DB_PASSWORD={masked}"
    assert fields_of(second)["content"][0]["text"] == whole.replace(PASSWORD, masked)
    assert [*map(Redactor().record, records)] == [first, second]


@pytest.mark.parametrize("kind", ["agent_message", "agent_message_chunk"])
def test_another_message_that_begins_does_not_end_a_text(kind):
    records = frames(
        [
            told("agent_message_chunk", "1", f"use {KEY[:20]}"),
            told(kind, "2", "Meanwhile, something else."),
            told("agent_message_chunk", "1", f"{KEY[20:]} for it"),
        ]
    )
    done = redacted(records)
    assert KEY[20:].encode() not in done[2].raw
    assert done[1] == records[1]
    assert redacted(done) == done


def test_a_text_that_is_replaced_within_a_secret_hides_no_other():
    records = frames(
        [
            told("agent_message_chunk", "1", f"DB_PASSWORD={PASSWORD[:8]}"),
            told("agent_message", "1", f"DB_PASSWORD={PASSWORD[:8]}"),
            told("agent_message_chunk", "1", f"{PASSWORD[8:]} ok"),
        ]
    )
    assert PASSWORD[8:].encode() not in redacted(records)[2].raw


def test_the_first_blocks_of_a_whole_text_are_no_rest_of_a_secret_however_short():
    records = frames(
        [
            told("agent_message", "1", f"The file has DB_PASSWORD={PASSWORD}"),
            told("agent_message", "2", "Done.", "I have changed it."),
            told("agent_message", "3", f"I used {PASSWORD} for it"),
        ]
    )
    masked = "redacted-variable-1"
    done = redacted(records)
    assert done[1] == records[1]
    assert [masked in str(fields_of(each)) for each in done] == [True, False, True]


LISTS = {
    "a header": (["--header", "Authorization: Bearer", PASSWORD], PASSWORD),
    "a key in two lines": ([f"x {KEY[:22]}", KEY[22:]], KEY[22:]),
}


@pytest.mark.parametrize("kind", ["agent_message_chunk", "agent_message"])
@pytest.mark.parametrize(("words", "secret"), LISTS.values(), ids=LISTS)
def test_a_list_beside_what_is_said_is_read_too(kind, words, secret):
    content = block("ok") if kind.endswith("chunk") else [block("ok")]
    said = update(sessionUpdate=kind, messageId="m", content=content, _meta={"args": words})
    records = frames([said] * 2)
    assert not [each for each in redacted(records) if secret.encode() in each.raw]


def told(kind, ident, *texts):
    blocks = [*map(block, texts)]
    content = blocks[0] if kind.endswith("chunk") else blocks
    return update(sessionUpdate=kind, messageId=ident, content=content)


ASKING = {
    "two blocks": [told("agent_message", "1", "Deploying now", QUESTION)],
    "two messages": [
        told("agent_message_chunk", "1", f"API_TOKEN={PASSWORD}"),
        told("agent_message_chunk", "2", "What is your password?"),
    ],
    "a whole after its chunks": [
        told("agent_message_chunk", "1", "What is"),
        told("agent_message", "1", "What is your password?"),
    ],
    "pieces with an id each": [
        told("agent_message_chunk", ident, text)
        for ident, text in (("1", "What is the"), ("2", " password of the"), ("3", " database?"))
    ],
    "a message before the last": [
        told("agent_message", "1", "What is the sudo password? "),
        told("agent_message", "2", "\n"),
    ],
    "a whole, and its chunks": [
        told("agent_message", "1", "What is your"),
        told("agent_message_chunk", "1", " password?"),
    ],
}


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
def test_a_question_is_a_message_or_a_block_of_its_own(asking):
    answer = request(CLIENT, 5, "session/prompt", sessionId="s", prompt=[block("hunter2secret9")])
    done = redacted(frames([*asking, answer]))
    assert b"hunter2" not in done[-1].raw
    assert redacted(done) == done


def test_outputs_of_one_line_are_masked_each_by_itself():
    texts = ["ok\n", f"DB_PASSWORD={PASSWORD}\n", "done\n", f"GITHUB_TOKEN={KEY}\n"]
    listed = [{"data": base64(text)} for text in texts]
    done = redacted(
        frames([update(sessionUpdate="terminal_output_chunk", terminalId="t", x=listed)])
    )
    shown = [each["data"] for each in fields_of(done[0])["x"]]
    assert shown[0::2] == [base64("ok\n"), base64("done\n")]
    assert shown[1::2] == ["redacted-variable-1", "redacted-github-token-1"]


@pytest.mark.parametrize("cut", [1, 5, 6, 30])
def test_a_key_that_is_cut_at_the_end_of_what_is_no_text_is_found(cut):
    noise = bytes(range(256)) * 40
    pieces = noise + f"\n{KEY[:cut]}".encode(), f"{KEY[cut:]}\n".encode() + noise
    records = frames(
        update(sessionUpdate="terminal_output_chunk", terminalId="t", data=b64encode(each).decode())
        for each in pieces
    )
    done = redacted(records)
    assert fields_of(done[0])["data"] == "redacted-github-token-1"
    assert fields_of(done[1])["data"] == ""
    assert redacted(done) == done


def test_a_private_key_between_what_is_no_text_is_found():
    noise = bytes(range(256)) * 40
    lines = "\n".join([KEY[4:] * 2] * 5)
    shown = f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\n".encode()
    data = b64encode(noise + shown + noise).decode()
    records = frames([update(sessionUpdate="terminal_output_chunk", terminalId="t", data=data)])
    assert fields_of(redacted(records)[0])["data"] == "redacted-private-key-1"


def test_what_is_no_text_is_not_the_value_of_a_name():
    pieces = b"DB_PASSWORD=", bytes(range(10)) * 600
    records = frames(
        update(sessionUpdate="terminal_output_chunk", terminalId="t", data=b64encode(each).decode())
        for each in pieces
    )
    assert redacted(records) == records


def test_lists_that_are_replaced_take_time_in_proportion():
    """With the square of their number, these would take minutes."""
    blocks = [{"text": ""}] * 20_000
    kinds = ["agent_message_chunk"] * 2 + ["agent_message"] * 2
    redacted(
        frames(
            update(sessionUpdate=kind, messageId=ident, content=blocks)
            for kind, ident in zip(kinds, "abcd", strict=True)
        )
    )


@pytest.mark.parametrize("ids", [(None, None), ("1", "1"), ("1", "2")])
@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (("Do you also want a test for a wrong", " password?"), "JIRA-4521b"),
        (("Should I rename the field to", "\xa0token?"), "refreshTok3n"),
        (("Shall I remove the old", " token?"), "python3.12rc1"),
    ],
)
def test_the_last_word_of_another_question_asks_for_nothing(texts, answer, ids):
    asked = [
        update(
            sessionUpdate="agent_message_chunk",
            content=block(text),
            **({"messageId": ident} if ident else {}),
        )
        for text, ident in zip(texts, ids, strict=True)
    ]
    given = request(CLIENT, 5, "session/prompt", sessionId="s", prompt=[block(answer)])
    records = frames([*asked, given])
    assert redacted(records) == records


@pytest.mark.parametrize(
    "pieces",
    [
        (b"\nDB_PASSWORD=Gr\xf6\xdfe7xKq92zTb4LmQ\n",),
        (b"\nDB_PASSWORD=7xKq\xc3", b"\xbc92zTb4LmQabcdef\n"),
        (b"\nDB_PASSWORD=7xKq", b"\xfc92zTb4LmQabcdef\n"),
        (b"\n\x01\x1b[1m\x02DB_PASSWORD=\x01\x1b[m\x027xKq92zTb4LmQ\n",),
    ],
)
def test_letters_of_any_encoding_are_no_end_of_a_word_beside_what_is_no_text(pieces):
    noise = bytes(range(256)) * 40
    first, *_ = shown = [*pieces]
    shown[0], shown[-1] = noise + first, shown[-1] if pieces[1:] else noise + first
    shown[-1] += noise
    records = frames(
        update(sessionUpdate="terminal_output_chunk", terminalId="t", data=b64encode(each).decode())
        for each in shown
    )
    datas = [fields_of(each)["data"] for each in redacted(records)]
    assert datas == ["redacted-variable-1", *[""] * (len(pieces) - 1)]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_password_with_an_umlaut_between_what_is_no_text_is_found(encoding):
    noise = bytes(range(256)) * 40
    text = "\nDB_PASSWORD=Gr\xfcn7xKq92zTb4Lm\n".encode(encoding)
    data = b64encode(noise + text + noise).decode()
    records = frames([update(sessionUpdate="terminal_output_chunk", terminalId="t", data=data)])
    assert fields_of(redacted(records)[0])["data"] == "redacted-variable-1"


@pytest.mark.parametrize("encoding", ["ascii", "utf-16-le", "utf-16-be"])
def test_a_secret_between_what_is_no_text_is_found(encoding):
    noise = bytes(range(256)) * 40
    data = b64encode(noise + f"\nGITHUB_TOKEN={KEY}\n".encode(encoding) + noise).decode()
    records = frames([update(sessionUpdate="terminal_output_chunk", terminalId="t", data=data)])
    assert fields_of(redacted(records)[0])["data"] == "redacted-github-token-1"


def test_check_does_not_report_the_placeholder_of_an_output():
    hello = request(CLIENT, 0, "initialize", protocolVersion=2, capabilities={})
    records = frames(
        [
            hello,
            result(AGENT, 0, protocolVersion=2, capabilities={}),
            STREAMS["a terminal of version 2"](f"DB_PASSWORD={PASSWORD}\n"),
        ]
    )
    codes = {finding.code for finding in check(redacted(records))}
    assert "SCH028" not in codes
    wrong = update(sessionUpdate="terminal_output_chunk", terminalId="t", data="not base64")
    assert "SCH028" in {finding.code for finding in check([*records, *frames([wrong])])}


def test_what_is_allowed_stays_in_a_terminal_of_version_2():
    records = frames([STREAMS["a terminal of version 2"](f"DB_PASSWORD={PASSWORD}\n")])
    assert Redactor(allowed=[re.compile(PASSWORD)]).record(records[0]) == records[0]


def test_options_reach_the_output_of_a_terminal_of_version_2():
    text = "no ACME-123456 here\n"
    records = frames([STREAMS["a terminal of version 2"](text)])
    values = Redactor(values=[re.compile(r"ACME-\d{6}")])
    assert base64(text).encode() not in values.record(records[0]).raw


def test_an_ordinary_terminal_of_version_2_stays():
    text = "collected 3 items\n3 passed in 0.12s\n"
    records = frames(
        [
            update(sessionUpdate="terminal_update", terminalId="t", command="pytest -q"),
            STREAMS["a terminal of version 2"](text),
        ]
    )
    assert redacted(records) == records


@pytest.mark.parametrize(
    "message",
    [
        {"method": ["session/prompt"], "params": {"sessionId": "s", "prompt": [block(PASSWORD)]}},
        {"method": {"x": "user_message_chunk"}, "params": {"prompt": [block(PASSWORD)]}},
        {"method": {}, "error": {"code": 1, "message": "x"}},
        {"method": 7, "params": {"update": {"sessionUpdate": ["message"], "content": [1]}}},
        {"method": "tools/call", "params": {"name": ["acp/prompt"], "arguments": {"a": "b"}}},
        {"method": "session/prompt", "params": {"sessionId": ["s"], "prompt": {"text": PASSWORD}}},
        {"method": "session/prompt", "params": ["s1"]},
        {"result": {"stopReason": [], "content": {"text": 1}}},
        {"method": "session/update", "params": {"update": {"@type": {}, "tool_call_id": [7]}}},
        {
            "method": "session/update",
            "params": {"update": {"sessionUpdate": "tool_call", "id": []}},
        },
    ],
    ids=str,
)
def test_names_that_are_no_texts_are_no_names(message, tmp_path):
    prompt = request(CLIENT, 9, "session/prompt", sessionId="s", prompt=[block("Go on")])
    question = update(sessionUpdate="agent_message_chunk", content=block(QUESTION))
    for sender in Peer:
        records = frames([prompt, question, (sender, {"id": 2, **message}), prompt])
        assert len([*map(Redactor().record, records)]) == len(redacted(records)) == 4
        assert found_in(records, tmp_path / "a.jsonl") is not None
