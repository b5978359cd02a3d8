"""What is masked in a frame is masked in what is delivered instead, and each way to look says so."""

import json

import pytest
from fuzz.commands import grows_no_faster
from support.keys import spelled_out
from support.work import calls_of

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Delivery, Header
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

AGENT, CLIENT = Peer.AGENT, Peer.CLIENT
KEY = spelled_out("ghp_<36>")
WEAK = "hunter2"  # nobody searches for copies of it: it is too short


def update(kind, **fields):
    what = {"sessionUpdate": kind, "toolCallId": "c1", **fields}
    return {"method": "session/update", "params": {"sessionId": "s1", "update": what}}


def chunk(text):
    return update("agent_message_chunk", content={"type": "text", "text": text})


def prompt(*texts):
    blocks = [{"type": "text", "text": text} for text in texts]
    return {"id": 1, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": blocks}}


def line(message):
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def frame(seq, sender, message):
    return Frame(seq, seq / 10, sender, line(message))


def instead(seq, sender, message):
    """Return the record of a message that is delivered instead of what `sender` has sent."""
    raw = line({**message, "_meta": {"by": "script"}})
    return Delivery(seq, seq / 10, sender.other, "script x.py", "replaced", raw)


ASKS = update("tool_call", title="cat /run/secrets/db_password")
PRINTS = update("tool_call_update", rawOutput={"stdout": f"{WEAK}\n"})
ELSE = update("tool_call_update", status="completed")
READ = {"id": 1, "method": "fs/read_text_file", "params": {"path": "/run/secrets/db_password"}}
FORM = {
    "id": 7,
    "method": "elicitation/create",
    "params": {
        "message": "Sign in",
        "requestedSchema": {"properties": {"pw": {"type": "string", "title": "Password"}}},
    },
}
FILLED = {"id": 7, "result": {"action": "accept", "content": {"pw": WEAK}}}
TALKS = {
    "the output of a command": [
        frame(1, AGENT, ASKS),
        frame(2, AGENT, PRINTS),
        instead(2, AGENT, PRINTS),
    ],
    "an output that nobody has sent": [
        frame(1, AGENT, ASKS),
        frame(2, AGENT, ELSE),
        instead(2, AGENT, PRINTS),
    ],
    "a command that nobody has sent": [
        frame(1, AGENT, ELSE),
        instead(1, AGENT, ASKS),
        frame(2, AGENT, ELSE),
        instead(2, AGENT, PRINTS),
    ],
    "a file": [
        frame(1, AGENT, READ),
        frame(2, CLIENT, {"id": 1, "result": {"content": f"{WEAK}\n"}}),
        instead(2, CLIENT, {"id": 1, "result": {"content": f"{WEAK}\n"}}),
    ],
    "a form": [
        frame(1, AGENT, FORM),
        frame(2, CLIENT, FILLED),
        instead(2, CLIENT, FILLED),
    ],
    "an answer": [
        frame(1, AGENT, chunk("What is the database password?")),
        frame(2, CLIENT, prompt(WEAK)),
        instead(2, CLIENT, prompt(WEAK)),
    ],
    "an answer to a question of which each piece is delivered in another form": [
        frame(1, AGENT, chunk("What is the database pass")),
        instead(1, AGENT, chunk("What is the database pass")),
        frame(2, AGENT, chunk("word?")),
        instead(2, AGENT, chunk("word?")),
        frame(3, CLIENT, prompt(WEAK)),
        instead(3, CLIENT, prompt(WEAK)),
    ],
    "blocks of a prompt": [
        frame(1, CLIENT, prompt(f"key: {KEY[:30]}", f"{KEY[30:]} ok")),
        instead(1, CLIENT, prompt(f"key: {KEY[:30]}", f"{KEY[30:]} ok")),
    ],
    "blocks that nobody has sent": [
        frame(1, CLIENT, prompt("hello")),
        instead(1, CLIENT, prompt(f"key: {KEY[:30]}", f"{KEY[30:]} ok")),
    ],
}


def read_twice(records):
    redactor = Redactor()
    redactor.learn_all(records)
    return encode(redactor.record(each) for each in records)


def live(records):
    redactor = Redactor()
    return encode(redactor.record(each) for each in records)


def hides(done):
    return (
        WEAK.encode() not in done
        and KEY[:12].encode() not in done
        and KEY[30:].encode() not in done
    )


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_what_is_delivered_is_masked_as_what_is_sent(talk):
    records = [Header(), *talk]
    assert hides(read_twice(records))
    assert live(records) == read_twice(records)


def reported(path, written):
    """Return what is reported of a file: the number of each line, and all that is said."""
    path.write_bytes(written)
    lines = list(secrets_in_file(str(path), Redactor()))
    numbers = [int(line.partition(".jsonl:")[2].partition(":")[0]) for line in lines]
    return numbers, "\n".join(lines).encode()


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_what_is_delivered_is_reported_as_what_is_sent(talk, tmp_path):
    records = [Header(), *talk]
    done = read_twice(records)
    numbers, said = reported(tmp_path / "run.jsonl", encode(records))
    lines = enumerate(done.splitlines(), start=1)
    assert set(numbers) == {number for number, line in lines if b'"redacted":[' in line}
    assert hides(said)
    assert reported(tmp_path / "run.jsonl", done) == ([], b"")


def test_a_key_in_chunks_that_a_script_has_made_is_reported_once(tmp_path):
    records = [
        Header(),
        frame(1, AGENT, chunk("x")),
        instead(1, AGENT, chunk(f"key {KEY[:10]}")),
        frame(2, AGENT, chunk("y")),
        instead(2, AGENT, chunk(f"{KEY[10:]} ok")),
    ]
    numbers, said = reported(tmp_path / "run.jsonl", encode(records))
    assert numbers == [3]
    assert hides(said)
    assert reported(tmp_path / "run.jsonl", read_twice(records)) == ([], b"")


def test_commands_are_known_while_recording_after_a_word_in_pieces_has_turned_out_to_be_a_secret():
    word = "k3R9mPq2ZxT7vLw4"
    shown = {"id": 2, "method": "x", "params": {"env": [{"name": "API_TOKEN", "value": word}]}}
    talk = [
        frame(1, CLIENT, prompt(f"see {word[:8]}", f"{word[8:]} ok")),
        frame(2, CLIENT, shown),
        frame(3, AGENT, ASKS),
        frame(4, AGENT, PRINTS),
    ]
    assert WEAK.encode() not in live(talk)


def test_what_is_delivered_again_and_again_costs_the_same_each_time():
    def cost(number):
        parts = [chunk(f"it is {KEY[:16]}"), chunk(f"{KEY[16:]} ")]
        records = [instead(seq, AGENT, parts[seq % 2]) for seq in range(number)]
        return calls_of(lambda: read_twice(records)).total

    cost(8)
    assert grows_no_faster(cost, 50) == ""
