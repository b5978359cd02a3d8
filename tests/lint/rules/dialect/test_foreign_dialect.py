from pathlib import Path

import pytest
from support.transcripts import lint

from acp_spy import load
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.check import check
from acp_spy.wire.frame import Peer

FIXTURES = Path(__file__).parent.parent.parent.parent.parent / "fixtures"


def found_in(name):
    records = load(FIXTURES / f"dialect-{name}.jsonl").records
    return check(records, [CATALOGUE["DIA001"]])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crow", [(5, Peer.CLIENT), (6, Peer.AGENT)]),
        ("threads", [(1, Peer.CLIENT), (2, Peer.AGENT)]),
        ("quickref", [(5, Peer.CLIENT), (10, Peer.AGENT)]),
        ("jetbrains", [(2, Peer.AGENT)]),
        ("acpex", [(1, Peer.CLIENT), (2, Peer.AGENT)]),
    ],
)
def test_a_dialect_is_told_once_for_each_peer(name, expected):
    found = found_in(name)
    assert [(finding.seq, finding.blame) for finding in found] == expected
    assert all(f"the {name} dialect ({name})" in finding.text for finding in found)


@pytest.mark.parametrize("name", ["crow", "threads", "quickref", "jetbrains", "acpex"])
def test_no_rule_stumbles_over_a_dialect(name):
    check(load(FIXTURES / f"dialect-{name}.jsonl").records)  # raises where a rule does


def test_the_evidence_and_the_official_words_are_told():
    client, _ = found_in("crow")
    assert client.text == (
        "the client speaks the crow dialect (crow), not official ACP;"
        " seen: `protocol_version` (frame 1), `session_id` (frame 5)"
    )
    assert client.see == 1
    assert "`@type` is `sessionUpdate`" in client.hint
    assert "`cancel` is session/cancel, a notification" in client.hint


def test_too_little_is_not_told():
    assert lint('-> {"jsonrpc":"2.0","id":0,"method":"cancel","params":{}}', "DIA") == []
