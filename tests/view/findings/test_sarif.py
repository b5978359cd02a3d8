import json

import pytest
from support.reports import RULES, report

from acp_spy import __version__
from acp_spy.view.findings.sarif import render


def made(*reports):
    return json.loads("".join(render(reports)))


def test_the_document_names_its_version_and_its_tool():
    document = made(report())
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("/sarif-schema-2.1.0.json")
    (run,) = document["runs"]
    assert run["tool"]["driver"]["name"] == "acp-spy"
    assert run["tool"]["driver"]["version"] == __version__


def test_every_rule_that_was_asked_is_described():
    first, *others = made(report(findings=()), report())["runs"][0]["tool"]["driver"]["rules"]
    assert first == {
        "id": "RPC007",
        "name": "unanswered-request",
        "shortDescription": {"text": "A test has spoken"},
        "fullDescription": {"text": "Explain in a sentence. Go on\nin the next line."},
        "help": {
            "text": "It is\nwrong.\n\nDo it.\n\nhttps://example.com/rpc#7",
            "markdown": f"{RULES[0].explanation}\n\nhttps://example.com/rpc#7",
        },
        "defaultConfiguration": {"level": "error"},
        "helpUri": "https://acp-spy.readthedocs.io/rules/RPC007/",
    }
    assert [rule["id"] for rule in others] == [rule.code for rule in RULES[1:]]
    assert all(rule["helpUri"].endswith(f"/rules/{rule['id']}/") for rule in others)


def test_words_of_a_peer_are_no_link():
    """In SARIF, `[words](address)` is one in every message; viewers and code hosts draw it."""
    text = "`[Click](https://evil.example)` is no method of ![x](1)"
    [result] = made(report(findings=[(2, "SCH001", text, {"hint": "[do](it)"})]))["runs"][0][
        "results"
    ]
    assert result["message"]["text"] == (
        r"`[Click]\x28https://evil.example)` is no method of ![x]\x281) (agent must fix)"
        "\n\n" + r"hint: [do]\x28it)"
    )


def test_a_mistake_is_one_result_at_its_line():
    often = [(seq, "SCH001", "seen", {"path": "/id"}) for seq in (2, 3, 3)]
    findings = [*often, (3, "RPC007", "never", {"see": 1, "hint": "do"})]
    location = {"artifactLocation": {"uri": "run.jsonl"}, "region": {"startLine": 4}}
    assert made(report(findings=findings))["runs"][0]["results"] == [
        {
            "ruleId": "SCH001",
            "ruleIndex": 1,
            "level": "warning",
            "message": {"text": "seen (agent must fix)"},
            "locations": [
                {
                    "physicalLocation": {**location, "region": {"startLine": 3}},
                    "logicalLocations": [{"fullyQualifiedName": "/id"}],
                }
            ],
            "occurrenceCount": 3,
            "properties": {"frame": 2, "blame": "agent", "places": [2, 3]},
        },
        {
            "ruleId": "RPC007",
            "ruleIndex": 0,
            "level": "error",
            "message": {"text": "never (agent must fix)\n\nhint: do"},
            "locations": [{"physicalLocation": location}],
            "occurrenceCount": 1,
            "properties": {"frame": 3, "blame": "agent", "places": [3]},
            "relatedLocations": [
                {
                    "physicalLocation": {**location, "region": {"startLine": 2}},
                    "message": {"text": "see frame 1"},
                }
            ],
        },
    ]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("run.jsonl", "run.jsonl"),
        ("./a b/é#.jsonl", "a%20b/%C3%A9%23.jsonl"),
        ("/tmp/a b.jsonl", "file:///tmp/a%20b.jsonl"),
        ("a\udcff.jsonl", "a%FF.jsonl"),
    ],
)
def test_a_path_is_a_uri(path, uri):
    (result,) = made(report("", [(0, "LIF003", "seen", {})], path))["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == uri
    assert location["region"]["startLine"] == 1
