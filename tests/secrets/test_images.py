"""An image in a message hides no secret that is beside it."""

import base64
import json
import random

import pytest
from support import effort

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.secrets import short_form as forms
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.short_form import short_form
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.json_text import leaves

AGENT, CLIENT = Peer.AGENT, Peer.CLIENT
PASSWORD = "k3R9mPq2ZxVw7tLn"
FIRST, SECOND = (
    "sk-ant-api03-Ab3dEf7hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf7hIj",
    "Gq8vYc4NxTz6WbJr1MhKs0Du",
)
SIZES = [1000, 4000, 10_000, 70_000, 270_000]


def image(size):
    data = random.Random(1).randbytes(size * 3 // 4)
    return {"type": "image", "mimeType": "image/png", "data": base64.b64encode(data).decode()}


def text(words):
    return {"type": "text", "text": words}


def frames(*messages):
    return [
        Frame(seq, seq / 10, sender, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        for seq, (sender, message) in enumerate(messages, 1)
    ]


def prompt(*blocks):
    params = {"sessionId": "s", "prompt": blocks}
    return CLIENT, {"id": 1, "method": "session/prompt", "params": params}


def update(kind, **fields):
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
    return AGENT, {"method": "session/update", "params": params}


def redacted(records, *, is_live):
    redactor = Redactor()
    if not is_live:
        redactor.learn_all(records)
        redactor.has_learned()
    return [redactor.record(record) for record in records]


def conversations(size):
    question = update("agent_message_chunk", content=text("What is the database password?"))
    shown = update(
        "tool_call_update",
        toolCallId="c",
        rawInput={"command": "cat /run/secrets/db_password"},
        content=[
            {"type": "content", "content": image(size)},
            {"type": "content", "content": text(PASSWORD)},
        ],
    )
    return {
        "split over blocks": [prompt(text(f"it is {FIRST}"), text(f"{SECOND} ok"), image(size))],
        "after an image": [prompt(image(size), text(f"it is {FIRST}"), text(f"{SECOND} ok"))],
        "an answer": [question, prompt(text(PASSWORD), image(size))],
        "an answer, after an image": [question, prompt(image(size), text(PASSWORD))],
        "output": [shown],
    }


@pytest.mark.parametrize("is_live", [True, False])
@pytest.mark.parametrize("size", effort.some_of([4000, *SIZES], 70_000))
@pytest.mark.parametrize("where", conversations(0))
def test_a_secret_beside_an_image_is_masked(where, size, is_live, tmp_path):
    records = frames(*conversations(size)[where])
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), *records]))
    assert [*secrets_in_file(str(path), Redactor())]
    clean = redacted(records, is_live=is_live)
    shared = encode([Header(), *clean])
    assert not [each for each in (PASSWORD, FIRST, SECOND) if each.encode() in shared]
    # And nothing else has changed: the image least of all.
    assert [len(each.redacted) for each in clean] == [
        0 if b"What is" in each.raw else 2 if "blocks" in where or where == "after an image" else 1
        for each in clean
    ]
    assert image(size)["data"].encode() in clean[-1].raw
    path.write_bytes(shared)
    assert [*secrets_in_file(str(path), Redactor())] == []


def test_a_question_before_a_prompt_with_an_image_is_not_the_one_that_is_answered():
    question = update("agent_message_chunk", content=text("What is the database password?"))
    said = [question, prompt(text("no idea"), image(20_000)), prompt(text(PASSWORD))]
    assert redacted(frames(*said), is_live=True)[-1].redacted == ()


@pytest.mark.parametrize("escaped", ["", 'a \\"b\\" é \\u00e9 '])
def test_the_places_in_a_short_form_are_those_in_the_line(escaped):
    data = image(5000)["data"]
    raw = f'{{"a":"{escaped}","b":"{data}","c":["{data}","x{escaped}"],"d":"{data}"}}'.encode()
    short = short_form(raw, 1000)
    assert short is not None
    assert len(short.text) < 1000
    kept = [(raw[leaf.start : leaf.end], leaf.is_name) for leaf in short.leaves()]
    whole = [(raw[leaf.start : leaf.end], leaf.is_name) for leaf in leaves(raw)]
    assert kept == [(b"" if each == data.encode() else each, is_name) for each, is_name in whole]


@pytest.mark.parametrize(
    "raw",
    [
        b'{"text":"' + b"some words " * 500 + b'"}',
        b'{"text":"' + b"QUJD" * 500 + b' and words"}',
        b'{"text":"' + b"QUJD" * 500 + b'\\" and"}',
        b'["", ' * 1000,
        b"x" * 2000,
    ],
)
def test_what_is_no_image_has_no_short_form(raw):
    assert short_form(raw, 1000) is None


def test_a_short_line_is_its_own_short_form():
    raw = b'{"data":"%b"}' % (b"QUJD" * 100)
    assert short_form(raw, 1000).text is raw


def test_a_large_image_is_not_read_for_what_is_split(monkeypatch):
    read = []
    monkeypatch.setattr(forms, "leaves", lambda text: read.append(len(text)) or leaves(text))
    records = frames(*conversations(400_000)["split over blocks"])
    assert redacted(records, is_live=True)[0].redacted
    assert max(read) < 1000
