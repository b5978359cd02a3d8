"""The gate and the walk agree: whatever passes has no mismatch, and what is valid mostly passes."""

import functools

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import effort

from acp_spy.protocol.shapes import (
    Anything,
    Boolean,
    Choice,
    Field,
    Integer,
    List,
    Map,
    Null,
    Number,
    Object,
    Ref,
    Tagged,
    Text,
)
from acp_spy.protocol.tables import NAMES, Spec, spec
from acp_spy.protocol.validator import passes
from acp_spy.protocol.walk import walk

steady = settings(max_examples=effort.examples(100), suppress_health_check=list(HealthCheck))

WORDS = st.sampled_from(["", "a", "session-1", "/home/dev/project", "größer", "\u0000", "_x"])
SCALARS = st.sampled_from([None, True, False, 0, -1, 1.5, 2**70, "", "text"])
JSON = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(WORDS, SCALARS, max_size=2)
)
FORMATS = {
    "uri": st.sampled_from(["https://example.org/a?b#c", "file:///home/dev/a", "urn:x"]),
    "date-time": st.sampled_from(["2026-11-15T01:02:03Z", "2026-11-15T01:02:03.5+01:00"]),
    "base64": st.sampled_from(["", "YQ==", "YWI=", "YWJj"]),
    "regex": st.just("^a+$"),
}


def limited(shape, fallback):
    low = -fallback if shape.low is None else shape.low
    return low, fallback if shape.high is None else shape.high


@functools.cache
def named(edition, name):
    return valid(edition, spec(edition).shapes[name])


def valid(edition, shape):  # noqa: C901, PLR0912 - one case for each kind of shape
    """Return a strategy for values of this shape."""
    match shape:
        case Ref(name=name):
            return st.deferred(lambda: named(edition, name))
        case Anything():
            return JSON
        case Null():
            return st.none()
        case Boolean():
            return st.booleans()
        case Integer():
            return st.integers(*limited(shape, 2**53))
        case Number():
            low, high = limited(shape, 1e6)
            return st.one_of(st.floats(low, high), st.integers(0, 1))
        case Text(values=values) if values:
            return st.sampled_from(values)
        case Text(format=form) if form:
            return FORMATS[form]
        case Text(shortest=shortest):
            return WORDS.map(lambda word: word or "x" * shortest)
        case List(items=items, fewest=fewest):
            return st.lists(valid(edition, items), min_size=fewest, max_size=fewest + 2)
        case Map(values=values):
            return st.dictionaries(WORDS, valid(edition, values), max_size=2)
        case Object(fields=fields):
            required, optional = {}, {}
            for key, field in fields.items():
                value = valid(edition, field.shape)
                value = st.one_of(value, st.none()) if field.nullable else value
                (required if field.required else optional)[key] = value
            return st.fixed_dictionaries(required, optional=optional)
        case Choice(options=options):
            return st.one_of([valid(edition, option) for option in options])
        case Tagged(tag=tag, branches=branches, other=other, untagged=untagged):
            options = [valid(edition, branch) for branch in branches.values()]
            if other:
                options.append(valid(edition, other).map(lambda value: {**value, tag: "_mine"}))
            if untagged:
                options.append(valid(edition, untagged))
            return st.one_of(options)


CARRIED = [
    (name, shape)
    for name in NAMES
    for method in spec(name).methods
    for shape in (method.params, method.result)
    if shape
]
MESSAGES = st.sampled_from(CARRIED).flatmap(lambda where: st.tuples(st.just(where), named(*where)))


@given(message=MESSAGES)
@steady
def test_what_is_valid_has_no_breach(message):
    (name, shape), value = message
    assert walk(spec(name), shape, value) == []


def objects_in(value):
    match value:
        case dict():
            yield value
            for item in value.values():
                yield from objects_in(item)
        case list():
            for item in value:
                yield from objects_in(item)


def mutate(value, draw):
    """Return `value` with one thing wrong, or with one thing else."""
    value = msgspec.json.decode(msgspec.json.encode(value))
    places = list(objects_in(value))
    if not places or draw(st.integers(0, 9)) == 0:
        return draw(JSON)
    place = draw(st.sampled_from(places))
    key = draw(st.sampled_from([*place, "stranger"]))
    match draw(st.sampled_from(["drop", "rename", "replace", "wrap", "add"])):
        case "drop":
            place.pop(key, None)
        case "rename":
            place[draw(st.sampled_from([key.upper(), "type", "_" + key]))] = place.pop(key, 1)
        case "replace":
            place[key] = draw(JSON)
        case "wrap":
            place[key] = [place.get(key)]
        case "add":
            place[draw(st.sampled_from(["type", "id", "_meta", "extra"]))] = draw(JSON)
    return value


