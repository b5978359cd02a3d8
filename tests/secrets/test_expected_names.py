"""Names that a project expects may have secrets, as commands that are titles of tool calls have."""

import json
import re

import pytest
from support.in_process import acp_spy
from support.mcp_client import answer

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.rules.budgets._examples import turn
from acp_spy.lint.ruleset import Ruleset
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.mcp_server.captures import Captures
from acp_spy.view import capture_view

PASSWORD, TOKEN = "q8Zt4LmX2vRb9Kd", "ghp_aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY2"
USED = f"curl -u admin:{PASSWORD} https://api.example.com/health"
FORBIDDEN = f"deploy --token {TOKEN}"
UNUSED = "mysql -pTr0mb0ne77x"
SECRETS = (PASSWORD, TOKEN, "Tr0mb0ne77x")


@pytest.fixture
def capture(tmp_path, monkeypatch):
    """Write a conversation with both tool calls, and settings about three; return its name."""
    monkeypatch.chdir(tmp_path)
    text = turn(tool="read")
    (line,) = [line for line in text.splitlines() if '"tool_call"' in line]
    used, forbidden = (line.replace("Read test.py", name) for name in (USED, FORBIDDEN))
    text = text.replace(line, f"{used}\n{forbidden.replace('c1', 'c2')}")
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *parse(text)]))
    expected = {"expect-tool": [USED, UNUSED], "forbid-tool": FORBIDDEN}
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in expected.items())
    (tmp_path / "acp-spy.toml").write_text(text)
    return "run.jsonl"


def assert_is_judged(shown):
    said = re.sub(r"(?:#\d+;|[^\w:-])+", " ", shown)
    assert "BUD005" in said
    assert "no tool call is mysql -p" in said
    assert "no tool call is curl" not in said


def assert_is_masked(shown):
    assert_is_judged(shown)
    assert not any(secret[:8] in shown for secret in SECRETS)


def test_a_person_sees_the_verdict_with_the_names(capture):
    shown = acp_spy("view", capture).out
    assert_is_judged(shown)
    assert SECRETS[2] in shown


@pytest.mark.parametrize("form", ["html", "markdown", "mermaid"])
@pytest.mark.parametrize("checked_first", [True, False])
def test_what_is_made_to_be_shared_has_the_same_verdict_without_secrets(
    form, checked_first, capture, monkeypatch
):
    if not checked_first:
        monkeypatch.setattr(capture_view, "CHECKED_FIRST", 0)
    assert_is_masked(acp_spy("view", capture, "--format", form).out)


@pytest.mark.parametrize("form", ["github", "sarif", "junit"])
def test_so_have_reports_for_ci(form, capture):
    assert_is_masked(acp_spy("check", capture, "--format", form).out)


@pytest.mark.parametrize("tool", ["rows", "check", "findings", "diagnosis"])
def test_so_have_answers_for_agents(tool, capture, tmp_path):
    given = {"captures": ["run"]} if tool == "check" else {"capture": "run"}
    shown = json.dumps(answer(Captures(str(tmp_path)), tool, **given))
    if tool == "diagnosis":
        assert not any(secret[:8] in shown for secret in SECRETS)
    else:
        assert_is_masked(shown)


def test_so_has_the_live_page(capture):
    budgets = Budgets(expect_tool=(USED, UNUSED), forbid_tool=(FORBIDDEN,))
    live, lines = LiveCapture(capture, Choices(Ruleset(budgets=budgets))), []
    while not live.is_over:
        lines += live.take()
    live.close()
    assert_is_masked("\n".join(lines))
