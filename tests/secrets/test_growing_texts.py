"""
Output that is sent again and again while it grows: what the last one shows, the earlier ones had.

One may end in the middle of a secret, or before what shows that it is one: `hash('x` and `hash('x')`.
"""

import json
import random

import pytest
from support import effort

from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from benchmarks.printed_forms import examples

BEHIND = 12  # characters after a secret at which the output is cut, too


def polls(texts):
    messages = [{"id": at, "result": {"output": text}} for at, text in enumerate(texts)]
    return [
        Frame(seq, seq / 10, Peer.CLIENT, json.dumps(message).encode() + b"\n")
        for seq, message in enumerate(messages, 1)
    ]


def redacted(records):
    redactor = Redactor()
    redactor.learn_all(records)
    return [redactor.record(record) for record in records]


def outputs(records):
    return [json.loads(record.raw)["result"]["output"] for record in records]


EXAMPLES = examples()


@pytest.mark.parametrize(
    "example", effort.some_of(EXAMPLES[::3], *EXAMPLES[4::9]), ids=lambda example: example.title
)
def test_what_the_last_output_shows_is_in_none_before(example):
    text = f"$ run\n{example.text}\nDone.\n"
    [whole] = outputs(redacted(polls([text])))
    for secret in example.secrets:
        if secret in whole or len(secret) < 6:
            continue
        end = text.index(secret) + len(secret)
        cuts = range(end - 1, min(end + BEHIND, len(text)))
        records = redacted(polls([*(text[:cut] for cut in cuts), text]))
        assert not [output for output in outputs(records) if secret[:-1] in output]
        assert redacted(records) == records


def test_one_that_is_asked_for_often_before_it_grows_is_masked_each_time():
    """As by an editor, while a program waits for what is typed."""
    start = "await bcrypt.hash('N7c6i4O3"
    records = polls([*[start] * 600, f"{start}')\n"])
    assert not [output for output in outputs(redacted(records)) if "N7c6" in output]


def test_one_that_loses_its_beginning_is_masked_only_where_the_secret_was():
    text = f"{'x ' * 200}\nawait bcrypt.hash('N7c6i4O3')\n"
    cut = text.index("O3") + 2
    done = outputs(redacted(polls([text[:cut], text[cut - 60 :], text[cut - 8 :]])))
    assert done[0] == text[: cut - 8] + "redacted-login-1"


def test_ordinary_output_stays_as_it_was():
    lines = [f"compiled module{at}.c in 0.{at} s\n" for at in range(60)]
    texts = ["".join(lines[:count]) for count in range(1, 60)]
    assert outputs(redacted(polls(texts))) == texts


LOG = "".join(f"compiled module{at}.c in 0.{at} s\n" for at in range(60))
START, WHOLE = "echo 'N7c6i4O3xK", "echo 'N7c6i4O3xK' | sudo -S apt-get update\n"


def updates(*fields):
    """Return the updates of a tool call; the first begins it."""
    kinds = "tool_call", *["tool_call_update"] * len(fields)
    of_call = {"sessionId": "s", "toolCallId": "call-1"}
    messages = [
        {
            "method": "session/update",
            "params": {**of_call, "update": {"sessionUpdate": kind} | each},
        }
        for kind, each in zip(kinds, fields, strict=False)
    ]
    return [
        Frame(seq, seq / 10, Peer.AGENT, json.dumps(message).encode() + b"\n")
        for seq, message in enumerate(messages, 1)
    ]


def content(text):
    return {"content": [{"type": "content", "content": {"type": "text", "text": text}}]}


FORMS = {
    "a fence around each": updates(
        content(""), content(f"```sh\n{START}\n```"), content(f"```sh\n{WHOLE}\n```\n")
    ),
    "the first begins the tool call": updates(content(START), content(WHOLE)),
    "another field in the end": updates(
        content(""), content(START), {"rawOutput": {"stdout": WHOLE, "exitCode": 0}}
    ),
    "one that has lost all of it by then": polls([START, WHOLE, (WHOLE + LOG)[20:]]),
    "a file that is written": updates(
        *(
            {"content": [{"type": "diff", "path": "/p/a", "newText": text}]}
            for text in (START, WHOLE)
        )
    ),
    "two terminals in turn": polls([START, "compiled", WHOLE, "compiled\n1 test passed\n"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_one_is_known_again_in_whatever_form_it_is_sent(form):
    masked = redacted(FORMS[form])
    assert not [record for record in masked if b"N7c6" in record.raw]
    assert redacted(masked) == masked


LINES = (
    *(
        "  \u2714 \u0442\u0435\u0441\u0442 \u043f\u0440\u043e\u0439\u0434\u0435\u043d\n",
        "GET /x 200\n",
    ),
    *('say "hi" \\ x\n', "\x1b[32m\u2714\x1b[0m Done in 1.2s\n", "\u65e5\u672c\u8a9e\n"),
    "process exited with code 0\n",
)
NAMED = (
    "DB_PASSWORD={}\n",
    "bcrypt.hash('{}', 10)\n",
    "echo '{}' | sudo -S ls\n",
    "password: {}\n",
)


@pytest.mark.parametrize("seed", range(effort.examples(5)))
def test_outputs_that_end_alike_are_masked_only_where_the_secret_is(seed):
    """Of two terminals, or of one that has lost its beginning; in any script, escaped or not."""
    dice = random.Random(seed)
    for _ in range(30):
        secret = f"N7c6{dice.randrange(10**6)}xK\u00e9"[: dice.randint(9, 13)]
        tail = dice.choice(LINES) * dice.randint(1, 6)
        named = dice.choice(NAMED).format(secret)
        texts = [f"{'x' * dice.randint(0, 50)}\n{named}{tail * dice.randint(1, 3)}"]
        texts += [dice.choice(LINES) * dice.randint(1, 4) + tail for _ in range(2)]
        texts += [texts[0][dice.randint(0, 30) :] + tail]
        dice.shuffle(texts)
        done = outputs(redacted(polls(texts)))  # each is JSON
        for text, left in zip(texts, done, strict=True):
            assert secret not in left or named not in text
            first = left.partition("redacted-")
            assert text.startswith(first[0])
            assert text.endswith(left[-len(tail) :])
            assert first[1] or left == text
