"""What GitHub, Read the Docs and pre-commit are told to do agrees with the project, and can be done."""

import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from support.in_process import acp_spy
from support.sources import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GITHUB = ROOT / ".github"
FILES = [
    *sorted(GITHUB.rglob("*.yml")),
    ROOT / ".pre-commit-config.yaml",
    ROOT / ".readthedocs.yaml",
    ROOT / "mkdocs.yml",
]
READ = {str(path.relative_to(ROOT)): yaml.safe_load(path.read_text()) for path in FILES}
JOBS = {
    (name, job): steps
    for name in ("ci", "release")
    for job, steps in READ[f".github/workflows/{name}.yml"]["jobs"].items()
}
BUG_FORM = READ[".github/ISSUE_TEMPLATE/bug.yml"]
RULE_FORM = READ[".github/ISSUE_TEMPLATE/rule.yml"]


def steps():
    """Return the steps of all jobs; one that is another workflow has none of its own."""
    return [step for job in JOBS.values() for step in job.get("steps", [])]


def commands():
    """Return every command line that is run for us elsewhere."""
    runs = [step["run"] for step in steps() if "run" in step]
    there = READ[".readthedocs.yaml"]["build"]["jobs"]
    hooks = [
        hook["entry"] for repo in READ[".pre-commit-config.yaml"]["repos"] for hook in repo["hooks"]
    ]
    return [*runs, *there["install"], *there["build"]["html"], *hooks]


def test_the_jobs_are_these():
    assert [job for _, job in JOBS] == [
        *("lint", "types", "tests", "macos", "lowest", "docs", "build"),
        *("ci", "publish"),
    ]


def test_the_versions_that_are_tested_are_those_that_are_declared():
    classifiers = PROJECT["project"]["classifiers"]
    declared = re.findall(r"Python :: (3\.\d+)$", "\n".join(classifiers), re.MULTILINE)
    assert JOBS["ci", "tests"]["strategy"]["matrix"]["python-version"] == declared
    assert PROJECT["project"]["requires-python"] == f">={declared[0]}"
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{declared[0].replace('.', '')}"
    assert f"Python {declared[0]} or newer" in (ROOT / "README.md").read_text()
    used = [
        step["with"]["python-version"] for step in steps() if "setup-python" in step.get("uses", "")
    ]
    assert set(used) <= {*declared, "${{ matrix.python-version }}"}
    assert READ[".readthedocs.yaml"]["build"]["tools"]["python"] in declared


def test_the_commands_name_what_there_is():
    groups = {group for line in commands() for group in re.findall(r"--group (\S+)", line)}
    assert groups <= PROJECT["dependency-groups"].keys()
    modules = {module for line in commands() for module in re.findall(r"python -m (\S+)", line)}
    assert modules == {"pip", "pytest", "build", "twine"}
    assert "scripts/make_rule_docs.py" in " ".join(commands())
    named = re.findall(r"(?<![\w/.])(?:\.ci|scripts|tests)/\S+", "\n".join(commands()))
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    "program", ["ruff", pytest.param("mypy", marks=pytest.mark.long), "lint-imports"]
)
def test_a_tool_of_the_development_environment_is_installed(program):
    assert program in {shlex.split(line)[0] for line in commands()}
    assert shutil.which(program, path=Path(sys.executable).parent)


def test_the_docs_are_built_by_the_same_command_everywhere():
    command = "zensical build --strict"
    assert command in [step.get("run") for step in JOBS["ci", "docs"]["steps"]]
    assert command in READ[".readthedocs.yaml"]["build"]["jobs"]["build"]["html"]


@pytest.mark.parametrize(
    "path", sorted((GITHUB / "workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_actions_are_pinned_by_commit_and_rights_are_few(path):
    used = re.findall(r"uses: (?!\./)(.*)", path.read_text())  # ours need no pin
    assert [line for line in used if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", line)] == []
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        expected = {"id-token": "write"} if name == "publish" else {"contents": "read"}
        assert job["permissions"] == expected, name


def test_only_a_tag_publishes_and_without_a_secret():
    text = (GITHUB / "workflows" / "release.yml").read_text()
    assert READ[".github/workflows/release.yml"][True] == {"push": {"tags": ["v*"]}}  # `on` in YAML
    assert JOBS["release", "publish"]["environment"]["name"] == "pypi"
    assert "secrets." not in text
    assert "password" not in text


def test_a_release_publishes_what_the_whole_ci_has_passed_and_built():
    ours = READ[".github/workflows/ci.yml"]
    assert "workflow_call" in ours[True]
    assert JOBS["release", "ci"]["uses"] == "./.github/workflows/ci.yml"
    assert JOBS["release", "publish"]["needs"] == "ci"
    (up,) = [step for step in JOBS["ci", "build"]["steps"] if "upload" in step.get("uses", "")]
    down, version, publish = JOBS["release", "publish"]["steps"]
    assert down["with"] == up["with"]
    assert "GITHUB_REF_NAME" in version["run"]
    assert "pypi-publish" in publish["uses"]


def test_the_tools_that_build_what_is_published_are_pinned():
    tools = PROJECT["dependency-groups"]["build"]
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", tool) for tool in tools)
    assert {tool.partition("==")[0] for tool in tools} == {"build", "hatchling", "twine"}
    runs = [step.get("run", "") for step in JOBS["ci", "build"]["steps"]]
    assert "python -m pip install --group build" in runs
    assert any(run.startswith("python -m build --no-isolation") for run in runs)


def shell_lines(form):
    """Return the commands that a form asks for, in order."""
    (field,) = [field for field in form["body"] if field["id"] == "capture"]
    (block,) = re.findall(r"```sh\n(.*?)```", field["attributes"]["description"], re.DOTALL)
    return block.splitlines()


@pytest.mark.parametrize("form", [BUG_FORM, RULE_FORM], ids=["bug", "rule"])
def test_the_commands_of_a_form_redact_a_capture(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = (ROOT / "fixtures" / "example.jsonl").read_bytes()
    for name in ("CAPTURE", "part.jsonl"):
        (tmp_path / name).write_bytes(kept)
    for line in shell_lines(form):
        program, *words = shlex.split(line)
        assert program == "acp-spy"
        assert acp_spy(*words).status == 0, line
    assert (tmp_path / "redacted.jsonl").exists()


@pytest.mark.parametrize(
    "path", sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_a_form_has_what_github_asks_for(path):
    form = yaml.safe_load(path.read_text())
    if path.stem == "config":
        assert all(link.keys() == {"name", "url", "about"} for link in form["contact_links"])
        return
    assert form.keys() == {"name", "description", "labels", "body"}
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert {field["type"] for field in form["body"]} <= {"input", "textarea"}
    assert all(field["attributes"]["label"] for field in form["body"])
