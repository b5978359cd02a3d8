"""The fields of a message say of which text it has a piece, and not a word in its data."""

import json

import pytest
from support.keys import spelled_out

from acp_spy.secrets.chunks import chunks_in
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.json_text import leaves

GITHUB = spelled_out("ghp_<36>")
PIECES = (GITHUB[:14], GITHUB[14:27], GITHUB[27:])
# What programs print and people write, and the protocol has as names and values, too.
WORDS = [
    *("vendor chunk", '"chunk"', "Stage this hunk", "agent_message_chunk", "terminal_output"),
    *("delta", '"delta"', "tool_call_update", "session/prompt", "s1"),
]


def update(**fields):
    params = {"sessionId": "s1", "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def said(text, kind="agent_message_chunk", **fields):
    content = {"type": "text", "text": text}
    return update(sessionUpdate=kind, content=content, **fields)


def printed(text, **fields):
    output = {"terminal_output": {"terminal_id": "t1", "data": text}}
    tool = {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "_meta": output}
    return update(**tool, **fields)


def shown(text, **fields):
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    tool = {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": content}
    return update(**tool, **fields)


def in_blocks(*texts):
    blocks = [{"type": "text", "text": text} for text in texts]
    params = {"sessionId": "s1", "prompt": blocks}
    return {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}


def is_of_client(message):
    return message.get("method") in ("session/prompt", "session/cancel")


def masked(messages):
    """Return what is left of messages when they are redacted, in one text."""
    records = [
        Frame(seq, seq / 10, Peer.CLIENT if is_of_client(message) else Peer.AGENT, raw + b"\n")
        for seq, message in enumerate(messages, 1)
        for raw in [json.dumps(message).encode()]
    ]
    redactor = Redactor()
    redactor.learn_all(records)
    return b"".join(redactor.record(record).raw for record in records).decode()


def left_of(secret, messages):
    """Return what is left of a secret in any eight characters."""
    raw = masked(messages)
    return [piece for at in range(len(secret) - 7) if (piece := secret[at : at + 8]) in raw]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("kind", [said, printed])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_word_in_a_piece_does_not_tear_it_from_the_others(kind, word, at):
    texts = [*PIECES[:at], *PIECES[at:]]
    texts[at] = f"{word} {texts[at]}" if at == 0 else texts[at]
    texts[-1] += f" {word}\n"
    assert not left_of(GITHUB, map(kind, [f"{word}\n", *texts]))


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "where", ["title", "rawInput", "kind of input", "name of input", "_meta", "name in _meta"]
)
@pytest.mark.parametrize("kind", [said, printed, shown])
def test_a_word_beside_a_text_is_none_of_it(kind, where, word):
    fields = {
        "title": {"title": word},
        "rawInput": {"rawInput": {"command": word}},
        "kind of input": {"rawInput": {"type": word, "text": "no"}},
        "name of input": {"rawInput": {word: word}},
        "_meta": {"_meta": {"event": {"type": word, "delta": word, "text": word, "chunk": word}}},
        "name in _meta": {"_meta": {word: {"text": word}}},
    }[where]
    if kind is printed and "_meta" in fields:  # where the text is itself
        fields = {"rawOutput": fields["_meta"]}
    messages = [kind(text, **fields) for text in ("it is ", *PIECES, " ok")]
    grown = "".join(PIECES)
    if kind is shown:
        messages = [kind(f"key {grown[:end]}", **fields) for end in (14, 25, 40)]
    assert not left_of(GITHUB, messages)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_in_a_block_of_a_prompt_does_not_hide_the_others(word):
    assert not left_of(GITHUB, [in_blocks(f"the last {word}", f"use {GITHUB[:20]}", GITHUB[20:])])


@pytest.mark.parametrize(
    "ids",
    [
        [{"messageId": "m1"}, {"messageId": "m2"}],
        [{"_meta": {"claudeCode": {"parentToolUseId": name}}} for name in ("t1", "t2")],
        [{}, {"_meta": {"claudeCode": {"parentToolUseId": "t2"}}}],
    ],
)
def test_messages_that_come_in_turn_are_texts_of_their_own(ids):
    password = "w9Tq4Zr7Lm2Xc8Vb"
    first = ["the DB_PASS", "WORD=", password[:5], password[5:], " is wrong"]
    second = ["Reading ", "the ", GITHUB[:9], GITHUB[9:], " it says"]
    messages = [
        said(text, **fields)
        for texts in zip(first, second, strict=True)
        for text, fields in zip(texts, ids, strict=True)
    ]
    assert not left_of(password, messages)
    assert not left_of(GITHUB, messages)


@pytest.mark.parametrize(
    "ids",
    [
        [{"messageId": name} for name in ("m1", "m2", "m3")],
        [{"messageId": "m1"}, {}, {}],
        [{}, {"messageId": "m1"}, {"messageId": "m1"}],
        [{"messageId": "m1"}, {}, {"messageId": "m1"}],
    ],
)
def test_an_id_that_only_some_chunks_have_or_that_differs_separates_nothing(ids):
    messages = [said(text, **fields) for text, fields in zip(PIECES, ids, strict=True)]
    assert not left_of(GITHUB, messages)


def test_chunks_of_the_content_of_two_tool_calls_are_two_texts():
    def chunk(text, tool):
        content = {"type": "content", "content": {"type": "text", "text": text}}
        return update(sessionUpdate="tool_call_content_chunk", toolCallId=tool, content=content)

    other = ["a ", "list ", "of files"]
    messages = [
        chunk(text, tool)
        for texts in zip(PIECES, other, strict=True)
        for text, tool in zip(texts, ("c1", "c2"), strict=True)
    ]
    assert not left_of(GITHUB, messages)


TERMINAL = {"type": "terminal", "terminalId": "t1"}
EXIT = {"terminal_exit": {"terminal_id": "t1", "exit_code": 0}}


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize(
    "beside",
    [
        {"_meta": EXIT},
        {"content": [TERMINAL]},
        {"rawOutput": {"threadId": "x", "sessionId": "y"}},
        {"_meta": {"claudeCode": {"parentToolUseId": "c0"}}},
    ],
)
@pytest.mark.parametrize("kind", [printed, shown])
def test_ids_that_only_one_piece_has_beside_it_part_nothing(kind, beside, at):
    """As the last one of a terminal, which says that it has exited."""
    texts = PIECES if kind is printed else (GITHUB[:14], GITHUB[:25], GITHUB)
    messages = [*map(kind, texts)]
    fields = messages[at]["params"]["update"]
    for name, value in beside.items():
        there = fields.setdefault(name, type(value)())
        fields[name] = there + value if isinstance(value, list) else there | value
    assert not left_of(GITHUB, messages)


def prompt(ident, text="go on"):
    return in_blocks(text) | {"id": ident}


def end(ident, reason="end_turn"):
    return {"jsonrpc": "2.0", "id": ident, "result": {"stopReason": reason}}


@pytest.mark.parametrize(
    "between",
    [
        [prompt(2)],  # which waits its turn
        [{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}, prompt(2)],
        [update(sessionUpdate="tool_call", toolCallId="c", title="x", rawInput=prompt(2))],
    ],
)
def test_a_turn_is_not_over_while_its_prompt_has_no_response(between):
    texts = [said(text) for text in PIECES]
    assert not left_of(GITHUB, [prompt(1), *texts[:2], *between, texts[2]])


@pytest.mark.parametrize(
    "over", [end(1), {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}]
)
def test_what_is_said_in_the_next_turn_is_another_text(over):
    messages = [prompt(1), said("the password is w9Tq4Zr7"), over, prompt(2), said("Lm2Xc8")]
    assert left_of("Lm2Xc8Vb"[:6] + '"}', messages)  # it stays


@pytest.mark.parametrize(
    ("message", "pointer", "is_said"),
    [
        (said("x"), "/params/update/content/text", True),
        (printed("x"), "/params/update/_meta/terminal_output/data", False),
        (
            {"method": "streamAssistantMessageChunk", "params": {"chunk": {"thought": "x"}}},
            "/params/chunk/thought",
            True,
        ),
        ({"method": "_x/output", "params": {"outputDelta": "x"}}, "/params/outputDelta", False),
    ],
)
def test_a_piece_is_known_in_each_form(message, pointer, is_said):
    raw = json.dumps(message).encode()
    [(chunk, start, end)] = chunks_in("agent", raw, leaves(raw))
    assert (chunk.pointer, chunk.is_said) == (pointer, is_said)
    assert raw[start:end] == b"x"


def test_what_is_no_piece_is_none():
    raw = json.dumps(shown("no chunk")).encode()
    assert not chunks_in("agent", raw, leaves(raw))


KEY = "my token is " + GITHUB
REPLAYED = {
    "of a session that is loaded": [
        said(KEY, "user_message_chunk"),
        said("Thanks."),
        said("fix the tests", "user_message_chunk"),
    ],
    "in pieces": [
        *(said(KEY[at : at + 10], "user_message_chunk") for at in range(0, len(KEY), 10)),
        said("Thanks."),
        said("fix the tests", "user_message_chunk"),
    ],
    "that has another id": [said(KEY, messageId="m1"), said("fix the tests", messageId="m2")],
    "without an id, when others are numbered": [
        said(KEY, messageId="2"),
        said("hi", "user_message_chunk"),
        said("fix the tests"),
    ],
    "after an answer that is nothing else": [
        in_blocks(KEY),
        said("deploy", "user_message_chunk"),
        said("Which token?"),
        said(GITHUB, "user_message_chunk"),
        said("Thanks."),
        said("fix the tests", "user_message_chunk"),
    ],
}


@pytest.mark.parametrize("name", REPLAYED)
def test_the_first_word_of_the_next_message_stays(name):
    left = masked(REPLAYED[name])
    assert "fix the tests" in left
    assert "github-token-2" not in left
    assert not left_of(GITHUB, REPLAYED[name])


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-" + "q7Rw2mXz9TbK4vLs" * 4,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.Sf1KxwRJSMeKKF2QT4fwpM",
    ],
)
def test_each_piece_may_have_an_id_of_its_own(secret, size):
    """Of a key whose length nobody knows."""
    text = f"API_TOKEN={secret}\nDone."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    messages = [said(piece, messageId=f"m{at}") for at, piece in enumerate(pieces)]
    assert not left_of(secret, messages)
