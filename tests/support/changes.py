"""Conversations from the examples of rules, in which something is changed."""

import msgspec

from acp_spy.capture.transcript import parse
from acp_spy.wire.frame import Frame


def examples_of(rules):
    """Return the conversations of all examples, each a list of senders and messages."""
    return [
        [(r.sender, msgspec.json.decode(r.raw)) for r in parse(text) if _is_message(r)]
        for rule in rules
        for text in (rule.good, rule.bad)
    ]


def _is_message(record):
    try:
        return isinstance(record, Frame) and isinstance(msgspec.json.decode(record.raw), dict)
    except (msgspec.DecodeError, ValueError):  # noise, or no UTF-8
        return False


def frames_of(conversation):
    return [
        Frame(seq, seq / 1000, sender, msgspec.json.encode(message) + b"\n")
        for seq, (sender, message) in enumerate(conversation, start=1)
    ]


def changed(conversation, chance, changes):
    """Return it with changes in messages by chance, for each a value and a word to be put there."""
    messages = msgspec.json.decode(msgspec.json.encode([message for _, message in conversation]))
    for value, word in changes:
        _mutate(chance.choice(messages), chance, value, word)
    return list(zip((sender for sender, _ in conversation), messages, strict=True))


def _containers_in(value):
    if isinstance(value, dict | list) and value:
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _containers_in(item)


def _mutate(message, chance, value, word):
    """Change one thing: replace, remove, rename, add, wrap or unwrap."""
    body = next((message[key] for key in ("params", "result", "error") if key in message), None)
    places = list(_containers_in(body))
    if not places:
        return
    place = chance.choice(places)
    key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
    match chance.randrange(6):
        case 0:
            place[key] = value
        case 1:
            del place[key]
        case 2 if isinstance(place, dict):
            place[word] = place.pop(key)
        case 3 if isinstance(place, dict):
            place[word] = value
        case 4:
            place[key] = [place[key]]
        case 5 if isinstance(place, dict) and isinstance(place[key], dict):
            place.update(place.pop(key))
        case _:
            pass
