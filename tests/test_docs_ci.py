"""The workflow in docs/ci.md works: its steps are run, with an agent that errs and one that does not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import DEADLINE

DOCS = Path(__file__).parents[1] / "docs"
(WORKFLOW,) = re.findall(
    r"^```yaml\n(.*?)^```$", (DOCS / "ci.md").read_text(), re.MULTILINE | re.DOTALL
)
STEP = re.compile(
    r"- name: (.*)\n(?:        if: .*\n)?        run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)"
)
STEPS = {name: block or line for name, block, line in STEP.findall(WORKFLOW)}
(CAPTURES,) = re.findall(r"ACP_SPY_DIR: (.*)", WORKFLOW)
BIN = Path(sys.executable).parent


def run(step, folder):
    """Run a step as the runner does: bash, stop at the first failure."""
    captures = CAPTURES.replace("${{ github.workspace }}", str(folder))
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", STEPS[step]],
        cwd=folder,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "ACP_SPY_DIR": captures},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


@pytest.fixture
def checkout(tmp_path):
    def make(agent):
        (tmp_path / "my-agent").write_text(agent)
        tests = f'#!/bin/sh\nexec {sys.executable} -m acp_spy.demo.client "$@"\n'
        (tmp_path / "my-tests").write_text(tests)
        for name in ("my-agent", "my-tests"):
            (tmp_path / name).chmod(0o755)
        return tmp_path

    return make


def test_every_step_that_runs_something_is_known_here():
    assert list(STEPS) == [
        "Install acp-spy",
        "Check that the agent works",
        "Test, and record every conversation",
        "Fail on findings",
        "Make pages",
    ]


@pytest.mark.long
def test_an_agent_that_errs_fails_the_job_and_leaves_pages(checkout):
    folder = checkout(f"#!/bin/sh\nexec {sys.executable} -m acp_spy.demo.agent\n")
    assert run("Check that the agent works", folder).returncode == 1
    assert run("Test, and record every conversation", folder).returncode == 0
    judged = run("Fail on findings", folder)
    assert judged.returncode == 1
    assert "::error" in judged.stdout
    assert run("Make pages", folder).returncode == 0
    pages = sorted(path.suffix for path in (folder / "captures").iterdir())
    assert pages == [".html", ".html", ".jsonl", ".jsonl"]


@pytest.mark.long
def test_an_agent_that_does_not_err_passes(checkout):
    """The agent of the demo, without its three mistakes."""
    source = (DOCS.parent / "acp_spy" / "demo" / "agent.py").read_text()
    assert source.count("ready") == 1
    folder = checkout("")
    (folder / "my-agent").write_text(f"#!{sys.executable}\n{without_mistakes(source)}")
    for step in ("Check that the agent works", "Fail on findings", "Make pages"):
        done = run(step, folder)
        assert done.returncode == 0, done.stdout + done.stderr


def without_mistakes(source):
    lines = [line for line in source.splitlines() if "ready" not in line]
    return "\n".join(lines) + "\n"
