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


def name(pair):
    return "{} and {}".format(*pair)


# In every run each client has its turn, and each agent.
USUAL = (
    FROM_PYPI,
    ("typescript-sdk", "typescript-sdk"),
    ("acpx", "python-sdk"),
    ("acpx-interrupted", "typescript-sdk"),
)


@pytest.fixture(scope="module", params=effort.some_of(product(CLIENTS, AGENTS), *USUAL), ids=name)
def talk(request, tmp_path_factory):
    """Let two talk, first by themselves, then through acp-spy."""
    if request.param != FROM_PYPI:
        request.getfixturevalue("node")
    return Talk(*request.param, tmp_path_factory.mktemp("talk"))


class Talk:
    def __init__(self, client, agent, folder):
        self.client, self.agent = client, AGENTS[agent]
        self.folder = folder
        self.capture = folder / "run.jsonl"
        (folder / "notes.txt").write_text(NOTES)
        self.direct = self.with_agent(self.agent)
        self.proxied = self.with_agent(spied(self.capture, self.agent))

    def with_agent(self, command):
        return converse(CLIENTS[self.client], self.folder, command)


def test_neither_notices_that_it_is_recorded(talk):
    assert talk.proxied == talk.direct


def test_the_conversation_is_what_it_is_meant_to_be(talk):
    path = str(talk.folder / "notes.txt")
    work = {
        "stop": "end_turn",
        "said": WORDS + NOTES,
        "calls": [{"title": f"Read {path}", "kind": "read", "status": "completed"}],
        "asked": [[f"Read {path}", ["allow_once", "reject_once"]]],
        "files": [["read", path]],
    }
    nothing = {"calls": [], "asked": [], "files": []}
    count = {"stop": "cancelled", "said": "one two three", **nothing}
    told = {"acpx": [work], "acpx-interrupted": [count]}
    assert talk.direct["turns"] == told.get(talk.client, [work, count])
    assert talk.direct["status"] == 0


def test_all_of_it_is_recorded_and_nothing_in_it_breaks_the_specification(talk):
    frames = load(talk.capture).frames
    methods = [json.loads(frame.raw).get("method") for frame in frames]
    wanted = {"acpx": [WORK], "acpx-interrupted": [COUNT]}.get(talk.client, [WORK, COUNT])
    assert [method for method in methods if method not in (None, "session/update")] == [
        "initialize",
        "session/new",
        *(method for turn in wanted for method in turn),
    ]
    findings = check(load(talk.capture).records)
    assert [found for found in findings if found.severity is not Severity.NOTE] == []


def test_the_client_cannot_tell_the_mock_agent_from_the_real_one(talk):
    mocked = converse_with_mock(CLIENTS[talk.client], talk.folder, talk.capture)
    assert mocked == talk.direct


def test_the_agent_can_be_driven_by_the_mock_client(talk):
    """Its session, tool call and options have other ids in every run."""
    done = drive(talk.capture, talk.folder, talk.agent)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("acp-spy: no divergence from run.jsonl\n")
