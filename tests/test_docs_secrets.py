"""What docs/secrets.md shows is so."""

import shlex
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.keys import spelled_out

from acp_spy.secrets.shape_search import SHAPES

PAGE = (Path(__file__).parent.parent / "docs" / "secrets.md").read_text(encoding="utf-8")

CAPTURE = (
    '{"type":"header","format":1,"command":["agent"],"cwd":"%(home)s/project"}\n'
    '{"type":"stderr","t":0.1,"text":"%(home)s: signed in with %(github)s\\n"}\n'
    '{"type":"stderr","t":0.2,"text":"ready\\n"}\n'
    '{"type":"frame","seq":1,"t":0.3,"sender":"client","message":{"params":{"mcpServers":'
    '[{"env":[{"name":"API_TOKEN","value":"k4Jw81mZq0Xt"}]}]}}}\n'
    '{"type":"stderr","t":0.4,"text":"k4Jw81mZq0Xt was refused\\n"}\n'
)


def table():
    """Return the table of shapes as the page must have it."""
    rows = ["| kind | example | left alone |", "| --- | --- | --- |"]
    for shape in SHAPES:
        cells = (
            text.replace("\n", " ").replace("|", r"\|") for text in (shape.example, shape.near_miss)
        )
        rows.append(
            f"| `{shape.kind}`{' *' if shape.mixed else ''} | "
            + " | ".join(f"`{c}`" for c in cells)
            + " |"
        )
    return "\n".join(rows)


def test_every_shape_is_listed():
    assert f"\n\n{table()}\n\n" in PAGE


@pytest.fixture
def shown(tmp_path):
    """Run a command of the page on a capture; return what the page must show of it."""
    (tmp_path / "recordings").mkdir()
    said = CAPTURE % {"home": "/home/" + "alice", "github": spelled_out("ghp_<36>")}
    (tmp_path / "run.jsonl").write_text(said, encoding="utf-8")
    clean = said.replace(spelled_out("ghp_<36>"), "redacted-github-token-1")
    lines = clean.splitlines(keepends=True)[:4]
    (tmp_path / "recordings" / "example.jsonl").write_text("".join(lines), encoding="utf-8")

    def shown(command):
        words = [word.replace("/*", "/example.jsonl") for word in shlex.split(command)[1:]]
        out, err, status = acp_spy(*words, cwd=tmp_path)
        return f"$ {command}\n{out}{err}", status

    return shown


def test_what_redact_says(shown, tmp_path):
    text, status = shown("acp-spy redact run.jsonl -o shared.jsonl --home --user")
    assert (text in PAGE, status) == (True, 0), text
    shared = (tmp_path / "shared.jsonl").read_text(encoding="utf-8")
    for mark, held in (("-", (tmp_path / "run.jsonl").read_text(encoding="utf-8")), ("+", shared)):
        line = PAGE.partition("```diff\n")[2].partition(f"{mark}{{")[2].partition("\n")[0]
        assert "{" + line in held


def test_what_check_says(shown):
    text, status = shown("acp-spy redact --check recordings/*")
    assert (f"{text}$ echo $?\n{status}\n" in PAGE, status) == (True, 1), text
