"""
Condense the official ACP schema into the tables that acp-spy reads.

    python scripts/condense_schema.py SCHEMA_DIR [TARGET_DIR]

SCHEMA_DIR is the `schema` folder of the npm package `@agentclientprotocol/sdk`, with `v1` and
`v2` in it. Facts are kept, prose is not. One definition is one line, so that the difference
between two releases can be read.
"""

# ruff: noqa: INP001 - a script, run by its path

import json
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "acp_spy" / "protocol" / "data"
SOURCES = {
    "v1": "v1/schema.json",
    "v1-unstable": "v1/schema.unstable.json",
    "v2": "v2/schema.json",
    "v2-unstable": "v2/schema.unstable.json",
}
RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
# `x-side` is who handles a method; a proxy sits between, and hears from both.
SENDERS = {
    "agent": ["client"],
    "client": ["agent"],
    "protocol": ["client", "agent"],
    "proxy": ["client", "agent"],
}

Json = dict[str, Any]


class Condenser:
    """One schema file, definition by definition."""

    def __init__(self, definitions: Json) -> None:
        self.definitions = definitions

    def shapes(self) -> Json:
        """Return the shape of each definition that is no envelope."""
        return {
            name: self.shape(schema)
            for name, schema in self.definitions.items()
            if not schema.get("x-docs-ignore")
        }

    def methods(self) -> list[Json]:
        """Return each method with its direction, kind, params and result."""
        results = {
            (schema["x-method"], schema["x-side"]): name
            for name, schema in self.definitions.items()
            if "x-method" in schema and name.endswith("Response")
        }
        methods = []
        for name, schema in self.definitions.items():
            if "x-method" not in schema or name.endswith("Response"):
                continue
            method, side = schema["x-method"], schema["x-side"]
            is_request = not name.endswith("Notification")
            senders = SENDERS[side]
            if method == "proxy/initialize":  # said by the conductor, which is the proxy's client
                senders = ["client"]
            methods.append(
                {
                    "name": method,
                    "senders": senders,
                    "kind": "request" if is_request else "notification",
                    "params": name,
                    "result": results[method, side] if is_request else "",
                }
            )
        return sorted(methods, key=lambda method: (method["name"], method["kind"]))

    def shape(self, schema: Json) -> Json:
        """Return the shape of `schema`, null left aside."""
        if "$ref" in schema:
            return {"is": "ref", "name": name_of(schema)}
        if is_object(schema):
            return self.object(schema)
        options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if options:
            return self.one_of(options)
        match type_of(schema):
            case "array":
                items: Json = {"is": "list", "items": self.shape(schema["items"])}
                if schema.get("minItems"):
                    items["fewest"] = schema["minItems"]
                if schema.get("x-deserialize-skip-invalid-items"):
                    items["skips"] = True
                return items
            case "object":
                values = schema.get("additionalProperties", True)
                return {"is": "map", "values": self.shape(values if values is not True else {})}
            case _:
                return scalar(schema)

    def one_of(self, options: list[Json]) -> Json:
        """Return the shape of a choice: an enumeration, a union of objects, or just a choice."""
        if len(options) == 1:
            return self.shape(options[0])
        if all(type_of(option) == "string" for option in options):
            values = [option["const"] for option in options if "const" in option]
            is_open = len(values) < len(options)
            return {"is": "text", "values": values} | ({"open": True} if is_open else {})
        if all(type_of(option) == "integer" for option in options):
            known = sorted(option["const"] for option in options if "const" in option)
            plain = {key: options[-1][key] for key in options[-1] if key != "const"}
            return self.shape(plain) | {"known": known}
        if all(is_object(option) for option in options) or any(map(tag_of, options)):
            return self.union(options, {})
        shapes = [self.shape(option) for option in options]
        if {"is": "any"} in shapes:
            return {"is": "any"}
        return {"is": "choice", "options": shapes}

    def object(self, schema: Json) -> Json:
        """Return an object with all its keys, those of the definitions it builds on included."""
        if "$ref" in schema:
            return self.object(self.follow(schema)[1])
        fields = {
            key: self.field(value, required=key in schema.get("required", ()))
            for key, value in schema.get("properties", {}).items()
        }
        for base in schema.get("allOf", ()):
            name, target = self.follow(base)
            inner = self.object(target)
            if len(schema["allOf"]) == 1:
                return with_fields(inner, fields, name)
            fields = inner["fields"] | fields
        branches = schema.get("anyOf") or schema.get("oneOf")
        is_open = bool(
            schema.get("additionalProperties", False) or schema.get("unevaluatedProperties", False)
        )
        inner = self.union(branches, fields) if branches else {"is": "object", "fields": fields}
        return opened(inner) if is_open else inner

    def union(self, branches: list[Json], base: Json) -> Json:
        """Return a union of objects, each with the fields of `base`: tagged where a tag is."""
        shapes = [
            with_fields(self.object(branch), base, self.follow(branch)[0]) for branch in branches
        ]
        tag = next((tag for branch in branches if (tag := tag_of(branch))), "")
        if not tag:
            return {"is": "choice", "options": shapes}
        tagged: Json = {"is": "tagged", "tag": tag, "branches": {}}
        for branch, shape in zip(branches, shapes, strict=True):
            value = branch.get("properties", {}).get(tag, {})
            if "const" in value:
                tagged["branches"][value["const"]] = shape
            elif type_of(value) == "string":
                tagged["other"] = shape
            else:
                tagged["untagged"] = shape
        return tagged

    def field(self, schema: Json, *, required: bool) -> Json:
        """Return what stands under a key."""
        field: Json = {}
        options = schema.get("anyOf")
        if options and {"type": "null"} in [without_prose(option) for option in options]:
            rest = [option for option in options if without_prose(option) != {"type": "null"}]
            field = {"shape": self.one_of(rest), "nullable": True}
        else:
            field = {"shape": self.shape(schema)}
            if isinstance(schema.get("type"), list):
                field["nullable"] = True
        if required:
            field["required"] = True
        if schema.get("x-deserialize-default-on-error"):
            field["lenient"] = "default"
        elif schema.get("x-deserialize-default-on-null"):
            field["lenient"] = "null"
        return field

    def follow(self, schema: Json) -> tuple[str, Json]:
        """Return the definition that `schema` stands for, with its name, or itself."""
        if "$ref" in schema:
            return name_of(schema), self.definitions[name_of(schema)]
        if len(schema.get("allOf", ())) == 1:
            return self.follow(schema["allOf"][0])[0], schema
        return "", schema