@given(message=MESSAGES, data=st.data())
@steady
def test_what_passes_the_gate_has_no_breach(message, data):
    (name, shape), value = message
    for _ in range(data.draw(st.integers(1, 3))):
        value = mutate(value, data.draw)
    raw = msgspec.json.encode(value)
    mismatches = walk(spec(name), shape, msgspec.json.decode(raw))  # whatever it is: never raises
    assert not (passes(spec(name), shape, raw) and mismatches)


def test_an_object_of_the_only_branch_needs_its_tag():
    command = b'{"type": "text", "hint": "path"}'
    assert passes(spec("v2"), "AvailableCommandInput", command)
    assert not passes(spec("v2"), "AvailableCommandInput", b'{"hint": "path"}')


@pytest.mark.parametrize("name", NAMES)
def test_most_of_what_is_valid_passes_the_gate(name):
    """A gate that never opens would keep the promise above."""
    found = []
    messages = [(edition, shape) for edition, shape in CARRIED if edition == name]

    @given(message=st.sampled_from(messages).flatmap(lambda w: st.tuples(st.just(w), named(*w))))
    @steady
    def run(message):
        (_, shape), value = message
        found.append((shape, passes(spec(name), shape, msgspec.json.encode(value))))

    run()
    assert sum(passed for _, passed in found) / len(found) > 0.7


def sure(shape, value):
    return passes(spec("v1"), shape, msgspec.json.encode(value))


@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}},
        {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "rawInput": {"a": [1]}},
        {"sessionUpdate": "plan", "entries": [], "_meta": {"a": 1}},
        {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": None},
    ],
)
def test_everyday_updates_pass(update):
    assert sure("SessionNotification", {"sessionId": "s", "update": update})


def test_a_common_form_passes_where_the_whole_cannot_be_expressed():
    """A union of servers with and without a tag is beyond msgspec; one without a tag is not."""
    stdio = {"name": "n", "command": "/bin/x", "args": [], "env": []}
    assert sure("NewSessionRequest", {"cwd": "/home/dev/project", "mcpServers": []})
    assert sure("NewSessionRequest", {"cwd": "/home/dev/project", "mcpServers": [stdio]})


@pytest.mark.parametrize(
    "raw",
    [
        b'{"sessionId":"s"}',
        b'{"sessionId":"s","prompt":[],"more":1}',
        b'{"sessionId":1,"prompt":[]}',
        b'{"sessionId":"s","prompt":[]',
        b'{"sessionId":"\xff","prompt":[]}',
        b'{"sessionId":"\\ud800","prompt":[]}',
        b"[" * 5000,
        b"",
    ],
)
def test_what_is_broken_does_not_pass_and_does_not_raise(raw):
    assert not passes(spec("v1"), "PromptRequest", raw)


def test_an_integer_is_written_as_one():
    assert passes(spec("v1"), "InitializeRequest", b'{"protocolVersion":1}')
    assert not passes(spec("v1"), "InitializeRequest", b'{"protocolVersion":1.0}')
    assert not passes(spec("v1"), "InitializeRequest", b'{"protocolVersion":true}')


def test_an_edition_made_by_hand_has_gates_of_its_own():
    """As a dialect's: it is known by what it is, not by its name."""
    mine = Spec("v1", 1, (), {"Thing": Object({"a": Field(Boolean(), required=True)})})
    assert passes(mine, "Thing", b'{"a":true}')
    assert not passes(mine, "Thing", b"{}")
    assert [mismatch.kind.name for mismatch in walk(mine, "Thing", {})] == ["MISSING_KEY"]
    assert mine.find("initialize") == ()


def test_a_shape_that_names_itself_is_left_to_the_walk():
    node = Object({"next": Field(Ref("Node"), nullable=True)})
    mine = Spec("mine", 1, (), {"Node": node})
    value = {}
    for _ in range(500):
        value = {"next": value}
    assert passes(mine, "Node", b'{"next":null}')
    assert not passes(mine, "Node", msgspec.json.encode(value))
    assert walk(mine, "Node", value) == []


def test_what_has_no_shape_does_not_pass():
    assert not passes(spec("v1"), "NoSuchShape", b"{}")
