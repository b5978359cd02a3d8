"""What is published: few dependencies, a wheel that works alone, an sdist that can be tested."""

import email
import os
import re
import subprocess
import sys
import tarfile
import textwrap
import tomllib
import venv
import zipfile

import pytest
from markdown_it import MarkdownIt
from support.once import made_once
from support.sources import ROOT, imports

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
GROUPS = SETTINGS["dependency-groups"]
DEPENDENCIES = {re.match(r"[\w-]+", line).group(): line for line in PROJECT["dependencies"]}


def test_dependencies_are_few_and_have_a_lower_bound_and_no_other():
    assert sorted(DEPENDENCIES) == [
        *("h11", "h2", "msgspec", "platformdirs", "rich", "textual", "trio", "typer", "wsproto")
    ]
    others = [group for name, group in GROUPS.items() if name != "build"]  # which is pinned
    grouped = [line for group in others for line in group if isinstance(line, str)]
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    assert extras == ["mcp>=2.0"]  # for one command, which says so if it is missing
    both = [*PROJECT["dependencies"], *extras, *grouped]
    assert [line for line in both if not re.fullmatch(r"[\w-]+(\[\w+\])?>=[0-9.]+", line)] == []


def test_each_dependency_has_its_reason_in_the_docs():
    output = (ROOT / "docs" / "architecture.md").read_text().partition("## Dependencies")[2]
    table = output.partition("\n## ")[0]
    named = re.findall(r"^\| (?!package|---)(\S+) \| .+ \|$", table, re.MULTILINE)
    assert named == sorted(DEPENDENCIES)


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    imported = {name.partition(".")[0] for _, name in imports()}
    others = imported - set(sys.stdlib_module_names) - {"acp_spy"}
    by_pytest = {"pytest", "_pytest"}  # the plugin is loaded by it, or not at all
    assert others == {*DEPENDENCIES, *by_pytest, *PROJECT["optional-dependencies"]}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder with the sdist and the wheel, built by the backend that publishes them."""

    def build(folder):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", folder],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )

    return made_once(tmp_path_factory, "dist", build)


@pytest.fixture(scope="module")
def metadata(built):
    """Return the metadata of the wheel, from which a package index makes its page."""
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(wheel.read(name))


def test_the_wheel_has_the_package_and_its_licence_and_nothing_else(built):
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (licence,) = [name for name in names if name.endswith(".dist-info/licenses/LICENSE")]
        assert wheel.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"acp_spy"}
    ours = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "acp_spy").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.startswith("acp_spy/")} == ours
    assert "acp_spy/py.typed" in ours


def test_the_metadata_names_the_license_the_pages_and_one_extra(metadata):
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Description-Content-Type"] == "text/markdown"
    named = [line.partition(", ")[0] for line in metadata.get_all("Project-URL")]
    assert named == ["Homepage", "Documentation", "Repository", "Issues", "Changelog"]
    assert metadata.get_all("Provides-Extra") == ["mcp"]


def test_the_description_has_no_relative_links(metadata):
    """A package index shows the README without the repository around it."""
    parsed = (
        MarkdownIt("commonmark").enable("table").parse(metadata.get_payload(decode=True).decode())
    )
    inside = [child for token in parsed for child in token.children or []]
    targets = [
        target for child in inside if (target := child.attrGet("href") or child.attrGet("src"))
    ]
    assert any(target.endswith("docs/page.png") for target in targets)
    assert [target for target in targets if not target.startswith("https://")] == []
    assert [token.content for token in [*parsed, *inside] if token.type.startswith("html_")] == []


def test_the_sdist_has_all_that_git_tracks(built):
    """So it can be built and tested from, as distributions do."""
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    tracked = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    assert {"tests/test_supply.py", "fixtures/example.jsonl", "docs/page.png"} <= tracked
    assert tracked - names == set()
    top = {name.partition("/")[0] for name in tracked}
    assert {name.partition("/")[0] for name in names} - top == {"PKG-INFO"}


@pytest.mark.long
def test_the_wheel_works_alone(built, tmp_path):
    """In a new environment, away from the checkout: the demo, and the pytest plugin."""
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "recordings").mkdir(parents=True)
    (elsewhere / "test_client.py").write_text(
        textwrap.dedent(
            """
            import subprocess, sys

            def test_the_client_gets_its_answers(acp_agent):
                client = [sys.executable, "-m", "acp_spy.demo.client"]
                subprocess.run([*client, *acp_agent("demo")], check=True)
            """
        )
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}

    def run(program, *words):
        done = subprocess.run(
            [programs / program, *words],
            cwd=elsewhere,
            env=kept,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("pip", "install", "--quiet", "--no-compile", str(wheel), "pytest")
    assert "session/prompt" in run("acp-spy", "demo", "-o", "recordings/demo.jsonl")
    assert "1 passed" in run("python", "-m", "pytest", "-p", "no:cacheprovider")


def test_the_page_on_security_says_what_is_so():
    output = (ROOT / "SECURITY.md").read_text()
    numbers = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    assert f"**Few dependencies**: {numbers[len(DEPENDENCIES)]}," in output
    for link in re.findall(r"\]\(([^)#]+)", output):
        assert (ROOT / link).exists(), link