def name_of(reference: Json) -> str:
    """Return the definition's name in a `$ref`."""
    return str(reference["$ref"]).rpartition("/")[2]


def type_of(schema: Json) -> str:
    """Return the one JSON type that is not null, or nothing."""
    kind = schema.get("type", "")
    return str(next(k for k in kind if k != "null")) if isinstance(kind, list) else str(kind)


def is_object(schema: Json) -> bool:
    """Tell whether this is an object with known keys (a map has none), or builds on one."""
    if "properties" in schema:
        return True
    bases = schema.get("allOf", ())
    return type_of(schema) == "object" and not schema.get("additionalProperties") and not bases


def tag_of(branch: Json) -> str:
    """Return the key that has a fixed string in this branch of a union."""
    properties = branch.get("properties", {}).items()
    return next((key for key, value in properties if "const" in value), "")


def scalar(schema: Json) -> Json:
    """Return the shape of what is neither list nor object."""
    low, high = RANGES.get(schema.get("format", ""), (None, None))
    limits = {"low": schema.get("minimum", low), "high": schema.get("maximum", high)}
    match type_of(schema):
        case "string":
            return text(schema)
        case "integer":
            return without_none({"is": "int", **limits})
        case "number":
            return without_none({"is": "number", **limits})
        case "boolean":
            return {"is": "bool"}
        case "null":
            return {"is": "null"}
        case _:
            return {"is": "any"}


def text(schema: Json) -> Json:
    """Return a string's shape."""
    shape: Json = {"is": "text"}
    if "const" in schema:
        shape["values"] = [schema["const"]]
    if schema.get("minLength"):
        shape["shortest"] = schema["minLength"]
    form = schema.get("contentEncoding") or schema.get("format")
    return shape | ({"format": form} if form else {})


def with_fields(shape: Json, fields: Json, name: str) -> Json:
    """Return `shape` with more fields in each of its branches; its own go first."""
    match shape["is"]:
        case "object":
            named = {"name": shape.get("name") or name} if name else {}
            return shape | {"fields": fields | shape["fields"]} | named
        case "choice":
            options = [with_fields(option, fields, name) for option in shape["options"]]
            return shape | {"options": options}
        case _:
            branches = {v: with_fields(s, fields, name) for v, s in shape["branches"].items()}
            rest = {k: with_fields(shape[k], fields, name) for k in REST if k in shape}
            return shape | {"branches": branches} | rest


def opened(shape: Json) -> Json:
    """Return `shape` with any other keys allowed."""
    if shape["is"] == "choice":
        return shape | {"options": [opened(option) for option in shape["options"]]}
    return shape | {"open": True}


REST = ("other", "untagged")


def without_none(shape: Json) -> Json:
    """Return `shape` without what it does not limit."""
    return {key: value for key, value in shape.items() if value is not None}


def without_prose(schema: Json) -> Json:
    """Return `schema` without the words for people."""
    return {key: value for key, value in schema.items() if key not in {"description", "title"}}


def condense(schema: Json, version: int) -> str:
    """Return the table of one schema as text, one definition a line."""

    def line(value: Any) -> str:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    condenser = Condenser(schema["$defs"])
    methods = ",\n".join(line(method) for method in condenser.methods())
    shapes = ",\n".join(
        f"{line(name)}:{line(shape)}" for name, shape in sorted(condenser.shapes().items())
    )
    return f'{{"version":{version},\n"methods":[\n{methods}\n],\n"shapes":{{\n{shapes}\n}}}}\n'


def main(source: Path, target: Path = TARGET) -> None:
    """Write one table for each schema file below `source`."""
    for name, path in SOURCES.items():
        schema = json.loads((source / path).read_text())
        (target / f"{name}.json").write_text(condense(schema, version=int(name[1])))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
