"""
A secret that is shown once is masked wherever it was before, between and after, also in pieces.

What shows it may come in pieces itself, and the pieces of several texts between each other. Of a
copy, also of one that is cut, nothing stays that is worth anything: no six characters.
"""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.keys import spelled_out

from acp_spy.capture.records import Delivery, Header, HttpExchange, Stderr
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

SECRETS = [
    "q7Zk2Vw9Xn4Rb8Tm",
    "hJ4JslbIPFGmbCF1ePvvkp7O",
    "7f3a90c1d2e8b6451c8d03bb6fe92a40",
    "kP9mX2!vLq7Rt4wZ",
    "wB3xK9pQ2mN7vR5t+/Yc6Hd1Gf5Js0Lp4E=",
    spelled_out("ghp_<36>"),
]
SHOWN = [
    *("DB_PASSWORD={}\n", "export API_TOKEN='{}'\n", "password: {}\n", '{{"apiKey": "{}"}} '),
    *(
        "curl -u bob:{} https://x.example/ ",
        "Authorization: Bearer {}\n",
        "the password is {} ok\n",
    ),
    *("mysql -u root -p'{}' shop\n", "- name: DB_PASSWORD\n  value: {}\n"),
]
COPIED = [" saw {} again ", "\n{}\n", " `{}` ", " I used {}. ", "\t{},", "({})", '"{}"', "x={} "]
# Texts that come in pieces, and others.
STREAMS = ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "terminal", "stderr"]
GROWING = "growing"
PLACES = [*STREAMS, GROWING, "tool", "prompt", "name", "noise", "body", "delivery"]


def update(fields):
    return {"method": "session/update", "params": {"sessionId": "s1", "update": fields}}


def message(place, text, number):
    """Return the message that has a text, or a piece of one, at a place."""
    if place == "terminal":
        meta = {"terminal_output": {"terminal_id": "t1", "data": text}}
        return update({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "_meta": meta})
    if place in ("tool", GROWING):
        content = [{"type": "content", "content": {"type": "text", "text": text}}]
        call = GROWING if place == GROWING else f"c{number}"
        return update({"sessionUpdate": "tool_call_update", "toolCallId": call, "content": content})
    if place == "prompt":
        prompt = [{"type": "text", "text": text}]
        return {"method": "session/prompt", "params": {"sessionId": "s2", "prompt": prompt}}
    if place == "name":
        return {"id": number, "result": {"_meta": {text: 1}}}
    kind = "agent_message_chunk" if place == "delivery" else place
    return update({"sessionUpdate": kind, "content": {"type": "text", "text": text}})


def record(place, text, number):
    """Return the record of a text, or of a piece of one."""
    if place == "stderr":
        return Stderr(float(number), text.encode())
    if place == "body":
        return HttpExchange(float(number), 1, "http", "POST", "/acp", status=500, body=text)
    if place == "noise":
        return Frame(number, float(number), Peer.AGENT, text.replace("\n", " ").encode() + b"\n")
    raw = json.dumps({"jsonrpc": "2.0", **message(place, text, number)}).encode() + b"\n"
    if place == "delivery":
        return Delivery(1, float(number), Peer.CLIENT, "x.py", "replaced", raw)
    sender = Peer.CLIENT if place == "prompt" else Peer.AGENT
    return Frame(number, float(number), sender, raw)


@st.composite
def talks(draw):
    """Give a secret, and what is said: places and texts, or pieces of them, in their order."""
    secret = draw(st.sampled_from(SECRETS))
    least = 24 if secret.startswith("ghp_") else 14
    copies = st.builds(slice, st.integers(0, len(secret) - least), st.none()) | st.builds(
        slice, st.none(), st.integers(least, len(secret))
    )
    texts = [draw(st.sampled_from(SHOWN)).format(secret)]
    forms = draw(st.lists(st.sampled_from(COPIED), min_size=1, max_size=3))
    texts += [form.format(secret[draw(copies)]) for form in forms]
    queues = {}
    for number, text in enumerate(draw(st.permutations(texts))):
        place = draw(st.sampled_from(PLACES))
        if place in (*STREAMS, GROWING):
            cuts = sorted(draw(st.sets(st.integers(1, len(text) - 1), max_size=8)))
            pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
            queues.setdefault(place, []).extend(pieces)
        else:
            queues[place, number] = [text]
    turns = [queue for queue, pieces in queues.items() for _ in pieces]
    return secret, [
        (queue if isinstance(queue, str) else queue[0], queues[queue].pop(0))
        for queue in draw(st.permutations(turns))
    ]


def read(record):
    """Give all texts of a record."""
    if isinstance(record, Stderr):
        yield record.raw.decode()
    elif isinstance(record, HttpExchange):
        yield record.body
    else:
        try:
            yield from strings(json.loads(record.raw))
        except ValueError:
            yield record.raw.decode()


def piece_of_text(record):
    """Return the text in the record of a stream."""
    if isinstance(record, Stderr):
        return record.raw.decode()
    update = json.loads(record.raw)["params"]["update"]
    return (
        update["_meta"]["terminal_output"]["data"]
        if "_meta" in update
        else update["content"]["text"]
    )


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.items():
            yield from strings([*each])
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def redacted(records):
    redactor = Redactor()
    redactor.learn_all([Header(), *records])
    return [redactor.record(each) for each in records]


@settings(max_examples=effort.examples(60))
@given(talks())
def test_nothing_is_left_of_a_secret_in_whatever_order_it_comes(talk):
    secret, said = talk
    records = []
    grown = ""
    for number, (place, text) in enumerate(said, start=1):
        grown += text * (place == GROWING)
        records.append(record(place, grown if place == GROWING else text, number))
    done = redacted(records)
    texts = [text for each in done for text in read(each)]
    for stream in STREAMS:
        pieces = [each for each, (place, _) in zip(done, said, strict=True) if place == stream]
        texts.append("".join(map(piece_of_text, pieces)))
    parts = {secret[at : at + 6] for at in range(4 * secret.startswith("ghp_"), len(secret) - 5)}
    assert not [text for text in texts for part in parts if part in text]
    assert redacted(done) == done
