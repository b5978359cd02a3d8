"""What comes with acp-spy, and what is published: few dependencies, a licence, nothing else."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest
from support.sources import ROOT, imports

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEPENDENCIES = {re.match(r"[\w-]+", line).group(): line for line in PROJECT["dependencies"]}


def test_dependencies_are_few_and_have_a_lower_bound_and_no_other():
    assert sorted(DEPENDENCIES) == ["msgspec", "platformdirs", "rich", "typer"]
    both = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    assert [line for line in both if not re.fullmatch(r"[\w-]+>=[0-9.]+", line)] == []


def test_each_dependency_has_its_reason_in_the_docs():
    output = (ROOT / "docs" / "architecture.md").read_text().partition("## Dependencies")[2]
    table = output.partition("\n## ")[0]
    named = re.findall(r"^\| (?!package|---)(\S+) \| .+ \|$", table, re.MULTILINE)
    assert named == sorted(DEPENDENCIES)


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    imported = {name.partition(".")[0] for _, name in imports()}
    others = imported - set(sys.stdlib_module_names) - {"acp_spy"}
    by_pytest = {"pytest", "_pytest"}  # the plugin is loaded by it, or not at all
    assert others == {*DEPENDENCIES, *by_pytest}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder with the sdist and the wheel, built by the backend that publishes them."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return folder


def test_the_wheel_has_the_package_and_its_licence_and_nothing_else(built):
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        output = wheel.read(metadata).decode().partition("\n\n")[0].splitlines()
        (licence,) = [name for name in names if name.endswith(".dist-info/licenses/LICENSE")]
        assert wheel.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert "License-Expression: MIT" in output
    assert "License-File: LICENSE" in output
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"acp_spy"}
    ours = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "acp_spy").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.startswith("acp_spy/")} == ours
    assert "acp_spy/py.typed" in ours


def test_the_sdist_has_the_licence_and_can_be_built_from(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    beside = {"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "pyproject.toml", "PKG-INFO"}
    assert beside <= names
    others = {name for name in names if not name.startswith("acp_spy/")} - beside
    assert others <= {".gitignore"}  # hatchling's own wish


def test_the_page_on_security_says_what_is_so():
    output = (ROOT / "SECURITY.md").read_text()
    assert (
        f"**Few dependencies**: {['no', 'one', 'two', 'three', 'four'][len(DEPENDENCIES)]}"
        in output
    )
    for link in re.findall(r"\]\(([^)#]+)", output):
        assert (ROOT / link).exists(), link
