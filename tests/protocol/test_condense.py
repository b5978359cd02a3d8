"""The script that condenses the official schema, on a small one made by hand."""

import importlib.util
import json
from pathlib import Path

import msgspec
import pytest

from acp_spy.protocol.shapes import (
    Anything,
    Boolean,
    Choice,
    Field,
    Integer,
    List,
    Map,
    Null,
    Object,
    Ref,
    Shape,
    Tagged,
    Text,
)
from acp_spy.protocol.tables import NAMES

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "scripts" / "condense_schema.py"
DATA = ROOT / "acp_spy" / "protocol" / "data"
LENIENT = {"x-deserialize-default-on-error": True}


def reference(name):
    return {"$ref": f"#/$defs/{name}"}


def branch(tag, value, *bases):
    properties = {tag: {"type": "string", "const": value}}
    return {"type": "object", "properties": properties, "required": [tag]} | (
        {"allOf": [reference(base) for base in bases]} if bases else {}
    )


DEFINITIONS = {
    "Envelope": {"type": "object", "x-docs-ignore": True},
    "Id": {"type": "string", "description": "Prose that says a good deal about the identifier."},
    "Mood": {"oneOf": [{"type": "string", "const": "good"}, {"type": "string", "const": "bad"}]},
    "Colour": {"anyOf": [{"type": "string", "const": "red"}, {"type": "string"}]},
    "Code": {
        "anyOf": [
            {"type": "integer", "format": "int32", "const": 7},
            {"type": "integer", "format": "int32"},
        ]
    },
    "Key": {"anyOf": [{"type": "null"}, {"type": "integer"}, {"type": "string"}]},
    "Circle": {"type": "object", "properties": {"radius": {"type": "integer"}}},
    "Square": {
        "type": "object",
        "properties": {
            "side": {"type": ["integer", "null"], "format": "uint16", "minimum": 1, **LENIENT}
        },
        "required": ["side"],
    },
    "Figure": {
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1}},
        "required": ["name"],
        "oneOf": [branch("type", "circle", "Circle"), branch("type", "square", "Square")],
    },
    "Server": {
        "anyOf": [branch("type", "far", "Circle"), {"allOf": [reference("Square")]}],
    },
    "Open": {
        "anyOf": [
            branch("type", "circle", "Circle"),
            {
                "type": "object",
                "properties": {"type": {"type": "string"}},
                "required": ["type"],
                "not": {"anyOf": []},
                "additionalProperties": True,
            },
        ]
    },
    "DrawRequest": {
        "type": "object",
        "properties": {
            "figures": {
                "type": "array",
                "minItems": 1,
                "items": reference("Figure"),
                "x-deserialize-skip-invalid-items": True,
                **LENIENT,
            },
            "id": {"allOf": [reference("Id")]},
            "env": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "x-deserialize-default-on-null": True,
            },
            "mood": {"anyOf": [reference("Mood"), {"type": "null"}]},
            "flag": {"type": "boolean"},
            "extra": {},
        },
        "required": ["figures", "id"],
        "x-method": "draw",
        "x-side": "agent",
    },
    "DrawResponse": {"type": "object", "properties": {}, "x-method": "draw", "x-side": "agent"},
    "DoneNotification": {
        "type": "object",
        "properties": {},
        "x-method": "$/done",
        "x-side": "protocol",
    },
}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("condense_schema", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table(script):
    return json.loads(script.condense({"$defs": DEFINITIONS}, version=1))


@pytest.fixture(scope="module")
def shapes(table):
    return msgspec.convert(table["shapes"], dict[str, Shape])


def test_methods_have_direction_and_kind(table):
    assert table["methods"] == [
        {
            "name": "$/done",
            "senders": ["client", "agent"],
            "kind": "notification",
            "params": "DoneNotification",
            "result": "",
        },
        {
            "name": "draw",
            "senders": ["client"],
            "kind": "request",
            "params": "DrawRequest",
            "result": "DrawResponse",
        },
    ]


def test_envelopes_are_left_out(shapes):
    assert "Envelope" not in shapes


def test_plain_shapes(shapes):
    assert shapes["Id"] == Text()
    assert shapes["Mood"] == Text(("good", "bad"))
    assert shapes["Colour"] == Text(("red",), open=True)
    assert shapes["Code"] == Integer(-(2**31), 2**31 - 1, (7,))
    assert shapes["Key"] == Choice((Null(), Integer(), Text()))


def test_fields(shapes):
    assert shapes["DrawRequest"].fields == {
        "figures": Field(List(Ref("Figure"), 1, skips=True), required=True, lenient="default"),
        "id": Field(Ref("Id"), required=True),
        "env": Field(Map(Text()), lenient="null"),
        "mood": Field(Ref("Mood"), nullable=True),
        "flag": Field(Boolean()),
        "extra": Field(Anything()),
    }


def constant(value):
    return Field(Text((value,)), required=True)


CIRCLE = {"radius": Field(Integer())}
SQUARE = {
    "side": Field(Integer(1, 65535), required=True, nullable=True, lenient="default"),
}


def test_a_union_is_flat_with_the_fields_of_its_base(shapes):
    name = {"name": Field(Text(shortest=1), required=True)}
    assert shapes["Figure"] == Tagged(
        "type",
        {
            "circle": Object({**name, "type": constant("circle"), **CIRCLE}, name="Circle"),
            "square": Object({**name, "type": constant("square"), **SQUARE}, name="Square"),
        },
    )


def test_a_branch_without_a_tag_is_kept_apart(shapes):
    assert shapes["Server"] == Tagged(
        "type",
        {"far": Object({"type": constant("far"), **CIRCLE}, name="Circle")},
        untagged=Object(SQUARE, name="Square"),
    )


def test_a_branch_for_any_other_tag_is_open(shapes):
    assert shapes["Open"].other == Object({"type": Field(Text(), required=True)}, open=True)


def test_one_definition_is_one_line_in_order(script):
    text = script.condense({"$defs": DEFINITIONS}, version=1)
    names = [line.split('"')[1] for line in text.partition('"shapes"')[2].splitlines()[1:-1]]
    assert names == sorted(set(DEFINITIONS) - {"Envelope"})


def test_a_folder_of_schemas_becomes_a_folder_of_tables(script, tmp_path):
    for path in script.SOURCES.values():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(json.dumps({"$defs": DEFINITIONS}))
    script.main(tmp_path, tmp_path)
    assert {path.stem for path in tmp_path.glob("*.json")} == set(NAMES)
    assert json.loads((tmp_path / "v2.json").read_text())["version"] == 2


def strings_in(value):
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from strings_in(item)
        case dict():
            yield from strings_in([*value, *value.values()])


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_hold_no_prose(name):
    words = strings_in(json.loads((DATA / f"{name}.json").read_text()))
    assert [word for word in words if len(word) > 60 or " " in word] == []
