"""
Real clients and real agents: the Python SDK's, the TypeScript SDK's, and the client acpx.

Each pair talks without us, through us, and with one of them replaced by replay.
"""

import json
from itertools import product

import pytest
from interop.peers import AGENTS, CLIENTS, converse, converse_with_mock, drive, spied
from support import effort

from acp_spy import check, load
from acp_spy.lint.rule import Severity

WORDS = "Please mend notes.txt "
NOTES = "notes: " + "é€😀" * 40_000 + "\n"  # too much for one pipe, and for one read
WORK = ("session/prompt", "session/request_permission", "fs/read_text_file")
COUNT = ("session/prompt", "session/cancel")
FROM_PYPI = ("python-sdk", "python-sdk")


# In every run, client and agent of the TypeScript SDK talk in test_remote.py: by themselves, and by
# way of two recordings.
PAIRS = effort.some_of(product(CLIENTS, AGENTS), FROM_PYPI)


@pytest.mark.parametrize("pair", PAIRS, ids="{0[0]} and {0[1]}".format)
def test_neither_notices_that_it_is_recorded_or_that_the_other_is_a_mock(pair, request, tmp_path):
    if pair != FROM_PYPI:
        request.getfixturevalue("node")
    client, agent = CLIENTS[pair[0]], AGENTS[pair[1]]
    capture = tmp_path / "run.jsonl"
    (tmp_path / "notes.txt").write_text(NOTES)
    noticed = converse(client, tmp_path, agent)
    check_meaning(noticed, pair[0], tmp_path)
    assert converse(client, tmp_path, spied(capture, agent)) == noticed
    check_recording(capture, pair[0])
    assert converse_with_mock(client, tmp_path, capture) == noticed
    # Its session, tool call and options have other ids in every run.
    done = drive(capture, tmp_path, agent)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("acp-spy: no divergence from run.jsonl\n")


def check_meaning(noticed, client, folder):
    """Check that the conversation is what it is meant to be."""
    path = str(folder / "notes.txt")
    work = {
        "stop": "end_turn",
        "said": WORDS + NOTES,
        "calls": [{"title": f"Read {path}", "kind": "read", "status": "completed"}],
        "asked": [[f"Read {path}", ["allow_once", "reject_once"]]],
        "files": [["read", path]],
    }
    nothing = {"calls": [], "asked": [], "files": []}
    count = {"stop": "cancelled", "said": "one two three", **nothing}
    output = {"acpx": [work], "acpx-interrupted": [count]}
    assert noticed["turns"] == output.get(client, [work, count])
    assert noticed["status"] == 0


def check_recording(capture, client):
    """Check that all of it is recorded, and that nothing in it breaks the specification."""
    frames = load(capture).frames
    methods = [json.loads(frame.raw).get("method") for frame in frames]
    wanted = {"acpx": [WORK], "acpx-interrupted": [COUNT]}.get(client, [WORK, COUNT])
    assert [method for method in methods if method not in (None, "session/update")] == [
        "initialize",
        "session/new",
        *(method for turn in wanted for method in turn),
    ]
    findings = check(load(capture).records)
    assert [found for found in findings if found.severity is not Severity.NOTE] == []
