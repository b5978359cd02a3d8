"""Grids and manifests in JSON: in a message, and in a text of it."""

import json

import pytest

from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

RANDOM = "Kq7vW2pXn9-41"


def redacted(output):
    raw = json.dumps({"jsonrpc": "2.0", "method": "any", "params": {"rawOutput": output}})
    done = Redactor().record(Frame(1, 0.5, Peer.CLIENT, raw.encode() + b"\n"))
    return json.loads(done.raw)["params"]["rawOutput"]


def in_both_forms(output):
    """Redact it as an object and as a text, which must come to the same; return the object."""
    done = redacted(output)
    for indent in (None, 2):
        assert json.loads(redacted(json.dumps(output, indent=indent))) == done
    return done


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        *(("columns", "rows"), ("fields", "rows"), ("headers", "values"), ("cols", "data")),
        ("header", "rows"),
    ],
)
def test_a_column_of_secrets(head, rows):
    names = ["email", "password"]
    cells = [["ann", RANDOM], ["bob", "sunflower"], ["eve", None], ["joe", ""]]
    expected = [["ann", "redacted-table-1"], ["bob", "redacted-table-2"], *cells[2:]]
    for columns in (names, [{"name": name, "type": "text"} for name in names]):
        assert in_both_forms({head: columns, rows: cells})[rows] == expected
        assert in_both_forms({"n": 4, rows: cells, head: columns})[rows] == expected
        assert in_both_forms([{"series": [{head: columns, rows: cells}]}]) == [
            {"series": [{head: columns, rows: expected}]}
        ]


def test_the_first_row_may_name_the_columns():
    grid = [["email", "password"], ["ann", RANDOM], ["bob", "none"]]
    assert in_both_forms(grid) == [grid[0], ["ann", "redacted-table-1"], grid[2]]


@pytest.mark.parametrize(
    "grid",
    [
        {"columns": ["id", "name"], "rows": [[1, RANDOM]]},
        {"columns": ["id", "password"], "other": [[1, RANDOM]]},
        {"columns": ["password"], "sub": {"rows": [["x-7"]]}},
        {"columns": ["max_tokens", "token_count"], "rows": [["4096", "17-b"]]},
        [["password", "the password"], ["user", "the user-2"]],
        [["user", "token"], ["the-user", "a word"]],
        [[["a", "password"]], [["b", "x-7-y"]]],
        {"fields": ["name", "password"], "values": ["ann", "x-7-y"]},
    ],
)
def test_other_lists_stay(grid):
    assert in_both_forms(grid) == grid


def test_the_values_of_a_manifest_of_a_secret():
    secret = {"kind": "Secret", "data": {"db": "S3E3dlcycFhuOS00MQ=="}, "metadata": {"name": "db"}}
    later = {"data": {"ca": "c3VuZmxvd2Vy"}, "stringData": {"a": "sunflower"}, "kind": "Secret"}
    done = redacted({"items": [secret, later], "kind": "List", "data": {"region": "eu-west-1"}})
    assert done["items"][0]["data"] == {"db": "redacted-kubernetes-secret-1"}
    assert done["items"][0]["metadata"] == {"name": "db"}
    assert done["items"][1]["data"] == {"ca": "redacted-kubernetes-secret-2"}
    assert done["items"][1]["stringData"] == {"a": "redacted-kubernetes-secret-3"}
    assert done["data"] == {"region": "eu-west-1"}


def test_other_manifests_stay():
    other = {"kind": "ConfigMap", "data": {"host": "db-1", "kind": "Secret"}}
    reference = {"kind": "Pod", "volume": {"kind": "Secret", "name": "db-1"}, "data": {"a": "x-7"}}
    assert redacted([other, reference]) == [other, reference]
